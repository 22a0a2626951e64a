"""Read what pytest prints, with any verbosity that has a summary, and with pytest-xdist.

Pure. A summary line alone is easily written by anybody. It counts only with the run it sums up: the number
of collected items, or progress that adds up to the same figures.
"""

import re

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import TESTS, End, Run, ended, number
from signoff.domain.receipts import Counts

_HEADER = re.compile(r"=+ test session starts(?: \([^)]{1,60}\))? =+$")
_COLLECTED = re.compile(r"(?:collecting \.\.\. ?)?collected (\d+) items?(?: / (.+))?$")
_WORKERS = re.compile(r"(?:\d+ workers?|gw\d+(?: ok)?(?: / gw\d+(?: ok)?)*) \[(\d+) items?\]")
_PART = r"\d+ (?:subtests )?[a-z]+"
_FIGURES = rf"(?:no tests ran|{_PART}(?:, {_PART})*)"
_TOOK = r"in [\d.]+s(?: \(\d[\d:, a-z]*\))?"
_SUMMARY = re.compile(rf"(?:=+ )?({_FIGURES}) {_TOOK}(?: =+)?$")
_TAIL = r"(?: +(?:\[ *\d+%\]|\[ *\d+/\d+\]|[\d.]+(?:ms|s|m)))?"
_BAR = re.compile(r"={3,} \S.* ={3,}$")
_PROGRESS = re.compile(rf"(?:(\S++) )?([.FEsxXR,uy-]++){_TAIL}$")
_PERCENT = re.compile(r"\[ *\d+%\]$")
_WORD = r"(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)"
_VERBOSE = re.compile(rf"\[gw\d+\] \[ *\d+%\] {_WORD} \S")
_VERBOSE_END = re.compile(rf" {_WORD}(?: \([^()]*\))?{_TAIL}$")
_RED = re.compile(
    r"(?:FAILED|ERROR) \S+|=+ (?:FAILURES|ERRORS) =+$|INTERNALERROR>|!{3,} .+ !{3,}$"
    r"|FAIL Required test coverage|ERROR: |Coverage failure: "
)
_COLLECT_ONLY = re.compile(r"(?:=+ )?(?:\d+/)?\d+ tests? collected\b.* in [\d.]+s(?: =+)?$")
_PASSES = re.compile(r"=+ PASSES =+$")
_CAPTURED = re.compile(r"-{3,} Captured (?:stdout|stderr|log) (?:setup|call|teardown) -{3,}$")
_NAMED = re.compile(r"_{3,} \S.* _{3,}$")
_RAN = ("passed", "failed", "skipped", "xfailed", "xpassed")


def read(lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Give each session of the log, in order."""
    found: list[Run] = []
    session = _Session()
    for line in lines:
        text = line.text
        if _HEADER.match(text):
            if session.is_begun:
                found.append(session.cut(line.number))
            session = _Session()
            session.is_begun = True
        elif summary := _SUMMARY.match(text):
            run = session.closed(summary[1], line.number, is_bare=not text.startswith("="))
            found += [run] if run else []
            session = _Session()
        elif _COLLECT_ONLY.match(text):
            found.append(_run(End.EMPTY, Counts(), line.number, "tests were collected and not run"))
            session = _Session()
        else:
            session.take(text)
    if session.is_begun:
        found.append(session.cut(lines[-1].number if lines else 0))
    return _after_the_end(found, lines)


def without_captured(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Leave out what passing tests printed, as -rA shows it: it is the tests' text, not about the run.

    Only where pytest marks the section's beginning and end; output shown live (-s) cannot be told apart.
    """
    kept: list[Line] = []
    is_of_passes = is_captured = False
    for line in lines:
        text = line.text
        if not is_of_passes or _BAR.match(text) or _SUMMARY.match(text):
            is_of_passes, is_captured = bool(_PASSES.match(text)), False
        else:
            is_captured = bool(_CAPTURED.match(text)) or (is_captured and not _NAMED.match(text))
        if not is_captured:
            kept.append(line)
    return lines if is_of_passes else tuple(kept)  # a section without its end may hold anything


def _after_the_end(found: list[Run], lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Count against the last session what pytest writes below its summary, such as missed coverage."""
    if found and any(line.number > found[-1].line and _RED.match(line.text) for line in lines):
        last = found[-1]
        found[-1] = _run(End.RED, last.counts, last.line, "pytest reports a failure below its summary")
    return tuple(found)


class _Session:
    """A session while its lines go by."""

    def __init__(self) -> None:
        self.is_begun = False
        self.is_red = False
        self.selected: int | None = None
        self.unloaded = 0
        self.progress = 0
        self.is_summing_up = False

    def take(self, text: str) -> None:
        if collected := _COLLECTED.match(text):
            self.is_begun = True
            self.selected, self.unloaded = _selected(number(collected[1]), collected[2] or "")
        elif workers := _WORKERS.match(text):
            self.is_begun, self.selected = True, number(workers[1])
        elif word := _verdict(text):
            self.is_begun = True
            self.progress += word != "RERUN"
            self.is_red |= word in ("FAILED", "ERROR")
        elif _RED.match(text):
            self.is_red = self.is_summing_up = True
        elif _BAR.match(text):
            self.is_summing_up = True  # below are warnings and captured output, which may hold dots too
        elif not self.is_summing_up and (marks := _PROGRESS.match(text)) and _is_path(marks[1]):
            self.is_begun |= bool(_PERCENT.search(text))
            self.progress += sum(1 for mark in marks[2] if mark in ".FEsxX")
            self.is_red |= self.is_begun and ("F" in marks[2] or "E" in marks[2])

    def cut(self, line: int) -> Run:
        end = End.RED if self.is_red else End.CUT
        return _run(end, Counts(collected=self.selected or 0), line, "a session without its summary")

    def closed(self, figures: str, line: int, *, is_bare: bool) -> Run | None:
        """Give the session with its summary; None where a bare line belongs to no session at all."""
        said = {word: number(count) for count, word in re.findall(r"(\d+) ((?:subtests )?[a-z]+)", figures)}
        counts = _counts(said)
        ran = sum(said.get(word, 0) for word in _RAN)
        is_of_none = not (self.is_begun or self.progress or self.is_red or figures.startswith("no tests"))
        if is_bare and is_of_none:
            return None
        if counts.failed or counts.errors or said.get("subtests failed") or self.is_red:
            return self._red(counts, said, line)
        if not ran:
            return _run(End.EMPTY, counts, line, "no test ran")
        if self.selected is not None and not self.selected <= ran <= self.selected + self.unloaded:
            detail = f"{self.selected} were to run, and the summary accounts for {ran}"
            return _run(End.TORN, counts, line, detail)
        if self.progress > ran + self.unloaded:
            return _run(End.TORN, counts, line, f"{self.progress} tests in progress, {ran} in the summary")
        if self.selected is None and self.progress != ran:
            detail = f"a summary of {ran} tests, and the log shows {self.progress} of them"
            return _run(End.CUT, counts, line, detail)
        return _run(ended(counts), counts, line)

    def _red(self, counts: Counts, said: dict[str, int], line: int) -> Run:
        if counts.failed or counts.errors or said.get("subtests failed"):
            return _run(End.RED, counts, line)
        return _run(End.TORN, counts, line, "failures above, and none in the summary")


def _is_path(word: str | None) -> bool:
    return word is None or "." in word.strip(".") or "/" in word


def _verdict(text: str) -> str:
    """Give the verdict of a line about one test; empty for any other line."""
    place, colons, _ = text.partition("::")
    if match := _VERBOSE.match(text):
        return match[1]
    match = _VERBOSE_END.search(text) if colons and place and " " not in place else None
    return match[1] if match else ""


def _selected(collected: int, rest: str) -> tuple[int, int]:
    """Give how many were to run, and how many files were skipped or broken while collecting."""
    named = {word: number(count) for count, word in re.findall(r"(\d+) ([a-z]+)", rest)}
    selected = named.get("selected", collected - named.get("deselected", 0))
    return selected, named.get("skipped", 0) + named.get("errors", 0) + named.get("error", 0)


def _counts(said: dict[str, int]) -> Counts:
    passed = said.get("passed", 0) + said.get("xpassed", 0)
    failed, errors = said.get("failed", 0), said.get("error", 0) + said.get("errors", 0)
    skipped = said.get("skipped", 0) + said.get("xfailed", 0)
    collected = passed + failed + errors + skipped
    return Counts(collected=collected, passed=passed, failed=failed, errors=errors, skipped=skipped)


def _run(end: End, counts: Counts, line: int, detail: str = "") -> Run:
    return Run(runner="pytest", kinds=TESTS, end=end, counts=counts, line=line, detail=detail)
