"""A contract file is judged as a whole, whatever is in it."""

import json
from typing import Any

import pytest
from contract_bench import GREP, document, sprint_document, task
from hypothesis import given
from hypothesis import strategies as st
from json_shapes import ANY_JSON, json_of

from signoff.contracts.files.contract_file_check import ContractJudged, hindrances, judge_contract, read_check
from signoff.domain.work.contract import Contract, ContractPolicy
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.text.json.shape_repair import repaired


def judged(value: object, policy: ContractPolicy = ContractPolicy.STRICT) -> ContractJudged:
    return judge_contract(json.dumps(value).encode(), policy)


def spoiled(value: Any, data: st.DataObject) -> Any:
    """Put something arbitrary at one arbitrary place of a document, or take it away."""
    places: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        holder = todo.pop()
        keys = holder.keys() if isinstance(holder, dict) else range(len(holder))
        places += [(holder, key) for key in keys]
        todo += [holder[key] for key in keys if isinstance(holder[key], dict | list)]
    holder, key = data.draw(st.sampled_from(places))
    if data.draw(st.booleans()):
        holder[key] = data.draw(ANY_JSON)
    else:
        del holder[key]
    return value


@given(st.data(), st.sampled_from(ContractPolicy))
def test_no_document_is_too_broken_to_be_judged(data: st.DataObject, policy: ContractPolicy) -> None:
    """Every rule is asked about what is left, and nothing crashes over what is not."""
    base = data.draw(st.sampled_from([document(task(1), task(2)), sprint_document()]))
    value = json.loads(json.dumps(base))
    for _ in range(data.draw(st.integers(1, 3))):
        value = spoiled(value, data)

    found = judged(value, policy)

    assert found.ok == (not any(v.severity == "error" for v in found.violations))
    assert found.document.value is not None or not found.ok


@given(ANY_JSON, st.sampled_from(ContractPolicy))
def test_arbitrary_json_is_judged(value: object, policy: ContractPolicy) -> None:
    judged(value, policy)


@given(ANY_JSON, st.sampled_from([Contract, Sprint, Spec]))
def test_a_repair_gives_a_record_or_nothing(value: object, kind: type) -> None:
    from signoff.text.json.type_faults import faults_in

    found = repaired(value, kind, tuple(faults_in(value, kind)))

    assert found is None or isinstance(found, kind)


@given(json_of(Contract))
def test_what_needs_no_repair_is_not_changed_by_one(value: object) -> None:
    from signoff.text.json.decode import convert

    record = convert(value, Contract).value

    assert record is not None
    assert repaired(value, Contract, ()) == record


def test_what_a_rule_says_about_a_repaired_place_is_not_said() -> None:
    """A wave that is no number is told as that; what our stand-in for it breaks is nobody's business."""
    broken = document(task(1, wave="first"), task(2, depends_on=["T1"]))

    assert [(v.code, v.path) for v in judged(broken).violations if v.severity == "error"] == [
        ("wrong-type", "/tasks/0/wave")
    ]


def test_running_asks_for_less_than_precision() -> None:
    vague = document(task(1, verification=[GREP]), goal=" ", non_goals=[])
    outside = document(task(1, verification=[{**GREP, "path": "../x"}]))

    assert not judged(vague).ok
    assert hindrances(judged(vague)) == ()
    assert [v.code for v in hindrances(judged(outside))] == ["path-escape"]


@pytest.mark.parametrize(
    ("check", "path"),
    [
        ({**GREP, "pattern": "("}, "/pattern"),
        ({**GREP, "path": "/etc/passwd"}, "/path"),
        ({"type": "command-exit", "command": "a b", "expected_exit": 0}, "/command"),
        ({"type": "command-exit", "command": "a", "expected_exit": 0, "timeout_ms": 0}, "/timeout_ms"),
    ],
)
def test_a_check_alone_keeps_the_rules_of_its_kind(check: dict[str, Any], path: str) -> None:
    found = read_check(json.dumps(check).encode())

    assert found.value is None
    assert [v.path for v in found.violations] == [path]


@given(ANY_JSON)
def test_arbitrary_json_is_no_check_or_one(value: object) -> None:
    read_check(json.dumps(value).encode())
