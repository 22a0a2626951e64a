"""Contracts and specs as they stand in files: any bytes can be read, and nothing is lost or misnamed."""

import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, as_json, json_of, spoiled
from spec_bench import as_camel, spec_file

from signoff.contracts.files.document_files import Document, has_errors, read_contract, read_record, read_spec
from signoff.domain.work.contract import Contract
from signoff.domain.work.spec import QuestionOption, Spec
from signoff.domain.work.sprints import Sprint
from signoff.text.json.camel_case import to_camel
from signoff.text.json.violation_list import fault

Reader = Callable[[bytes], Document[Any]]
READERS: list[Reader] = [read_contract, read_spec]


def named(document: Document[Any]) -> list[tuple[str, str]]:
    return [(violation.code, violation.path) for violation in document.violations]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "syntax-error"),
        (b"{", "syntax-error"),
        (b"\xff\xfe", "not-utf8"),
        (b"[" * 5_000, "too-deep"),
        (b'{"features": ' + b"[" * 101 + b"]" * 101 + b"}", "too-deep"),
        (b'{"a": 1, "a": 2}', "duplicate-key"),
        (b'{"a": NaN}', "not-a-number"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not-a-number"),
        (b'{"a": "\\ud800"}', "lone-surrogate"),
        (b'{"a": "' + b"x" * 10_000_000 + b'"}', "too-large"),
    ],
)
def test_what_readers_would_not_agree_on_is_no_document(read: Reader, data: bytes, code: str) -> None:
    document = read(data)

    assert (document.value, document.raw, document.is_readable) == (None, None, False)
    assert {violation.code for violation in document.violations} == {code}
    assert all(violation.message for violation in document.violations)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("data", [b"[]", b'[{"specId": "s"}]', b"3", b"-1.5e3", b'"s"', b"null", b"true"])
def test_json_that_is_no_object_is_readable_and_wrong(read: Reader, data: bytes) -> None:
    document = read(data)

    assert (document.value, document.raw, document.is_readable) == (None, None, True)
    assert named(document) == [("wrong-type", "")]


@settings(max_examples=60, deadline=None)
@given(data=ANY_JSON.map(as_json) | spoiled(Spec).map(as_json) | spoiled(Sprint).map(as_json) | st.binary())
def test_any_bytes_are_a_record_or_have_an_error(data: bytes) -> None:
    for read in READERS:
        document = read(data)
        assert (document.value is None) == has_errors(document.violations)


@settings(max_examples=60, deadline=None)
@given(raw=json_of(Spec))
def test_a_spec_is_the_same_in_either_spelling(raw: dict[str, Any]) -> None:
    ours, theirs = read_spec(as_json(raw)), read_spec(as_json(to_camel(raw, Spec)))

    assert ours.value is not None
    assert theirs.value == ours.value
    assert theirs.is_camel
    assert theirs.raw == to_camel(raw, Spec)


def test_pointers_names_and_lines_are_those_of_the_file() -> None:
    raw = as_camel(spec_file())
    raw["features"][0]["acceptanceCriteria"] = "x"
    raw["creatdAt"] = raw.pop("createdAt")

    document = read_spec(json.dumps(raw, indent=1).encode())
    by_path = {violation.path: violation for violation in document.violations}

    assert "`createdAt`" in by_path["/createdAt"].message
    assert "`createdAt`" in by_path["/creatdAt"].fix
    line = by_path["/features/0/acceptanceCriteria"].line
    assert line is not None
    assert "acceptanceCriteria" in document.text.splitlines()[line - 1]


def test_violations_of_the_rules_are_placed_in_the_file_too() -> None:
    document = read_spec(json.dumps(as_camel(spec_file()), indent=1).encode())
    found = fault("x", "`acceptance_criteria` and `other_words`", "/features/0/acceptance_criteria")

    (placed,) = document.placed([found])

    assert placed.path == "/features/0/acceptanceCriteria"
    assert placed.message == "`acceptanceCriteria` and `other_words`"
    assert placed.line is not None


def test_a_file_in_our_spelling_is_placed_in_our_spelling() -> None:
    document = read_spec(as_json(spec_file()))
    found = fault("x", "`created_at`", "/created_at")

    assert not document.is_camel
    assert document.placed([found])[0].path == "/created_at"
    assert document.placed([found])[0].message == "`created_at`"


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"contractId": "c"}, "Sprint"),
        ({"contract_id": "c"}, "Sprint"),
        ({"definitionOfDone": "d"}, "Sprint"),
        ({"tasks": [], "successCriteria": []}, "Contract"),
        ({"goal": "g"}, "Contract"),
        ({}, "Contract"),
    ],
)
def test_a_sprint_contract_is_told_from_a_contract_by_its_keys(raw: dict[str, object], kind: str) -> None:
    raw = {**raw, "never heard of": 1}

    messages = [violation.message for violation in read_contract(as_json(raw)).violations]

    assert any(message.endswith(f"is no field of {kind}") for message in messages)


def test_a_criterion_of_a_contract_may_call_its_id_as_a_sprint_does() -> None:
    raw = {"tasks": [], "success_criteria": [{"criterion_id": "C1", "description": "d"}]}
    given = msgspec.json.decode(as_json(raw))

    paths = [violation.path for violation in read_contract(as_json(raw)).violations]

    assert not [path for path in paths if path.startswith("/success_criteria/0/")]
    assert raw == given


def test_a_record_of_another_kind_is_read_the_same_way() -> None:
    document = read_record(b'{"label": "A", "description": "first"}', QuestionOption)

    assert document.value == QuestionOption(label="A", description="first")


def test_a_large_file_of_nonsense_is_judged_in_reasonable_time() -> None:
    started = time.process_time()

    document = read_spec(b'{"specId": [' + b"{}," * 300_000 + b"{}]}")

    assert has_errors(document.violations)
    assert time.process_time() - started < 5


def test_contracts_in_camel_case_have_camel_case_checks() -> None:
    raw = {
        "version": 1,
        "phase": 1,
        "goal": "g",
        "why": "w",
        "generatedAt": "2026-01-01T00:00:00Z",
        "generatedBy": "manual",
        "tasks": [
            {
                "id": "T1",
                "title": "t",
                "wave": 1,
                "verification": [{"type": "command-exit", "command": "make", "expectedExit": 2}],
            }
        ],
        "successCriteria": ["it is there"],
    }

    contract = read_contract(as_json(raw)).value

    assert isinstance(contract, Contract)
    assert msgspec.to_builtins(contract.tasks[0].verification[0])["expected_exit"] == 2
