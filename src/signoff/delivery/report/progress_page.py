"""PROGRESS.md: header, step checklist, last ten events, artifacts. Pure."""

from collections.abc import Iterable, Mapping

from signoff.domain.run.events import (
    Answered,
    Claimed,
    Done,
    Event,
    Intended,
    Recorded,
    RunEnd,
    StopRequested,
)
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Captured,
    Checked,
    FindingsWeighed,
    MergeConflicted,
    MergePredicted,
    Outcome,
)
from signoff.domain.run.status import Status
from signoff.domain.run.surveys import STEPS, StepStatus
from signoff.text.markdown import bullets, line, section

_MARKS = {StepStatus.SUCCESS: "x", StepStatus.SKIPPED: "-", StepStatus.FAILED: "!"}


def progress(
    status: Status, steps: Mapping[str, StepStatus], recent: Iterable[Recorded], artifacts: Mapping[str, int]
) -> str:
    """Return the page. `recent` is sorted, oldest first."""
    header = (
        f"# Signoff run {status.run_id}\n\n"
        f"**Ticket:** {line(status.ticket)} {line(status.title)}  \n"
        f"**Standing:** {status.outcome} at step {status.step}  \n"
        f"**As of:** {status.ts} (record {status.seq})\n"
    )
    checklist = "\n".join(_step(name, steps[name]) for name in STEPS)
    last = [f"{entry.ts} — {describe_event(entry.event)}" for entry in recent][-10:]
    return "\n".join(
        (
            header,
            section("Steps", checklist),
            section("Recent events (last 10)", bullets(reversed(last))),
            section("Artifacts", bullets(f"{name} ({size:,} bytes)" for name, size in artifacts.items())),
        )
    )


def _step(name: str, status: StepStatus) -> str:
    suffix = "" if status in (StepStatus.SUCCESS, StepStatus.PENDING) else f" *({status})*"
    return f"- [{_MARKS.get(status, ' ')}] {name}{suffix}"


def describe_event(event: Event) -> str:
    """Describe an event in a few words."""
    name = str(event.__struct_config__.tag)
    match event:
        case Intended():
            return f"{name} {event.key}"
        case Done():
            return f"{name} {event.key}: {describe_outcome(event.outcome)}"
        case Answered():
            return f"{name} {event.halt} by {event.by} ({event.how})"
        case Claimed():
            return f"{name} {event.key} by {event.by}: {event.kind}"
        case StopRequested():
            return f"{name} by {event.by}"
        case RunEnd():
            return f"{name} {event.status}"
        case _:
            return name


def describe_outcome(outcome: Outcome) -> str:
    """Describe the outcome of an effect in a few words.

    One case for each kind of outcome that has more to tell than its name.
    """
    match outcome:
        case Checked():
            seen = outcome.observation
            return f"{seen.result} on {seen.place}" + (f" ({seen.detail})" if seen.detail else "")
        case AgentAnswered():
            return f"{outcome.kind}{_by(outcome.agent)}" + (
                f": {outcome.question}" if outcome.question else ""
            )
        case AgentFailed():
            return f"{outcome.failure_class or outcome.failure}{_by(outcome.agent)} {outcome.detail}".strip()
        case FindingsWeighed():
            said = f"{outcome.standing} findings stand"
            return said + (f", {outcome.invented} cite what is not there" if outcome.invented else "")
        case Captured():
            found = f", findings: {len(outcome.findings)}" if outcome.findings else ""
            return f"files changed: {outcome.files}{found}"
        case MergePredicted():
            bad = f"; conflicts: {'; '.join(outcome.conflicts)}" if outcome.conflicts else ""
            return f"{outcome.merges} of the wave merge{bad}"
        case MergeConflicted():
            return f"conflicts in {', '.join((*outcome.conflicts, *outcome.lost))}"
        case _:
            return str(outcome.__struct_config__.tag)


def _by(agent: str) -> str:
    """Return the agent that was asked instead of the role's own, if any."""
    return f" by {agent}" if agent else ""
