"""Version 0 becomes version 1: everything is carried over, and what is in version 1 stays as it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_shapes import ANY_JSON, as_json, json_of
from state_documents import V0_DOCUMENTS

from signoff.domain.state_file.work_slices import state_shape
from signoff.domain.work.work_state import StateFormat
from signoff.hosted.state_file.state_file_format import SLICE_KEYS, V0_KEYS, read_state
from signoff.hosted.state_migration import MigratedState, migrate


def done(data: bytes) -> MigratedState:
    found = migrate(data)
    assert found.value is not None, found.violations
    return found.value


def test_the_ticket_becomes_the_input_and_the_rest_keeps_its_name() -> None:
    old = {
        "ticket": {"id": "SHOP-7", "title": "Grüße"},
        "persona": "qa",
        "memory": [{"id": "m1"}],
        "plan": {"steps": ["x"]},
        "changes": [{"path": "a.py"}],
        "tests": {"verdict": "success"},
        "verify": None,
        "outcomes": {"refine": "success", "plan": "blocked"},
        "questions": ["@agent-directive: create-plan"],
        "report": "",
    }

    new = json.loads(done(as_json(old)).data)

    assert new["version"] == 1
    assert new["input"] == {"kind": "ticket", "data": old["ticket"]}
    assert (new["intent"], new["directive_set"]) == ("backend-coding", "backend")
    assert [new[name] for name in SLICE_KEYS] == [None] * len(SLICE_KEYS)
    assert {name: new[name] for name in V0_KEYS[1:]} == {name: old[name] for name in V0_KEYS[1:]}


@given(V0_DOCUMENTS)
def test_nothing_that_version_0_holds_is_lost(document: dict[str, Any]) -> None:
    made = done(as_json(document))
    new = json.loads(made.data)

    assert made.was is StateFormat.V0
    assert new["input"]["data"] == document["ticket"]
    for name in ("memory", "plan", "changes", "tests", "verify", "questions", "report"):
        if name in document:
            assert new[name] == document[name]
    assert new["outcomes"].keys() == document.get("outcomes", {}).keys()


@given(V0_DOCUMENTS)
def test_doing_it_twice_is_doing_it_once(document: dict[str, Any]) -> None:
    once = done(as_json(document)).data

    assert done(once) == MigratedState(once, StateFormat.V1)


@given(json_of(state_shape()))
def test_a_state_in_version_1_comes_back_byte_for_byte(document: dict[str, Any]) -> None:
    data = b" " + as_json(document)

    found = migrate(data)

    assert (found.value is None) == (read_state(data).value is None)
    assert found.value in (None, MigratedState(data, StateFormat.V1))


@given(ANY_JSON.map(as_json) | st.binary())
def test_any_bytes_are_migrated_or_have_an_error(data: bytes) -> None:
    found = migrate(data)

    assert found.value is not None or found.violations


@pytest.mark.parametrize("version", [0, 2, None, "0"])
def test_any_other_version_is_refused(version: object) -> None:
    found = migrate(as_json({"version": version, "ticket": {}}))

    assert found.value is None
    assert [violation.code for violation in found.violations] == ["unsupported-version"]


def test_what_could_not_be_read_again_is_not_written() -> None:
    """The ticket lies one level deeper afterwards; at the limit no cycle could read the new file."""
    deepest = b'{"ticket": {"x": ' + b"[" * 98 + b"]" * 98 + b"}}"

    assert read_state(deepest).value is not None
    assert [violation.code for violation in migrate(deepest).violations] == ["too-deep"]
