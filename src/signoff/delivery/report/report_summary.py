"""The first part of the report: how much is proven, what is open, what to do. Pure."""

import re
from collections.abc import Iterator

from signoff.domain.evidence.verdict import ClauseVerdict, Standing, VerdictOutcome
from signoff.domain.run.events import RunStatus
from signoff.domain.run.outcomes import AgentFailed, Dispatched, Interrupted, Merged, Sealed
from signoff.domain.run.surveys import StepStatus, Survey
from signoff.domain.work.clauses import Clause
from signoff.domain.work.contract import Contract
from signoff.engine.run_state import State
from signoff.text.markdown import bullets, line, table

_GOOD = (Standing.PROVEN, Standing.WAIVED)
_HOW = {
    Standing.FAILED: "failed",
    Standing.VACUOUS: "proves nothing: it held on the base already",
    Standing.UNPROVEN: "is unproven",
    Standing.NOT_JUDGED: "could not be judged",
}
_ATTEMPT = re.compile(r"implement/([^/]+)/attempt-(\d+)/")


def in_short(state: State, found: Survey, sealed: Sealed | None) -> str:
    """Return a summary of the delivery in a few sentences."""
    return bullets(_sentences(state, found, sealed))


def _sentences(state: State, found: Survey, sealed: Sealed | None) -> Iterator[str]:
    """Yield how much is proven, who approved the plan, how often agents were asked, and where the result is.

    A sentence without a fact behind it is left out: nothing counts as proven before the run has ended.
    """
    if found.verdict is not None and state.ended is not None:
        required = [row for row in found.verdict.clauses if row.required]
        proven = sum(row.standing is Standing.PROVEN for row in required)
        waived = sum(row.standing is Standing.WAIVED for row in required)
        rest = f", {waived} waived by a person" if waived else ""
        yield f"{proven} of {len(required)} required clauses are proven{rest}"
    who = {"person": "a person", "policy": "policy, nobody was asked", "nobody": "nobody on a terminal"}
    if sealed is not None:
        yield f"the plan was approved by {who.get(sealed.approver, sealed.approver)}"
    else:
        yield "no plan was agreed on, so nothing was built"
    ended = [o for o in state.done.values() if isinstance(o, Dispatched)]
    failed = sum(isinstance(outcome, AgentFailed | Interrupted) for outcome in ended)
    if ended:
        brought = f", {failed} of them brought nothing" if failed else ""
        yield f"agents were asked {len(ended)} times{brought}"
    if found.verdict is not None and found.verdict.outcome is VerdictOutcome.SIGNED_OFF and state.ended:
        yield f"the result is refs/signoff/{state.run_id}/final; branches and working tree were not touched"


def not_proven(found: Survey, unspoken: tuple[str, ...] = ()) -> str:
    """Return the open clauses, required ones first, each with what must hold and why it is not known to.

    `unspoken` are criteria of the ticket that the plan does not seem to cover.
    """
    if found.verdict is None:
        return "Nothing has been judged yet."
    texts = {clause.id: clause for clause in found.clauses}
    rows = [row for row in found.verdict.clauses if row.standing not in _GOOD]
    said = [_open(row, texts.get(row.clause)) for row in sorted(rows, key=lambda row: not row.required)]
    said += [f"no required clause of the plan seems to speak of “{each}”: read the plan" for each in unspoken]
    return bullets(
        said, "nothing: every clause is proven" if found.verdict.clauses else "there are no clauses"
    )


def _open(row: ClauseVerdict, clause: Clause | None) -> str:
    what = f" ({clause.text})" if clause is not None and clause.text else ""
    why = f": {row.why}" if row.why else ""
    optional = "" if row.required else "; it is optional"
    return f"{row.clause}{what} {_HOW.get(row.standing, str(row.standing))}{why}{optional}"


def who_did_what(state: State, contract: Contract) -> str:
    """Return a line for each task: how often it was tried, and how it ended."""
    attempts: dict[str, int] = {}
    asked: dict[str, int] = {}
    merged: set[str] = set()
    for key, outcome in state.done.items():
        place = _ATTEMPT.match(key)
        if place is None:
            continue
        attempts[place[1]] = max(attempts.get(place[1], 0), int(place[2]))
        if isinstance(outcome, Dispatched):
            asked[place[1]] = asked.get(place[1], 0) + 1
        if isinstance(outcome, Merged):
            merged.add(place[1])
    return table(
        ("task", "title", "attempts", "dispatches", "end"),
        (
            (
                task.id,
                task.title,
                str(attempts.get(task.id, 0)),
                str(asked.get(task.id, 0)),
                "merged" if task.id in merged else "not merged",
            )
            for task in contract.tasks
        ),
    )


def next_steps(state: State, found: Survey) -> str:
    """Return what a person can do now, each step with its command."""
    return "\n".join(f"- {line(what)}: `{command}`" for what, command in _steps(state, found))


def _steps(state: State, found: Survey) -> Iterator[tuple[str, str]]:
    run = state.run_id
    base = state.start.base if state.start else "HEAD"
    if state.ended is None:
        yield "see what it waits for", f"signoff status {run}"
        yield "go on", f"signoff runs resume {run}"
        return
    if state.ended.status is RunStatus.PLANNED:
        yield "deliver the plan", f"signoff run --contract .signoff/runs/{run}/contract.json"
        return
    if found.verdict is not None and found.verdict.outcome is VerdictOutcome.SIGNED_OFF:
        yield "look at the change", f"git diff {base} refs/signoff/{run}/final"
        yield "take it into your branch", f"git merge refs/signoff/{run}/final"
    elif found.steps["plan"] is StepStatus.SUCCESS:
        yield "read what the next person must know", f"signoff runs handoff {run}"
        yield "overrule a clause, as a person on a terminal", f"signoff waive {run} CLAUSE --reason TEXT"
    yield "check the evidence again, from a clean checkout", f"signoff report {run} --verify --rerun"
    yield "make a regression test of this run", f"signoff runs pin {run} NEW_FOLDER"
