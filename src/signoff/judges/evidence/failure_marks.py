"""Find what in a log speaks against success whatever the runner, and what says that parts are missing.

Pure. Lines in which a runner reports one good test are passed over: a test may be called "exits with exit
code 1". Below the summary the words are taken more strictly, as nothing good comes after it.
"""

import re
from collections.abc import Iterable, Iterator

from signoff.judges.evidence.log_lines import LogLine

_ONE_GOOD_TEST = re.compile(
    r"\s*(?:[✓✔√○↓□✎﹣▶]|ok \d|# Subtest: |--- (?:PASS|SKIP): |=== (?:RUN|PAUSE|CONT|NAME) )"
    r"|test .* \.\.\. (?:ok|ignored)$|\w.* \.\.\. ok$"
)
_ONE_PYTEST = re.compile(r"(?:^| )(?:PASSED|SKIPPED|XFAIL)\b")
_TEST_ID = re.compile(r"(?:[\d.]+s (?:call|setup|teardown) +)?[^\s:]+\.py::\w")
_FAST = re.compile(r"\(\d+ durations < [\d.]+s hidden\.(?: +Use -vv to show these durations\.)?\)$")
"""What pytest prints of tests that it ran and that took no time."""
_DOER = (
    r"\b(?:[Pp]rocess|[Cc]ommand|[Ss]cript|[Jj]ob|[Ss]tep|[Tt]ask|[Bb]uild|[Oo]peration|[Rr]un|[Tt]ests?)\b"
)
_NOT_ZERO = r"\bexit(?:ed)?(?: with)? (?:code|status)[:=\s]{1,3}-?[1-9]"
_CODE = r"(?:\w{1,40}_)?(?:exit[_ -]?(?:code|status)|return[_ -]?code|rc)"
_FAILED = re.compile(
    "|".join(
        (
            r"npm ERR!|npm error |ELIFECYCLE|ERR_PNPM_|##\[error\]|^::error",
            r"^(?:Error: |error )?Command failed|^(?:FAILED|FAIL|FATAL)\b|^ERROR:? \S",
            r"^(?:\S+: )?fatal(?: error)?: |^(?:\S+: )?(?:line \d+: +\d+ )?(?:Killed|Terminated|Aborted)\b",
            r"^g?make(?:\[\d+\])?: \*\*\*|^\W*BUILD FAIL|^Failed to compile|: command not found$",
            r"\bSIG(?:KILL|TERM|SEGV|ABRT|INT)\b",
            r"Segmentation fault|\(core dumped\)|^The operation was cancell?ed",
            r"\bOOM-?[Kk]illed\b|heap out of memory|^(?:\S+: )?(?:[Oo]ut of memory\b|Cannot allocate memory)",
            rf"(?:{_DOER}|\b(?:exited|[Ee]xiting|failed|[Rr]eturned)\b).{{0,80}}{_NOT_ZERO}",
            rf"^\W*(?i:{_NOT_ZERO})\d{{0,9}}\.?$",
            r"\b[Ee]xited with (?:a )?non-?zero|\b[Ee]xit(?:ed|ing) with -?[1-9]\d{0,9}\b(?!\.\d)\W*$",
            r"^\W*[Pp]rocess exited:? -?[1-9]\d{0,9}\W*$",
            rf"^\W*(?i:{_CODE})\W{{0,3}}[:=]\W{{0,3}}-?[1-9]\d{{0,9}}\b(?!\.\d)",
            r"^\W*(?:[Ee]xit(?:ed)?|[Rr]eturned) ?[:=]? ?-?[1-9]\d{0,9}\.?$",
            rf"{_DOER}.{{0,60}}\b(?:timed out|was (?:killed|cancell?ed|terminated|aborted))\b",
            r"^\W*(?:[Tt]imed out|[Tt]imeout(?: exceeded|:))",
        )
    ),
    re.ASCII,
)
_HINTS = (
    *("err", "fail", "fatal", "elifecycle", "make", "not found", "kill", "terminated", "abort", "sig"),
    *("fault", "core dumped", "cancel", "memory", "exit", "return", "timed out", "timeout"),
    *("rc=", "rc:", "rc "),
)
_MISSING_HINTS = (
    "truncated",
    "omitted",
    "elided",
    "snip",
    "hidden",
    "skipped",
    "removed",
    "cut off",
    "exceeded",
)
"""One of these is in every line the patterns match. Looking for them first is ten times as fast."""
_BELOW = re.compile(
    r"Traceback \(most recent call last\)|\b(?:FAIL|FAILED|FAILURES?|ERRORS?|FATAL|PANIC)\b"
    r"|^\W*(?:[Ff]ail|[Ee]rror)|\b[Ff]ail(?:ed|ures?)\b"
    r"|\b(?:[Ee]rror|panic)(?:\[\w+\])?: |^\w*Error\b|\b[Uu]nhandled\b"
)
_NONE_OF = re.compile(
    r"\b(?:0|no|without|zero)(?: \w{1,20})? (?:errors?|failures?|failed|fail)\b"
    r"|\b(?:errors?|failures?|failed|fail)\b\W{1,3}0\b"
    r"|A worker process has failed to exit gracefully",  # jest says so and goes on
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(r"\b(?:truncated|omitted|elided|snip(?:ped)?|hidden)\b", re.IGNORECASE)
_MISSING = re.compile(
    r"^\W{0,20}(?:(?:log|output|lines?|text|response|rest) )?(?:was |is )?(?:truncated|snip)\W*$"
    r"|\.\.\. ?\(?truncated"
    r"|\b\d+ (?:more )?(?:lines?|bytes|char(?:acter)?s|[km]b) (?:were |have been )?"
    r"(?:truncated|omitted|elided|skipped|hidden|removed)"
    r"|\b(?:log|output) (?:was |has been |is )?(?:truncated|cut off)|exceeded (?:the )?limit of \d+ bytes"
    r"|\blog (?:length|size) (?:has )?exceeded",
    re.IGNORECASE,
)
_ECHOED = re.compile(
    r"\W{0,6}(?:echo|printf|cat|Write-(?:Host|Output))\b.{0,300}"
    r"(?:passed|pass\b|\bOK\b|ok\b|Finished|Success|All checks|PASS|Ran \d|collected|0 errors)"
)


def failure_mark(lines: Iterable[LogLine]) -> LogLine | None:
    """Return the first line that marks a failure, wherever it stands."""
    hinted = _hinted(lines, _HINTS)
    return next((line for line in hinted if _FAILED.search(line.text) and not _is_good(line.text)), None)


def mark_below(lines: Iterable[LogLine], last: int) -> LogLine | None:
    """Return the first line below the last run that mentions a failure at all."""
    for line in lines:
        if line.number > last and _BELOW.search(_NONE_OF.sub("", line.text)) and not _is_good(line.text):
            return line
    return None


def missing_mark(lines: Iterable[LogLine]) -> LogLine | None:
    """Return the first line which says that part of the log is not there."""
    hinted = _hinted(lines, _MISSING_HINTS)
    return next((line for line in hinted if _is_missing(line.text) and not _is_good(line.text)), None)


def echoed(lines: Iterable[LogLine]) -> LogLine | None:
    """Return the first line that shows a shell being told to print a result."""
    return next((line for line in lines if _ECHOED.match(line.text)), None)


def _hinted(lines: Iterable[LogLine], hints: tuple[str, ...]) -> Iterator[LogLine]:
    for line in lines:
        low = line.text.lower()
        if any(hint in low for hint in hints):
            yield line


def _is_good(text: str) -> bool:
    return bool(_ONE_GOOD_TEST.match(text)) or ("::" in text and bool(_ONE_PYTEST.search(text)))


def _is_missing(text: str) -> bool:
    """Check whether a line stands for lines left out: by its words, or by a word in brackets."""
    if _FAST.match(text) or _TEST_ID.match(text):
        return False
    if _MISSING.search(text):
        return True
    word = _LEFT_OUT.search(text)
    if word is None:
        return False
    before = text[: word.start()]
    opened = max(before.rfind(bracket) for bracket in "[(<{…")
    return opened >= 0 and opened > max(before.rfind(bracket) for bracket in "])>}")
