"""What there is to report of a hosted run, at its end or so far. Pure.

A success that the host claims is never taken over: the first line follows from what each step is based on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import msgspec

from signoff.domain.run.outcomes import Analyzed, Checked
from signoff.domain.state_file.work_report import (
    AskedFor,
    ReportedChanges,
    ReportedClause,
    ReportedReview,
    ReportedTests,
    ReportKind,
    Said,
    WitnessedTests,
    WorkReport,
    WorkStanding,
)
from signoff.domain.work.observations import Result
from signoff.domain.work.ticket import InputKind
from signoff.hosted.flow.first_steps import DESTRUCTIVE, PROCEED
from signoff.hosted.flow.flow import walk
from signoff.hosted.flow.hosted_questions import ABORT
from signoff.hosted.flow.hosted_slices import steps_of, verdict_of
from signoff.hosted.flow.hosted_view import DETECT, HostedView
from signoff.hosted.flow.work_steps import StepBasis, key_of_tests, weakening_key
from signoff.hosted.report.reported_changes import changed_files, follow_ups
from signoff.hosted.report.work_report_page import work_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.run.events import Answered
    from signoff.domain.run.halts import Halt
    from signoff.domain.work.memory import MemoryHit
    from signoff.engine.run_state import State
    from signoff.engine.shared_view import Bodies
    from signoff.hosted.flow.flow import Walked

NEXT = ("/commit", "/create-pr")
REVIEW = "the host's review"

_STANDINGS = {
    StepBasis.WITNESSED: WorkStanding.PROVEN,
    StepBasis.CLAIMED: WorkStanding.CLAIMED,
    StepBasis.OVERRULED: WorkStanding.OVERRULED,
    StepBasis.SKIPPED: WorkStanding.SKIPPED,
}
_NAMES = {"implement": "the changes", "test": "the tests", "verify": "the review"}
_DECIDING = ("implement", "test")
"""The steps that the engine can witness. A review is the host's word in any case."""


def hosted_page(state: State, bodies: Bodies) -> str:
    """Render the report of a run that ended, or as much of it as there is for one that halts."""
    view = HostedView(state, bodies)
    return page_of(view, walk(view))


def page_of(view: HostedView, walked: Walked) -> str:
    """Render the report of a run that has been walked through already."""
    return work_report(report_of(view, walked))


def report_of(view: HostedView, walked: Walked) -> WorkReport:
    """Return everything there is to report, also for a run that halts."""
    kind = _kind(view, walked)
    is_done = kind in (ReportKind.OBSERVED, ReportKind.CLAIMED, ReportKind.OVERRULED)
    changes, tests, review = _changes(view, walked), _tests(view, walked), _review(view, walked)
    refined = view.refinement
    return WorkReport(
        kind=kind,
        headline=_headline(kind, view, walked),
        run=view.state.run_id,
        asked=_asked(view),
        persona=view.persona,
        policy=view.policy.summary,
        confidence=refined.confidence,
        assumptions=refined.assumptions,
        plan=_plan(view),
        changes=changes,
        tests=tests,
        review=review,
        clauses=tuple(_clauses(view, changes, tests, review)),
        decisions=tuple(
            f"{answer.by} ({answer.how}) answered {answer.halt}: {answer.answer}"
            for answer in view.state.answers.values()
        ),
        memory=memory_that_mattered(view),
        follow_ups=follow_ups(view, changes.files),
        next_commands=NEXT if is_done and view.policy.suggests_next else (),
    )


# --- the first line ---


def _kind(view: HostedView, walked: Walked) -> ReportKind:
    if not walked.now.complete:
        return ReportKind.PARTIAL
    bases = {name: step.basis for name, step in walked.behind.items()}
    if bases.get("implement") is StepBasis.SKIPPED:
        return ReportKind.PLAN_ONLY
    if StepBasis.OVERRULED in bases.values() or _let_through(view) is not None:
        return ReportKind.OVERRULED
    if any(bases[name] is not StepBasis.WITNESSED for name in _DECIDING):
        return ReportKind.CLAIMED
    return ReportKind.OBSERVED


def _headline(kind: ReportKind, view: HostedView, walked: Walked) -> str:
    match kind:
        case ReportKind.PARTIAL:
            return _halted(view, walked)
        case ReportKind.PLAN_ONLY:
            return "nothing was changed, tested or reviewed"
        case ReportKind.OBSERVED | ReportKind.CLAIMED | ReportKind.OVERRULED:
            steps = {name: walked.behind[name] for name in _DECIDING}
            claimed = (
                f"{_NAMES[name]} rest on the host's word alone ({step.why})"
                for name, step in steps.items()
                if step.basis is StepBasis.CLAIMED
            )
            seen = (step.why for step in steps.values() if step.basis is StepBasis.WITNESSED)
            return "; ".join((*_overruled(view, walked), *claimed, *seen))


def _halted(view: HostedView, walked: Walked) -> str:
    if not walked.now.halts:
        return f"at {walked.at}; the engine has work left there"
    for halt in walked.now.halts:
        answer = view.answer(halt.id)
        if answer is not None and answer.answer == ABORT:
            return f"{answer.by} gave it up at {walked.at} ({halt.code}): {halt.question}"
    first = walked.now.halts[0]
    return f"halts at {walked.at} ({first.code}): {first.question}"


def _overruled(view: HostedView, walked: Walked) -> Iterator[str]:
    if (answer := _let_through(view)) is not None:
        yield f"{answer.by} let a destructive intent through"
    for name, step in walked.behind.items():
        if step.basis is StepBasis.OVERRULED:
            yield f"{_NAMES[name]}: {step.why}"


def _let_through(view: HostedView) -> Answered | None:
    """Return the answer of a person that let a veto through, or None if that veto is no longer there."""
    return view.typed(DESTRUCTIVE, PROCEED) if view.refinement.vetoes else None


# --- what was asked for ---


def _asked(view: HostedView) -> AskedFor:
    want = view.want
    match view.input.kind:
        case InputKind.TICKET:
            title = want.ticket.title
        case InputKind.PROMPT:
            title = next((line.strip() for line in want.raw.splitlines() if line.strip()), "")
        case InputKind.DIFF:
            title = want.ticket.title or f"{len(want.files)} changed files"
        case InputKind.FILE:
            title = want.path
        case _:
            assert_never(view.input.kind)
    return AskedFor(kind=view.input.kind, id=want.ticket.id, title=title)


def _plan(view: HostedView) -> tuple[str, ...]:
    found = view.slice("plan")
    return tuple(step for step in steps_of(found.value) if step.strip()) if found.is_fit else ()


# --- what was done ---


def _standing_of(walked: Walked, name: str) -> tuple[WorkStanding, str]:
    """Return what a step is based on, and why. For the step the run stands at, why it halts."""
    step = walked.behind.get(name)
    if step is not None:
        return _STANDINGS[step.basis], step.why
    halts: tuple[Halt, ...] = walked.now.halts if walked.at == name else ()
    return WorkStanding.OPEN, halts[0].question if halts else "not reached yet"


def _changes(view: HostedView, walked: Walked) -> ReportedChanges:
    standing, why = _standing_of(walked, "implement")
    if standing is WorkStanding.SKIPPED:
        return ReportedChanges(standing=standing, why=why)
    seen = view.seen
    is_seen = seen is not None and seen.tree is not None
    return ReportedChanges(
        standing=standing,
        why=why,
        key=view.look_key if is_seen else None,
        tree=seen.tree if seen is not None else None,
        files=changed_files(view),
    )


def _tests(view: HostedView, walked: Walked) -> ReportedTests:
    standing, why = _standing_of(walked, "test")
    if standing is WorkStanding.SKIPPED:
        return ReportedTests(standing=standing, why=why)
    return ReportedTests(standing=standing, why=why, run=_test_run(view), said=_host_words(view, "tests"))


def _test_run(view: HostedView) -> WitnessedTests | None:
    """Return the run of the tests that counts now. An earlier one speaks for files that are gone."""
    key = key_of_tests(view)
    outcome = view.state.done.get(key)
    if not isinstance(outcome, Checked):
        return None
    from signoff.text.timestamps import elapsed_ms

    seen, span = outcome.observation, view.state.spans.get(key)
    return WitnessedTests(
        key=key,
        command=_test_command(view),
        result=seen.result,
        detail="" if seen.result is Result.PASS else seen.detail,
        counts=seen.counts,
        duration_ms=elapsed_ms(span.started, span.ended) if span else None,
    )


def _test_command(view: HostedView) -> tuple[str, ...]:
    detected = view.state.done.get(DETECT)
    if not isinstance(detected, Analyzed):
        return ()
    from signoff.domain.run.directives import Facts

    return view.body(detected.facts, Facts).commands.get("test", ())


def _review(view: HostedView, walked: Walked) -> ReportedReview:
    standing, why = _standing_of(walked, "verify")
    if standing is WorkStanding.SKIPPED:
        return ReportedReview(standing=standing, why=why)
    claimed = view.claim("verify")
    findings = claimed.get("findings") if isinstance(claimed, dict) else None
    return ReportedReview(
        standing=standing,
        why=why,
        said=_host_words(view, "verify"),
        findings=tuple(map(_finding, findings)) if isinstance(findings, list) else (),
    )


_TOLD_ELSEWHERE = ("verdict", "followups", "findings")


def _host_words(view: HostedView, name: str) -> tuple[Said, ...]:
    """Return what the host wrote into a slice, its verdict first."""
    claimed = view.claim(name)
    if not isinstance(claimed, dict):
        return () if view.slice(name).is_empty else (Said(name=name, text=_as_text(claimed)),)
    verdict = verdict_of(claimed)
    first = (Said(name="verdict", text=verdict),) if verdict else ()
    rest = (
        Said(name=key, text=_as_text(value)) for key, value in claimed.items() if key not in _TOLD_ELSEWHERE
    )
    return (*first, *(said for said in rest if said.text))


def _finding(finding: object) -> str:
    if not isinstance(finding, dict):
        return _as_text(finding)
    named = [
        str(finding[name]) for name in ("severity", "path", "file") if isinstance(finding.get(name), str)
    ]
    words = [
        str(finding[name])
        for name in ("message", "title", "summary", "note", "description")
        if isinstance(finding.get(name), str)
    ]
    return ": ".join((*named, *words[:1])) if words else _as_text(finding)


def _as_text(value: object) -> str:
    """Return what a host wrote as text: words as they are, everything else as JSON."""
    if isinstance(value, str):
        return value
    if value in (None, [], {}):
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return msgspec.json.encode(value).decode()


# --- what it comes to ---


def _clauses(
    view: HostedView, changes: ReportedChanges, tests: ReportedTests, review: ReportedReview
) -> Iterator[ReportedClause]:
    word = REVIEW if review.standing in (WorkStanding.CLAIMED, WorkStanding.OVERRULED) else ""
    for number, criterion in enumerate(view.refinement.criteria, start=1):
        yield ReportedClause(text=f"C{number}: {criterion}", standing=review.standing, evidence=word)
    yield ReportedClause(
        text="files differ from the base", standing=changes.standing, evidence=_look(changes)
    )
    yield ReportedClause(text="the tests pass", standing=tests.standing, evidence=_receipt(tests))
    yield from _strictness_row(view, tests)
    if view.refinement.vetoes:
        let = _let_through(view)
        yield ReportedClause(
            text="nothing destructive is asked for",
            standing=WorkStanding.OPEN if let is None else WorkStanding.OVERRULED,
            evidence="" if let is None else f"the word of {let.by} ({let.how})",
        )


def _strictness_row(view: HostedView, tests: ReportedTests) -> Iterator[ReportedClause]:
    """Yield the row on what the work was judged by, once that was checked."""
    tree = view.seen.tree if view.seen is not None else None
    outcome = view.state.done.get(weakening_key(tree)) if tree else None
    if not isinstance(outcome, Checked) or tree is None:
        return
    seen = outcome.observation
    if seen.result is not Result.PASS:
        standing = tests.standing
    else:  # a file that nothing here can read is taken at the host's word, and the row says which
        standing = WorkStanding.CLAIMED if seen.detail else WorkStanding.PROVEN
    yield ReportedClause(
        text="existing tests and runner settings are as strict as before",
        standing=standing,
        evidence=f"{weakening_key(tree)}; {seen.detail}" if seen.detail else weakening_key(tree),
    )


def _look(changes: ReportedChanges) -> str:
    if changes.key is not None:
        return changes.key
    return "the host's list" if changes.standing is WorkStanding.CLAIMED else ""


def _receipt(tests: ReportedTests) -> str:
    if tests.run is not None:
        return tests.run.key if tests.run.result is Result.PASS else f"{tests.run.key} ({tests.run.result})"
    words = {WorkStanding.CLAIMED: "the host's word", WorkStanding.OVERRULED: "a person's word"}
    return words.get(tests.standing, "")


def memory_that_mattered(view: HostedView) -> tuple[MemoryHit, ...]:
    """Return the hits that plan, changes or review cite, or that the host marked."""
    hits = view.hits
    if not hits:
        return ()
    from signoff.memory.recall import cited_in, marked, that_mattered

    texts = [text for name in ("plan", "changes", "verify") for text in _texts_within(view.claim(name))]
    noted = view.claim("memory")
    cited = cited_in(hits, texts) | marked(noted if isinstance(noted, list) else ())
    return that_mattered(hits, cited)


def _texts_within(value: object) -> Iterator[str]:
    """Yield every text within what a host wrote, except the names of fields."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts_within(item)
        case dict():
            for item in value.values():
                yield from _texts_within(item)
        case _:
            return
