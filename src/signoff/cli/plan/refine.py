"""The action of `signoff refine`."""

from msgspec.structs import replace

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import read_file, readable
from signoff.cli.shared.inputs import envelope_of, taken
from signoff.cli.shared.violations import listing
from signoff.domain.base.errors import UsageError
from signoff.domain.work.refinement import Refinement, RefineOutcome
from signoff.intake.refinement.envelopes import (
    read_input,
)
from signoff.intake.refinement.intake_gate import refine

_FLAGS = ("ticket_file", "prompt_file", "diff_file", "file_file", "input")


def run(options: Options, say: Output) -> int:
    """Judge what was handed in."""
    given = [(flag, getattr(options, flag)) for flag in _FLAGS if getattr(options, flag) is not None]
    if len(given) != 1:
        names = ", ".join(f"--{flag.replace('_', '-')}" for flag in _FLAGS)
        raise UsageError("give exactly one ticket, prompt, diff or path", slug="usage", fix=f"one of {names}")
    ((flag, path),) = given
    envelope = taken(envelope_of(flag, read_file(path), readable(path)), path)
    found = refine(read_input(envelope.kind, envelope.data))
    if flag == "input":
        # The place in the file that was handed in, not in its data.
        placed = tuple(replace(one, path=f"/data{one.path}") for one in found.violations)
        found = replace(found, violations=placed)
    say.result(_document(found), _text(path, found))
    return 0 if found.outcome is RefineOutcome.SUCCESS else 1


def _document(found: Refinement) -> dict[str, object]:
    confidence = found.confidence
    return {
        "outcome": found.outcome,
        "codes": found.codes,
        "task_type": found.task_type,
        "band": confidence.band if confidence else None,
        "score": confidence.score if confidence else None,
        "dimensions": confidence.dimensions if confidence else None,
        "reasons": confidence.reasons if confidence else (),
        "intent": found.route.intent,
        "directive_set": found.route.directive_set,
        "signals": found.route.signals,
        "ui_intent": found.ui_intent,
        "question": found.question,
        "options": found.options,
        "vetoes": found.vetoes,
        "violations": found.violations,
        "is_question": found.is_question,
        "criteria": found.criteria,
    }


def _text(path: str, found: Refinement) -> str:
    codes = f" ({', '.join(found.codes)})" if found.codes else ""
    lines = [listing(f"{path}: {found.outcome}{codes}", found.violations)]
    lines.append(f"  {found.task_type}, route {found.route.directive_set} ({found.route.intent})")
    if found.confidence:
        lines.append(f"  confidence {found.confidence.band} ({found.confidence.score:g})")
        lines += [f"    {reason}" for reason in found.confidence.reasons]
    lines += [f"  veto[{veto.code}]: “{veto.phrase}” {veto.message}" for veto in found.vetoes]
    if found.question:
        lines += ["", found.question]
        lines += [f"  {number}. {option}" for number, option in enumerate(found.options, start=1)]
    return "\n".join(lines)
