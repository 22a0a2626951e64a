"""Non-goals on real trees: by themselves, and through a whole run."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from signoff.domain.base.typed_ids import ClauseId, EffectKey, TreeId
from signoff.domain.evidence.receipts import FailureReason, Observation, Receipt, Result
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.checks import DependencyRule, DiffPredicate, ForbiddenPattern, Place
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.judges.scope.non_goal_check import judge_predicate
from signoff.runs.drive.run_drive import resume
from signoff.runs.drive.run_start import RunRequest, start
from signoff.wiring import build

FILES = {
    "README.md": b"A tiny repository\n",
    "package.json": b'{"name": "a", "dependencies": {"known": "1"}}\n',
    "src/api.py": b"def greet(name: str) -> str:\n    return name\n",
    "src/auth/login.py": b"x = 1\n",
    "src/view.ts": b"export const a = 1\n",
}

EVERYTHING = DiffPredicate(
    untouched=("src/auth",),
    dependencies=DependencyRule.NONE_ADDED,
    exports=("src/api.py", "src/view.ts"),
    forbidden=(ForbiddenPattern(pattern=r"eval\("),),
)


class Ground:
    """A repository with one commit, and trees made by changing it."""

    def __init__(self, root: Path) -> None:
        self.root = root / "the répo"
        self.root.mkdir()
        self._git("init", "-q", "-b", "main")
        self.base = self.tree(FILES)
        self.kit: Kit = build(str(self.root))
        self.logs = str(root / "logs" / "one")

    def _git(self, *words: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        done = subprocess.run(
            ["git", *who, *words], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def tree(self, changes: Mapping[str, bytes | None]) -> TreeId:
        """Change files (None removes one), commit all, and give the tree."""
        for path, data in changes.items():
            target = self.root / path
            if data is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        self._git("add", "--all", "--", ".", ":!.signoff")
        self._git("commit", "-qm", "work", "--allow-empty")
        return TreeId(self._git("rev-parse", "HEAD^{tree}"))

    def judge(self, check: DiffPredicate, changes: Mapping[str, bytes | None]) -> Observation:
        receipt = self.receipt(check, changes)
        assert receipt is not None
        return receipt.observation

    def receipt(self, check: DiffPredicate, changes: Mapping[str, bytes | None]) -> Receipt | None:
        order = CheckOrder(
            key=EffectKey("verify/n"),
            clause=ClauseId("n"),
            check=check,
            place=Place.FINAL,
            tree=self.tree(changes),
            contract=None,
            folder=str(self.root),
            logs=self.logs,
            timeout_s=60,
        )
        kit = self.kit
        kit.repository.base()  # whoever compares has pinned a base
        return judge_predicate(kit.repository, kit.checks(), kit.clock, order, self.base)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def test_a_change_that_breaks_nothing_passes(ground: Ground) -> None:
    harmless = {
        "README.md": b"Another\n",
        "package.json": b'{"name": "b", "dependencies": {"known": "1"}}\n',
        "src/api.py": b"def greet(name: str) -> str:\n    return name * 2\n",
        "logo.png": b"\x89PNG\0\0\xff",
    }

    seen = ground.judge(EVERYTHING, harmless)

    assert (seen.result, seen.failure_reason, seen.detail) == (Result.PASS, None, "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"src/auth/new.py": b""}, "src/auth/new.py: added"),
        ({"src/auth/login.py": None}, "src/auth/login.py: deleted"),
        ({"package.json": b'{"dependencies": {"known": "1", "left-pad": "1"}}'}, "left-pad"),
        ({"sub/requirements.txt": b"left-pad\n"}, "left-pad"),
        ({"src/api.py": b"def greet(name: str, loud: bool) -> str:\n    return name\n"}, "greet"),
        ({"src/api.py": None}, "greet"),
        ({"lib/a b.py": b"ok = 1\nx = eval(y)\n"}, "lib/a b.py:2"),
        ({'lib/quo"te.py': b"x = eval(y)\n"}, 'lib/quo"te.py:1'),
        ({"lib/hidden.py": b"# \0\nx = eval(y)\n"}, "lib/hidden.py:2"),
    ],
)
def test_one_that_breaks_any_part_fails_and_says_what(
    ground: Ground, changes: Mapping[str, bytes | None], said: str
) -> None:
    seen = ground.judge(EVERYTHING, changes)

    assert (seen.result, seen.failure_reason) == (Result.FAIL, FailureReason.CRITERIA_UNMET)
    assert said in seen.detail
    assert "\n" not in seen.detail


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"src/view.ts": b"export const a = 2\n"}, "src/view.ts is not Python"),
        ({"package.json": b"{"}, "package.json cannot be read"),
        ({"src/api.py": b"def greet(\n"}, "src/api.py cannot be parsed"),
        ({"big.bin": b"\0" * 1_000_001}, "big.bin is binary and too large"),
    ],
)
def test_what_could_not_be_judged_is_no_pass(
    ground: Ground, changes: Mapping[str, bytes | None], said: str
) -> None:
    seen = ground.judge(EVERYTHING, changes)

    assert (seen.result, seen.failure_reason) == (Result.PARTIAL, FailureReason.EXECUTION_ERROR)
    assert said in seen.detail


def test_a_pattern_that_cannot_be_used_is_no_pass(ground: Ground) -> None:
    broken = DiffPredicate(forbidden=(ForbiddenPattern(pattern="("),))

    assert ground.judge(broken, {"a": b"x"}).result is Result.PARTIAL


def test_what_was_found_outweighs_what_could_not_be_judged(ground: Ground) -> None:
    seen = ground.judge(EVERYTHING, {"src/view.ts": b"2\n", "src/auth/login.py": b"x = 2\n"})

    assert seen.result is Result.FAIL


def test_a_line_that_was_there_already_was_not_added(ground: Ground) -> None:
    ground.base = ground.tree({"old.py": b"x = eval(y)\n"})

    assert ground.judge(EVERYTHING, {"old.py": b"x = eval(y)\nz = 1\n"}).result is Result.PASS


# --- through a run ---

_ATTEMPTS = 5
"""More than a run allows: the agent never learns."""

NON_GOALS = {
    "non-goal-1": "Do not add new dependencies",
    "non-goal-2": "Do not refactor `src/auth/`",
    "non-goal-3": "Do not change the public API of `src/api.py`",
    "non-goal-4": "Do not use `eval(`",
}


def _cassette(written: Mapping[str, str]) -> Cassette:
    check = {"type": "file-exists", "id": "T1/file", "path": "hello.txt", "must_contain": "hello"}
    contract: dict[str, Any] = {
        "version": 1,
        "phase": 1,
        "goal": "The repository greets whoever reads it",
        "why": "Somebody asked for it",
        "generated_at": "2026-01-01T09:00:00Z",
        "generated_by": "planner",
        "tasks": [
            {
                "id": "T1",
                "title": "Write hello.txt",
                "wave": 1,
                "files_create": ["hello.txt"],
                "files_modify": ["package.json", "src/**"],
                "action": "Write hello.txt",
                "verification": [check],
            }
        ],
        "success_criteria": [
            {"id": name, "description": f"hello.txt holds hello, {name}", "proven_by": ["T1/file"]}
            for name in ("first", "second", "third")
        ],
        "non_goals": list(NON_GOALS.values()),
        "stop_conditions": [
            "`grep -q name package.json` passes",
            "`hello.txt` exists",
            "All required criteria are met",
        ],
        "definition_of_done": "hello.txt is merged and holds its word",
        "assumptions": ["Plain text will do"],
        "out_of_scope": ["Changes to `README.md`", "Other languages"],
        "ambiguity_score": 1,
    }
    entries: list[dict[str, Any]] = [
        {"key": "plan/attempt-1/dispatch-1", "answer": {"kind": "plan", "contract": contract}}
    ]
    for attempt in range(1, _ATTEMPTS + 1):
        key = f"implement/T1/attempt-{attempt}/dispatch-1"
        entries.append({"key": key, "answer": {"kind": "done"}, "files": {"hello.txt": "hello\n", **written}})
    tape = {"version": 1, "name": "non-goals", "entries": entries}
    return msgspec.json.decode(msgspec.json.encode(tape), type=Cassette)


def _deliver(ground: Ground, written: Mapping[str, str]) -> dict[str, str]:
    """Run it to its end and give where each clause of the contract stands."""
    ticket = Ticket(
        id="NOTE-1",
        title="A greeting for readers",
        acceptance_criteria=("`hello.txt` holds the word `hello`",),
    )
    wanted = RunRequest(ticket, cassette=_cassette(written), approve_plan=True)
    driven = resume(ground.kit, start(ground.kit, wanted).folder)
    assert driven.survey.verdict is not None, driven.state.ended
    return {row.clause: str(row.standing) for row in driven.survey.verdict.clauses}


def test_a_run_proves_the_non_goals_it_can_compute(ground: Ground) -> None:
    stands = _deliver(ground, {})

    assert {stands[name] for name in NON_GOALS} == {"proven"}
    assert [stands[f"stop-{n}"] for n in (1, 2, 3)] == ["proven"] * 3
    assert (stands["out-of-scope-1"], stands["out-of-scope-2"]) == ("proven", "unproven")


def test_a_run_that_breaks_each_of_them_is_told_so(ground: Ground) -> None:
    """A task may touch these files, so nothing but the non-goals stands in the way."""
    stands = _deliver(
        ground,
        {
            "package.json": '{"name": "a", "dependencies": {"known": "1", "left-pad": "1"}}\n',
            "src/auth/login.py": "x = eval('2')\n",
            "src/api.py": "def greet(name: str, loud: bool = False) -> str:\n    return name\n",
        },
    )

    assert {stands[name] for name in NON_GOALS} == {"failed"}
    assert stands["out-of-scope-1"] == "proven"
