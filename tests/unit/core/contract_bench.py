"""Contracts to break: one that is right, and ways to change it."""

import msgspec

from signoff.core.contract_rules import check_contract
from signoff.domain.contract import Contract
from signoff.domain.violations import Severity

Found = tuple[str, int | None, str]

GREP = {"type": "grep-match", "path": "src/a.py", "pattern": "def main", "expect": "present"}
RUN = {"type": "command-exit", "command": "pytest", "args": ["-q"], "expected_exit": 0}


def task(number: int, **changes: object) -> dict[str, object]:
    plain: dict[str, object] = {
        "id": f"T{number}",
        "title": "A task",
        "wave": number,
        "files_modify": [f"src/{number}.py"],
        "verification": [GREP],
    }
    return {**plain, **changes}


def contract(*tasks: dict[str, object], **changes: object) -> Contract:
    plain: dict[str, object] = {
        "version": 1,
        "phase": 1,
        "goal": "g",
        "why": "w",
        "generated_at": "2026-01-01T00:00:00Z",
        "generated_by": "manual",
        "tasks": tasks or (task(1),),
        "success_criteria": ["it is there"],
    }
    return msgspec.convert({**plain, **changes}, Contract)


def found(subject: Contract) -> list[Found]:
    violations = check_contract(subject)
    assert all(v.severity is Severity.ERROR and v.message and v.fix for v in violations)
    return [(v.code, v.rule, v.path) for v in violations]


def with_check(**changes: object) -> Contract:
    return contract(task(1, verification=[changes]))
