"""The text of `signoff runs show`."""

from collections.abc import Iterator

from signoff.cli.deliver.status import status_text
from signoff.delivery.report.report import attempted
from signoff.runs.inspect.run_details import Details, ShownDispatch

_MARKS = {"success": "✓", "failed": "✗", "active": "▶", "skipped": "-"}


def details_text(details: Details) -> str:
    """Return everything known of a run as text, section by section. Empty sections are left out."""
    return "\n".join(
        (
            status_text(details.status, details.halts, driven=details.driven),
            *_section("steps", (f"{_MARKS.get(s, ' ')} {name}: {s}" for name, s in details.steps.items())),
            *_section("dispatches", (f"{d.key}: {d.brought}{_box(d)}" for d in details.dispatches)),
            *_section("work", (f"{w.key}: {w.captured.files} files changed" for w in details.work)),
            *_section("checks", _checks(details)),
            *_section("clauses", _clauses(details)),
            *_section("decisions", _decisions(details)),
            *_section("notes", iter(details.notes)),
            *_section("refs", (f"{ref.ref} {ref.commit}" for ref in details.refs)),
            *_section("files", iter(details.files.values())),
        )
    )


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    found = [f"  {line}" for line in lines]
    if found:
        yield f"\n{title}:"
        yield from found


def _box(dispatch: ShownDispatch) -> str:
    return f" [{dispatch.sandbox}]" if dispatch.sandbox else ""


def _checks(details: Details) -> Iterator[str]:
    for check in details.checks:
        seen = check.observation
        detail = f" ({seen.detail})" if seen.detail else ""
        yield f"{seen.result} {check.key} on {seen.place}{detail}"


def _clauses(details: Details) -> Iterator[str]:
    for row in details.verdict.clauses if details.verdict else ():
        optional = "" if row.required else " (optional)"
        yield f"{row.standing} {row.clause}{optional}" + (f": {row.why}" if row.why else "")


def _decisions(details: Details) -> Iterator[str]:
    for answer in details.answers:
        yield f"{answer.halt}: {answer.answer} ({answer.by}, {answer.how})"
    for waiver in details.waivers:
        yield f"{waiver.clause} waived by {waiver.by}: {waiver.reason}"
    for refusal in details.refusals:
        yield f"{refusal.by} tried to {attempted(refusal)} without a terminal"
    for reset in details.resets:
        yield f"the cap {reset.name} was reset by {reset.by}: {reset.reason}"
