"""The delivery report of a hosted run as Markdown: fixed headings in a fixed order. Pure.

Its first line says what the whole is based on. Everything a ticket or a host wrote stands on one line behind
a mark of ours, so that it can neither open a heading nor pass for a directive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.state_file.work_report import ReportKind, WorkStanding
from signoff.domain.work.refinement import Dimension
from signoff.domain.work.ticket import InputKind
from signoff.text.markdown import cell, code, line, section
from signoff.text.truncation import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from signoff.domain.state_file.work_report import (
        AskedFor,
        ReportedChange,
        ReportedChanges,
        ReportedReview,
        ReportedTests,
        Said,
        WitnessedTests,
        WorkReport,
    )
    from signoff.domain.work.memory import MemoryHit
    from signoff.domain.work.refinement import Confidence

NO_CERTIFICATE = (
    "There is no certificate: none is given for a run that a host carries with `signoff work`. "
    "`signoff run --agent hosted` gives one."
)
NO_TITLE = "(nothing was said)"
NO_SCORE = "- not scored yet"
NO_PLAN = "- no plan was recorded"
NO_CHANGES = "- no change was recorded"
NO_TESTS = "- no test result was recorded"
NO_REVIEW = "- no review was recorded"
NO_CLAUSES = "- no acceptance criterion is known"
NO_FOLLOW_UPS = "- none"
NOTHING_WAS_RUN = "Suggestions; none of them was run."

_LONGEST = 600
"""Bytes of one text from outside."""
_MOST_LOOKED_AT = 8 * _LONGEST
_MOST = 200
"""Items of one list."""
_MS = 1000


def work_report(report: WorkReport) -> str:
    """Render the report. The same record gives the same text."""
    return "\n".join(
        (f"{report.kind}: {_safe_text(report.headline)}\n", f"{NO_CERTIFICATE}\n", *_sections(report))
    )


def _sections(report: WorkReport) -> Iterator[str]:
    # Parts without content say so under their heading. Only confidence, memory and commands may be left out.
    yield section("Ticket", f"- {_asked(report.asked)}\n- run {_code(report.run)}")
    yield section("Persona", f"- `{report.persona}`: {_safe_text(report.policy)}")
    if report.asked.kind is not InputKind.TICKET:
        yield section("Confidence", _confidence(report.confidence, report.assumptions))
    yield section("Plan", _listed([_safe_text(step) for step in report.plan], NO_PLAN, numbered=True))
    yield section("Changes", _changes(report.changes))
    yield section("Tests", _tests(report.tests))
    yield section("Verify", _review(report.review))
    yield section("Clauses", _clauses(report))
    if report.memory:
        yield section("Memory that mattered", _listed([_remembered(hit) for hit in report.memory], ""))
    follow_ups = []
    for item in report.follow_ups:
        anchor = f" ({_code(item.anchor)})" if _safe_text(item.anchor) else ""
        follow_ups.append(f"{_safe_text(item.note) or 'no words'}{anchor}")
    yield section("Follow-ups", _listed(follow_ups, NO_FOLLOW_UPS))
    if report.next_commands and report.kind not in (ReportKind.PLAN_ONLY, ReportKind.PARTIAL):
        commands = _listed([_code(command) for command in report.next_commands], "")
        yield section("Suggested next commands", f"{NOTHING_WAS_RUN}\n\n{commands}")


# --- what was asked for ---


def _asked(asked: AskedFor) -> str:
    title = _safe_text(asked.title) or NO_TITLE
    if asked.kind is not InputKind.TICKET:
        return f"{asked.kind}: {title}"
    return f"{_code(asked.id)} — {title}" if _safe_text(asked.id) else title


def _confidence(found: Confidence | None, assumptions: Iterable[str]) -> str:
    assumed = [f"assumed: {_safe_text(text)}" for text in assumptions] or ["assumed: nothing was recorded"]
    if found is None:
        return f"{NO_SCORE}\n{_listed(assumed, '')}"
    scored = [f"{found.band}, {found.score:g} of 1"]
    for dimension in Dimension:  # the reason that names the dimension itself, or else its points
        reason = next((text for text in found.reasons if text.startswith(f"{dimension}:")), "")
        scored.append(_safe_text(reason) or f"{dimension}: {found.dimensions.get(dimension, 0)}")
    return _listed((*scored, *assumed), NO_SCORE)


# --- what was done ---


def _changes(changes: ReportedChanges) -> str:
    files = [_change(file, changes.standing) for file in changes.files]
    where: tuple[str, ...] = ()
    if changes.tree is not None:
        where = (f"seen by the engine in tree {_code(changes.tree)} ({_code(changes.key or '')})",)
    return _listed((*_standing_line(changes.standing, changes.why), *where, *files), NO_CHANGES)


def _change(file: ReportedChange, standing: WorkStanding) -> str:
    where = f" ({_safe_text(file.lines)})" if _safe_text(file.lines) else ""
    purpose = f": {_safe_text(file.purpose)}" if _safe_text(file.purpose) else ""
    if file.kind is None:
        mark = "" if standing is WorkStanding.SKIPPED else " **claimed**"
        return f"{_code(file.path)}{where}{mark}{purpose}"
    size = "binary" if file.is_binary else f"+{file.added} −{file.removed}"
    mark = "" if file.is_named else " **not named by the host**"
    return f"{_code(file.path)} {file.kind} {size}{where}{mark}{purpose}"


def _tests(tests: ReportedTests) -> str:
    return _listed((*_witnessed(tests), *_words(tests.said)), NO_TESTS)


def _witnessed(tests: ReportedTests) -> tuple[str, ...]:
    """Return the engine's own run first. If the step is proven by it, the reason would only repeat it."""
    stood = _standing_line(tests.standing, tests.why)
    if tests.run is None:
        return stood
    ran = _test_run(tests.run)
    return (f"**{tests.standing}**: {ran}",) if tests.standing is WorkStanding.PROVEN else (ran, *stood)


def _test_run(run: WitnessedTests) -> str:
    command = f" {_code(' '.join(run.command))}" if run.command else " the tests"
    time = "" if run.duration_ms is None else f" in {run.duration_ms / _MS:.1f} s"
    counts = ""
    if (seen := run.counts) is not None:
        red = seen.failed + seen.errors
        counts = f", {seen.passed} passed, {red} failed, {seen.skipped} skipped of {seen.collected}"
    detail = f": {_safe_text(run.detail)}" if _safe_text(run.detail) else ""
    return f"the engine ran{command}{time}: {run.result}{counts} ({_code(run.key)}){detail}"


def _review(review: ReportedReview) -> str:
    findings = [f"finding: {_safe_text(finding)}" for finding in review.findings]
    return _listed((*_standing_line(review.standing, review.why), *_words(review.said), *findings), NO_REVIEW)


def _words(said: Iterable[Said]) -> Iterator[str]:
    for one in said:
        yield f"the host says {_code(one.name)}: {_safe_text(one.text)}"


def _standing_line(standing: WorkStanding, why: str) -> tuple[str, ...]:
    """Return what a step is based on. An open step of which nothing is known needs no line."""
    reason = _safe_text(why)
    if standing is WorkStanding.OPEN and not reason:
        return ()
    return (f"**{standing}**: {reason}" if reason else f"**{standing}**",)


# --- what it comes to ---


def _clauses(report: WorkReport) -> str:
    rows = [
        f"| {_cell(row.text)} | {row.standing} | {_cell(row.evidence) or 'none'} |" for row in report.clauses
    ]
    left = len(rows) - _MOST
    more = [f"| and {left} more |  |  |"] if left > 0 else []
    head = ["| clause | standing | evidence |", "|---|---|---|"]
    matrix = "\n".join((*head, *rows[:_MOST], *more)) if rows else NO_CLAUSES
    decided = [_safe_text(decision) for decision in report.decisions]
    return f"{matrix}\n\nDecided by people:\n\n{_listed(decided, '')}" if decided else matrix


def _remembered(hit: MemoryHit) -> str:
    return f"{_code(hit.id)} ({hit.type}, {_code(hit.path)}): {_safe_text(hit.entry)}"


# --- one line each ---


def _listed(items: Iterable[str], empty: str, *, numbered: bool = False) -> str:
    """Format safe lines as a list. Lines beyond the limit are only counted."""
    kept = list(items)
    lines = [f"{n}. {item}" if numbered else f"- {item}" for n, item in enumerate(kept[:_MOST], start=1)]
    if len(kept) > _MOST:
        lines.append(f"- and {len(kept) - _MOST} more")
    return "\n".join(lines) if lines else empty


def _safe_text(text: str) -> str:
    return line(_cut(text))


def _code(text: str) -> str:
    return code(_cut(text))


def _cell(text: str) -> str:
    return cell(_cut(text))


def _cut(text: str) -> str:
    # Megabytes that a host wrote into one field are not even looked at.
    return short(text[:_MOST_LOOKED_AT], _LONGEST)
