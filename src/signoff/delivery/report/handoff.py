"""handoff.md: what the next person or agent must know. Pure."""

from collections.abc import Iterable

from signoff.domain.evidence.verdict import Standing
from signoff.domain.run.outcomes import Captured, Merged, Sealed
from signoff.domain.run.status import Status
from signoff.domain.run.surveys import STEPS, StepStatus, Survey
from signoff.engine.run.halt_commands import halt_commands
from signoff.engine.run_state import State
from signoff.text.markdown import bullets, line, section


def handoff(status: Status, state: State, found: Survey) -> str:
    """Return the page with its five headings, always all of them."""
    done = [name for name in STEPS if found.steps[name] is StepStatus.SUCCESS]
    remaining = [name for name in STEPS if found.steps[name] in (StepStatus.ACTIVE, StepStatus.PENDING)]
    return "\n".join(
        (
            f"# Handoff: {line(status.ticket)} {line(status.title)}\n",
            f"Run {status.run_id}, {status.outcome} at step {status.step}, record {status.seq}.\n",
            "\n".join(map(line, _standing(status, state))) + "\n",
            section("Done", bullets(done)),
            section("Remaining", bullets(remaining)),
            section("Decisions", bullets(_decisions(state))),
            section("Open findings", bullets(_open_findings(state, found))),
            section("Next", bullets(_next(status))),
        )
    )


def _standing(status: Status, state: State) -> Iterable[str]:
    """Yield a few sentences on where the run stands."""
    sealed = next((o for o in state.done.values() if isinstance(o, Sealed)), None)
    base = f"It starts from {state.start.base[:12]}" if state.start else "It has not begun"
    plan = f"the contract was approved by {sealed.approver}" if sealed else "no contract is agreed on yet"
    yield f"{base}; {plan}."
    merged = [key.split("/")[1] for key, o in state.done.items() if isinstance(o, Merged)]
    yield f"Merged so far: {', '.join(dict.fromkeys(merged)) or 'nothing'}."
    if state.open:
        yield f"Under way or cut short: {', '.join(state.open)}."
    if status.cost_usd is not None:
        yield f"Agents reported a cost of {status.cost_usd:.2f} USD."


def _decisions(state: State) -> Iterable[str]:
    for answer in state.answers.values():
        yield f"{answer.halt}: {answer.answer} ({answer.by}, {answer.how})"
    for waiver in state.waivers:
        yield f"{waiver.clause} waived by {waiver.by}: {waiver.reason}"


def _open_findings(state: State, found: Survey) -> Iterable[str]:
    for key, outcome in state.done.items():
        if isinstance(outcome, Captured):
            for finding in outcome.findings:
                yield f"{key}: {finding.path} {finding.message} ({finding.code})"
    if found.verdict is not None:
        for row in found.verdict.clauses:
            if row.standing not in (Standing.PROVEN, Standing.WAIVED):
                yield f"{row.clause} is {row.standing}: {row.why}"
    yield from found.notes


def _next(status: Status) -> Iterable[str]:
    if status.finished:
        yield f"signoff report {status.run_id}"
        return
    for halt in status.halts:
        yield f"{halt.question} — {halt_commands(status.run_id, halt)[0]}"
    yield f"signoff runs resume {status.run_id}"
