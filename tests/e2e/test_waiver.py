"""Waivers: who may give one, and what is left of it when its process dies half-way."""

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from signoff.domain.base.errors import ConfigError, ConflictError, UsageError, WaitingError
from signoff.domain.base.typed_ids import RunId
from signoff.domain.evidence.verdict import VerdictOutcome
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.events import How
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.host.places.repository import GitRepository
from signoff.runs.drive.run_drive import resume
from signoff.runs.drive.run_start import RunRequest, start
from signoff.runs.inspect.run_list import runs, status
from signoff.runs.state import waiver
from signoff.runs.state.waiver import waive, waived_state
from signoff.storage.journal import Journal
from signoff.storage.runs import Folder, Store
from signoff.wiring import build

ONE, TWO = "T2/file", "T2/word"
_ATTEMPTS = 5


def _check(name: str, path: str, word: str) -> dict[str, Any]:
    return {"type": "file-exists", "id": name, "path": path, "must_contain": word}


def _task(name: str, path: str, *checks: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Write {path}",
        "wave": 1,
        "files_create": [path],
        "action": f"Write {path}",
        "verification": list(checks),
    }


def _cassette() -> Cassette:
    """An agent that never gets the second file right."""
    contract = {
        "version": 1,
        "phase": 1,
        "goal": "The repository greets and says goodbye",
        "why": "Somebody asked for it",
        "generated_at": "2026-01-01T09:00:00Z",
        "generated_by": "planner",
        "tasks": [
            _task("T1", "hello.txt", _check("T1/file", "hello.txt", "hello")),
            _task("T2", "bye.txt", _check(ONE, "bye.txt", "bye"), _check(TWO, "bye.txt", "see you")),
        ],
        "success_criteria": [
            {
                "id": "greets",
                "description": "hello.txt is there and holds the word hello",
                "proven_by": ["T1/file"],
            },
            {
                "id": "leaves",
                "description": "bye.txt is there and holds the word bye",
                "proven_by": [ONE, TWO],
            },
        ],
        "non_goals": [{"id": "readme", "description": "README is left alone", "untouched": ["README.md"]}],
        "stop_conditions": [{"id": "both", "description": "Both are there", "proven_by": ["T1/file", ONE]}],
        "definition_of_done": "Both files are merged and hold their word",
        "assumptions": ["Plain text will do"],
        "out_of_scope": ["Other languages"],
        "ambiguity_score": 1,
    }
    entries: list[dict[str, Any]] = [
        {"key": "plan/attempt-1/dispatch-1", "answer": {"kind": "plan", "contract": contract}}
    ]
    for attempt in range(1, _ATTEMPTS + 1):
        for name, files in (("T1", {"hello.txt": "hello\n"}), ("T2", {"bye.txt": f"farewell {attempt}\n"})):
            key = f"implement/{name}/attempt-{attempt}/dispatch-1"
            entries.append({"key": key, "answer": {"kind": "done"}, "files": files})
    tape = {"version": 1, "name": "half of it", "entries": entries}
    return msgspec.json.decode(msgspec.json.encode(tape), type=Cassette)


@pytest.fixture(scope="module")
def refused_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one run, refused for two clauses. Copied for each test."""
    root = tmp_path_factory.mktemp("refused") / "repo"
    root.mkdir()
    (root / "README.md").write_text("A tiny repository\n")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("init", "-q", "-b", "main"), ("add", "--all"), ("commit", "-qm", "work")):
        subprocess.run(["git", *who, *words], cwd=root, check=True)
    ticket = Ticket(
        id="NOTE-1",
        title="A greeting and a farewell",
        acceptance_criteria=("`hello.txt` holds the word `hello`", "`bye.txt` holds the word `bye`"),
    )
    kit = build(str(root))
    folder = start(kit, RunRequest(ticket, cassette=_cassette(), approve_plan=True)).folder
    driven = resume(kit, folder)
    assert driven.state.ended is not None
    assert driven.state.ended.status == "refused", driven.state.ended
    return root


@pytest.fixture
def copy(refused_repository: Path, tmp_path: Path) -> Callable[[str], Kit]:
    """Give the repository once more, under a name."""

    def made(name: str) -> Kit:
        shutil.copytree(refused_repository, tmp_path / name, symlinks=True)
        return build(str(tmp_path / name))

    return made


@pytest.fixture
def kit(copy: Callable[[str], Kit]) -> Kit:
    return copy("repo")


def refused_run(kit: Kit) -> Folder:
    assert isinstance(kit.store, Store)
    (run,) = (found.run_id for found in runs(kit) if found.parent is None)
    return kit.store.open(run)


def give(kit: Kit, clause: str) -> waiver.WaiverGiven:
    return waive(kit, refused_run(kit), clause, "so be it", "Grace", How.TERMINAL)


def waived_clauses(folder: Folder) -> list[str]:
    data = folder.read("certificate.json")
    return [] if data is None else [w["clause"] for w in json.loads(data)["predicate"]["waivers"]]


def test_a_run_is_signed_off_with_its_last_open_clause_and_not_before(kit: Kit) -> None:
    folder = refused_run(kit)

    assert give(kit, ONE).outcome is VerdictOutcome.REFUSED
    assert waived_clauses(folder) == []
    assert give(kit, TWO).outcome is VerdictOutcome.SIGNED_OFF

    assert waived_clauses(folder) == [ONE, TWO]
    assert status(kit, folder.run_id).outcome == "signed-off"


def test_two_waivers_at_once_are_both_in_the_certificate(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the run read before it is held, each would be judged without the other."""
    record = waiver._record

    def slow(*words: Any) -> Any:
        time.sleep(0.3)
        return record(*words)

    monkeypatch.setattr(waiver, "_record", slow)
    threads = [threading.Thread(target=give, args=(build(kit.root), clause)) for clause in (ONE, TWO)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(waived_clauses(refused_run(kit))) == [ONE, TWO]


def test_a_run_that_somebody_drives_has_not_been_judged_yet_or_is_waited_for(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiver, "_WAIT_S", 0.1)
    with refused_run(kit).lock(), pytest.raises(ConflictError) as caught:
        give(kit, ONE)

    assert caught.value.slug == "run-locked"
    assert len(runs(kit)) == 1


class Killed(BaseException):
    """The process ends here."""


DISK = (
    (Folder, "write"),
    (Journal, "append"),
    (Store, "create"),
    (Store, "reveal"),
    (GitRepository, "publish"),
)


def die_before(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the touch of the disk with this number be the one that never happened."""
    left = [number]

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*words: Any, **more: Any) -> Any:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return real(*words, **more)

        return touch

    for owner, name in DISK:
        monkeypatch.setattr(owner, name, dying(getattr(owner, name)))


def test_a_waiver_that_dies_anywhere_is_there_or_not_and_everything_says_the_same(
    copy: Callable[[str], Kit], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate beside a refused run, or a signed-off run that says refused, would be believed."""
    seen = set()
    for number in range(100):
        kit = copy(f"repo-{number}")
        give(kit, ONE)
        folder = refused_run(kit)
        with monkeypatch.context() as patched:
            die_before(number, patched)
            try:
                give(kit, TWO)
                break
            except Killed:
                pass
        later = build(kit.root)
        is_given = len(later.store.list()) == 3
        seen.add((is_given, bool(waived_clauses(folder))))
        assert status(later, folder.run_id).outcome == ("signed-off" if is_given else "refused"), number
        assert is_given or not waived_clauses(folder), number

        resumed = resume(later, folder).state
        assert resumed.ended is not None
        assert resumed.ended.status == ("signed-off" if is_given else "refused")
        assert waived_clauses(folder) == ([ONE, TWO] if is_given else [])
        assert ("SIGNED OFF" in (folder.read("report.md") or b"").decode()) is is_given
        if not is_given:
            give(later, TWO)
            assert waived_clauses(folder) == [ONE, TWO]

    assert seen == {(False, False), (True, False), (True, True)}


def test_the_next_waiver_puts_right_what_the_last_one_left(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    give(kit, ONE)
    with monkeypatch.context() as patched:
        patched.setattr(waiver, "_settle", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            give(kit, TWO)
    assert waived_clauses(refused_run(kit)) == []

    with pytest.raises(UsageError) as caught:
        give(kit, TWO)

    assert caught.value.slug == "waiver-not-needed"
    assert waived_clauses(refused_run(kit)) == [ONE, TWO]


@pytest.mark.parametrize("damage", [b"garbage\n", b"", None])
def test_a_waiver_that_cannot_be_read_is_an_error_that_names_its_run(kit: Kit, damage: bytes | None) -> None:
    """To pass over it would be to lose a person's word in silence."""
    folder = refused_run(kit)
    child = kit.store.open(give(kit, ONE).run_id)
    os.unlink(child.path("state.json"))
    if damage is None:
        os.unlink(child.path("journal.jsonl"))
    else:
        Path(child.path("journal.jsonl")).write_bytes(damage)

    with pytest.raises(ConfigError) as caught:
        waived_state(kit, folder)

    assert child.run_id in caught.value.what
    listed = {found.run_id: found.outcome for found in runs(kit)}
    assert listed == {folder.run_id: "refused", child.run_id: "unreadable"}


def test_a_waiver_whose_journal_was_changed_is_an_error_though_its_view_is_there(kit: Kit) -> None:
    child = kit.store.open(give(kit, ONE).run_id)
    journal = Path(child.path("journal.jsonl"))
    journal.write_bytes(journal.read_bytes().replace(b"so be it", b"so be ti"))

    with pytest.raises(ConfigError) as caught:
        waived_state(kit, refused_run(kit))

    assert child.run_id in caught.value.what


def test_who_tried_to_waive_without_a_terminal_is_on_record_after_the_end_too(kit: Kit) -> None:
    folder = refused_run(kit)
    journal = folder.read("journal.jsonl")

    for _ in range(2):
        with pytest.raises(WaitingError):
            waive(kit, folder, ONE, "please", "some agent", How.RELAYED)

    state = waived_state(kit, folder)
    assert [(r.clause, r.by, r.how) for r in state.refusals] == [(ONE, "some agent", How.RELAYED)]
    assert state.waivers == ()
    assert status(kit, folder.run_id).outcome == "refused"
    assert "some agent tried to waive T2/file" in (folder.read("report.md") or b"").decode()
    (child,) = (found for found in runs(kit) if found.parent == folder.run_id)
    assert (child.step, child.finished, child.outcome) == ("waive", True, "refused")
    assert folder.read("journal.jsonl") == journal
    assert waived_clauses(folder) == []


def test_the_small_run_of_a_waiver_is_no_journal_left_open(kit: Kit) -> None:
    before = len(os.listdir("/dev/fd"))

    give(kit, ONE)
    give(kit, TWO)
    for found in runs(kit):
        assert list(kit.store.open(RunId(found.run_id)).lines())

    assert len(os.listdir("/dev/fd")) == before
