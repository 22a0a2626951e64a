"""Contracts and sprints to break: one that is right, and ways to change it."""

import msgspec

from signoff.contracts.rules.format_rules import check_contract
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.contract import Contract, ContractPolicy
from signoff.domain.work.sprints import Sprint

Found = tuple[str, int | None, str]
Json = dict[str, object]

GREP = {"type": "grep-match", "path": "src/a.py", "pattern": "def main", "expect": "present"}
RUN = {"type": "command-exit", "command": "pytest", "args": ["-q"], "expected_exit": 0}
TOLD = "The total of the basket is printed in euros"
"""Enough for a criterion."""


def task(number: int, **changes: object) -> Json:
    plain: Json = {
        "id": f"T{number}",
        "title": "A task",
        "wave": number,
        "files_modify": [f"src/{number}.py"],
        "verification": [GREP],
    }
    return {**plain, **changes}


def criterion(name: str, **changes: object) -> Json:
    return {"id": name, "description": TOLD, **changes}


def document(*tasks: Json, **changes: object) -> Json:
    plain: Json = {
        "version": 1,
        "phase": 1,
        "goal": "Baskets have a total",
        "why": "Customers ask what they will pay",
        "generated_at": "2026-01-01T00:00:00Z",
        "generated_by": "manual",
        "tasks": list(tasks) or [task(1)],
        "success_criteria": [criterion(name) for name in ("one", "two", "three")],
        "non_goals": ["Do not touch the receipt"],
        "stop_conditions": ["The test suite passes with the new tests in it"],
        "definition_of_done": "A basket prints its total below its last line",
        "assumptions": ["Prices are in cents"],
        "out_of_scope": ["Discount codes"],
        "ambiguity_score": 2,
    }
    return {**plain, **changes}


def contract(*tasks: Json, **changes: object) -> Contract:
    return msgspec.convert(document(*tasks, **changes), Contract)


def found(subject: Contract, policy: ContractPolicy = ContractPolicy.STRICT) -> list[Found]:
    """Give the errors."""
    return [(v.code, v.rule, v.path) for v in _told(subject, policy) if v.severity is Severity.ERROR]


def warned(subject: Contract, policy: ContractPolicy = ContractPolicy.STRICT) -> list[tuple[str, str]]:
    """Give the warnings."""
    return [(v.code, v.path) for v in _told(subject, policy) if v.severity is Severity.WARNING]


def _told(subject: Contract, policy: ContractPolicy) -> tuple[Violation, ...]:
    violations = check_contract(subject, policy)
    assert all(v.message and v.fix for v in violations)
    return violations


def with_check(**changes: object) -> Contract:
    return contract(task(1, verification=[changes]))


def sprint_document(**changes: object) -> Json:
    methods = ("build", "unit-test", "unit-test")
    plain: Json = {
        "contract_id": "sprint-shop-1",
        "spec_id": "shop",
        "sprint_number": 1,
        "title": "Totals",
        "description": "A basket prints its total below its last line",
        "status": "proposed",
        "success_criteria": [sprint_criterion(f"sc-{n}", method) for n, method in enumerate(methods)],
        "non_goals": ["Do not touch the receipt"],
        "stop_conditions": ["All required success criteria pass evaluation"],
        "definition_of_done": "A basket prints its total below its last line",
        "ambiguity_score": 2,
        "generator_notes": "Begin in shop/pricing.py",
        "evaluator_notes": "Look at baskets with one article",
    }
    return {**plain, **changes}


def sprint_criterion(name: str, method: str = "unit-test", **changes: object) -> Json:
    plain: Json = {"criterion_id": name, "description": TOLD, "verification_method": method, "required": True}
    return {**plain, **changes}


def sprint(**changes: object) -> Sprint:
    return msgspec.convert(sprint_document(**changes), Sprint)
