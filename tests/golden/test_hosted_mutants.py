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

from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.halts import Halt
from signoff.domain.run.surveys import COMPLETE
from signoff.domain.state_file.work_report import WorkStanding
from signoff.domain.work.work_state import DirectiveSet, Persona
from signoff.golden.play import playback
from signoff.golden.play.pack_replay import replay
from signoff.hosted import cycle
from signoff.hosted.exchange import state_export
from signoff.hosted.flow import cycle_output, flow, hosted_view, work_steps
from signoff.hosted.flow.hosted_questions import waits
from signoff.hosted.flow.hosted_slices import verdict_of
from signoff.hosted.report import work_report_facts, work_report_page
from signoff.hosted.state_file import state_file_format
from signoff.intake.refinement import answered_input, confidence, intake_gate, route
from signoff.intake.refinement.route import classify
from signoff.memory import recall
from signoff.testing.hosted.recorded import RecordedStage
from signoff.testing.hosted.scenario_folder import DiskShelf
from signoff.text import vague_words

SET = Path(__file__).parent / "hosted"

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """What one engine refined must not be taken for the work of the next."""
    answered_input.settle.cache_clear()


class Mutant(NamedTuple):
    """One way to be wrong, and where that must show."""

    name: str
    wound: Callable[[Patch], None]
    scenario: str
    pointer: str


def _policy(persona: Persona, **changed: bool) -> Callable[[Patch], None]:
    policy = hosted_view.POLICIES[persona]._replace(**changed)  # type: ignore[arg-type]
    return lambda patch: patch.setitem(hosted_view.POLICIES, persona, policy)


def _set(where: object, name: str, value: object) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(where, name, value)


def _partial_is_success(patch: Patch) -> None:
    patch.setattr(work_steps, "verdict_of", lambda value: verdict_of(value).replace("partial", "success"))


def _strongest(patch: Patch) -> None:
    patch.setattr(
        intake_gate, "weakest", lambda found: max(found.dimensions, key=found.dimensions.__getitem__)
    )


def _low_asks_another(patch: Patch) -> None:
    patch.setattr(intake_gate, "weakest", lambda found: list(found.dimensions)[-1])


def _escapes(patch: Patch) -> None:
    patch.setattr(
        state_file_format, "json", SimpleNamespace(dumps=lambda value, **_options: json.dumps(value))
    )


def _payload(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[Patch], None]:
    honest = work_steps._payload
    return _set(work_steps, "_payload", lambda seen, verb: change(honest(seen, verb)))


def _believes_outcomes(step: str) -> Callable[[Patch], None]:
    def wound(patch: Patch) -> None:
        honest = dict(flow._STEPS)

        def lenient(seen: hosted_view.HostedView) -> work_steps.WorkStep:
            return work_steps.WorkStep(COMPLETE) if seen.says_done(step) else honest[step](seen)

        patch.setattr(flow, "_STEPS", tuple({**honest, step: lenient}.items()))

    return wound


def _stale_review(patch: Patch) -> None:
    patch.setattr(hosted_view.HostedView, "seen_with", lambda self, _name: self.seen)


def _red_is_green(patch: Patch) -> None:
    patch.setattr(
        work_steps, "_judged", lambda *_seen: work_steps.WorkStep(COMPLETE, work_steps.StepBasis.WITNESSED)
    )


def _anybody_overrules(patch: Patch) -> None:
    patch.setattr(work_steps, "waits", lambda *words, **more: waits(*words, **{**more, "terminal_only": ()}))


def _no_options(patch: Patch) -> None:
    def without(halt: Halt) -> tuple[str, ...]:
        return work_halt_lines(replace(halt, options=()))

    work_halt_lines = cycle_output.question_lines
    for module in (state_export, playback, cycle_output):
        patch.setattr(module, "question_lines", without)


def _one_route(patch: Patch) -> None:
    patch.setattr(route, "classify", lambda want: replace(classify(want), directive_set=DirectiveSet.BACKEND))


def _forgets_answers(patch: Patch) -> None:
    honest = hosted_view.HostedView.answer

    def forgetful(self: hosted_view.HostedView, halt: HaltId) -> object:
        return None if halt.startswith("refine/confirm") else honest(self, halt)

    patch.setattr(hosted_view.HostedView, "answer", forgetful)


MUTANTS = (
    Mutant("qa never widens", _policy(Persona.QA, widens_tests=False), "qa", "/halt/payload"),
    Mutant("advisory edits", _policy(Persona.ADVISORY, implements=True), "advisory", "/exit_code"),
    Mutant("advisory tests", _policy(Persona.ADVISORY, tests=True), "advisory", "/exit_code"),
    Mutant("partial review passes", _partial_is_success, "partial-review", "/final_outcome"),
    Mutant(
        "report says nothing",
        _set(work_report_page, "section", lambda title, _body: f"## {title}\n"),
        "happy-ticket",
        "/report/has_body",
    ),
    Mutant("0.7 is high", _set(confidence, "HIGH_FROM", 0.65), "prompt-medium-edge", "/halt/code"),
    Mutant("0.8 is not", _set(confidence, "HIGH_FROM", 0.81), "prompt-high-edge", "/halt/code"),
    Mutant("criteria may be short", _set(vague_words, "MIN_LENGTH", 4), "short-criteria", "/halt/code"),
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
    Mutant("halt exits with 4", _set(cycle_output, "HALTED", 4), "happy-ticket", "/exit_code"),
    Mutant("report exits with 1", _set(cycle_output, "REPORTED", 1), "happy-ticket", "/exit_code"),
    Mutant(
        "any path will do",
        _set(work_steps, "_is_among", lambda *_paths: True),
        "lie-wrong-path",
        "/halt/code",
    ),
    Mutant("red tests pass", _red_is_green, "lie-green-tests", "/halt/code"),
    Mutant(
        "critical findings pass",
        _set(work_steps, "blocking_findings", lambda _value: 0),
        "lie-critical-review",
        "/exit_code",
    ),
    Mutant("relayed words overrule", _anybody_overrules, "lie-green-tests", "/action"),
    Mutant(
        "nothing is destructive",
        _set(intake_gate, "vetoes", lambda _text: ()),
        "prompt-destructive",
        "/halt/code",
    ),
    Mutant(
        "a question is a task",
        _set(intake_gate, "is_question", lambda _want: False),
        "question",
        "/halt/code",
    ),
    Mutant("options are lost", _no_options, "vague-criteria", "/halt/questions"),
    Mutant("pages are backend work", _one_route, "prompt-ui", "/state/directive_set"),
    Mutant("a confirmation is forgotten", _forgets_answers, "prompt-medium-confirmed", "/halt/code"),
    Mutant("ids are not quoted", _set(cycle_output, "_quoted", str), "forged-directive", "/stdout"),
    Mutant(
        "claims are called observed",
        _set(work_report_facts, "_DECIDING", ()),
        "no-repository",
        "/report/kind",
    ),
    Mutant(
        "claims are called proven",
        lambda patch: patch.setitem(
            work_report_facts._STANDINGS, work_steps.StepBasis.CLAIMED, WorkStanding.PROVEN
        ),
        "happy-ticket",
        "/report/clauses",
    ),
    Mutant(
        "another ticket is passed over",
        _set(cycle, "refuse_other_input", lambda *_inputs: None),
        "another-ticket",
        "/exit_code",
    ),
    Mutant(
        "a report is never stale",
        _set(cycle, "_has_moved", lambda *_seen: False),
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
