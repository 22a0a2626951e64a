"""What the steps of a hosted run see: what was asked for, what the host says, what the engine saw. Pure."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from signoff.domain.base.typed_ids import EffectKey, HaltId
from signoff.domain.machine.trees import PathChange
from signoff.domain.run.events import How
from signoff.domain.run.outcomes import Recalled, WorkSeen
from signoff.domain.work.memory import MemoryHit
from signoff.domain.work.refinement import Route, RouteSource
from signoff.domain.work.work_state import DirectiveSet, Intent, Persona, WorkInput
from signoff.engine.shared_view import RunView
from signoff.hosted.flow.hosted_slices import look_at
from signoff.intake.refinement.requests import Refined, RefinementInput, input_of
from signoff.text.json.canonical import digest

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import Digest
    from signoff.domain.run.events import Answered
    from signoff.domain.work.refinement import Refinement
    from signoff.hosted.flow.hosted_slices import JudgedSlice
    from signoff.intake.refinement.requests import Want

RECALL = EffectKey("memory/recall")
DETECT = EffectKey("analyze/detect")
TICKET = HaltId("refine/ticket")
ROUTE = HaltId("refine/route")

SETS = {
    DirectiveSet.BACKEND: Intent.BACKEND_CODING,
    DirectiveSet.UI: Intent.UI_IMPROVE,
    DirectiveSet.UI_TRIVIAL: Intent.UI_TRIVIAL,
    DirectiveSet.MIXED: Intent.MIXED,
}


class PersonaPolicy(NamedTuple):
    """What a persona may do in a hosted run."""

    implements: bool = True
    tests: bool = True
    verifies: bool = True
    widens_tests: bool = False
    suggests_next: bool = True
    summary: str = ""


POLICIES = {
    Persona.SENIOR_ENGINEER: PersonaPolicy(summary="every step, tests of what was changed"),
    Persona.QA: PersonaPolicy(widens_tests=True, summary="every step, all tests"),
    Persona.ADVISORY: PersonaPolicy(
        implements=False,
        tests=False,
        verifies=False,
        suggests_next=False,
        summary="a plan, and nothing is changed",
    ),
}


class HostedView(RunView):
    """A read-only look at one hosted run."""

    @property
    def persona(self) -> Persona:
        """The persona that the host takes."""
        return Persona(self.start.persona)

    @property
    def policy(self) -> PersonaPolicy:
        """How far that goes."""
        return POLICIES[self.persona]

    def claim(self, name: str) -> object:
        """Return what the host last wrote into a slice, or None."""
        claimed = self._claimed(name)
        return None if claimed is None else msgspec.json.decode(self._bodies(claimed))

    def _claimed(self, name: str) -> Digest | None:
        claimed = self.state.claims.get(EffectKey(name))
        return None if claimed is None else claimed.answer

    def slice(self, name: str) -> JudgedSlice:
        """Return one of the slices that a host fills, with a judgement of its shape."""
        return look_at(name, self.claim(name))

    def claimed_at(self, name: str) -> int:
        """Return the number of the record with the latest claim of a slice, or 0."""
        return self.state.claimed_at.get(EffectKey(name), 0)

    def says_done(self, step: str) -> bool:
        """Check whether the host wrote a success for this step."""
        outcomes = self.claim("outcomes")
        return isinstance(outcomes, dict) and outcomes.get(step) == "success"

    def typed(self, halt: HaltId, option: str) -> Answered | None:
        """Return the answer of a person at a terminal who chose this option. Relayed input never overrules.

        `signoff answer` refuses relayed input too, but what is dropped into the inbox does not pass there.
        """
        answer = self.answer(halt)
        is_given = answer is not None and answer.answer == option and answer.how is How.TERMINAL
        return answer if is_given else None

    # --- what is wanted ---

    @cached_property
    def input(self) -> WorkInput:
        """What was asked for, with what the host and the person made clearer while it was refined."""
        edited = self._claimed("input")
        return input_of(self._bodies(self.start.ticket), None if edited is None else self._bodies(edited))

    @cached_property
    def refined(self) -> Refined:
        """The result of refining: as the journal has it, unless something that it is based on has changed."""
        basis = self._basis
        of_basis = digest(msgspec.json.encode(basis))
        if self.state.refined is not None:
            kept = self.body(self.state.refined, Refined)
            if kept.basis == of_basis:
                return kept
        from signoff.intake.refinement.answered_input import settle

        given, edited = self._bodies(basis.given), basis.edited
        return settle(given, None if edited is None else self._bodies(edited), basis, of_basis)

    @property
    def _basis(self) -> RefinementInput:
        stated, confirmed = self.answer(TICKET), self.answer(self.confirm_halt)
        asked = (self.answer(question_halt(number)) for number in range(1, self.questions_asked + 1))
        return RefinementInput(
            given=self.start.ticket,
            edited=self._claimed("input"),
            route=self.route,
            stated=stated.answer if stated and stated.answer not in PROMISES else "",
            is_corrected=self.claimed_at("input") > self.state.answered_at.get(TICKET, 0),
            added=tuple(given.answer for given in asked if given and given.answer not in PROMISES),
            is_confirmed=confirmed is not None and confirmed.answer == CONFIRM,
        )

    @property
    def want(self) -> Want:
        """What was asked for, parsed, with the answers of a person on top."""
        return self.refined.want

    @property
    def refinement(self) -> Refinement:
        """What the intake gate says of it."""
        return self.refined.refinement

    @property
    def answer_restated(self) -> bool:
        """Whether a person stated the ticket anew."""
        given = self.answer(TICKET)
        return given is not None and given.answer not in PROMISES

    @property
    def confirm_halt(self) -> HaltId:
        """Name the question whether a reconstruction is right. Another reconstruction asks again."""
        return HaltId(f"refine/confirm-{self.claimed_at('input')}")

    @property
    def questions_asked(self) -> int:
        """Count the clarifying questions a person answered."""
        number = 0
        while self.answer(question_halt(number + 1)):
            number += 1
        return number

    @cached_property
    def route(self) -> Route:
        """Which steps the work takes: decided at the start, unless a host or a person chose others."""
        assert self.start.route is not None
        decided = self.body(self.start.route, Route)
        chosen = self.claim("directive_set")
        if (answer := self.answer(ROUTE)) is not None and answer.answer == TAKE_BACKEND:
            chosen = DirectiveSet.BACKEND
        if chosen is None:
            return decided
        into = DirectiveSet(str(chosen))
        if into is decided.directive_set:
            return decided
        return replace(decided, intent=SETS[into], directive_set=into, source=RouteSource.OVERRIDE)

    # --- what the engine saw ---

    @property
    def hits(self) -> tuple[MemoryHit, ...]:
        """The memory that was found, as it was found."""
        recalled = self.state.done.get(RECALL)
        if not isinstance(recalled, Recalled) or recalled.body is None:
            return ()
        return msgspec.json.decode(self._bodies(recalled.body), type=tuple[MemoryHit, ...])

    @property
    def look_key(self) -> EffectKey:
        """The key of the look at the files in this cycle."""
        return look_key(self.state.cycles)

    @property
    def seen(self) -> WorkSeen | None:
        """What the engine saw of the files in this cycle, or None before it has looked."""
        return self.seen_in(self.state.cycles)

    def seen_with(self, name: str) -> WorkSeen | None:
        """Return what the engine saw in the cycle that brought the latest claim of a slice."""
        return self.seen_in(self.state.claimed_before.get(EffectKey(name), 0))

    def seen_in(self, cycle: int) -> WorkSeen | None:
        """Return what the engine saw of the files in one cycle, if it looked."""
        outcome = self.state.done.get(look_key(cycle))
        return outcome if isinstance(outcome, WorkSeen) else None

    def changes(self, seen: WorkSeen) -> tuple[PathChange, ...]:
        """Return the files that differ from the base."""
        if seen.changes is None:
            return ()
        return msgspec.json.decode(self._bodies(seen.changes), type=tuple[PathChange, ...])


CONFIRM = "confirm"
REFINE_FURTHER = "refine it further"
CORRECT = "correct it in the state file"
ANSWER = "answer here, in words"
STATE_CRITERIA = "state the acceptance criteria here, one a line"
PROMISES = (CORRECT, ANSWER, STATE_CRITERIA)
"""Options that only announce what a person is going to do. They do not answer the question yet."""
TAKE_BACKEND = "take the backend steps"


def question_halt(number: int) -> HaltId:
    """Return the halt of the n-th clarifying question."""
    return HaltId(f"refine/question-{number}")


def look_key(cycle: int) -> EffectKey:
    """Return the key of the look at the files in one cycle."""
    return EffectKey(f"cycle-{cycle}/look")
