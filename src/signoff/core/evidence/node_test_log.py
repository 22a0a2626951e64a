"""Read what `node --test` prints, as TAP and in the spec reporter's form.

Pure. Node counts a file without any test as a test that passed; such files are not counted here.
"""

import re

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import TESTS, End, Run, ended, number
from signoff.domain.receipts import Counts

_FIGURE = re.compile(r"(?:#|ℹ) (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+)(?:\.\d+)?$")
_TAP_START = re.compile(r"TAP version 1[34]$")
_FILE = r"(?:\S*[/\\]\S*|\S*[._-]test)\.[cm]?[jt]sx?"
_GOOD = re.compile(r" *(?:ok \d+ - |✔ )(.*)$")
_BAD = re.compile(r" *(?:not ok \d+|✖ )(.*)$")
_EMPTY_FILE = re.compile(rf"(?:ok \d+ - |✔ ){_FILE}(?: \([\d.]+ms\))?$")
_EXCUSED = re.compile(r"# (?:TODO|SKIP)\b")
_NEEDED = ("tests", "pass", "fail")


def read(lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Give each run of the log, in order; its last figure is the duration."""
    found: list[Run] = []
    run = _Block()
    for line in lines:
        if _TAP_START.match(line.text):
            found += [run.cut(line.number)] if run.is_begun else []
            run = _Block()
            run.is_begun = True
        elif run.take(line.text):
            found.append(run.closed(line.number))
            run = _Block()
    if run.is_begun or run.figures:
        found.append(run.cut(lines[-1].number))
    return tuple(found)


class _Block:
    """A run while its lines go by."""

    def __init__(self) -> None:
        self.is_begun = False
        self.is_red = False
        self.good = 0
        self.empty_files = 0
        self.figures: dict[str, int] = {}

    def take(self, text: str) -> bool:
        """Take a line; says whether it was the last of the summary."""
        if figure := _FIGURE.match(text):
            self.figures[figure[1]] = number(figure[2])
            return figure[1] == "duration_ms" and "tests" in self.figures
        if _GOOD.match(text):
            self.good += 1
            self.empty_files += bool(_EMPTY_FILE.match(text))
        elif bad := _BAD.match(text):
            self.is_red |= not _EXCUSED.search(bad[1])
        return False

    def cut(self, line: int) -> Run:
        end = End.RED if self.is_red and self.is_begun else End.CUT
        return _made(end, Counts(), line, "a run without its summary")

    def closed(self, line: int) -> Run:
        """Give the run with its summary."""
        said = self.figures
        if any(name not in said for name in _NEEDED):
            return _made(End.CUT, Counts(), line, "the summary is not whole")
        failed = said["fail"] + said.get("cancelled", 0)
        skipped = said.get("skipped", 0) + said.get("todo", 0)
        sums_up = said["tests"] == said["pass"] + failed + skipped
        passed = max(0, said["pass"] - self.empty_files)
        counts = Counts(
            collected=max(0, said["tests"] - self.empty_files), passed=passed, failed=failed, skipped=skipped
        )
        if failed:
            return _made(End.RED, counts, line)
        if self.is_red or not sums_up:
            return _made(End.TORN, counts, line, "the figures and the tests above do not go together")
        if passed and not self.good:
            return _made(End.CUT, counts, line, "a summary without the tests it sums up")
        detail = "only files without tests passed" if self.empty_files and not passed else ""
        return _made(ended(counts), counts, line, detail)


def _made(end: End, counts: Counts, line: int, detail: str = "") -> Run:
    return Run(runner="node --test", kinds=TESTS, end=end, counts=counts, line=line, detail=detail)
