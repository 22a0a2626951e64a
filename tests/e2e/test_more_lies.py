"""Plans that try to get by with less: each is stopped before work, or refused after it."""

import json
from pathlib import Path
from typing import Any

from clibench import Bench, Ran, contract, task


def play(bench: Bench, plan: dict[str, Any], files: dict[str, str], **answer: object) -> Ran:
    """Play an agent that proposes this plan, then writes these files (or nothing) and says it is done."""
    work = {"answer": {"kind": "done", **answer}, "files": files}
    tape = {
        "version": 1,
        "name": "a lie",
        "entries": [
            {"key": f"plan/attempt-{n}/dispatch-1", "answer": {"kind": "plan", "contract": plan}}
            for n in (1, 2, 3)
        ]
        + [{"key": f"implement/T1/attempt-{n}/dispatch-1", **work} for n in (1, 2, 3, 4)],
    }
    path = bench.root.parent / "lie.json"
    path.write_text(json.dumps(tape))
    return bench("run", bench.ticket(), "--cassette", path, "--yes", "--json")


def plan(check: dict[str, Any], **changes: Any) -> dict[str, Any]:
    only = {**task("T1", "hello"), "verification": [{"id": "T1/shown", **check}]}
    criterion = {
        "id": "greets",
        "description": "hello.txt is there and says hello",
        "proven_by": ["T1/shown"],
    }
    minimal = {"tasks": [only], "success_criteria": [criterion], "stop_conditions": ["Every check passes"]}
    return contract(**{**minimal, **changes})


def standing(ended: Ran, clause: str) -> str:
    rows = {row["clause"]: row["standing"] for row in ended.document["verdict"]["clauses"]}
    return str(rows[clause])


def test_citing_a_line_that_was_there_before_proves_nothing(bench: Bench) -> None:
    shown = {
        "type": "behavioral",
        "description": "the repository greets",
        "evidence_required": [{"path": "README", "description": "a greeting"}],
    }
    citation = {"path": "README", "line": 1, "snippet": "A tiny repository"}

    ended = play(bench, plan(shown), {}, citations=[citation])

    assert ended.code == 1, ended.err
    assert standing(ended, "gate/change") == "failed"
    assert standing(ended, "T1/shown") != "proven"


def test_a_behavioral_check_is_proven_by_a_line_that_is_new(bench: Bench) -> None:
    shown = {
        "type": "behavioral",
        "description": "the repository greets",
        "evidence_required": [{"path": "hello.txt", "matcher": "hel+o", "description": "a greeting"}],
    }
    citation = {"path": "hello.txt", "line": 1, "snippet": "hello"}

    ended = play(bench, plan(shown), {"hello.txt": "hello\n"}, citations=[citation])

    assert ended.code == 0, ended.err
    assert bench("report", "latest", "--verify", "--rerun").code == 0


def test_a_plan_of_guards_alone_is_not_approved_by_policy(bench: Bench) -> None:
    ended = play(bench, plan({"type": "file-exists", "path": "README", "guard": True}), {})

    assert ended.code == 3, ended.err
    assert "asks for less than it could" in ended.document["halt"]["question"]
    relayed = bench("answer", "latest", "approve", "--json")
    assert relayed.code == 3, relayed.out


def test_a_command_that_fails_once_and_then_passes_is_no_proof(bench: Bench, tmp_path: Path) -> None:
    bench.commit(signoff_dot_toml='[sandbox]\nchecks = "none"\n')  # a box would keep it from leaving a mark
    mark = tmp_path / "mark"
    flaky = {"type": "command-exit", "command": "sh", "expected_exit": 0}
    script = f"test -e {mark} || {{ touch {mark}; exit 1; }}"

    ended = play(bench, plan({**flaky, "args": ["-c", script]}), {})

    assert ended.code == 1, ended.err
    assert standing(ended, "T1/shown") == "unproven"


def test_criteria_that_are_all_optional_are_no_contract(bench: Bench) -> None:
    shown = {"type": "file-exists", "path": "hello.txt"}
    optional = {"id": "greets", "description": "hello.txt is there and says hello", "required": False}

    ended = play(bench, plan(shown, success_criteria=[optional]), {"hello.txt": "hello\n"})

    assert ended.code == 1, ended.err
    assert "every success criterion is optional" in ended.document["why"]


def test_a_criterion_that_leans_on_gates_alone_claims_nothing(bench: Bench) -> None:
    shown = {"type": "file-exists", "path": "hello.txt"}
    leaning = {
        "id": "greets",
        "description": "it greets people by their own name",
        "proven_by": ["gate/scope"],
    }

    ended = play(bench, plan(shown, success_criteria=[leaning]), {"hello.txt": "hello\n"})

    assert ended.code == 3, ended.err
    assert "claims anything new" in ended.document["halt"]["question"]
