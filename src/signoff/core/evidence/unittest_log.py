"""Read what Python's unittest prints, and Django's runner on top of it.

Pure. Its end is three things in a row: a rule of dashes, `Ran N tests in …s`, and a verdict.
"""

import re

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import TESTS, End, Run, ended, number
from signoff.domain.receipts import Counts

_RULE = re.compile(r"-{20,}$")
_RAN = re.compile(r"Ran (\d+) tests? in [\d.]+s$")
_VERDICT = re.compile(r"(OK|FAILED|NO TESTS RAN)(?: \(([a-z =,0-9]*)\))?$")
_DOTS = re.compile(r"[.FEsxu]+$")
_GOOD = ("ok", "expected failure")
_RED = ("FAIL", "ERROR", "unexpected success")
_BAD = re.compile(r"(?:FAIL|ERROR): \w.*|UNEXPECTED SUCCESS: ")


def read(lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Give each run of the log, in order."""
    found: list[Run] = []
    texts = [line for line in lines if line.text]
    start = 0
    for at, line in enumerate(texts):
        ran = _RAN.match(line.text)
        if ran:
            after = texts[at + 1] if at + 1 < len(texts) else Line(line.number, "")
            body = texts[start : at - 1] if at and _RULE.match(texts[at - 1].text) else []
            found.append(_run(body, number(ran[1]), after))
            start = at + 2
    if not found and sum(1 for line in texts if ") ... " in line.text and _verdict(line.text)) > 1:
        found.append(_made(End.CUT, Counts(), texts[-1].number, "tests without the summary of their run"))
    return tuple(found)


def _run(body: list[Line], ran: int, after: Line) -> Run:
    verdict = _VERDICT.match(after.text)
    if verdict is None:
        return _made(End.CUT, Counts(collected=ran), after.number, "the verdict below `Ran` is missing")
    counts = _counts(ran, verdict[2] or "")
    shown, bad = _shown(body)
    if verdict[1] == "FAILED":
        return _made(End.RED, counts, after.number)
    if bad or counts.failed or counts.errors:
        return _made(End.TORN, counts, after.number, "failures above, and the verdict is OK")
    if counts.passed and not shown:
        return _made(End.CUT, counts, after.number, "a summary without the tests it sums up")
    if shown > counts.collected:
        return _made(End.TORN, counts, after.number, f"{shown} tests are shown, {ran} are counted")
    return _made(ended(counts), counts, after.number)


def _shown(body: list[Line]) -> tuple[int, bool]:
    """Count the tests that the run shows one by one, and say whether any of them is bad."""
    shown, bad = 0, False
    for line in body:
        if _DOTS.match(line.text):
            shown += len(line.text)
            bad |= any(mark in line.text for mark in "FEu")
        elif verdict := _verdict(line.text):
            shown += 1
            bad |= verdict in _RED
        elif _BAD.match(line.text):
            bad = True
    return shown, bad


def _verdict(text: str) -> str:
    """Give the verdict of a line about one test; empty for any other line."""
    _, dots, verdict = text.rpartition(" ... ")
    is_one = text[:1].isalnum() and (verdict in (*_GOOD, *_RED) or verdict.startswith("skipped "))
    return verdict if dots and is_one else ""


def _counts(ran: int, inner: str) -> Counts:
    said = {name: number(count) for name, count in re.findall(r"([a-z ]+)=(\d+)", inner)}
    said = {name.strip(): count for name, count in said.items()}
    failed = said.get("failures", 0) + said.get("unexpected successes", 0)
    errors = said.get("errors", 0)
    skipped = said.get("skipped", 0) + said.get("expected failures", 0)
    passed = max(0, ran - failed - errors - skipped)
    # A class skipped as a whole counts as skipped and not as run.
    collected = max(ran, failed + errors + skipped)
    return Counts(collected=collected, passed=passed, failed=failed, errors=errors, skipped=skipped)


def _made(end: End, counts: Counts, line: int, detail: str = "") -> Run:
    return Run(runner="unittest", kinds=TESTS, end=end, counts=counts, line=line, detail=detail)
