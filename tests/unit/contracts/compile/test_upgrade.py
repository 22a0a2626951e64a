"""Bringing older contracts up to date, and leaving current ones alone."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from json_documents import ANY_OBJECT
from plans import PLAN, compiled

from signoff.contracts.compile.upgrade import upgrade
from signoff.contracts.rules.format_rules import check_contract
from signoff.domain.work.contract import Contract, ContractPolicy

CHECK = {"type": "file-exists", "path": "a"}
OLD: dict[str, Any] = {
    "phase": 1,
    "goal": "g",
    "why": "w",
    "generated_at": "2026-01-01T00:00:00Z",
    "tasks": [
        {
            "id": 1,
            "title": "a",
            "wave": 1,
            "files": ["a"],
            "done_when": "it is",
            "verification": [CHECK],
        },
        {
            "id": "2",
            "title": "b",
            "wave": 2,
            "depends_on": "T1, Task 1",
            "x": 1,
            "verification": [CHECK],
        },
        {"id": "T3", "title": "c", "wave": 3, "depends_on": "none", "action": "do", "verification": [CHECK]},
    ],
    "success_criteria": ["s"],
}


def test_an_older_contract_becomes_a_current_one() -> None:
    made = upgrade(OLD)
    tasks: Any = made.contract["tasks"]
    first, second, third = tasks

    assert made.violations == ()
    assert check_contract(msgspec.convert(made.contract, Contract), ContractPolicy.SEED) == ()
    assert next(iter(made.contract.items())) == ("version", 1)
    assert (made.contract["generated_by"], made.contract["source_plan_hash"]) == ("manual", "")
    assert first == {
        "id": "T1",
        "title": "a",
        "wave": 1,
        "files_modify": ["a"],
        "acceptance_criteria": ["it is"],
        "verification": [CHECK],
        "depends_on": [],
        "files_create": [],
        "files_delete": [],
        "context_files": [],
        "action": "",
    }
    assert (second["id"], second["x"], second["depends_on"]) == ("T2", 1, ["T1", "T1"])
    assert third["depends_on"] == []
    assert [change for change in made.changes if "/tasks/2" in change] == [
        "/tasks/2/depends_on: written as a list of task ids",
        *(
            f"/tasks/2/{name}: was missing, set to an empty list"
            for name in (
                "files_modify",
                "files_create",
                "files_delete",
                "acceptance_criteria",
                "context_files",
            )
        ),
    ]


def test_a_current_contract_is_left_alone() -> None:
    contract = compiled(PLAN).contract

    assert upgrade(contract) == (contract, (), ())
    assert upgrade({**contract, "version": 0}).contract == contract


@pytest.mark.parametrize("version", [2, -1, "1", True, 1.5, [1], {}])
def test_a_version_nobody_knows_is_refused(version: object) -> None:
    made = upgrade({**OLD, "version": version})

    assert [(v.code, v.path) for v in made.violations] == [("unknown-version", "/version")]
    assert made.contract == {**OLD, "version": version}


@given(ANY_OBJECT)
def test_upgrading_again_changes_nothing(old: dict[str, object]) -> None:
    made = upgrade(old)

    assert upgrade(made.contract) == (made.contract, (), made.violations)
