"""State files of hosted runs: any bytes can be read, nothing is guessed at, nothing gets lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_shapes import ANY_JSON, as_json, json_of, spoiled
from state_documents import V0_DOCUMENTS

from signoff.domain.base.violations import Severity
from signoff.domain.state_file.work_slices import SLICES, state_shape
from signoff.domain.work.work_state import (
    DirectiveSet,
    Intent,
    Persona,
    StateFile,
    StateFormat,
    WorkInput,
    WorkState,
)
from signoff.hosted.state_file.state_faults import StateFault
from signoff.hosted.state_file.state_file_format import (
    SLICE_KEYS,
    V0_KEYS,
    as_exported,
    read_state,
    wire_for,
    write_state,
)
from signoff.text.json.json_text import DecodeCode

INPUT = {"kind": "ticket", "data": {"id": "SHOP-7"}}
CODES = {*StateFault, *DecodeCode}

V1_DOCUMENTS = json_of(state_shape()).filter(lambda document: read_state(as_json(document)).value is not None)


def v1(**changes: object) -> dict[str, object]:
    return {"version": 1, "input": INPUT, **changes}


def said(document: object) -> list[tuple[str, str]]:
    """Give the code and the place of everything that is wrong; none of it without a message."""
    found = read_state(document if isinstance(document, bytes) else as_json(document))
    assert all(violation.message for violation in found.violations)
    return [(violation.code, violation.path) for violation in found.violations]


def read(document: object) -> StateFile:
    found = read_state(document if isinstance(document, bytes) else as_json(document))
    assert found.value is not None, found.violations
    return found.value


# --- any bytes ---


@given(
    data=ANY_JSON.map(as_json)
    | json_of(state_shape()).map(as_json)
    | spoiled(state_shape()).map(as_json)
    | V0_DOCUMENTS.map(as_json)
    | st.binary()
)
def test_any_bytes_are_a_state_or_have_a_coded_error(data: bytes) -> None:
    """A traceback in a cycle could not be told from a halt."""
    found = read_state(data)

    errors = [violation for violation in found.violations if violation.severity is Severity.ERROR]
    assert (found.value is None) == bool(errors)
    assert {violation.code for violation in found.violations} <= CODES


@given(name=st.sampled_from(WorkState.__struct_fields__), value=ANY_JSON)
def test_any_json_in_any_field_is_taken_or_named_by_its_place(name: str, value: object) -> None:
    found = read_state(as_json(v1(**{name: value})))

    if found.value is None:
        assert all(violation.path.startswith(f"/{name}") for violation in found.violations)
    elif name in SLICE_KEYS:
        assert getattr(found.value.state, name) == value


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "syntax-error"),
        (b'{"version": 1', "syntax-error"),
        (b"\xff\xfe", "not-utf8"),
        (b"[" * 5_000, "too-deep"),
        (b'{"version": 1, "version": 1, "input": {"kind": "ticket", "data": {}}}', "duplicate-key"),
        (b'{"version": 1, "input": {"kind": "ticket", "data": {"n": NaN}}}', "not-a-number"),
        (b'{"version": 1, "input": {"kind": "ticket", "data": {"n": "\\ud800"}}}', "lone-surrogate"),
        (b'{"ticket": {"id": "' + b"x" * 8_000_000 + b'"}}', "too-large"),
    ],
)
def test_what_readers_would_not_agree_on_is_no_state(data: bytes, code: str) -> None:
    found = read_state(data)

    assert found.value is None
    assert [violation.code for violation in found.violations] == [code]


def test_a_byte_order_mark_is_only_a_warning() -> None:
    found = read_state(b"\xef\xbb\xbf" + as_json(v1()))

    assert found.value is not None
    assert [violation.code for violation in found.violations] == ["byte-order-mark"]


# --- which version ---


@pytest.mark.parametrize("document", [{}, {"runs": []}, [], [v1()], "x", 1, None, True])
def test_what_is_neither_version_is_no_state_file(document: object) -> None:
    assert said(document) == [("not-a-state-file", "")]


@pytest.mark.parametrize("version", [0, 2, -1, 1.0, "1", True, None, [], {}, 10**30])
def test_only_the_number_1_is_version_1(version: object) -> None:
    assert said({**v1(), "version": version, "ticket": {}}) == [("unsupported-version", "/version")]


def test_a_ticket_without_a_version_is_version_0() -> None:
    file = read({"ticket": {"id": "A", "x": [1]}, "questions": ["> 1. Go on"], "zzz": 1})

    assert file.wire is StateFormat.V0
    assert file.state == WorkState(
        input=WorkInput(kind=read(v1()).state.input.kind, data={"id": "A", "x": [1]}),
        questions=["> 1. Go on"],
    )


@pytest.mark.parametrize("ticket", [None, [], "x", 1])
def test_a_ticket_of_version_0_is_an_object(ticket: object) -> None:
    assert said({"ticket": ticket}) == [("wrong-type", "/ticket")]


# --- the envelope ---


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"input": None}, "wrong-type", "/input"),
        ({"input": []}, "wrong-type", "/input"),
        ({"input": {"data": {}}}, "missing-field", "/input/kind"),
        ({"input": {"kind": "ticket"}}, "missing-field", "/input/data"),
        ({"input": {"kind": "ticket", "data": None}}, "wrong-type", "/input/data"),
        ({"input": {"kind": "ticket", "data": []}}, "wrong-type", "/input/data"),
        ({"input": {"kind": "mail", "data": {}}}, "unknown-input-kind", "/input/kind"),
        ({"input": {"kind": None, "data": {}}}, "unknown-input-kind", "/input/kind"),
        ({"intent": "frontend"}, "unknown-intent", "/intent"),
        ({"intent": None}, "unknown-intent", "/intent"),
        ({"intent": ["mixed"]}, "unknown-intent", "/intent"),
        ({"directive_set": "frontend"}, "unknown-directive-set", "/directive_set"),
        ({"directive_set": None}, "unknown-directive-set", "/directive_set"),
        ({"persona": "advisry"}, "unknown-persona", "/persona"),
        ({"persona": 1}, "unknown-persona", "/persona"),
        ({"persona": {}}, "unknown-persona", "/persona"),
        ({"memory": None}, "wrong-type", "/memory"),
        ({"memory": {}}, "wrong-type", "/memory"),
        ({"outcomes": None}, "wrong-type", "/outcomes"),
        ({"outcomes": []}, "wrong-type", "/outcomes"),
        ({"outcomes": {"plan": "done"}}, "unknown-outcome", "/outcomes/plan"),
        ({"outcomes": {"plan": True}}, "unknown-outcome", "/outcomes/plan"),
        ({"outcomes": {"plan": ["success"]}}, "unknown-outcome", "/outcomes/plan"),
        ({"questions": None}, "wrong-type", "/questions"),
        ({"questions": "x"}, "wrong-type", "/questions"),
        ({"questions": ["x", 1]}, "wrong-type", "/questions/1"),
        ({"report": 1}, "wrong-type", "/report"),
        ({"report": []}, "wrong-type", "/report"),
    ],
)
def test_a_wrong_envelope_is_named_by_code_and_place(
    changes: dict[str, object], code: str, path: str
) -> None:
    assert said(v1(**changes)) == [(code, path)]
    if "input" not in changes and not path.startswith(("/intent", "/directive_set")):
        assert said({"ticket": {}, **changes}) == [(code, path)], "version 0 is read by the same rules"


def test_everything_wrong_is_said_at_once_with_its_line() -> None:
    data = b'{"version": 1,\n "intent": "x",\n "persona": "y",\n "stack": {"frontend": ""}}'

    found = read_state(data)

    assert [(v.code, v.line) for v in found.violations] == [
        ("missing-field", 1),
        ("unknown-intent", 2),
        ("wrong-length", 4),
        ("unknown-persona", 3),
    ]


def test_the_name_of_an_intent_as_a_set_is_told_its_set() -> None:
    """Hosts are known to write `ui-improve` there; the fix has to be one that works."""
    found = read_state(as_json(v1(directive_set="ui-improve")))

    assert found.violations[0].fix == "`ui-improve` is an intent; its set is `ui`"


@pytest.mark.parametrize("intent", Intent)
@pytest.mark.parametrize("chosen", DirectiveSet)
@pytest.mark.parametrize("persona", Persona)
def test_everything_that_is_known_is_taken(intent: Intent, chosen: DirectiveSet, persona: Persona) -> None:
    state = read(v1(intent=intent, directive_set=chosen, persona=persona)).state

    assert (state.intent, state.directive_set, state.persona) == (intent, chosen, persona)


def test_a_missing_or_null_persona_is_the_default() -> None:
    assert read(v1()).state.persona is Persona.SENIOR_ENGINEER
    assert read(v1(persona=None)).state.persona is Persona.SENIOR_ENGINEER


def test_a_step_nobody_knows_is_a_warning_and_kept() -> None:
    found = read_state(as_json(v1(outcomes={"deploy": "success", "plan": None})))

    assert [(v.code, v.severity, v.path) for v in found.violations] == [
        ("unknown-step", "warning", "/outcomes/deploy")
    ]
    assert found.value is not None
    assert found.value.state.outcomes == {"deploy": "success", "plan": None}


def test_unknown_keys_are_dropped_at_the_top_and_kept_below() -> None:
    data = {"id": 7, "ui_apply": {"files": []}, "__reclassify_to__": "ui"}
    audit = {"greenfield": True, "our_own": {"x": [None]}}

    file = read(v1(input={"kind": "prompt", "data": data}, ui_audit=audit, future=1))

    assert file.state.input.data == data
    assert file.state.ui_audit == audit
    assert b"future" not in write_state(file)


# --- writing ---


@given(V1_DOCUMENTS | V0_DOCUMENTS)
def test_what_is_written_is_read_again_as_the_host_sees_it(document: dict[str, Any]) -> None:
    file = read(document)
    written = write_state(file)

    assert read(written) == as_exported(file)
    assert write_state(read(written)) == written
    if "skipped" not in file.state.outcomes.values():
        assert read(written) == file


@given(V1_DOCUMENTS | V0_DOCUMENTS)
def test_the_bytes_are_those_of_every_other_writer(document: dict[str, Any]) -> None:
    """Hosts commit these files: another layout, order or escaping would show in each of their diffs."""
    file = read(document)
    written = write_state(file)
    parsed = json.loads(written)

    assert written.decode() == json.dumps(parsed, indent=2, ensure_ascii=False) + "\n"
    order = V0_KEYS if file.wire is StateFormat.V0 else WorkState.__struct_fields__
    assert tuple(parsed) == order


def test_the_keys_of_both_versions_are_in_their_order() -> None:
    v1_keys = (
        "version input intent directive_set stack ui_audit ui_design ui_review ui_polish contract stitch"
    )
    v0_keys = "persona memory plan changes tests verify outcomes questions report"

    assert list(json.loads(write_state(read(v1())))) == f"{v1_keys} {v0_keys}".split()
    assert list(json.loads(write_state(read({"ticket": {}})))) == f"ticket {v0_keys}".split()
    assert tuple(SLICES) == SLICE_KEYS


def test_letters_of_any_language_stay_readable() -> None:
    written = write_state(read({"ticket": {"title": "Grüße 😀 \u2028"}}))

    assert "Grüße 😀 \u2028".encode() in written
    assert written.endswith(b"}\n")


def test_a_skipped_step_reads_as_done_for_the_host_only() -> None:
    """Hosts know three outcomes; one they do not know would make them run the step again."""
    file = read(v1(outcomes={"implement": "skipped", "test": "blocked"}))

    assert file.state.outcomes["implement"] == "skipped"
    assert json.loads(write_state(file))["outcomes"] == {"implement": "success", "test": "blocked"}
    assert as_exported(file).state.outcomes == {"implement": "success", "test": "blocked"}


def test_version_0_shows_the_host_what_it_has_keys_for() -> None:
    """Comparing with the whole state would take the missing rest for something the host removed."""
    state = read(v1(directive_set="ui", ui_audit={"greenfield": True}, plan="x")).state
    shown = as_exported(StateFile(wire=StateFormat.V0, state=state))

    assert (shown.state.directive_set, shown.state.ui_audit) == (DirectiveSet.BACKEND, None)
    assert shown.state.plan == "x"
    assert read(write_state(StateFile(wire=StateFormat.V0, state=state))) == shown


@pytest.mark.parametrize(
    ("name", "existing", "wire"),
    [
        (".implement-ticket-state.json", None, StateFormat.V0),
        ("a/b/.implement-ticket-state.json", None, StateFormat.V0),
        (".work-state.json", None, StateFormat.V1),
        ("state.json", None, StateFormat.V1),
        ("x.implement-ticket-state.json", None, StateFormat.V1),
        (".work-state.json", StateFormat.V0, StateFormat.V0),
        (".implement-ticket-state.json", StateFormat.V0, StateFormat.V0),
        (".implement-ticket-state.json", StateFormat.V1, StateFormat.V1),
    ],
)
def test_a_file_keeps_its_version_and_a_new_one_has_that_of_its_name(
    name: str, existing: StateFormat | None, wire: StateFormat
) -> None:
    """Written as version 0, a state that was read as version 1 would lose its set and its parts."""
    assert wire_for(name, existing) is wire


# --- speed ---
