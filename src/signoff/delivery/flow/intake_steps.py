"""The first three steps: refine, memory, analyze. Pure."""

from typing import TypeVar

from signoff.contracts.clauses.contract_clauses import project_gates
from signoff.delivery.context.run_view import ANALYZE, View, baseline_key
from signoff.delivery.flow.destructive_intent import destructive
from signoff.domain.base.typed_ids import Digest, EffectKey, HaltId, TreeId
from signoff.domain.evidence.receipts import FailureReason, Result
from signoff.domain.run.effects import Analyze, Effect, RecallMemory, RunCheck
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.domain.work.check_kinds import needs_citations, project_command
from signoff.domain.work.checks import Check, Place
from signoff.domain.work.clauses import GATE_TESTS, Clause
from signoff.domain.work.refinement import RefineFault
from signoff.intake.refinement.intake_gate import judged
from signoff.intake.ticket_files import gate
from signoff.text.truncation import short

E = TypeVar("E", bound=Effect)

RECALL = EffectKey("memory/recall")
_LONGEST_COMMAND = 200
_OF_THE_MACHINE = (FailureReason.DEPENDENCY_MISSING, FailureReason.PRECONDITION_UNMET)
TICKET_HALT = HaltId("refine/ticket")
_ANSWERED_HERE = frozenset({RefineFault.QUESTION_NOT_TASK, RefineFault.PROMPT_LOW_CONFIDENCE})
"""Faults whose own question a person can answer together with the criteria."""


def refine(view: View) -> Now:
    """Refuse to start while the ticket is unclear. A person's answer replaces its criteria.

    Destructive intent is asked about first. What the refiner would ask is part of the one question.
    """
    if (halt := destructive(view)) is not None:
        return Now(halts=(halt,))
    violations = gate(view.ticket())
    if not violations:
        return COMPLETE
    problems = "; ".join(violation.message for violation in violations)
    again = view.answer(TICKET_HALT) is not None
    # An answer that is unclear itself re-opens the same halt: the next answer replaces it.
    opening = "Still unclear" if again else "The ticket is unclear"
    refined = judged(view.ticket())
    hint = f"{refined.question} " if _ANSWERED_HERE.intersection(refined.codes) else ""
    wanted = f"{hint}State the acceptance criteria, one a line (and id: or title: lines)."
    question = f"{opening}: {problems}. {wanted}"
    return Now(
        halts=(
            Halt(
                id=TICKET_HALT,
                code=HaltCode.TICKET_UNCLEAR,
                kind=HaltKind.PERSON,
                step="refine",
                question=question,
            ),
        )
    )


def memory(view: View) -> Now:
    """Search curated memory once."""
    if view.outcome(RECALL) is not None:
        return COMPLETE
    return Now((RecallMemory(key=RECALL),))


def analyze(view: View) -> Now:
    """See what the base is made of, then run its gates, so that "was it red before?" is a fact."""
    facts = view.facts()
    if facts is None:
        return Now((Analyze(key=ANALYZE, base=view.base_commit),))
    wanted = tuple(baseline_check(view, clause) for clause in project_gates(facts) if clause.check)
    open_checks = one_server(tuple(effect for effect in wanted if view.outcome(effect.key) is None))
    return Now(open_checks, complete=not open_checks)


def cannot_test(view: View) -> str:
    """Return why a test command of the settings cannot be run on this machine at all, or "".

    Whatever is built then, nothing could prove it. A run that asked for a plan nevertheless, as earlier
    versions did, goes on.
    """
    facts, seen = view.facts(), view.observed(baseline_key(GATE_TESTS))
    if facts is None or seen is None or facts.sources.get("test") != "settings":
        return ""
    if seen.result is not Result.PARTIAL or seen.failure_reason not in _OF_THE_MACHINE:
        return ""
    if any(key.startswith("plan/") for key in (*view.state.done, *view.state.open)):
        return ""
    command = short(" ".join(facts.commands.get("test", ())), _LONGEST_COMMAND)
    return f"the command of [checks] test, `{command}`, cannot be run: {seen.detail}; no agent was asked"


def one_server(effects: tuple[E, ...]) -> tuple[E, ...]:
    """Let one check with a server run at a time: two servers of a project need the same port."""
    served = [
        e for e in effects if isinstance(e, RunCheck) and (ran := project_command(e.check)) and ran.serve
    ]
    waiting = {effect.key for effect in served[1:]}
    return tuple(effect for effect in effects if effect.key not in waiting)


def baseline_check(view: View, clause: Clause) -> RunCheck:
    """Return the effect that runs one gate on the base tree."""
    assert clause.check is not None
    return on_tree(view, baseline_key(clause.id), clause, clause.check, Place.BASE, view.base_tree, None)


def on_tree(
    view: View,
    key: EffectKey,
    clause: Clause,
    check: Check,
    place: Place,
    tree: TreeId,
    contract: Digest | None,
    reports: tuple[Digest, ...] = (),
) -> RunCheck:
    """Return the effect that runs a clause's check on one tree."""
    return RunCheck(
        key=key,
        clause=clause.id,
        check=check,
        place=place,
        tree=tree,
        base=view.base_tree,
        contract=contract,
        reports=reports,
        citations=view.citations(clause) if needs_citations(check) else (),
    )
