"""What the steps of a hosted run see: what was asked for, what the host says, what the engine saw. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from signoff.core.canonical import digest
from signoff.core.hosted_slices import look_at
from signoff.core.personas import POLICIES
from signoff.core.refining.wants import Basis, Refined, input_of
from signoff.domain.events import How
from signoff.domain.ids import Digest, EffectKey, HaltId
from signoff.domain.memory import MemoryHit
from signoff.domain.outcomes import Recalled, WorkSeen
from signoff.domain.refining import Route, RouteSource
from signoff.domain.settings import Settings
from signoff.domain.trees import Change
from signoff.domain.work_state import DirectiveSet, Intent, Persona, WorkInput

if TYPE_CHECKING:
    from signoff.core.hosted_slices import Slice
    from signoff.core.personas import Policy
    from signoff.core.refining.wants import Want
    from signoff.core.state import State
    from signoff.domain.events import Answered, RunStart
    from signoff.domain.refining import Refinement

Bodies = Callable[[Digest], bytes]

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


class HostedView:
    """A read-only look at one hosted run."""

    def __init__(self, state: State, bodies: Bodies) -> None:
        self.state = state
        self._bodies = bodies

    @property
    def start(self) -> RunStart:
        """What the run is pinned to."""
        assert self.state.start is not None, "a run is driven only after run_start"
        return self.state.start

    @cached_property
    def settings(self) -> Settings:
        """The settings the run began with."""
        return msgspec.json.decode(self._bodies(self.start.settings), type=Settings)

    @property
    def persona(self) -> Persona:
        """Who the host plays."""
        return Persona(self.start.persona)

    @property
    def policy(self) -> Policy:
        """How far that goes."""
        return POLICIES[self.persona]

    def claim(self, name: str) -> object:
        """Give what the host last wrote into a slice; None where it wrote nothing."""
        claimed = self._claimed(name)
        return None if claimed is None else msgspec.json.decode(self._bodies(claimed))

    def _claimed(self, name: str) -> Digest | None:
        claimed = self.state.claims.get(EffectKey(name))
        return None if claimed is None else claimed.answer

    def slice(self, name: str) -> Slice:
        """Give one of the slices a host fills, judged by its shape."""
        return look_at(name, self.claim(name))

    def claimed_at(self, name: str) -> int:
        """Give the record of the latest claim of a slice; 0 where there is none."""
        return self.state.claimed_at.get(EffectKey(name), 0)

    def says_done(self, step: str) -> bool:
        """Say whether the host wrote a success for this step."""
        outcomes = self.claim("outcomes")
        return isinstance(outcomes, dict) and outcomes.get(step) == "success"

    def answer(self, halt: HaltId) -> Answered | None:
        """Give a person's answer to a halt, or None while it is open."""
        return self.state.answers.get(halt)

    def typed(self, halt: HaltId, option: str) -> Answered | None:
        """Give the word of a person at a terminal that chose this option; relayed input never overrules.

        `signoff answer` refuses such a word too. What lies in the inbox does not come that way.
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
        """What refining comes to: as the journal has it, unless something that it rests on has changed."""
        basis = self._basis
        of_basis = digest(msgspec.json.encode(basis))
        if self.state.refined is not None:
            kept = msgspec.json.decode(self._bodies(self.state.refined), type=Refined)
            if kept.basis == of_basis:
                return kept
        from signoff.core.refining.settling import settle

        given, edited = self._bodies(basis.given), basis.edited
        return settle(given, None if edited is None else self._bodies(edited), basis, of_basis)

    @property
    def _basis(self) -> Basis:
        stated, confirmed = self.answer(TICKET), self.answer(self.confirm_halt)
        asked = (self.answer(question_halt(number)) for number in range(1, self.questions_asked + 1))
        return Basis(
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
        """What was asked for, read; answers of a person on top."""
        return self.refined.want

    @property
    def refinement(self) -> Refinement:
        """What the intake gate says of it."""
        return self.refined.refinement

    @property
    def answer_restated(self) -> bool:
        """Say whether a person stated the ticket anew."""
        given = self.answer(TICKET)
        return given is not None and given.answer not in PROMISES

    @property
    def confirm_halt(self) -> HaltId:
        """Name the question whether a reconstruction is right; another reconstruction asks again."""
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
        """Which steps carry the work: decided once, unless somebody decided otherwise."""
        assert self.start.route is not None
        decided = msgspec.json.decode(self._bodies(self.start.route), type=Route)
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
        """Give the memory that bears on it, as it was found."""
        recalled = self.state.done.get(RECALL)
        if not isinstance(recalled, Recalled) or recalled.body is None:
            return ()
        return msgspec.json.decode(self._bodies(recalled.body), type=tuple[MemoryHit, ...])

    @property
    def look_key(self) -> EffectKey:
        """Name the look at the files in this cycle."""
        return look_key(self.state.cycles)

    @property
    def seen(self) -> WorkSeen | None:
        """Give what the engine saw of the files in this cycle, once it has looked."""
        return self.seen_in(self.state.cycles)

    def seen_with(self, name: str) -> WorkSeen | None:
        """Give what the engine saw in the cycle that brought the latest claim of a slice."""
        return self.seen_in(self.state.claimed_before.get(EffectKey(name), 0))

    def seen_in(self, cycle: int) -> WorkSeen | None:
        """Give what the engine saw of the files in one cycle, if it looked."""
        outcome = self.state.done.get(look_key(cycle))
        return outcome if isinstance(outcome, WorkSeen) else None

    def changes(self, seen: WorkSeen) -> tuple[Change, ...]:
        """Give the files that differ from the base."""
        if seen.changes is None:
            return ()
        return msgspec.json.decode(self._bodies(seen.changes), type=tuple[Change, ...])

    def body(self, digest: Digest) -> bytes:
        """Give a blob's bytes."""
        return self._bodies(digest)


CONFIRM = "confirm"
REFINE_FURTHER = "refine it further"
CORRECT = "correct it in the state file"
ANSWER = "answer here, in words"
STATE_CRITERIA = "state the acceptance criteria here, one a line"
PROMISES = (CORRECT, ANSWER, STATE_CRITERIA)
"""Options that only say what somebody is going to do; they are no answer yet."""
TAKE_BACKEND = "take the backend steps"


def question_halt(number: int) -> HaltId:
    """Name the n-th clarifying question."""
    return HaltId(f"refine/question-{number}")


def look_key(cycle: int) -> EffectKey:
    """Name the look at the files in one cycle."""
    return EffectKey(f"cycle-{cycle}/look")
