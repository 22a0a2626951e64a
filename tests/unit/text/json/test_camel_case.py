"""Two spellings of one document: there and back is what it was, and only what our records know is respelt."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, JSON_TEXT
from msgspec import inspect as mi

from signoff.domain.work.contract import Contract
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.text.json.camel_case import camel, field_names, is_camel, pointer_in, to_camel, to_snake

KINDS = st.sampled_from([Spec, Sprint, Contract])
UNKNOWN = st.sampled_from(["fooBar", "foo_bar", "x", "preset", "a/b", "~c_d"]) | JSON_TEXT


@st.composite
def documents(draw: st.DrawFn, kind: mi.Type, is_spelt_camel: bool) -> Any:
    """Give JSON of a kind in one spelling: some fields, unknown keys, both spellings, any values."""
    if isinstance(kind, mi.UnionType):
        return draw(documents(draw(st.sampled_from(kind.types)), is_spelt_camel))
    if isinstance(kind, mi.VarTupleType):
        return draw(st.lists(documents(kind.item_type, is_spelt_camel), max_size=2))
    if not isinstance(kind, mi.StructType) or draw(st.integers(0, 9)) == 0:
        return draw(ANY_JSON)
    return draw(_object(kind, is_spelt_camel))


@st.composite
def _object(draw: st.DrawFn, kind: mi.StructType, is_spelt_camel: bool) -> Any:
    fields = {field.encode_name: field.type for field in kind.fields}
    both = fields.keys() | {camel(name) for name in fields}
    document: dict[str, Any] = {kind.tag_field: kind.tag} if kind.tag_field else {}
    for name in draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=4)):
        key, other = (camel(name), name) if is_spelt_camel else (name, camel(name))
        document[key] = draw(documents(fields[name], is_spelt_camel))
        if key != other and draw(st.integers(0, 3)) == 0:
            document[other] = draw(documents(fields[name], draw(st.booleans())))
    for key in draw(st.lists(UNKNOWN, max_size=2)):
        if key not in both and key != kind.tag_field:
            document[key] = draw(ANY_JSON)
    return {key: document[key] for key in draw(st.permutations(list(document)))}


def as_written(document: object) -> str:
    """Give text in which the order of keys counts, and whether a number is 1 or True."""
    return json.dumps(document)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), kind=KINDS)
def test_a_camel_case_document_comes_back_as_it_was(data: st.DataObject, kind: Any) -> None:
    document = data.draw(documents(mi.type_info(kind), True))

    assert as_written(to_camel(to_snake(document, kind), kind)) == as_written(document)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), kind=KINDS)
def test_a_snake_case_document_comes_back_as_it_was(data: st.DataObject, kind: Any) -> None:
    document = data.draw(documents(mi.type_info(kind), False))

    assert as_written(to_snake(to_camel(document, kind), kind)) == as_written(document)


@settings(max_examples=100, deadline=None)
@given(document=ANY_JSON, kind=KINDS)
def test_respelling_takes_any_json(document: object, kind: Any) -> None:
    once = to_snake(document, kind)

    assert as_written(to_snake(once, kind)) == as_written(once)
    assert as_written(to_camel(to_camel(document, kind), kind)) == as_written(to_camel(document, kind))


def test_fields_are_respelt_at_any_depth_and_nothing_else_is() -> None:
    document = {
        "specId": "s",
        "myOwn": {"specId": 1},
        "techNotes": {"dataModel": 1, "specId": 2},
        "metadata": [{"featureId": 1}],
        "nonFunctionalRequirements": [{"acceptanceCriteria": 1}],
        "features": [{"featureId": "f", "acceptanceCriteria": ["a"], "fooBar": 1}],
        "sprints": ["id", {"contractId": "c", "successCriteria": [{"criterionId": "x"}]}],
    }

    assert to_snake(document, Spec) == {
        "spec_id": "s",
        "myOwn": {"specId": 1},
        "tech_notes": {"dataModel": 1, "specId": 2},
        "metadata": [{"featureId": 1}],
        "non_functional_requirements": [{"acceptanceCriteria": 1}],
        "features": [{"feature_id": "f", "acceptance_criteria": ["a"], "fooBar": 1}],
        "sprints": ["id", {"contract_id": "c", "success_criteria": [{"criterion_id": "x"}]}],
    }


def test_both_spellings_of_a_field_are_left_alone_with_all_that_is_in_them() -> None:
    document = {
        "clarificationQuestions": [{"questionId": "Q1"}],
        "clarification_questions": [{"question_id": "Q2"}],
    }

    assert to_snake(document, Spec) == document
    assert to_camel(document, Spec) == document


def test_fields_that_have_our_spelling_already_are_looked_into() -> None:
    """A file of both hands is read as a whole, not up to the first field somebody else wrote."""
    document = {"specId": "s", "clarification_questions": [{"questionId": "Q1"}]}

    assert to_snake(document, Spec) == {"spec_id": "s", "clarification_questions": [{"question_id": "Q1"}]}


def test_the_fields_of_a_check_are_those_of_its_type() -> None:
    checks = [
        {"type": "command-exit", "command": "make", "expectedExit": 0},
        {"type": "file-exists", "path": "a", "expectedExit": 0},
        {"type": "no such type", "expectedExit": 0},
    ]

    respelt: Any = to_snake({"tasks": [{"verification": checks}]}, Contract)

    assert [sorted(check) for check in respelt["tasks"][0]["verification"]] == [
        ["command", "expected_exit", "type"],
        ["expectedExit", "path", "type"],
        ["expectedExit", "type"],
    ]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"specId": 1}, True),
        ({"spec_id": 1}, False),
        ({"title": 1, "features": []}, False),
        ({"unknownKey": 1}, False),
        ({}, False),
    ],
)
def test_camel_case_is_told_by_the_fields_of_the_record(document: dict[str, object], expected: bool) -> None:
    assert is_camel(document, Spec) is expected


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("", ""),
        ("/spec_id", "/specId"),
        ("/features/0/acceptance_criteria/1", "/features/0/acceptanceCriteria/1"),
        ("/features/0/estimated_complexity", "/features/0/estimatedComplexity"),
        ("/features/9/feature_id", "/features/9/featureId"),
        ("/features/²/feature_id", "/features/²/featureId"),
        ("/created_at", "/created_at"),
        ("/techNotes/data_model", "/techNotes/data_model"),
        ("/a~1b_c/d~0_e", "/a~1b_c/d~0_e"),
    ],
)
def test_a_pointer_leads_to_the_same_place_in_the_file(ours: str, theirs: str) -> None:
    document = {
        "specId": "s",
        "created_at": "both hands",
        "features": [{"featureId": "f", "acceptanceCriteria": ["a", "b"]}],
        "techNotes": {"data_model": 1},
        "a/b_c": {"d~_e": 1},
    }

    assert pointer_in(ours, document) == theirs


def test_the_names_of_fields_are_known_at_any_depth() -> None:
    assert {"spec_id", "question_id", "criterion_id"} <= field_names(Spec)
    assert {"expected_exit", "source_plan_hash"} <= field_names(Contract)
