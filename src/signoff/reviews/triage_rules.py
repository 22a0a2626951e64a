"""Rules for the output of triage: shape, over-rejection, `approved`, citations, repro tests.

Pure; `signoff triage check` calls it. `approved` follows from the accepted findings, so where it contradicts
them it is corrected, in both directions. Nothing else is: a file that is wrong in another way goes back, and
over-rejection stays as it is for a person to look at.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.evidence.reviews import Consensus, ReproResult, ReviewFinding, Triage, Weight
from signoff.reviews.review_rules import (
    JsonObject,
    Measure,
    ReviewFault,
    check_citations,
    check_issue,
    check_line,
    duplicates,
    read_findings,
)
from signoff.text.json.json_lines import located
from signoff.text.json.json_text import DecodeCode
from signoff.text.json.violation_list import CodedRule, Findings, below, fault, shown
from signoff.text.repo_paths import file_key

LISTS: Final = ("accepted", "deferred", "rejected")
SET_ASIDE: Final = ("/deferred", "/rejected")

VERDICTS: Final = ("agreed", "consensus", "unanimous", "verified", "unverified", "split")
"""How far reviewers agreed. Several words stand for an agreement, and only the last two have a meaning."""

MANY_FINDINGS: Final = 5
"""From this number on the share of rejected findings counts."""

REJECTED_PERCENT: Final = 80
"""The share at which it is over-rejection."""

MANY_BLOCKING: Final = 2
"""So many blocking findings, with every one rejected, are over-rejection too."""

_DECODER: Final = json.JSONDecoder()


class TriageFault(CodedRule):
    """The rules of triage, beyond those of reviews."""

    NO_REASON = "no-reason", "add it: why it is not worked on now", Severity.WARNING
    OUT_OF_SCOPE = "out-of-scope", "defer it; only what the change touches is worked on now"
    OVER_REJECTION = "over-rejection", "a person must look at what was rejected"
    APPROVED_WITH_BLOCKING = "approved-with-blocking", "write false", Severity.WARNING
    REFUSED_WITHOUT_BLOCKING = "refused-without-blocking", "write true", Severity.WARNING
    CONFIRMED_NOT_ACCEPTED = "confirmed-not-accepted", "accept it"
    NOT_REPRODUCED_ACCEPTED = "not-reproduced-accepted", "move it to deferred", Severity.WARNING
    NOT_REPRODUCED_REJECTED = "not-reproduced-rejected", "move it to deferred"
    CONFIRMED_WITHOUT_TEST = "confirmed-without-test", "name it in `testRef`", Severity.WARNING
    NO_REVIEWERS = "no-reviewers", "review again: an absent reviewer approves nothing"
    SPLIT_WITHOUT_DISAGREEMENTS = ("split-without-disagreements", "list the disagreements", Severity.WARNING)


class TriageOutcome(StrEnum):
    """The outcomes of `signoff triage check`, which decide its exit code."""

    VALID = "valid"
    INVALID = "invalid"
    OVER_REJECTION = "over-rejection"
    CORRECTED = "corrected"


class TriageJudged(NamedTuple):
    """The outcome, the document to continue with, and all violations."""

    outcome: TriageOutcome
    output: JsonObject | None
    """The document, with `approved` corrected if needed, None if it is invalid."""
    text: str
    """The file as text, with nothing but that one word changed."""
    violations: tuple[Violation, ...]


def judge_triage(data: bytes, measure: Measure, scope: Collection[str] | None = None) -> TriageJudged:
    """Judge the output of triage, without raising on any bytes.

    With `scope`, the files of the change, an accepted finding about another file is an error. Invalid goes
    before over-rejection, and that before a correction: a file that is judged again as corrected is valid.
    Only repetitions come after over-rejection: they must not be a way to hide it.
    """
    reading = read_findings(data, Triage, LISTS)
    if reading.value is None or reading.raw is None:
        return TriageJudged(TriageOutcome.INVALID, None, reading.text, reading.violations)
    triage, raw, text = reading.value, reading.raw, reading.text
    found = Findings(reading.violations)
    found.extend(_rules(triage, measure, scope))
    is_unsound = found.has_errors
    found.extend(duplicates(_by_path(triage), lenient=SET_ASIDE))
    outcome = TriageOutcome.INVALID if found.has_errors else TriageOutcome.VALID
    if why := over_rejection(triage):
        found.add(TriageFault.OVER_REJECTION.found(why, "/rejected"))
        outcome = TriageOutcome.INVALID if is_unsound else TriageOutcome.OVER_REJECTION
    if contradiction := _contradiction(triage):
        found.add(contradiction)
        if outcome is TriageOutcome.VALID:
            outcome, raw = TriageOutcome.CORRECTED, {**raw, "approved": not triage.approved}
            text = _with_approved(text, is_approved=not triage.approved)
    output = None if outcome is TriageOutcome.INVALID else raw
    return TriageJudged(outcome, output, text, tuple(located(found.all(), reading.text)))


def over_rejection(triage: Triage) -> str:
    """Return why so much was rejected that a person must look, empty when it was not.

    A rejected finding without a severity counts as blocking: leaving it out must not hide a rejection.
    """
    total = len(triage.accepted) + len(triage.deferred) + len(triage.rejected)
    rejected = len(triage.rejected)
    if total >= MANY_FINDINGS and rejected * 100 >= total * REJECTED_PERCENT:
        return f"{rejected} of {total} findings are rejected, and {REJECTED_PERCENT} % is too much"
    kept = [
        finding for finding in (*triage.accepted, *triage.deferred) if finding.severity is Weight.BLOCKING
    ]
    lost = [finding for finding in triage.rejected if finding.severity in (Weight.BLOCKING, None)]
    if len(lost) >= MANY_BLOCKING and not kept:
        return f"all {len(lost)} blocking findings are rejected"
    return ""


def _contradiction(triage: Triage) -> Violation | None:
    blocking = sum(finding.severity is Weight.BLOCKING for finding in triage.accepted)
    if triage.approved and blocking:
        message = f"approved, with {blocking} accepted blocking"
        return TriageFault.APPROVED_WITH_BLOCKING.found(message, "/approved")
    if not triage.approved and not blocking:
        message = "not approved, and no blocking finding is accepted"
        return TriageFault.REFUSED_WITHOUT_BLOCKING.found(message, "/approved")
    return None


def _with_approved(text: str, *, is_approved: bool) -> str:
    """Return the text of a JSON object with another `approved`. Every other character stays."""
    at = text.index("{") + 1
    while True:
        key, after = _DECODER.raw_decode(text, _next(text, at))
        start = _next(text, text.index(":", after) + 1)
        _, end = _DECODER.raw_decode(text, start)
        if key == "approved":
            return text[:start] + ("true" if is_approved else "false") + text[end:]
        at = text.index(",", end) + 1


def _next(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


# --- the rules ---


def _rules(triage: Triage, measure: Measure, scope: Collection[str] | None) -> Iterator[Violation]:
    for path, findings in _by_path(triage):
        is_set_aside = path in SET_ASIDE
        severity = Severity.WARNING if is_set_aside else Severity.ERROR
        yield from _set_aside(findings, path) if is_set_aside else _accepted(findings)
        yield from _verifications(findings, path)
        yield from check_citations(findings, path, measure, severity)
    if scope is not None:
        inside = {file_key(path) for path in scope}
        for n, finding in enumerate(triage.accepted):
            if finding.file and file_key(finding.file) not in inside:
                message = f"{shown(finding.file)} is not a file of this change"
                yield TriageFault.OUT_OF_SCOPE.found(message, below("/accepted", n, "file"))
    if triage.consensus is not None:
        yield from _consensus(triage.consensus, triage)


def _by_path(triage: Triage) -> Iterator[tuple[str, tuple[ReviewFinding, ...]]]:
    for name, findings in zip(LISTS, (triage.accepted, triage.deferred, triage.rejected), strict=True):
        yield "/" + name, findings


def _accepted(findings: Iterable[ReviewFinding]) -> Iterator[Violation]:
    """Yield what accepted findings lack. An agent will work on each, so every field is required."""
    for n, finding in enumerate(findings):
        at = below("/accepted", n)
        if finding.severity is None:
            yield ReviewFault.NO_SEVERITY.missing("severity", at)
        yield from check_issue(finding, at)
        if not (finding.file or "").strip():
            yield ReviewFault.NO_FILE.missing("file", at)
        if finding.line is None:
            yield ReviewFault.NO_LINE.missing("line", at)
        yield from check_line(finding, at)


def _set_aside(findings: Iterable[ReviewFinding], path: str) -> Iterator[Violation]:
    for n, finding in enumerate(findings):
        at = below(path, n)
        if finding.severity is None:
            fix = f"{ReviewFault.NO_SEVERITY.fix}; without one it counts as blocking"
            yield ReviewFault.NO_SEVERITY.missing("severity", at, fix=fix, severity=Severity.WARNING)
        yield from check_issue(finding, at)
        if not (finding.reason or "").strip():
            yield TriageFault.NO_REASON.found("`reason` is missing", below(at, "reason"))
        yield from check_line(finding, at, Severity.WARNING)


def _verifications(findings: Iterable[ReviewFinding], path: str) -> Iterator[Violation]:
    """Yield the contradictions between a repro test and the list its finding is in.

    A confirmed finding is accepted, and one that was not reproduced is deferred.
    """
    for n, finding in enumerate(findings):
        if finding.verification is None:
            continue
        at = below(path, n, "verification")
        result = finding.verification.result
        if result is ReproResult.CONFIRMED and path != "/accepted":
            message = f"a repro test confirmed it, and it is in {path[1:]}"
            yield TriageFault.CONFIRMED_NOT_ACCEPTED.found(message, at)
        elif result is ReproResult.CONFIRMED and not (finding.verification.test_ref or "").strip():
            yield TriageFault.CONFIRMED_WITHOUT_TEST.found("confirmed, and no test is named", at)
        elif result is ReproResult.NOT_REPRODUCED and path == "/rejected":
            message = "a finding that was not reproduced is deferred, never rejected"
            yield TriageFault.NOT_REPRODUCED_REJECTED.found(message, at)
        elif result is ReproResult.NOT_REPRODUCED and path == "/accepted":
            message = "was not reproduced, and is still accepted"
            yield TriageFault.NOT_REPRODUCED_ACCEPTED.found(message, at)


def _consensus(consensus: Consensus, triage: Triage) -> Iterator[Violation]:
    if consensus.reviewer_count is not None and consensus.reviewer_count < 1 and triage.approved:
        message = "approved, and no reviewer returned"
        yield TriageFault.NO_REVIEWERS.found(message, "/consensus/reviewerCount")
    if consensus.verdict is not None and consensus.verdict not in VERDICTS:
        message, path = f"{shown(consensus.verdict)} is not a verdict", "/consensus/verdict"
        yield fault(DecodeCode.UNKNOWN_VALUE, message, path, fix=f"one of {', '.join(VERDICTS)}")
    if consensus.verdict == "split" and not consensus.disagreements:
        message = "the reviewers split, and the disagreements are not listed"
        yield TriageFault.SPLIT_WITHOUT_DISAGREEMENTS.found(message, "/consensus/disagreements")
