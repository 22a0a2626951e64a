"""Engines that are wrong in one way each: replaying the shipped set must notice every one of them.

A comparison that only looks at shapes lets most of these through, and a set of transcripts that cannot tell a
broken engine from a whole one is worth nothing.
"""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from signoff.app.golden import playing
from signoff.app.golden.judging import replay
from signoff.app.hosted import cycling
from signoff.core import recall, vagueness
from signoff.core.formats import work_state
from signoff.core.hosted_slices import verdict_of
from signoff.core.refining import confidence, judging, routing, settling
from signoff.core.refining.routing import classify
from signoff.domain.halts import Halt
from signoff.domain.ids import HaltId
from signoff.domain.surveys import COMPLETE
from signoff.domain.work_report import WorkStanding
from signoff.domain.work_state import DirectiveSet, Persona
from signoff.flows.hosted import exporting, flow, reporting, view, working
from signoff.flows.hosted.asking import waits
from signoff.render import work_halt, work_report
from signoff.testing.hosted.recorded import RecordedStage
from signoff.testing.hosted.shelf import DiskShelf

SET = Path(__file__).parent / "hosted"

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """What one engine refined must not be taken for the work of the next."""
    settling.settle.cache_clear()


class Mutant(NamedTuple):
    """One way to be wrong, and where that must show."""

    name: str
    wound: Callable[[Patch], None]
    scenario: str
    pointer: str


def _policy(persona: Persona, **changed: bool) -> Callable[[Patch], None]:
    policy = view.POLICIES[persona]._replace(**changed)  # type: ignore[arg-type]
    return lambda patch: patch.setitem(view.POLICIES, persona, policy)


def _set(where: object, name: str, value: object) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(where, name, value)


def _partial_is_success(patch: Patch) -> None:
    patch.setattr(working, "verdict_of", lambda value: verdict_of(value).replace("partial", "success"))


def _strongest(patch: Patch) -> None:
    patch.setattr(judging, "weakest", lambda found: max(found.dimensions, key=found.dimensions.__getitem__))


def _low_asks_another(patch: Patch) -> None:
    patch.setattr(judging, "weakest", lambda found: list(found.dimensions)[-1])


def _escapes(patch: Patch) -> None:
    patch.setattr(work_state, "json", SimpleNamespace(dumps=lambda value, **_options: json.dumps(value)))


def _payload(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[Patch], None]:
    honest = working._payload
    return _set(working, "_payload", lambda seen, verb: change(honest(seen, verb)))


def _believes_outcomes(step: str) -> Callable[[Patch], None]:
    def wound(patch: Patch) -> None:
        honest = dict(flow._STEPS)

        def lenient(seen: view.HostedView) -> working.Step:
            return working.Step(COMPLETE) if seen.says_done(step) else honest[step](seen)

        patch.setattr(flow, "_STEPS", tuple({**honest, step: lenient}.items()))

    return wound


def _stale_review(patch: Patch) -> None:
    patch.setattr(view.HostedView, "seen_with", lambda self, _name: self.seen)


def _red_is_green(patch: Patch) -> None:
    patch.setattr(working, "_judged", lambda *_seen: working.Step(COMPLETE, working.Basis.WITNESSED))


def _anybody_overrules(patch: Patch) -> None:
    patch.setattr(working, "waits", lambda *words, **more: waits(*words, **{**more, "terminal_only": ()}))


def _no_options(patch: Patch) -> None:
    def without(halt: Halt) -> tuple[str, ...]:
        return work_halt_lines(replace(halt, options=()))

    work_halt_lines = work_halt.question_lines
    for module in (exporting, playing, work_halt):
        patch.setattr(module, "question_lines", without)


def _one_route(patch: Patch) -> None:
    patch.setattr(
        routing, "classify", lambda want: replace(classify(want), directive_set=DirectiveSet.BACKEND)
    )


def _forgets_answers(patch: Patch) -> None:
    honest = view.HostedView.answer

    def forgetful(self: view.HostedView, halt: HaltId) -> object:
        return None if halt.startswith("refine/confirm") else honest(self, halt)

    patch.setattr(view.HostedView, "answer", forgetful)


MUTANTS = (
    Mutant("qa never widens", _policy(Persona.QA, widens_tests=False), "qa", "/halt/payload"),
    Mutant("advisory edits", _policy(Persona.ADVISORY, implements=True), "advisory", "/exit_code"),
    Mutant("advisory tests", _policy(Persona.ADVISORY, tests=True), "advisory", "/exit_code"),
    Mutant("partial review passes", _partial_is_success, "partial-review", "/final_outcome"),
    Mutant(
        "report says nothing",
        _set(work_report, "section", lambda title, _body: f"## {title}\n"),
        "happy-ticket",
        "/report/has_body",
    ),
    Mutant("0.7 is high", _set(confidence, "HIGH_FROM", 0.65), "prompt-medium-edge", "/halt/code"),
    Mutant("0.8 is not", _set(confidence, "HIGH_FROM", 0.81), "prompt-high-edge", "/halt/code"),
    Mutant("criteria may be short", _set(vagueness, "MIN_LENGTH", 4), "short-criteria", "/halt/code"),
    Mutant("memory without a cap", _set(recall, "MAX_HITS", 1000), "memory", "/state/memory"),
    Mutant("memory cut by one", _set(recall, "MAX_HITS", 11), "memory", "/state/memory"),
    Mutant(
        "directive without ticket",
        _payload(lambda payload: {k: v for k, v in payload.items() if k != "ticket"}),
        "happy-ticket",
        "/halt/payload",
    ),
    Mutant(
        "payload key renamed",
        _payload(lambda payload: {k.replace("scope", "range"): v for k, v in payload.items()}),
        "happy-ticket",
        "/halt/payload",
    ),
    Mutant("low asks about the strongest", _strongest, "prompt-low-uneven", "/halt/asks_about"),
    Mutant("low asks about the last", _low_asks_another, "prompt-low-uneven", "/halt/asks_about"),
    Mutant("text is escaped", _escapes, "happy-unicode", "/state"),
    Mutant("plan on a word", _believes_outcomes("plan"), "lie-four-successes", "/halt/step"),
    Mutant("changes on a word", _believes_outcomes("implement"), "lie-successes-step-by-step", "/halt/step"),
    Mutant("tests on a word", _believes_outcomes("test"), "lie-successes-step-by-step", "/halt/step"),
    Mutant("review on a word", _believes_outcomes("verify"), "lie-successes-step-by-step", "/exit_code"),
    Mutant("stale review passes", _stale_review, "lie-stale-review", "/exit_code"),
    Mutant("halt exits with 4", _set(work_halt, "HALTED", 4), "happy-ticket", "/exit_code"),
    Mutant("report exits with 1", _set(work_halt, "REPORTED", 1), "happy-ticket", "/exit_code"),
    Mutant(
        "any path will do", _set(working, "_is_among", lambda *_paths: True), "lie-wrong-path", "/halt/code"
    ),
    Mutant("red tests pass", _red_is_green, "lie-green-tests", "/halt/code"),
    Mutant(
        "critical findings pass",
        _set(working, "blocking_findings", lambda _value: 0),
        "lie-critical-review",
        "/exit_code",
    ),
    Mutant("relayed words overrule", _anybody_overrules, "lie-green-tests", "/action"),
    Mutant(
        "nothing is destructive",
        _set(judging, "vetoes", lambda _text: ()),
        "prompt-destructive",
        "/halt/code",
    ),
    Mutant(
        "a question is a task", _set(judging, "is_question", lambda _want: False), "question", "/halt/code"
    ),
    Mutant("options are lost", _no_options, "vague-criteria", "/halt/questions"),
    Mutant("pages are backend work", _one_route, "prompt-ui", "/state/directive_set"),
    Mutant("a confirmation is forgotten", _forgets_answers, "prompt-medium-confirmed", "/halt/code"),
    Mutant("ids are not quoted", _set(work_halt, "_quoted", str), "forged-directive", "/stdout"),
    Mutant("claims are called observed", _set(reporting, "_DECIDING", ()), "no-repository", "/report/kind"),
    Mutant(
        "claims are called proven",
        lambda patch: patch.setitem(reporting._STANDINGS, working.Basis.CLAIMED, WorkStanding.PROVEN),
        "happy-ticket",
        "/report/clauses",
    ),
    Mutant(
        "another ticket is passed over",
        _set(cycling, "refuse_other_input", lambda *_inputs: None),
        "another-ticket",
        "/exit_code",
    ),
    Mutant(
        "a report is never stale",
        _set(cycling, "_has_moved", lambda *_seen: False),
        "reported-then-edited",
        "/exit_code",
    ),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_wounded_engine_does_not_pass(mutant: Mutant, monkeypatch: Patch) -> None:
    """If this passes a mutant by, the same mistake would pass by tomorrow."""
    mutant.wound(monkeypatch)

    judged = replay(DiskShelf(str(SET)), (mutant.scenario,), RecordedStage)

    pointers = {difference.pointer for one in judged for difference in one.differences}
    assert any(pointer.startswith(mutant.pointer) for pointer in pointers), pointers


def test_the_engine_as_it_is_passes() -> None:
    """Else every mutant would be caught by a difference that was there before."""
    judged = replay(DiskShelf(str(SET)), (), RecordedStage)

    assert [difference for one in judged for difference in one.differences] == []
