"""What the steps of a delivery see of a run: its state, and the bodies its records name. Pure."""

from typing import NamedTuple

from signoff.contracts.clauses.contract_clauses import all_clauses, left_out, project_gates
from signoff.delivery.verdict.judge import Seen
from signoff.delivery.verdict.persona_demands import demanded
from signoff.domain.base.typed_ids import ClauseId, CommitId, Digest, EffectKey, HaltId, TreeId
from signoff.domain.evidence.receipts import Observation
from signoff.domain.run.directives import Facts, QuestionAnswered, RawPlanProposed, WorkDone
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Analyzed,
    Checked,
    Delegated,
    Interrupted,
    Outcome,
    Sealed,
)
from signoff.domain.work.checks import Citation
from signoff.domain.work.clauses import Clause
from signoff.domain.work.contract import Contract
from signoff.domain.work.ticket import Ticket
from signoff.engine.shared_view import RunView
from signoff.intake.ticket_files import restated
from signoff.text.json.canonical import contract_digest

ANALYZE = EffectKey("analyze/detect")
SEAL = EffectKey("plan/seal")


def baseline_key(gate_id: ClauseId) -> EffectKey:
    """Return the key of a gate's run on the base tree."""
    return EffectKey(f"analyze/baseline/{gate_id}")


class DispatchReply(NamedTuple):
    """An agent's answer to one dispatch, by our backend or by a host."""

    kind: str
    answer: Digest
    question: str
    options: tuple[str, ...]


class View(RunView):
    """A read-only look at one delivery."""

    @property
    def base_commit(self) -> CommitId:
        """The commit the run started from."""
        return self.start.base

    @property
    def base_tree(self) -> TreeId:
        """The tree the run started from."""
        return self.start.base_tree

    def outcome(self, key: EffectKey) -> Outcome | None:
        """Return the outcome of an effect, or None while it is not done."""
        return self.state.done.get(key)

    def observed(self, key: EffectKey) -> Observation | None:
        """Return what a check saw, or None while it has not run."""
        outcome = self.outcome(key)
        return outcome.observation if isinstance(outcome, Checked) else None

    def reply(self, key: EffectKey) -> DispatchReply | AgentFailed | Interrupted | Delegated | None:
        """Return what a dispatch brought, with a host's claim in place of a delegation."""
        outcome = self.outcome(key)
        match outcome:
            case AgentAnswered():
                return DispatchReply(outcome.kind, outcome.answer, outcome.question, outcome.options)
            case Delegated():
                claim = self.state.claims.get(key)
                if claim is None:
                    return outcome
                return DispatchReply(claim.kind, claim.answer, claim.question, claim.options)
            case AgentFailed() | Interrupted():
                return outcome
            case _:
                return None

    def exchange(self, halt: HaltId, question: str) -> tuple[QuestionAnswered, ...]:
        """Return question and answer as the agent is told them. Empty while the halt is open."""
        given = self.answer(halt)
        return (QuestionAnswered(question=question, answer=given.answer),) if given else ()

    def ticket(self) -> Ticket:
        """Return the ticket as it came in, with criteria a person added in answer to the refine halt."""
        ticket = self.body(self.start.ticket, Ticket)
        given = self.answer(HaltId("refine/ticket"))
        if given is None:
            return ticket
        return restated(ticket, given.answer)

    def facts(self) -> Facts | None:
        """Return what *analyze* detected, once it has run."""
        outcome = self.outcome(ANALYZE)
        return self.body(outcome.facts, Facts) if isinstance(outcome, Analyzed) else None

    def sealed(self) -> Sealed | None:
        """Return the sealed contract's digest and approver."""
        outcome = self.outcome(SEAL)
        return outcome if isinstance(outcome, Sealed) else None

    def contract(self) -> Contract | None:
        """Return the sealed contract."""
        sealed = self.sealed()
        return self.body(sealed.contract, Contract) if sealed else None

    def proposal(self, answer: Digest) -> tuple[bytes, Digest]:
        """Return a proposed contract's bytes as the agent wrote them, and their canonical digest."""
        raw = bytes(self.body(answer, RawPlanProposed).contract)
        return raw, contract_digest(raw)

    def citations(self, clause: Clause) -> tuple[Citation, ...]:
        """Return what the agent of a clause's task cited when it last said it was done.

        Only the latest answer of kind `done` counts. A citation without a clause speaks for all of them.
        """
        prefix = f"implement/{clause.task}/"
        dispatches = [key for key in self.state.done if key.startswith(prefix) and "/dispatch-" in key]
        replies = [reply for key in dispatches if isinstance(reply := self.reply(key), DispatchReply)]
        done = [reply for reply in replies if reply.kind == "done"]
        if not done:
            return ()
        said = self.body(done[-1].answer, WorkDone).citations
        return tuple(c for c in said if c.clause in ("", clause.id))

    def clauses(self) -> tuple[Clause, ...]:
        """Return every clause of the delivery. Before the seal, these are the project's gates alone."""
        facts = self.facts() or Facts()
        contract = self.contract()
        every = all_clauses(contract, facts) if contract else project_gates(facts)
        absent = self.left_out()
        return demanded(tuple(clause for clause in every if clause.id not in absent), self.start.persona)

    def left_out(self) -> dict[ClauseId, str]:
        """Return the detected gates that do not count here, and why."""
        facts = self.facts()
        return left_out(facts, lambda gate: self.observed(baseline_key(gate))) if facts else {}

    def seen(self) -> tuple[Seen, ...]:
        """Return every observation of the run, oldest first."""
        return tuple(
            Seen(key, outcome.observation)
            for key, outcome in self.state.done.items()
            if isinstance(outcome, Checked)
        )


def non_goal_texts(contract: Contract) -> tuple[str, ...]:
    """Return the non-goals of a contract in its own words, as agents are told them."""
    return tuple(goal if isinstance(goal, str) else goal.description for goal in contract.non_goals)
