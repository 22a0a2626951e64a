"""Rules for a reviewer's answer: shape, citations, repetitions, contradictions.

Pure; `signoff review check` calls it. Findings are raw signals here, so one that cites a missing file is a
warning. `reviews.triage_rules` reads the same findings and does not accept such a finding.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar

from signoff.contracts.files.document_files import has_errors
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.evidence.reviews import Review, ReviewFinding, Weight
from signoff.text.json.decode import convert
from signoff.text.json.json_lines import located
from signoff.text.json.json_text import DecodeCode, read_json
from signoff.text.json.violation_list import CodedRule, Findings, below, fault, shown
from signoff.text.repo_paths import file_key, why_outside

T = TypeVar("T")

JsonObject = dict[str, object]

Measure = Callable[[str], int | None]
"""Returns the number of lines of a file below the root, by its path as cited, None if there is no such file.
"""

REVIEWERS: Final = frozenset({"fable", "gpt", "opus", "sonnet", "haiku", "gemini", "codex", "copilot"})
"""Known names of reviewers. Any other is a warning."""

SPELLINGS: Final[Mapping[str, str]] = {
    "path": "file",
    "message": "issue",
    "description": "issue",
    "title": "issue",
}
"""Other names under which findings are written in practice, used if the field's own name is missing."""

MAX_ISSUE: Final = 20_000


class ReviewFault(CodedRule):
    """The rules of reviews."""

    NO_SEVERITY = "no-severity", "add it: blocking, important or suggestion"
    NO_ISSUE = "no-issue", "add it: what is wrong"
    NO_FILE = "no-file", "add it: the file it is about"
    NO_LINE = "no-line", "add it: the line it is about"
    OTHER_SPELLING = "other-spelling", "", Severity.WARNING
    UNKNOWN_REVIEWER = (
        "unknown-reviewer",
        f"one of {', '.join(sorted(REVIEWERS))}, if it was meant to be",
        Severity.WARNING,
    )
    DUPLICATE_FINDING = "duplicate-finding", "keep one of them"
    HALLUCINATED_FILE = "hallucinated-file", "cite a file below the root; without one it can only be rejected"
    HALLUCINATED_LINE = "hallucinated-line", "cite a line that exists; without one it can only be rejected"
    APPROVED_WITH_BLOCKING = "approved-with-blocking", "approve only without blocking findings"
    REFUSED_WITHOUT_FINDINGS = "refused-without-findings", "name what is wrong, or approve", Severity.WARNING

    def missing(self, field: str, path: str, *, fix: str = "", severity: Severity | None = None) -> Violation:
        """Return the violation of a finding at `path` that lacks this field."""
        return self.found(f"`{field}` is missing", below(path, field), fix=fix, severity=severity)


class ReviewFile(NamedTuple, Generic[T]):
    """A file that was read: the record, and the document as it was written."""

    value: T | None
    """None if the shape is wrong. Then `violations` has an error."""
    raw: JsonObject | None
    text: str
    violations: tuple[Violation, ...]


class ReviewOutcome(StrEnum):
    """The outcomes of `signoff review check`, which decide its exit code."""

    VALID = "valid"
    INVALID = "invalid"
    CONTRADICTION = "contradiction"


class ReviewJudged(NamedTuple):
    """The outcome, and everything that was found."""

    outcome: ReviewOutcome
    violations: tuple[Violation, ...]


def judge_review(data: bytes, measure: Measure) -> ReviewJudged:
    """Judge a reviewer's answer, without raising on any bytes.

    An invalid answer is invalid even if it also contradicts itself: it must be handed in again either way.
    """
    reading = read_findings(data, Review, ("findings",))
    if reading.value is None:
        return ReviewJudged(ReviewOutcome.INVALID, reading.violations)
    review = reading.value
    found = Findings(reading.violations)
    found.extend(check_reviewer(review.reviewer, "/reviewer"))
    found.extend(check_shape(review.findings, "/findings"))
    found.extend(duplicates([("/findings", review.findings)]))
    found.extend(check_citations(review.findings, "/findings", measure, Severity.WARNING))
    if not review.approved and not review.findings:
        message = "not approved, and no finding is listed"
        found.add(ReviewFault.REFUSED_WITHOUT_FINDINGS.found(message, "/approved"))
    outcome = ReviewOutcome.INVALID if found.has_errors else ReviewOutcome.VALID
    blocking = [n for n, one in enumerate(review.findings, 1) if one.severity is Weight.BLOCKING]
    if review.approved and blocking:
        message = f"approved, though finding {blocking[0]} is blocking"
        found.add(ReviewFault.APPROVED_WITH_BLOCKING.found(message, "/approved"))
        outcome = ReviewOutcome.CONTRADICTION if outcome is ReviewOutcome.VALID else outcome
    return ReviewJudged(outcome, tuple(located(found.all(), reading.text)))


def read_findings(data: bytes, kind: type[T], lists: Iterable[str]) -> ReviewFile[T]:
    """Read a file with its findings in these lists, without raising on any bytes."""
    text, parsed, before = read_json(data)
    if text is None or has_errors(before):
        return ReviewFile(None, None, text or "", tuple(located(before, text)) if text else before)
    if not isinstance(parsed, dict):
        wrong = fault(DecodeCode.WRONG_TYPE, "must be an object", fix="write a JSON object")
        return ReviewFile(None, None, text, (*before, wrong))
    respelt, notes = _respelt(parsed, tuple(lists))
    value, violations = convert(respelt, kind, is_shallow=True)
    return ReviewFile(value, parsed, text, tuple(located((*before, *notes, *violations), text)))


def _respelt(document: JsonObject, lists: tuple[str, ...]) -> tuple[JsonObject, list[Violation]]:
    """Return the document with its findings in our spelling, and a warning for each that had another."""
    respelt, notes = dict(document), Findings()
    for name in lists:
        items = document.get(name)
        if not isinstance(items, list):
            continue
        respelt[name] = [
            _with_own_names(item, below("", name, n), notes) if isinstance(item, dict) else item
            for n, item in enumerate(items)
        ]
    return respelt, list(notes.all())


def _with_own_names(item: JsonObject, path: str, notes: Findings) -> JsonObject:
    done = dict(item)
    for other, own in SPELLINGS.items():
        if other in done and own not in done:
            done[own] = done.pop(other)
            message, fix = f"`{other}` is read as `{own}`", f"call it `{own}`"
            notes.add(ReviewFault.OTHER_SPELLING.found(message, below(path, other), fix=fix))
    return done


# --- one finding ---


def check_shape(findings: Iterable[ReviewFinding], path: str) -> Iterator[Violation]:
    """Yield what a reviewer's findings lack. Only a missing line is a warning."""
    for n, finding in enumerate(findings):
        at = below(path, n)
        if finding.severity is None:
            yield ReviewFault.NO_SEVERITY.missing("severity", at)
        yield from check_issue(finding, at)
        if not (finding.file or "").strip():
            yield ReviewFault.NO_FILE.missing("file", at)
        elif finding.line is None:
            yield ReviewFault.NO_LINE.missing("line", at, severity=Severity.WARNING)
        yield from check_line(finding, at)


def check_issue(finding: ReviewFinding, path: str) -> Iterator[Violation]:
    """Yield what is wrong with the text of a finding and with the name of its reviewer."""
    if not (finding.issue or "").strip():
        yield ReviewFault.NO_ISSUE.missing("issue", path)
    elif len(finding.issue or "") > MAX_ISSUE:
        message = f"longer than {MAX_ISSUE:,} characters"
        yield fault(DecodeCode.WRONG_LENGTH, message, below(path, "issue"), fix="shorten it")
    yield from check_reviewer(finding.reviewer, below(path, "reviewer"))


def check_line(finding: ReviewFinding, path: str, severity: Severity = Severity.ERROR) -> Iterator[Violation]:
    """Yield a violation for a line below 1, which no file has."""
    if finding.line is not None and finding.line < 1:
        message = f"no file has a line {shown(finding.line)}; the first is 1"
        yield ReviewFault.HALLUCINATED_LINE.found(
            message, below(path, "line"), fix="cite a line that exists", severity=severity
        )


def check_reviewer(name: str | None, path: str) -> Iterator[Violation]:
    """Yield a violation for an empty or unknown name. Models come and go, so an unknown one is a warning."""
    if name is None:
        return
    if not name.strip():
        message, fix = "a reviewer without a name", "name it, or leave it out"
        yield fault(DecodeCode.WRONG_LENGTH, message, path, fix=fix)
    elif re.split(r"[^a-z]", name.casefold().removeprefix("claude-"), maxsplit=1)[0] not in REVIEWERS:
        yield ReviewFault.UNKNOWN_REVIEWER.found(f"{shown(name)} is not a reviewer known here", path)


def check_citations(
    findings: Iterable[ReviewFinding], path: str, measure: Measure, severity: Severity
) -> Iterator[Violation]:
    """Yield a violation for each finding that cites a file not below the root, or a line after its end."""
    for n, finding in enumerate(findings):
        file = finding.file or ""
        if not file.strip():
            continue
        at = below(path, n)
        why = why_outside(file)
        lines = None if why else measure(file)
        if lines is None:
            message = f"{shown(file)} {why or 'is no file here'}"
            yield ReviewFault.HALLUCINATED_FILE.found(message, below(at, "file"), severity=severity)
        elif finding.line is not None and finding.line > lines:
            message = f"{shown(file)} has no line {shown(finding.line)}; it has {lines:,}"
            yield ReviewFault.HALLUCINATED_LINE.found(message, below(at, "line"), severity=severity)


# --- several findings ---


def duplicates(
    lists: Iterable[tuple[str, Iterable[ReviewFinding]]], lenient: Collection[str] = ()
) -> Iterator[Violation]:
    """Yield a violation for each finding that repeats an earlier one: same file, same line, same words.

    In the lists whose paths are in `lenient`, a copy is a warning.
    """
    first: dict[tuple[Any, ...], str] = {}
    for path, findings in lists:
        severity = Severity.WARNING if path in lenient else Severity.ERROR
        for n, finding in enumerate(findings):
            at = below(path, n)
            # Case, blanks and punctuation do not hide a repetition.
            folded = unicodedata.normalize("NFKC", (finding.issue or "")[:MAX_ISSUE]).casefold()
            words = " ".join(re.findall(r"\w+", folded)) or folded.strip()
            if not words:
                continue
            place = first.setdefault((file_key(finding.file or ""), finding.line, words), at)
            if place != at:
                yield ReviewFault.DUPLICATE_FINDING.found(f"repeats {place}", at, severity=severity)
