"""Contracts to measure with: a small one like people write, and one of a thousand tasks."""

import json
import time
from typing import Any

from signoff.contracts.files.contract_file_check import judge_contract
from signoff.text.json.canonical import canonical
from signoff.text.json.json_text import read_json

_ROUNDS = 20


def contract(tasks: int) -> bytes:
    """Give a valid contract of so many tasks, four checks each."""
    return json.dumps(
        {
            "version": 1,
            "phase": 1,
            "goal": "Visitors are greeted by the name they signed up with",
            "why": "They asked for it in three tickets",
            "generated_at": "2026-01-01T09:00:00Z",
            "generated_by": "planner",
            "source_plan_hash": "",
            "tasks": [_task(number) for number in range(1, tasks + 1)],
            "success_criteria": [_criterion(number) for number in range(1, 4)],
            "non_goals": ["Do not add new dependencies"],
            "stop_conditions": ["All required success criteria pass evaluation"],
            "definition_of_done": "A visitor who signs in is greeted by name on every page",
            "assumptions": [],
            "out_of_scope": [],
            "ambiguity_score": 1,
        },
        indent=1,
    ).encode()


def measure() -> None:
    """Print how long judging takes, against parsing the same bytes."""
    print("\ncontracts: judging against parsing, CPU")
    for tasks, promised in ((2, 5), (1_000, 200)):
        data = contract(tasks)
        cold = _timed(data, judge_contract)
        judged = min(_timed(data, judge_contract) for _ in range(_ROUNDS))
        parsed = min(_timed(data, read_json) for _ in range(_ROUNDS))
        sealed = min(_timed(data, canonical) for _ in range(_ROUNDS))
        assert judge_contract(data).ok
        print(
            f"  {tasks:5} tasks, {len(data) / 1000:8.1f} KB: first {cold:7.2f} ms, then {judged:7.2f} ms "
            f"(promised: {promised}); {judged / parsed:.1f} x parsing; canonical {sealed:.2f} ms"
        )


def _timed(data: bytes, work: Any) -> float:
    begin = time.process_time()
    work(data)
    return (time.process_time() - begin) * 1000


def _task(number: int) -> dict[str, object]:
    module = f"src/part_{number}/greeting.py"
    return {
        "id": f"T{number}",
        "title": f"Greet on page {number}",
        "wave": number,
        "depends_on": [f"T{number - 1}"] if number > 1 else [],
        "persona": "backend",
        "files_modify": [module],
        "files_create": [f"tests/test_greeting_{number}.py"],
        "files_delete": [],
        "acceptance_criteria": [f"Page {number} shows the name", "A visitor without a name sees `Hello`"],
        "action": "Read the name from the session and put it into the heading.",
        "context_files": ["src/session.py"],
        "verification": [
            {"type": "file-exists", "path": module, "must_contain": "def greet"},
            {"type": "grep-match", "path": module, "pattern": rf"greet\({number}", "expect": "present"},
            {
                "type": "command-exit",
                "command": "python",
                "args": ["-m", "pytest", f"tests/test_greeting_{number}.py"],
                "expected_exit": 0,
                "timeout_ms": 60_000,
            },
            {
                "type": "behavioral",
                "description": "The heading holds the name",
                "evidence_required": [
                    {"path": module, "matcher": rf"heading.*name{number}", "description": "the heading"}
                ],
            },
        ],
    }


def _criterion(number: int) -> dict[str, object]:
    return {
        "id": f"greets-{number}",
        "description": f"Signing in as visitor {number} shows the name in the heading",
        "verification_method": "unit-test",
        "required": True,
        "proven_by": ["T1/check-3"],
    }
