"""The intake gate: everything there is to say about a want before work starts. Pure.

The order: malformed, a question, destructive, unclear. A destructive want is blocked whatever its score, and
no flag releases it; neither does one release a prompt that was not understood.
"""

from typing import Final

from signoff.core.refining import asking
from signoff.core.refining.confidence import score, weakest
from signoff.core.refining.questions import is_question
from signoff.core.refining.routing import classify, ui_words
from signoff.core.refining.task_types import task_type
from signoff.core.refining.vetoes import vetoes
from signoff.core.refining.wants import Want
from signoff.core.tickets import TicketCode, gate
from signoff.domain.refining import (
    Band,
    Confidence,
    RefineFault,
    Refinement,
    RefineOutcome,
    Route,
    RouteSource,
    Veto,
)
from signoff.domain.ticket import InputKind
from signoff.domain.violations import Violation
from signoff.domain.work_state import DirectiveSet, Intent

_PREVIEW: Final = 80
_GATED: Final = {str(code): RefineFault(code.value) for code in TicketCode}
"""A list of faults may end in a note that there are more: that is no code of its own."""


def refine(want: Want, route: Route | None = None) -> Refinement:
    """Judge a want; `route` is one that was decided before and stands."""
    if want.violations:
        return _Judge(want, route or _unrouted()).malformed()
    judge = _Judge(want, route or classify(want))
    if is_question(want):
        return judge.blocked(RefineFault.QUESTION_NOT_TASK, is_question=True)
    if want.kind is InputKind.TICKET:
        return judge.ticket()
    return judge.prompt(is_routed=route is not None)


def _unrouted() -> Route:
    return Route(intent=Intent.BACKEND_CODING, directive_set=DirectiveSet.BACKEND)


class _Judge:
    """Puts together what is said of one want."""

    def __init__(self, want: Want, route: Route) -> None:
        self._want = want
        self._route = route
        self._vetoes: tuple[Veto, ...] = vetoes(want.text)
        self._violations: tuple[Violation, ...] = ()
        self._confidence: Confidence | None = None

    def malformed(self) -> Refinement:
        self._violations = self._want.violations
        self._vetoes = ()
        return self.blocked(RefineFault.MALFORMED_INPUT)

    def ticket(self) -> Refinement:
        self._violations = gate(self._want.ticket)
        found = dict.fromkeys(violation.code for violation in self._violations)
        codes = tuple(_GATED[code] for code in found if code in _GATED)
        if self._vetoes:
            return self.blocked(RefineFault.DESTRUCTIVE_INTENT, *codes)
        if not codes:
            return self._result(RefineOutcome.SUCCESS, ())
        reasons = tuple(violation.message for violation in self._violations)
        return self._result(RefineOutcome.BLOCKED, codes, asking.about_ticket(reasons))

    def prompt(self, *, is_routed: bool) -> Refinement:
        want = self._want
        if want.reconstructed_ac is not None:
            anchors = tuple(file.path for file in want.files) or tuple(filter(None, (want.path,)))
            self._confidence = score(want.statement, want.reconstructed_ac, anchors=anchors)
        if self._vetoes:
            return self.blocked(RefineFault.DESTRUCTIVE_INTENT)
        if self._confidence is None:
            return self.blocked(RefineFault.PROMPT_UNREFINED, asked=asking.about_prompt(self._preview))
        if is_routed and self._is_misrouted():
            return self.blocked(RefineFault.PROMPT_UI_INTENT, asked=asking.about_page(self._preview))
        return self._by_band(self._confidence)

    def _by_band(self, confidence: Confidence) -> Refinement:
        if confidence.band is Band.LOW:
            asked = asking.about_dimension(weakest(confidence))
            return self.blocked(RefineFault.PROMPT_LOW_CONFIDENCE, asked=asked)
        if confidence.band is Band.HIGH or self._want.confidence_confirmed:
            return self._result(RefineOutcome.SUCCESS, ())
        asked = asking.about_confidence(self._preview, confidence.score)
        return self._result(RefineOutcome.PARTIAL, (RefineFault.PROMPT_MEDIUM_CONFIDENCE,), asked)

    def blocked(
        self, *codes: RefineFault, is_question: bool = False, asked: asking.Asked | None = None
    ) -> Refinement:
        shown = asked or asking.FIXED[codes[0]]
        return self._result(RefineOutcome.BLOCKED, codes, shown, is_question=is_question)

    def _is_misrouted(self) -> bool:
        """Say whether a page is wanted of steps that have none, and nobody chose that."""
        is_chosen = self._route.source is RouteSource.OVERRIDE
        is_backend = self._route.directive_set is DirectiveSet.BACKEND
        return is_backend and not is_chosen and bool(ui_words(self._want.statement))

    @property
    def _preview(self) -> str:
        """What was wanted, on one line and short."""
        text = " ".join((self._want.statement or self._want.path or self._want.raw).split())
        return text if len(text) <= _PREVIEW else text[: _PREVIEW - 1] + "…"

    def _result(
        self,
        outcome: RefineOutcome,
        codes: tuple[RefineFault, ...],
        asked: asking.Asked | None = None,
        *,
        is_question: bool = False,
    ) -> Refinement:
        confidence = self._confidence
        return Refinement(
            outcome=outcome,
            codes=codes,
            task_type=task_type(self._want),
            route=self._route,
            is_question=is_question,
            vetoes=self._vetoes,
            violations=self._violations,
            criteria=self._want.criteria,
            assumptions=self._want.assumptions,
            confidence=confidence,
            weakest=weakest(confidence) if confidence and confidence.band is not Band.HIGH else None,
            ui_intent=bool(ui_words(self._want.statement)),
            question=asked.question if asked else "",
            options=asked.options if asked else (),
        )
