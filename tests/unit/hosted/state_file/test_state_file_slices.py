"""The parts of a state file about user interfaces: each rule kept once, and broken once."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_shapes import ANY_JSON, as_json

from signoff.domain.state_file.work_slices import SLICES
from signoff.hosted.state_file.state_file_format import SLICE_KEYS, read_state, write_state


def said(name: str, value: object) -> list[tuple[str, str]]:
    document = {"version": 1, "input": {"kind": "prompt", "data": {}}, name: value}
    return [(violation.code, violation.path) for violation in read_state(as_json(document)).violations]


@pytest.mark.parametrize("name", SLICE_KEYS)
def test_null_is_a_part_that_was_not_begun(name: str) -> None:
    assert said(name, None) == []


@pytest.mark.parametrize("name", SLICE_KEYS[1:])
def test_an_empty_part_is_one_that_was_begun(name: str) -> None:
    assert said(name, {}) == []


def test_an_empty_stack_says_nothing() -> None:
    assert said("stack", {}) == [("missing-field", "/stack/frontend")]


@pytest.mark.parametrize("name", SLICE_KEYS)
@pytest.mark.parametrize("value", [[], "x", 0, False, True])
def test_a_part_is_an_object(name: str, value: object) -> None:
    assert said(name, value) == [("wrong-type", f"/{name}")]


GOOD = [
    ("stack", {"frontend": "vue"}),
    ("stack", {"frontend": "anything", "mtime": 0}),
    ("stack", {"frontend": "plain", "mtime": 1.5}),
    ("ui_audit", {"greenfield": False, "greenfield_decision": None, "a11y_baseline": []}),
    ("ui_audit", {"greenfield": True, "greenfield_decision": "scaffold"}),
    ("ui_audit", {"greenfield_decision": "bare"}),
    ("ui_audit", {"greenfield_decision": "external_reference"}),
    ("ui_audit", {"components_found": "anything", "audit_path": 3, "candidates": {}}),
    ("ui_design", {"design_confirmed": True, "layout": [1], "states": {}}),
    ("ui_review", {"findings": [], "review_clean": True, "a11y": None, "preview": None}),
    ("ui_review", {"a11y": {}, "preview": {}}),
    ("ui_review", {"a11y": {"violations": [1], "severity_floor": None, "accepted_violations": [{}]}}),
    ("ui_review", {"a11y": {"severity_floor": "minor"}, "preview": {"render_ok": False, "skipped": True}}),
    ("ui_review", {"a11y": {"severity_floor": "moderate"}}),
    ("ui_review", {"a11y": {"severity_floor": "serious"}}),
    ("ui_review", {"a11y": {"severity_floor": "critical"}}),
    ("ui_polish", {"rounds": 0, "applied": []}),
    ("ui_polish", {"rounds": 2}),
    ("ui_polish", {"rounds": 2, "extension_used": False}),
    ("ui_polish", {"rounds": 3, "extension_used": True}),
    ("contract", {"data_model": [], "api_surface": [{}], "contract_confirmed": False}),
    ("stitch", {"scenarios": [], "verdict": "success", "integration_confirmed": True}),
    ("stitch", {"verdict": "blocked"}),
    ("stitch", {"verdict": "partial"}),
]

BAD = [
    ("stack", {"frontend": ""}, "wrong-length", "frontend"),
    ("stack", {"frontend": None}, "wrong-type", "frontend"),
    ("stack", {"frontend": "vue", "mtime": "1"}, "wrong-type", "mtime"),
    ("stack", {"frontend": "vue", "mtime": True}, "wrong-type", "mtime"),
    ("stack", {"frontend": "vue", "mtime": None}, "wrong-type", "mtime"),
    ("ui_audit", {"greenfield": 1}, "wrong-type", "greenfield"),
    ("ui_audit", {"greenfield": None}, "wrong-type", "greenfield"),
    ("ui_audit", {"greenfield_decision": "both"}, "unknown-value", "greenfield_decision"),
    ("ui_audit", {"greenfield_decision": True}, "wrong-type", "greenfield_decision"),
    ("ui_audit", {"a11y_baseline": {}}, "wrong-type", "a11y_baseline"),
    ("ui_audit", {"a11y_baseline": None}, "wrong-type", "a11y_baseline"),
    ("ui_design", {"design_confirmed": "yes"}, "wrong-type", "design_confirmed"),
    ("ui_design", {"design_confirmed": None}, "wrong-type", "design_confirmed"),
    ("ui_review", {"findings": {}}, "wrong-type", "findings"),
    ("ui_review", {"findings": None}, "wrong-type", "findings"),
    ("ui_review", {"review_clean": "true"}, "wrong-type", "review_clean"),
    ("ui_review", {"review_clean": 1}, "wrong-type", "review_clean"),
    ("ui_review", {"a11y": []}, "wrong-type", "a11y"),
    ("ui_review", {"a11y": {"violations": {}}}, "wrong-type", "a11y/violations"),
    ("ui_review", {"a11y": {"severity_floor": "low"}}, "unknown-value", "a11y/severity_floor"),
    ("ui_review", {"a11y": {"accepted_violations": None}}, "wrong-type", "a11y/accepted_violations"),
    ("ui_review", {"preview": True}, "wrong-type", "preview"),
    ("ui_review", {"preview": {"render_ok": 1}}, "wrong-type", "preview/render_ok"),
    ("ui_polish", {"rounds": -1}, "out-of-range", "rounds"),
    ("ui_polish", {"rounds": 3}, "too-many-rounds", "rounds"),
    ("ui_polish", {"rounds": 3, "extension_used": False}, "too-many-rounds", "rounds"),
    ("ui_polish", {"rounds": 4, "extension_used": True}, "out-of-range", "rounds"),
    ("ui_polish", {"rounds": True}, "wrong-type", "rounds"),
    ("ui_polish", {"rounds": 1.0}, "wrong-type", "rounds"),
    ("ui_polish", {"rounds": None}, "wrong-type", "rounds"),
    ("ui_polish", {"rounds": 3, "extension_used": 1}, "wrong-type", "extension_used"),
    ("ui_polish", {"applied": "x"}, "wrong-type", "applied"),
    ("contract", {"data_model": {}}, "wrong-type", "data_model"),
    ("contract", {"api_surface": "x"}, "wrong-type", "api_surface"),
    ("contract", {"contract_confirmed": "yes"}, "wrong-type", "contract_confirmed"),
    ("stitch", {"scenarios": {}}, "wrong-type", "scenarios"),
    ("stitch", {"verdict": "failed"}, "unknown-value", "verdict"),
    ("stitch", {"verdict": None}, "wrong-type", "verdict"),
    ("stitch", {"integration_confirmed": 0}, "wrong-type", "integration_confirmed"),
]


@pytest.mark.parametrize(("name", "value"), GOOD)
def test_a_part_that_keeps_the_rules_is_kept_as_it_came(name: str, value: object) -> None:
    document = {"version": 1, "input": {"kind": "prompt", "data": {}}, name: value}

    found = read_state(as_json(document))

    assert found.violations == ()
    assert found.value is not None
    assert getattr(found.value.state, name) == value
    assert msgspec.json.decode(write_state(found.value))[name] == value


@pytest.mark.parametrize(("name", "value", "code", "field"), BAD)
def test_a_part_that_breaks_a_rule_is_named_by_code_and_place(
    name: str, value: object, code: str, field: str
) -> None:
    assert said(name, value) == [(code, f"/{name}/{field}")]


def test_a_number_no_clock_can_show_is_an_error_and_no_traceback() -> None:
    assert said("stack", {"frontend": "vue", "mtime": 10**400}) == [("invalid", "/stack")]


@given(name=st.sampled_from(SLICE_KEYS), value=st.dictionaries(st.text(max_size=5), ANY_JSON, max_size=3))
def test_keys_nobody_knows_are_kept_and_pass_without_a_word(name: str, value: dict[str, object]) -> None:
    known = SLICES[name].__struct_fields__
    strange = {key: item for key, item in value.items() if key not in known}
    part = {**strange, "frontend": "vue"} if name == "stack" else strange

    assert said(name, part) == []
