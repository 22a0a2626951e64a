"""Read an input of `work` or `refine` by its flag: a ticket, a prompt, a diff, a path or an envelope."""

from signoff.cli.shared.files import read_file, readable
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.refinement import RefineFault
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import WorkInput
from signoff.intake.refinement.envelopes import (
    Envelope,
    envelope_from_diff,
    envelope_from_path,
    envelope_from_prompt,
    envelope_from_ticket,
)
from signoff.text.json.json_text import read_json, read_text
from signoff.text.json.violation_list import fault


def read_input_file(named: list[tuple[str, str]]) -> WorkInput:
    """Read the one input that was named. Its flag tells what it is."""
    if len(named) > 1:
        flags = " and ".join(f"--{flag.replace('_', '-')}" for flag, _ in named)
        raise UsageError(
            f"{flags} exclude each other", slug="input-ambiguous", fix="give one of them, a run has one input"
        )
    ((flag, path),) = named
    return taken(envelope_of(flag, read_file(path), readable(path)), path)


def taken(envelope: Envelope, path: str) -> WorkInput:
    """Return the envelope, or raise `input-invalid` with what is wrong with the file it was made of."""
    if isinstance(envelope, WorkInput):
        return envelope
    raise ConfigError(
        f"{path} cannot be judged",
        slug="input-invalid",
        why="; ".join(_reason(violation) for violation in envelope[:3]),
        fix=envelope[0].fix or "see `signoff refine --help`",
    )


def envelope_of(flag: str, data: bytes, name: str) -> Envelope:
    """Return the envelope made of a file. The name of its flag tells what the file holds."""
    match flag:
        case "ticket_file":
            return envelope_from_ticket(data, name)
        case "input":
            return _read_envelope(data)
        case _:
            text, wrong = read_text(data)
            if text is None:
                return wrong
            make = {
                "prompt_file": envelope_from_prompt,
                "diff_file": envelope_from_diff,
                "file_file": envelope_from_path,
            }
            return make[flag](text)


def _read_envelope(data: bytes) -> Envelope:
    _, value, wrong = read_json(data)
    if errors := tuple(one for one in wrong if one.severity is Severity.ERROR):
        return errors
    if not isinstance(value, dict):
        return (_wrong("an envelope is an object with `kind` and `data`"),)
    kind, content = value.get("kind"), value.get("data")
    if not isinstance(kind, str) or kind not in tuple(InputKind):
        return (_wrong(f"`kind` must be one of {', '.join(InputKind)}", "/kind"),)
    if not isinstance(content, dict):
        return (_wrong("`data` must be an object", "/data"),)
    return WorkInput(kind=InputKind(kind), data=content)


def _wrong(message: str, path: str = "") -> Violation:
    return fault(RefineFault.MALFORMED_INPUT, message, path)


def _reason(violation: Violation) -> str:
    place = f"line {violation.line}: " if violation.line else ""
    return f"{place}{violation.message}"
