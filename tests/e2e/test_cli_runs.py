"""Looking at runs and taking them up again: status, runs, and journals that a crash tore."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from clibench import Bench, cassette, driving, plan
from msgspec.structs import replace

from signoff.domain.machine.process_records import ProcessOutcome
from signoff.domain.run.events import How
from signoff.host.processes.process_door import ProcessDoor
from signoff.runs.inspect.run_list import find
from signoff.runs.people.given_answers import PersonWord, stop
from signoff.wiring import build

KEYS = {"run_id", "step", "outcome", "halt", "halts", "cost_usd", "ticket", "title", "driven"}


@pytest.fixture
def waiting(bench: Bench) -> Bench:
    """A run that waits for its plan."""
    assert bench.start().code == 4
    return bench


def only_run(bench: Bench) -> Path:
    (run,) = (bench.root / ".signoff" / "runs").glob("0*")
    return run


def test_status_says_where_a_run_stands_and_what_it_waits_for(waiting: Bench) -> None:
    said = waiting("status", "--json")

    assert said.code == 0
    assert set(said.document) > KEYS
    assert (said.document["step"], said.document["outcome"]) == ("plan", "waiting")
    assert said.document["halt"]["directive"]["verb"] == "create-plan"
    assert said.document["cost_usd"] is None
    text = waiting("status").out
    assert said.document["halt"]["commands"][0] in text
    assert said.document["halt"]["directive_file"] in text


def test_status_is_answered_from_the_view_while_that_is_current(waiting: Bench) -> None:
    run = only_run(waiting)
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    # Were it folded, this line could not be read.
    (run / "journal.jsonl").write_bytes(b"".join([b"x" * (len(lines[0]) - 1) + b"\n", *lines[1:]]))

    assert waiting("status", "--json").document["outcome"] == "waiting"
    assert waiting("runs", "show", "latest").code == 2


def test_status_folds_where_the_view_is_lost_and_says_the_same(waiting: Bench) -> None:
    before = waiting("status", "--json").document
    (only_run(waiting) / "state.json").unlink()

    assert waiting("status", only_run(waiting).name[:12].lower(), "--json").document == before


def test_the_list_has_every_run_newest_first_and_names_one_that_cannot_be_read(waiting: Bench) -> None:
    broken = only_run(waiting)
    waiting("run", "--prompt", "Greet people", "--agent", "hosted")
    (broken / "journal.jsonl").write_bytes(b"garbage\n")
    os.utime(broken / "journal.jsonl", (0, 0))

    said = waiting("runs", "--json")

    assert said.code == 0
    assert [run["outcome"] for run in said.document["runs"]] == ["waiting", "unreadable"]
    assert said.document["runs"][1]["run_id"] == broken.name
    assert broken.name in waiting("runs", "list").out


def test_show_tells_everything_of_a_signed_off_run(delivered: Bench) -> None:
    said = delivered("runs", "show", "latest", "--json").document

    assert said["outcome"] == "signed-off"
    assert set(said["steps"].values()) == {"success"}
    assert said["verdict"]["outcome"] == "signed-off"
    assert len(said["dispatches"]) == 3
    assert all(Path(check["receipt"]).exists() for check in said["checks"])
    assert [ref["ref"] for ref in said["refs"]] == [f"refs/signoff/{said['run_id']}/final"]
    assert Path(said["files"]["certificate.json"]).exists()
    assert said["level"] == "observed"
    text = delivered("runs", "show", "latest").out
    assert "proven T1/file: red on base, green on final" in text


def test_a_run_is_replayed_without_agents_and_a_handoff_comes_from_the_journal(delivered: Bench) -> None:
    again = delivered("runs", "replay", "latest", "--json")
    handoff = delivered("runs", "handoff", "latest")

    assert again.code == 0
    assert again.document["identical"] is True
    assert again.document["first_difference"] is None
    assert again.document["events"] > 20
    assert handoff.out.startswith("# Handoff: NOTE-1")
    assert "## Next" in handoff.out


def test_a_run_that_has_ended_is_neither_resumed_nor_stopped_nor_answered(delivered: Bench) -> None:
    journal = only_run(delivered) / "journal.jsonl"
    before = journal.read_bytes()

    assert delivered("runs", "resume", "latest", "--json").document["outcome"] == "signed-off"
    assert delivered("runs", "stop", "latest", "--json").document["stopped"] is False
    assert delivered("answer", "latest", "1", "--json").document["error"]["slug"] == "run-ended"
    assert journal.read_bytes() == before


def test_a_stopped_run_keeps_its_checkouts_and_goes_on(waiting: Bench) -> None:
    stopped = waiting("runs", "stop", "latest", "--json")
    assert stopped.document["stopped"] is True
    assert "signoff runs resume" in waiting("status").out

    resumed = waiting("runs", "resume", "latest", "--json")

    assert resumed.code == 4
    assert Path(resumed.document["halt"]["checkout"]).is_dir()
    assert waiting.submit(plan()).code == 0


def test_resume_cuts_a_torn_line_by_itself_and_says_so(waiting: Bench) -> None:
    journal = only_run(waiting) / "journal.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"seq":10,"ts":"2026-')
    assert waiting("answer", "latest", "x", "--json").document["error"]["slug"] == "journal-torn"

    resumed = waiting("runs", "resume", "latest")

    assert resumed.code == 4
    assert "torn" in resumed.err
    assert b"tail_repaired" in journal.read_bytes()
    assert list(journal.parent.glob("journal.jsonl.torn-*"))
    assert waiting("journal", "check", journal).code == 0


def test_any_other_damage_stops_the_run_and_names_the_check(waiting: Bench) -> None:
    journal = only_run(waiting) / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for n, line in enumerate(lines) if n != 3))

    said = waiting("runs", "resume", "latest", "--json")

    assert said.code == 2
    assert f"signoff journal check {journal}" in said.document["error"]["fix"]


def test_unknown_and_ambiguous_names_are_refused_with_what_there_is(waiting: Bench) -> None:
    run = only_run(waiting)
    shutil.copytree(run, run.with_name(run.name[:-1] + ("0" if run.name[-1] != "0" else "1")))

    unknown = waiting("status", "7ZZZ", "--json")
    ambiguous = waiting("status", run.name[:-1], "--json")

    for said in (unknown, ambiguous):
        assert (said.code, said.document["error"]["slug"]) == (2, "run-unknown")
        assert run.name in json.dumps(said.document)


def test_no_runs_at_all_is_exit_2_for_status_and_an_empty_list(bench: Bench) -> None:
    assert bench("status", "--json").document["error"]["slug"] == "no-runs"
    assert bench("status").code == 2
    assert bench("runs", "--json").document == {"runs": []}


def test_a_run_driven_elsewhere_is_seen_protected_and_stopped_from_here(bench: Bench) -> None:
    with driving(bench) as driver:
        said = bench("status", "--json").document
        assert (said["outcome"], said["driven"]) == ("running", True)
        locked = bench("runs", "resume", "latest", "--json")
        assert (locked.code, locked.document["error"]["slug"]) == (2, "run-locked")

        stopped = bench("runs", "stop", "latest", "--json")

        out, _ = driver.communicate(timeout=60)
        assert stopped.document["stopped"] is True
        assert (driver.returncode, json.loads(out)["outcome"]) == (130, "stopped")
    assert bench("status", "--json").document["outcome"] == "stopped"


def test_a_driver_that_was_killed_leaves_a_run_that_says_so(bench: Bench) -> None:
    with driving(bench) as driver:
        driver.kill()
        driver.wait(timeout=60)

    said = bench("status")

    assert said.code == 0
    assert "running at step plan" in said.out
    assert "no driver is running; continue with: signoff runs resume" in said.out


def test_stop_ends_every_program_that_a_killed_driver_may_have_left(bench: Bench) -> None:
    """The search of a pattern has a slip of its own; what it left would run on."""
    with driving(bench) as driver:
        deadline = time.monotonic() + 60
        while b"plan/attempt-1/dispatch-1" not in (only_run(bench) / "journal.jsonl").read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        driver.kill()
        driver.wait(timeout=60)
    kit = build(str(bench.root))
    ended: list[str] = []

    class Noting(ProcessDoor):
        def recover(self, slip_path: str) -> ProcessOutcome | None:
            ended.append(slip_path)
            return super().recover(slip_path)

    noting = Noting.__new__(Noting)
    noting.__dict__.update(vars(kit.processes))

    assert stop(replace(kit, processes=noting), find(kit), PersonWord("ada", How.TERMINAL))

    stems = {path.removesuffix(".slip").removesuffix(".regex") for path in ended}
    assert stems
    assert sorted(ended) == sorted(f"{stem}{slip}" for stem in stems for slip in (".slip", ".regex.slip"))


def test_progress_keeps_the_last_events_when_an_answer_is_handed_in(waiting: Bench) -> None:
    assert waiting.submit(plan()).code == 0

    page = (only_run(waiting) / "PROGRESS.md").read_text()

    events = page.partition("## Recent events (last 10)")[2].partition("\n## ")[0]
    assert events.count("\n- ") > 3, page


def test_a_replayed_run_that_was_torn_has_a_sound_journal_without_warnings(bench: Bench) -> None:
    tape = bench.root.parent / "tape.json"
    tape.write_text(json.dumps(cassette()))
    assert bench("run", bench.ticket(), "--cassette", tape, "--json").code == 3
    journal = only_run(bench) / "journal.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"seq":10,"ts":"2026-')
    assert bench("runs", "resume", "latest").code == 3

    said = bench("journal", "check", journal, "--json")

    assert b"tail_repaired" in journal.read_bytes()
    assert "ts-backwards" not in said.out


def test_a_recorded_run_is_recorded_again_and_replays_the_same(bench: Bench) -> None:
    tape = bench.root.parent / "tape.json"
    tape.write_text(json.dumps(cassette()))

    first = bench("run", bench.ticket(), "--cassette", tape, "--yes", "--record", "--json")
    assert first.code == 0, first.err
    again = bench("run", bench.ticket(), "--cassette", first.document["cassette"], "--yes", "--json")

    assert again.code == 0, again.err
    assert again.document["verdict"] == first.document["verdict"]
    assert bench("runs", "replay", again.document["run_id"]).code == 0


def test_a_run_does_not_go_on_under_a_contract_that_was_changed_meanwhile(bench: Bench) -> None:
    """The engine works from what was sealed; whoever edits the file must not believe otherwise."""
    bench.start("--yes")
    run = bench.submit(plan(), "--resume", "--json").document["run_id"]
    path = bench.run_folder(run) / "contract.json"
    path.write_text(path.read_text().replace("goodbye", "good night"))

    said = bench("runs", "resume", run, "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "contract-changed")
    path.unlink()
    assert bench("runs", "resume", run).code == 4
