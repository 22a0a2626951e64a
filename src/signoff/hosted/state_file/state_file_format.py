"""State files of hosted runs: `.work-state.json`, and the older `.implement-ticket-state.json`.

Pure. It is inside every hosted cycle, so what only a faulty file needs is loaded only then. Version 0 has ten
keys and no `version`. A file is written back in the version it was read in. What a host writes is a claim:
here it is only made sure that it can be read, and that nothing in it is guessed at.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from signoff.domain.base.violations import Severity
from signoff.domain.run.surveys import STEPS
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import (
    OUTCOMES,
    V0_NAME,
    V1_NAME,
    DirectiveSet,
    Intent,
    Persona,
    StateFile,
    StateFormat,
    WorkInput,
    WorkState,
)
from signoff.hosted.state_file.state_faults import StateFault
from signoff.text.json.decode_result import Decoded
from signoff.text.json.json_text import DecodeCode, read_json
from signoff.text.json.violation_list import Findings, below, fault, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.base.violations import Violation
    from signoff.domain.work.work_state import JsonObject


V0_KEYS: Final = (
    *("ticket", "persona", "memory", "plan", "changes", "tests", "verify"),
    *("outcomes", "questions", "report"),
)
"""Everything that version 0 holds, in the order on disk."""

SLICE_KEYS: Final = ("stack", "ui_audit", "ui_design", "ui_review", "ui_polish", "contract", "stitch")
"""Slices of steps that this version does not have: judged by their shape, kept, not looked into."""

_DONE: Final = "success"
_SKIPPED: Final = "skipped"

_SETS: Final = {
    Intent.BACKEND_CODING: DirectiveSet.BACKEND,
    Intent.UI_BUILD: DirectiveSet.UI,
    Intent.UI_IMPROVE: DirectiveSet.UI,
    Intent.UI_TRIVIAL: DirectiveSet.UI_TRIVIAL,
    Intent.MIXED: DirectiveSet.MIXED,
}
"""Which steps each intent takes."""

E = TypeVar("E", bound=StrEnum)


def read_state(data: bytes) -> Decoded[StateFile]:
    """Parse a state file of either version. Never raises on any bytes.

    Unknown top-level keys are dropped. What stands inside the parts is kept as it came.
    """
    text, parsed, before = read_json(data)
    if text is None:
        return Decoded(None, before)
    findings = Findings(before)
    wire = _wire(parsed, findings)
    if wire is not None and isinstance(parsed, dict):
        if wire is StateFormat.V1:
            findings.extend(_v1_faults(parsed))
        else:
            if not isinstance(parsed["ticket"], dict):
                findings.extend([_wrong(parsed["ticket"], "an object", "/ticket")])
            findings.extend(_shared_faults(parsed))
        if not findings.has_errors:
            state = StateFile(wire=wire, state=_state(parsed, wire))
            return Decoded(state, _placed(findings, text))
    return Decoded(None, _placed(findings, text))


def write_state(file: StateFile) -> bytes:
    """Encode a state file. Reading the bytes returns `as_exported(file)`."""
    state = as_exported(file).state
    document: JsonObject = {name: getattr(state, name) for name in WorkState.__struct_fields__}
    if file.wire is StateFormat.V0:
        document = {"ticket": state.input.data, **{name: document[name] for name in V0_KEYS[1:]}}
    else:
        document["input"] = {"kind": state.input.kind, "data": state.input.data}
    # The indenting encoder of the standard library is written in Python; this says the same, faster.
    text = msgspec.json.format(json.dumps(document, ensure_ascii=False, allow_nan=False), indent=2)
    return f"{text}\n".encode()


def as_exported(file: StateFile) -> StateFile:
    """Return the state as a host sees it: a skipped step is a success, and version 0 holds what it can.

    Compare what a host hands back with this, not with the state that was exported.
    """
    state = file.state
    if _SKIPPED in state.outcomes.values():
        seen = {step: _DONE if said == _SKIPPED else said for step, said in state.outcomes.items()}
        state = msgspec.structs.replace(state, outcomes=seen)
    if file.wire is StateFormat.V0:
        kept = {name: getattr(state, name) for name in V0_KEYS[1:]}
        state = WorkState(input=WorkInput(kind=InputKind.TICKET, data=state.input.data), **kept)
    return StateFile(wire=file.wire, state=state)


def wire_for(path_name: str, existing: StateFormat | None) -> StateFormat:
    """Return the version to write: the one that was read, and for a new file the one its name stands for."""
    if existing is not None:
        return existing
    return StateFormat.V0 if path_name.rpartition("/")[2] == V0_NAME else StateFormat.V1


def _wire(parsed: object, findings: Findings) -> StateFormat | None:
    """Return the version of a document, or None with a finding if it is not a state file."""
    if isinstance(parsed, dict) and "version" in parsed:
        version = parsed["version"]
        if type(version) is int and version == 1:
            return StateFormat.V1
        said = shown(version) if isinstance(version, str | int | float | None) else _kind(version)
        message = f"version {said} is not supported"
        fix = "write 1; a file of version 0 has no `version` at all"
        findings.add(fault(StateFault.UNSUPPORTED_VERSION, message, "/version", fix=fix))
    elif isinstance(parsed, dict) and "ticket" in parsed:
        return StateFormat.V0
    else:
        what = "has neither `version` nor `ticket`" if isinstance(parsed, dict) else f"is {_kind(parsed)}"
        message = f"this is no state file: it {what}"
        fix = f"name a {V1_NAME} or a {V0_NAME}"
        findings.add(fault(StateFault.NOT_A_STATE_FILE, message, fix=fix))
    return None


def _v1_faults(raw: JsonObject) -> Iterator[Violation]:
    yield from _input_faults(raw)
    if "intent" in raw and not _is_one(raw["intent"], Intent):
        yield _unknown(StateFault.UNKNOWN_INTENT, raw["intent"], Intent, "/intent")
    if "directive_set" in raw and not _is_one(raw["directive_set"], DirectiveSet):
        found = _unknown(
            StateFault.UNKNOWN_DIRECTIVE_SET, raw["directive_set"], DirectiveSet, "/directive_set"
        )
        if _is_one(raw["directive_set"], Intent):
            intent = Intent(str(raw["directive_set"]))
            fix = f"`{intent}` is an intent; its set is `{_SETS[intent]}`"
            found = msgspec.structs.replace(found, fix=fix)
        yield found
    named = [name for name in SLICE_KEYS if raw.get(name) is not None]
    if named:
        from signoff.hosted.state_file.slice_faults import slice_faults

        for name in named:
            yield from slice_faults(name, raw[name])
    yield from _shared_faults(raw)


def _input_faults(raw: JsonObject) -> Iterator[Violation]:
    given = raw.get("input")
    if not isinstance(given, dict):
        yield _wrong(given, "an object", "/input") if "input" in raw else _missing("input", "")
        return
    if "kind" not in given:
        yield _missing("kind", "/input")
    elif not _is_one(given["kind"], InputKind):
        yield _unknown(StateFault.UNKNOWN_INPUT_KIND, given["kind"], InputKind, "/input/kind")
    if "data" not in given:
        yield _missing("data", "/input")
    elif not isinstance(given["data"], dict):
        yield _wrong(given["data"], "an object", "/input/data")


def _shared_faults(raw: JsonObject) -> Iterator[Violation]:
    """Judge what both versions hold. The work of a step is judged by the step, so it may be anything here."""
    if raw.get("persona") is not None and not _is_one(raw["persona"], Persona):
        yield _unknown(StateFault.UNKNOWN_PERSONA, raw["persona"], Persona, "/persona")
    if not isinstance(raw.get("memory", []), list):
        yield _wrong(raw["memory"], "an array", "/memory")
    yield from _outcome_faults(raw.get("outcomes", {}))
    questions = raw.get("questions", [])
    if isinstance(questions, list):
        for n, question in enumerate(questions):
            if not isinstance(question, str):
                yield _wrong(question, "a string", below("/questions", n))
    else:
        yield _wrong(questions, "an array of strings", "/questions")
    if not isinstance(raw.get("report"), str | None):
        yield _wrong(raw["report"], "a string or null", "/report")


def _outcome_faults(outcomes: object) -> Iterator[Violation]:
    if not isinstance(outcomes, dict):
        yield _wrong(outcomes, "an object", "/outcomes")
        return
    for step, outcome in outcomes.items():
        path = below("/outcomes", step)
        if outcome is not None and outcome not in OUTCOMES:
            said = shown(outcome) if isinstance(outcome, str) else _kind(outcome)
            message = f"an outcome is one of {', '.join(OUTCOMES)} or null, not {said}"
            yield fault(StateFault.UNKNOWN_OUTCOME, message, path, fix="write one of these")
        if step not in STEPS:
            message = f"there is no step {shown(step)}; its outcome means nothing"
            fix = f"the steps are {', '.join(STEPS)}"
            yield fault(StateFault.UNKNOWN_STEP, message, path, fix=fix, severity=Severity.WARNING)


def _state(raw: JsonObject, wire: StateFormat) -> WorkState:
    """Make the record of a document without faults. What is missing has its default."""
    names = V0_KEYS[1:] if wire is StateFormat.V0 else WorkState.__struct_fields__
    fields = {name: raw[name] for name in names if name in raw}
    if wire is StateFormat.V0:
        fields["input"] = {"kind": InputKind.TICKET, "data": raw["ticket"]}
    if fields.get("persona") is None:
        fields.pop("persona", None)
    return msgspec.convert(fields, WorkState)


def _placed(findings: Findings, text: str) -> tuple[Violation, ...]:
    violations = findings.all()
    if not violations:
        return ()
    from signoff.text.json.json_lines import located

    return tuple(located(violations, text))


def _is_one(value: object, kind: type[E]) -> bool:
    return isinstance(value, str) and value in kind._value2member_map_


def _unknown(code: StateFault, value: object, kind: type[E], path: str) -> Violation:
    known = ", ".join(f"`{member.value}`" for member in kind)
    said = shown(value) if isinstance(value, str) else _kind(value)
    return fault(code, f"must be one of {known}, not {said}", path, fix="write one of these")


def _missing(name: str, path: str) -> Violation:
    message = f"`{name}` is missing"
    return fault(DecodeCode.MISSING_FIELD, message, below(path, name), fix=f"write `{name}`")


def _wrong(value: object, wanted: str, path: str) -> Violation:
    return fault(DecodeCode.WRONG_TYPE, f"must be {wanted}, not {_kind(value)}", path, fix=f"write {wanted}")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"
