"""A contract written for tools that know plan contracts and no more."""

import copy
import json
from typing import Any

from signoff.contracts.files.contract_file_check import judge_contract
from signoff.contracts.files.contract_seal import sealed
from signoff.contracts.files.plan_contract_format import as_plan_contract
from signoff.domain.work.contract import ContractPolicy

COMMAND = {"type": "command-exit", "id": "T1/tests", "command": "pytest", "expected_exit": 0, "guard": True}


def contract() -> dict[str, Any]:
    return {
        "version": 1,
        "phase": 1,
        "goal": "A basket has a total",
        "why": "Customers ask for it",
        "generated_at": "2026-01-01T00:00:00Z",
        "generated_by": "manual",
        "tasks": [
            {
                "id": "T1",
                "title": "Add it up",
                "wave": 1,
                "files_create": ["src/a.py"],
                "acceptance_criteria": ["It adds up"],
                "verification": [COMMAND, {"type": "tests", "id": "T1/suite"}],
                "team": "kept",
            }
        ],
        "success_criteria": [
            {"id": "C1", "description": "The total is 449", "proven_by": ["T1/tests"], "required": True},
            "It prints",
        ],
        "non_goals": [
            "No new dependencies",
            {
                "id": "N2",
                "description": "Prices stay",
                "untouched": ["src/price.py"],
                "dependencies": "unchanged",
                "exports": ["src/**"],
                "forbidden": [{"pattern": "round"}],
            },
        ],
        "stop_conditions": [{"id": "S1", "description": "The tests pass", "proven_by": ["T1/tests"]}],
        "team": "kept",
    }


def test_every_loss_is_named() -> None:
    """Who hands the file to another tool must know what that tool will not ask for."""
    assert as_plan_contract(sealed(contract())).left_out == (
        "seal",
        "success_criteria/0: id, proven_by, required",
        "non_goals/1: id, untouched, dependencies, exports, forbidden",
        "stop_conditions/0: id, proven_by",
        "tasks/0/verification/1: a check of type tests",
    )


def test_what_is_exported_is_a_contract_that_we_take_back() -> None:
    """The seal covers what stood there before, so with it the file would be refused as changed."""
    document = as_plan_contract(sealed(contract())).document
    judged = judge_contract(json.dumps(document).encode(), ContractPolicy.SEED)

    assert judged.ok
    assert not judged.is_refused
    assert "seal" not in document


def test_criteria_become_words_and_everything_else_stays() -> None:
    document: dict[str, Any] = as_plan_contract(contract()).document
    (task,) = document["tasks"]

    assert document["success_criteria"] == ["The total is 449", "It prints"]
    assert document["non_goals"] == ["No new dependencies", "Prices stay"]
    assert document["stop_conditions"] == ["The tests pass"]
    assert task["verification"] == [{"args": [], **COMMAND}]
    assert (task["team"], document["team"]) == ("kept", "kept")


def test_a_plan_contract_loses_nothing() -> None:
    plain = contract()
    for name in ("success_criteria", "non_goals", "stop_conditions"):
        plain[name] = ["in words"]
    plain["tasks"][0]["verification"] = [COMMAND]
    before = copy.deepcopy(plain)

    exported = as_plan_contract(plain)

    assert exported.left_out == ()
    assert exported.document | {"tasks": []} == before | {"tasks": [], "source_plan_hash": ""}
    assert plain == before


def test_a_name_from_the_file_cannot_break_the_line() -> None:
    """Each loss is a line on a terminal."""
    odd = contract()
    odd["success_criteria"] = [{"id": "C1", "description": "x", "a\nleft out: nothing": 1, "k" * 5_000: 1}]

    (said, *_) = as_plan_contract(odd).left_out

    assert "\n" not in said
    assert len(said) < 200
