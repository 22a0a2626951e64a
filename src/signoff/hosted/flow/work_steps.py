"""Plan, implement, test and verify: what the host says, compared with what the engine saw. Pure."""

from __future__ import annotations

import posixpath
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from signoff.domain.base.typed_ids import EffectKey, HaltId, TreeId
from signoff.domain.run.effects import Analyze, LookAtWork, RunCheck
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.outcomes import Analyzed, Checked
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.domain.work.observations import Place, Result
from signoff.domain.work.settings import Trust
from signoff.hosted.flow.hosted_questions import (
    ABORT,
    APPLY_PLAN,
    CREATE_PLAN,
    OVERRIDE,
    REVIEW_CHANGES,
    RUN_TESTS,
    delegates,
    waits,
)
from signoff.hosted.flow.hosted_slices import blocking_findings, changes_of, verdict_of
from signoff.hosted.flow.hosted_view import DETECT

if TYPE_CHECKING:
    from signoff.domain.run.outcomes import WorkSeen
    from signoff.domain.work.observations import Observation
    from signoff.hosted.flow.hosted_slices import ClaimedChange
    from signoff.hosted.flow.hosted_view import HostedView

FIX = "put it right and record it again"
_MOST_SHOWN = 5


class StepBasis(StrEnum):
    """What a step of a hosted run is based on."""

    WITNESSED = "witnessed"
    CLAIMED = "claimed"
    """No command could witness it here."""
    OVERRULED = "overruled"
    """A person at a terminal let it through."""
    SKIPPED = "skipped"


class WorkStep(msgspec.Struct, frozen=True):
    """Where a step stands, and what it is based on once it is done."""

    now: Now
    basis: StepBasis = StepBasis.CLAIMED
    why: str = ""


_SKIPPED = WorkStep(COMPLETE, StepBasis.SKIPPED, "the persona does not go that far")


def plan(view: HostedView) -> WorkStep:
    """Wait for a plan. Its shape is all that can be judged."""
    return _unfit(view, "plan") or WorkStep(COMPLETE, StepBasis.CLAIMED)


def implement(view: HostedView) -> WorkStep:
    """Wait for changes, and see them."""
    if not view.policy.implements:
        return _SKIPPED
    found = view.slice("changes")
    if found.is_empty and not view.says_done("implement"):
        return _delegate(view, "implement", HaltCode.EMPTY_CHANGES_DELEGATE, "The plan is not applied yet.")
    if found.fault:
        text = f"The changes cannot be read: {found.fault}."
        return _delegate(view, "implement", HaltCode.MALFORMED_CHANGES, text)
    claimed = changes_of(found.value)
    if view.settings.hosted.trust is Trust.CLAIMS:
        return _taken_at_word(view, claimed, "the settings say so")
    seen = view.seen
    if seen is None:
        return WorkStep(Now((_look(view, claimed),)))
    if seen.tree is None:
        if not seen.missing:
            return _taken_at_word(view, claimed, "there is no repository to compare with")
        text = f"These files are said to be changed, and are not there: {_some(seen.missing)}."
        return _delegate(view, "implement", HaltCode.CHANGES_CONTRADICTED, text)
    return _compared(view, claimed, seen)


def _look(view: HostedView, claimed: tuple[ClaimedChange, ...]) -> LookAtWork:
    return LookAtWork(
        key=view.look_key,
        base=view.start.base_tree,
        exchanged=view.start.exchanged,
        paths=tuple(change.path for change in claimed if not change.is_gone),
    )


def _taken_at_word(view: HostedView, claimed: tuple[ClaimedChange, ...], why: str) -> WorkStep:
    if claimed:
        return WorkStep(COMPLETE, StepBasis.CLAIMED, why)
    return _delegate(view, "implement", HaltCode.UNBACKED_OUTCOME, _missing(view, "implement", ""))


def _compared(view: HostedView, claimed: tuple[ClaimedChange, ...], seen: WorkSeen) -> WorkStep:
    if seen.problems:
        paths = _some(tuple(f"{problem.path} ({problem.kind})" for problem in seen.problems))
        text = f"What was changed cannot be told: {paths}."
        return _delegate(view, "implement", HaltCode.WORK_NOT_JUDGED, text)
    changed = tuple(change.path for change in view.changes(seen))
    if not changed:
        code = HaltCode.CHANGES_NOT_SEEN if claimed else HaltCode.UNBACKED_OUTCOME
        text = "Changes are claimed, and no file differs from the base commit."
        return _delegate(view, "implement", code, text)
    beside = posixpath.dirname(view.start.exchanged)
    wrong = tuple(c.path for c in claimed if not _is_among(c.path, changed, beside))
    if wrong:
        text = f"These files are said to be changed, and are as the base commit has them: {_some(wrong)}."
        lines = (f"changed since the base commit: {_some(changed)}",)
        return _delegate(view, "implement", HaltCode.CHANGES_CONTRADICTED, text, lines)
    return WorkStep(COMPLETE, StepBasis.WITNESSED, f"{len(changed)} changed files seen")


def _is_among(path: str, changed: tuple[str, ...], beside: str) -> bool:
    """Check whether a claim names a changed file, or a folder of one, however it spells the path.

    From the root, from the folder of the state file, or from the root of the machine: hosts do all three.
    """
    import unicodedata  # a name may be composed or decomposed Unicode, and both are the same file to a reader

    known = {unicodedata.normalize("NFC", each) for each in changed}
    flat = unicodedata.normalize("NFC", posixpath.normpath(path))
    names = (flat, posixpath.normpath(posixpath.join(beside, flat)))
    if any(name in known or any(each.startswith(f"{name}/") for each in known) for name in names):
        return True
    return flat.startswith("/") and any(flat.endswith(f"/{each}") for each in known)


def test(view: HostedView) -> WorkStep:
    """Wait for test results, and run the tests."""
    if not view.policy.tests:
        return _SKIPPED
    if (open_slice := _unfit(view, "test")) is not None:
        return open_slice
    if (verdict := verdict_of(view.claim("tests"))) != "success":
        said = f"The tests ended with `{verdict}`."
        return _bad_verdict(view, "test", HaltCode.BAD_TEST_VERDICT, "tests", said)
    step = _witness_tests(view)
    tree = view.seen.tree if view.seen is not None else None
    return _check_not_weakened(view, step, tree) if step.now.complete and tree else step


def weakening_key(tree: TreeId) -> EffectKey:
    """Return the key of the comparison of a tree with what it is judged by."""
    return EffectKey(f"test/bar/{tree}")


def _check_not_weakened(view: HostedView, tested: WorkStep, tree: TreeId) -> WorkStep:
    """Let a test run count only if nothing was weakened that it is judged by."""
    from signoff.domain.work.checks import ProtectedPaths  # not before there is something to test
    from signoff.domain.work.clauses import GATE_BAR

    key = weakening_key(tree)
    outcome = view.state.done.get(key)
    if not isinstance(outcome, Checked):
        effect = RunCheck(
            key=key,
            clause=GATE_BAR,
            check=ProtectedPaths(),
            place=Place.FINAL,
            tree=tree,
            base=view.start.base_tree,
        )
        return WorkStep(Now((effect,)))
    seen = outcome.observation
    if seen.result is Result.PASS:
        return tested
    overrule = HaltId(f"test/bar/{tree}/overrule")
    text = f"What the work is judged by was lowered: {seen.detail}"
    return _contradicted(view, HaltCode.BAR_LOWERED, overrule, text, seen.detail)


def _witness_tests(view: HostedView) -> WorkStep:
    if view.settings.hosted.trust is Trust.CLAIMS:
        return WorkStep(COMPLETE, StepBasis.CLAIMED, "the settings say so")
    detected = view.state.done.get(DETECT)
    if not isinstance(detected, Analyzed):
        return WorkStep(Now((Analyze(key=DETECT, base=view.start.base),)))
    from signoff.domain.run.directives import Facts  # not before there is something to test

    facts = view.body(detected.facts, Facts)
    if "test" not in facts.commands:
        return WorkStep(COMPLETE, StepBasis.CLAIMED, "no test command was found")
    effect = run_of_tests(view)
    outcome = view.state.done.get(effect.key)
    if not isinstance(outcome, Checked):
        return WorkStep(Now((effect,)))
    return _judged(view, effect.key, outcome.observation)


def run_of_tests(view: HostedView) -> RunCheck:
    """Return the test run that counts now: on the files as they are, for the latest claim."""
    from signoff.domain.work.checks import RunTests  # not before there is something to test
    from signoff.domain.work.clauses import GATE_TESTS

    seen = view.seen
    tree = seen.tree if seen is not None else None
    return RunCheck(
        key=key_of_tests(view),
        clause=GATE_TESTS,
        check=RunTests(),
        place=Place.FINAL,
        tree=tree or TreeId(""),
        base=view.start.base_tree,
    )


def key_of_tests(view: HostedView) -> EffectKey:
    """Return the key of the test run that counts now."""
    seen = view.seen
    place = (seen.tree if seen is not None else None) or f"cycle-{view.state.cycles}"
    return EffectKey(f"test/claim-{view.claimed_at('tests')}/{place}")


def _judged(view: HostedView, key: EffectKey, seen: Observation) -> WorkStep:
    if seen.result is Result.PASS:
        counts = f"{seen.counts.passed} passed" if seen.counts else "passed"
        return WorkStep(COMPLETE, StepBasis.WITNESSED, f"the engine ran the tests: {counts} ({key})")
    failed = seen.result is Result.FAIL
    code = HaltCode.TESTS_CONTRADICTED if failed else HaltCode.TESTS_NOT_JUDGED
    what = "the engine ran them, and they failed" if failed else "the engine could not see that"
    text = f"`tests` says success; {what}: {seen.detail}"
    return _contradicted(view, code, HaltId(key.replace("/claim-", "/overrule-")), text, seen.detail)


def _contradicted(view: HostedView, code: HaltCode, overrule: HaltId, text: str, seen: str) -> WorkStep:
    """Ask the host for other work and a person for leave, unless a person at a terminal overruled it."""
    if answer := view.typed(overrule, OVERRIDE):
        return WorkStep(COMPLETE, StepBasis.OVERRULED, f"{answer.by} let it through; the engine saw: {seen}")
    work = delegates("test", code, "tests", RUN_TESTS, text, payload=_payload(view, RUN_TESTS))
    person = waits("test", code, overrule, text, (OVERRIDE, ABORT), terminal_only=(OVERRIDE,))
    return WorkStep(Now(halts=work.halts + person.halts))


def verify(view: HostedView) -> WorkStep:
    """Wait for a review of what is there now."""
    if not view.policy.verifies:
        return _SKIPPED
    if (open_slice := _unfit(view, "verify")) is not None:
        return open_slice
    reviewed = view.claim("verify")
    if (verdict := verdict_of(reviewed)) != "success":
        said = f"The review ended with `{verdict}`."
        return _bad_verdict(view, "verify", HaltCode.BAD_VERIFY_VERDICT, "verify", said)
    if blocking := blocking_findings(reviewed):
        text = f"The review says success, and holds {blocking} finding(s) that block."
        return _delegate(view, "verify", HaltCode.VERIFY_CONTRADICTED, text)
    if stale := _why_stale(view):
        return _delegate(view, "verify", HaltCode.REVIEW_STALE, stale)
    return WorkStep(
        COMPLETE, StepBasis.CLAIMED, "the host's agent reviewed it; no command can witness a review"
    )


def _why_stale(view: HostedView) -> str:
    """Return why a review does not speak of the files as they are, or "" if it does or is new."""
    now = view.seen
    if now is None or now.tree is None or view.state.claimed_before[EffectKey("verify")] > view.state.cycles:
        return ""
    then = view.seen_with("verify")
    if then is None:
        return "The review came before the engine looked at the files; they may have been others."
    changed = "Files were changed after the review; it says nothing about them."
    return changed if now.tree != then.tree else ""


# --- what the steps share ---


class _SlotNeeded(NamedTuple):
    """What a step waits for, and how it says that it is not there or cannot be read."""

    empty: HaltCode
    malformed: HaltCode
    missing: str
    what: str


_WANTED = {
    "plan": _SlotNeeded(
        HaltCode.EMPTY_PLAN_DELEGATE, HaltCode.MALFORMED_PLAN, "There is no plan yet.", "The plan"
    ),
    "test": _SlotNeeded(
        HaltCode.EMPTY_TESTS_DELEGATE,
        HaltCode.MALFORMED_TESTS,
        "The tests have not been run yet.",
        "The result of the tests",
    ),
    "verify": _SlotNeeded(
        HaltCode.EMPTY_VERIFY_DELEGATE,
        HaltCode.MALFORMED_VERIFY,
        "The change was not reviewed yet.",
        "The review",
    ),
}


def _unfit(view: HostedView, step: str) -> WorkStep | None:
    """Ask for the slice of a step while it is empty or malformed. Return None once it can be read."""
    wanted, found = _WANTED[step], view.slice(SLICE_OF[step])
    if found.is_empty:
        code = HaltCode.UNBACKED_OUTCOME if view.says_done(step) else wanted.empty
        return _delegate(view, step, code, _missing(view, step, wanted.missing))
    if found.fault:
        return _delegate(view, step, wanted.malformed, f"{wanted.what} cannot be read: {found.fault}.")
    return None


SLICE_OF = {"plan": "plan", "implement": "changes", "test": "tests", "verify": "verify"}
"""The slice of the state file that each of these steps goes by."""
_VERB = {"plan": CREATE_PLAN, "implement": APPLY_PLAN, "test": RUN_TESTS, "verify": REVIEW_CHANGES}


def _delegate(
    view: HostedView, step: str, code: HaltCode, question: str, lines: tuple[str, ...] = ()
) -> WorkStep:
    verb = _VERB[step]
    return WorkStep(
        delegates(step, code, SLICE_OF[step], verb, question, payload=_payload(view, verb), lines=lines)
    )


def _payload(view: HostedView, verb: str) -> dict[str, str]:
    payload = {"ticket": view.want.ticket.id or "(no id)"}
    if verb == RUN_TESTS:
        payload["scope"] = "full" if view.policy.widens_tests else "targeted"
    return payload


def _missing(view: HostedView, step: str, otherwise: str) -> str:
    if not view.says_done(step):
        return otherwise
    return f"`outcomes.{step}` says success, and `{SLICE_OF[step]}` is empty: a word is no evidence."


def _bad_verdict(view: HostedView, step: str, code: HaltCode, name: str, said: str) -> WorkStep:
    halt = HaltId(f"{step}/verdict-{view.claimed_at(name)}")
    if typed := view.typed(halt, OVERRIDE):
        return WorkStep(COMPLETE, StepBasis.OVERRULED, f"{said} {typed.by} let it through")
    answer = view.answer(halt)
    if answer is not None and answer.answer == FIX:
        empty = HaltCode.EMPTY_TESTS_DELEGATE if step == "test" else HaltCode.EMPTY_VERIFY_DELEGATE
        return _delegate(view, step, empty, f"{said} A person asked for another try.")
    return WorkStep(waits(step, code, halt, said, (FIX, OVERRIDE, ABORT), terminal_only=(OVERRIDE,)))


def _some(paths: tuple[str, ...]) -> str:
    more = len(paths) - _MOST_SHOWN
    return ", ".join(paths[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
