"""report.md: what was asked, what was done, and what of it is proven. Pure.

The verdict is the first line. What is open comes next, with what to do about it. The matrix has one row per
clause and one column per tree, so that a reader sees where a clause failed and where it passed.
"""

from collections.abc import Iterable

from signoff.contracts.clauses.contract_clauses import lowered_demands
from signoff.delivery.budget.budget_text import budget_line
from signoff.delivery.budget.cost_table import cost_table
from signoff.delivery.report.plan_page import asks_for_less
from signoff.delivery.report.progress_page import describe_outcome
from signoff.delivery.report.report_summary import in_short, next_steps, not_proven, who_did_what
from signoff.delivery.verdict.ticket_coverage import unspoken
from signoff.delivery.verdict.trust_level import confinements, level
from signoff.domain.base.typed_ids import ClauseId
from signoff.domain.evidence.receipts import Observation
from signoff.domain.evidence.verdict import Standing, Verdict, VerdictOutcome
from signoff.domain.run.directives import Facts
from signoff.domain.run.events import OverruleRefused, RunStart, RunStatus
from signoff.domain.run.outcomes import Captured, Checked, Dispatched, Outcome, Recalled, Sealed
from signoff.domain.run.surveys import Survey
from signoff.domain.work.checks import Place
from signoff.domain.work.contract import Contract
from signoff.domain.work.ticket import Ticket
from signoff.engine.run_state import State
from signoff.engine.run_summary import cost_of
from signoff.ledger.run_costs import UNKNOWN, agent_of, costs_of
from signoff.text.markdown import bullets, line, section, table

_TITLES = {
    VerdictOutcome.SIGNED_OFF: "SIGNED OFF",
    VerdictOutcome.REFUSED: "REFUSED",
    VerdictOutcome.NOT_JUDGED: "COULD NOT BE JUDGED",
}
_MARKS = {
    Standing.PROVEN: "✓ proven",
    Standing.WAIVED: "~ waived",
    Standing.FAILED: "✗ failed",
    Standing.VACUOUS: "✗ vacuous",
    Standing.UNPROVEN: "✗ unproven",
    Standing.NOT_JUDGED: "? could not be judged",
}
_COLUMNS = (Place.BASE, Place.BASE_WITH_TESTS, Place.FINAL)


def report(
    ticket: Ticket,
    state: State,
    found: Survey,
    contract: Contract | None,
    sealed: Sealed | None,
    facts: Facts | None,
) -> str:
    """Return the delivery report of a run. The first line tells whether the run has ended."""
    start = state.start
    assert start is not None
    missing = unspoken(ticket.acceptance_criteria, found.clauses) if contract is not None else ()
    parts = [
        f"# Delivery report: {line(ticket.id)} {line(ticket.title)}\n",
        f"**{headline(state, found)}**\n",
        in_short(state, found, sealed) + "\n",
        section("What is not proven", not_proven(found, missing)),
        section("What to do now", next_steps(state, found)),
        section("What was asked", _ticket(ticket)),
    ]
    if contract is not None:
        parts.append(section("Plan", _plan(contract)))
    parts.append(section("Clauses and receipts", _matrix(state, found)))
    parts.append(section("Decisions", bullets(_decisions(state))))
    if contract is not None:
        parts.append(section("Who did what", who_did_what(state, contract)))
    parts.append(section("Work", _work(state, found)))
    parts.append(section("Tests", _tests(state)))
    parts.append(section("Agents", _agents(state, start)))
    parts.append(section("Cost", cost_table(costs_of(state))))
    parts.append(section("What the engine saw", _seen(state, facts)))
    parts.append(section("Ids", _facts_table(state, start, found, sealed)))
    return "\n".join(parts)


def headline(state: State, found: Survey) -> str:
    """Return the verdict in one line."""
    if state.ended is None:
        where = "stopped" if state.stopping else "not finished"
        return f"Verdict: none yet, the run is {where} (step {found.step})"
    if state.ended.status is RunStatus.REPORTED:
        return "Verdict: none, because a host drove the run; its report shows what was witnessed"
    if state.ended.status is RunStatus.PLANNED:
        return "Verdict: none, the run ends with a plan; nothing was built"
    title = _TITLES[VerdictOutcome(state.ended.status)]
    why = f" — {line(state.ended.why)}" if state.ended.why else ""
    return f"Verdict: {title}{why}"


def _facts_table(state: State, start: RunStart, found: Survey, sealed: Sealed | None) -> str:
    """Return the table of ids, approver, driver, budget, certificate and journal head.

    A level is named only for a run that has ended and was signed off: before that there is no certificate.
    """
    signed = state.ended is not None and found.verdict is not None
    tree = found.verdict.trees.final if found.verdict else None
    certified = signed and found.verdict is not None and found.verdict.outcome is VerdictOutcome.SIGNED_OFF
    rows = [
        ("run", state.run_id),
        ("base", f"{start.base} (tree {start.base_tree})"),
        ("result", f"{found.final or 'none'} (tree {tree or 'none'})"),
        ("contract", sealed.contract if sealed else "never sealed"),
        ("approved by", sealed.approver if sealed else "nobody"),
        ("persona", start.persona),
        ("driver and agent", f"{start.driver}, {start.agent}"),
        *((("budget", spent),) if (spent := budget_line(state)) else ()),
        ("certificate", f"certificate.json, level {level(state)}" if certified else "none"),
        ("journal head", f"record {state.seq}, {state.head}"),
    ]
    if held := confinements(state):
        rows.insert(-2, ("agents confined by", ", ".join(held)))
    return table(("", ""), rows)


def _ticket(ticket: Ticket) -> str:
    body = f"{line(ticket.body)}\n\n" if ticket.body.strip() else ""
    return body + bullets(ticket.acceptance_criteria, "no acceptance criteria")


def _plan(contract: Contract) -> str:
    tasks = table(
        ("task", "wave", "title", "may touch"),
        (
            (t.id, str(t.wave), t.title, ", ".join((*t.files_modify, *t.files_create, *t.files_delete)))
            for t in contract.tasks
        ),
    )
    lowered = (
        ("This plan asks for less than it could:", tuple(lowered_demands(contract))),
        ("Clauses that hold already, are optional, or are shown by nothing:", tuple(asks_for_less(contract))),
    )
    parts = [f"{title}\n\n{bullets(facts)}" for title, facts in lowered if facts]
    return "\n\n".join((line(contract.goal), *parts, tasks))


def _matrix(state: State, found: Survey) -> str:
    if found.verdict is None:
        return "No clause has been judged yet."
    texts = {clause.id: clause.text for clause in found.clauses}
    seen = _by_clause(state, found.verdict)
    rows = (
        (
            row.clause,
            texts.get(row.clause, ""),
            *(_result(seen.get((row.clause, place))) for place in _COLUMNS),
            _MARKS[row.standing] + ("" if row.required else " (optional)"),
            row.why,
        )
        for row in found.verdict.clauses
    )
    return table(("clause", "what must hold", *map(str, _COLUMNS), "standing", "why"), rows)


def _by_clause(state: State, verdict: Verdict) -> dict[tuple[ClauseId, Place], Observation]:
    trees = {
        Place.FINAL: verdict.trees.final,
        Place.BASE: verdict.trees.base,
        Place.BASE_WITH_TESTS: verdict.trees.base_with_tests,
    }
    return {
        (o.observation.clause, o.observation.place): o.observation
        for o in state.done.values()
        if isinstance(o, Checked) and o.observation.tree == trees.get(o.observation.place)
    }


def _result(seen: Observation | None) -> str:
    return "" if seen is None else str(seen.result)


def _tests(state: State) -> str:
    rows = [
        (
            key,
            str(seen.place),
            str(seen.counts.collected),
            str(seen.counts.passed),
            str(seen.counts.failed + seen.counts.errors),
            str(seen.counts.skipped),
        )
        for key, outcome in state.done.items()
        if isinstance(outcome, Checked) and (seen := outcome.observation).counts is not None
    ]
    if not rows:
        return "No test was run."
    return table(("run", "on", "collected", "passed", "failed", "skipped"), rows)


def _work(state: State, found: Survey) -> str:
    captured = [(key, outcome) for key, outcome in state.done.items() if isinstance(outcome, Captured)]
    said = [f"{key}: {describe_outcome(outcome)}" for key, outcome in captured]
    said += [f"{key}: {f.path} {f.message} ({f.code})" for key, outcome in captured for f in outcome.findings]
    said += [
        f"{key}: {problem.path} could not be captured ({problem.kind})"
        for key, outcome in captured
        for problem in outcome.problems
    ]
    return bullets((*said, *found.notes), "nothing was handed in")


def _decisions(state: State) -> Iterable[str]:
    for answer in state.answers.values():
        yield f"{answer.halt} was answered “{answer.answer}” by {answer.by} ({answer.how})"
    for waiver in state.waivers:
        yield f"{waiver.clause} was waived by {waiver.by} ({waiver.how}): {waiver.reason}"
    for refusal in state.refusals:
        yield f"{refusal.by} tried to {attempted(refusal)} without a terminal; it changes nothing"
    for reset in state.resets:
        yield f"the cap {reset.name} was reset by {reset.by} ({reset.how}): {reset.reason}"


def attempted(refusal: OverruleRefused) -> str:
    """Describe what was attempted without a terminal."""
    kind, _, name = refusal.clause.partition("/")
    return f"reset the cap {name}" if kind == "cap" else f"waive {refusal.clause}"


def _agents(state: State, start: RunStart) -> str:
    rows = [
        (key, agent_of(key, outcome, start), describe_outcome(outcome), _cost(outcome))
        for key, outcome in state.done.items()
        if isinstance(outcome, Dispatched)
    ]
    return table(("dispatch", "agent", "brought", "cost"), rows) if rows else "No agent ran."


def _cost(outcome: Outcome) -> str:
    cost = cost_of(outcome)
    return UNKNOWN if cost is None else f"{cost:.4f} USD"


def _seen(state: State, facts: Facts | None) -> str:
    said: list[str] = []
    if facts is not None:
        said.append("stack: " + (", ".join(facts.stacks) or "not recognised"))
        for name, argv in facts.commands.items():
            said.append(f"{name} command: {' '.join(argv)} (from {facts.sources.get(name, 'unknown')})")
        said += [f"check {one.name}: {' '.join(one.argv)} (from {one.source})" for one in facts.strategies]
        said += [f"module guide: {guide}" for guide in facts.guides]
        said += list(facts.notes)
    for outcome in state.done.values():
        if isinstance(outcome, Recalled):
            said.append(f"memory: {len(outcome.hits)} hits in {outcome.looked_at} entries")
            said += [f"memory: {problem}" for problem in outcome.problems]
    if state.repairs:
        said.append(f"the journal's torn last line was cut {state.repairs} times; the bytes were kept")
    return bullets(said)
