"""What the checks share: the bench they work at, what they conclude, and where a path may lead.

A check is a function from a `CheckTools` to a `CheckJudgement`. It asks `bench.execute` for its process and
does not know whether that runs now or was run by a driver that died: so recovery concludes what the run
would have concluded.
"""

import os
from typing import NamedTuple, Protocol

from signoff.domain.base.record import Record
from signoff.domain.evidence.receipts import FailureReason, Result, TestReport
from signoff.domain.machine.process_records import ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import SandboxRequest
from signoff.domain.ports import Processes
from signoff.domain.run.check_orders import CheckOrder

DETAIL_LIMIT = 300


class Unfinished(Exception):  # noqa: N818 - nothing went wrong
    """There is nothing to judge: the run was asked to stop, or a dead driver left nothing behind."""


class Execute(Protocol):
    """The function that returns a process outcome. Files named `stale` are removed before anything runs."""

    def __call__(self, request: ProcessRequest, stale: tuple[str, ...] = ()) -> ProcessOutcome:
        """Run it, or give what an earlier driver's run left behind."""
        ...


class Launched(Record, frozen=True, kw_only=True):
    """`<logs>.argv.json`: what was started. A driver adopts its outcome in a tree that has another name."""

    argv: tuple[str, ...]
    folder: str
    """The materialised tree it ran in."""


class CheckTools(NamedTuple):
    """Everything a check may use."""

    order: CheckOrder
    processes: Processes
    env: dict[str, str]
    """The whole environment for programs of the project."""
    python: str
    """The project's interpreter, in place of the bare word `python`. Empty leaves the word alone."""
    execute: Execute
    is_recovery: bool = False
    launched: Launched | None = None
    """On recovery, what the earlier driver started, if it was recorded."""

    @property
    def ran_in(self) -> str:
        """Return the folder that the program's own words and reports speak of."""
        return self.launched.folder if self.launched else self.order.folder

    def box(self, *writable: str) -> SandboxRequest:
        """Return the box for a program of the project: it may write to its tree and to these folders."""
        settings, tree = self.order.sandbox, self.order.folder
        sealed = (os.path.join(tree, ".git"), os.path.join(tree, ".signoff")) if self.order.in_place else ()
        return SandboxRequest(
            choice=settings.checks,
            minimum=settings.minimum,
            writable=(tree, *writable),
            sealed=sealed,
            network=settings.network_for_checks,
        )

    def log(self, suffix: str) -> str:
        """Return the path of one of this check's own files."""
        return self.order.logs + suffix


class Ran(NamedTuple):
    """A program that was run, and how that ended."""

    argv: tuple[str, ...]
    cwd: str
    """Relative to the tree."""
    outcome: ProcessOutcome


class CheckJudgement(NamedTuple):
    """What a check concluded, before it becomes a receipt."""

    result: Result
    detail: str
    """Goes into the journal: our own words, codes and counts, and nothing that differs from run to run."""
    reason: FailureReason | None = None
    ran: Ran | None = None
    report: TestReport | None = None


def passed(detail: str, ran: Ran | None = None) -> CheckJudgement:
    """Return the judgement of a check that holds."""
    return CheckJudgement(Result.PASS, detail, ran=ran)


def failed(
    detail: str, reason: FailureReason = FailureReason.CRITERIA_UNMET, ran: Ran | None = None
) -> CheckJudgement:
    """Return the judgement of a check that does not hold: a fact about the work."""
    return CheckJudgement(Result.FAIL, detail, reason, ran)


def could_not_run(
    detail: str, reason: FailureReason = FailureReason.EXECUTION_ERROR, ran: Ran | None = None
) -> CheckJudgement:
    """Return the judgement of a check that shows nothing about the work."""
    return CheckJudgement(Result.PARTIAL, detail, reason, ran)


def one_line(text: str, limit: int = DETAIL_LIMIT) -> str:
    """Make a text fit for one line of a report: no control characters, no line ends, not too long."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


class Escape(NamedTuple):
    """A path that does not stay inside the tree."""

    detail: str


def inside(folder: str, path: str) -> str | Escape:
    """Return the absolute form of a path of the tree, unless it leads out by itself or through a link."""
    full = beneath(folder, path)
    if isinstance(full, Escape):
        return full
    root, real = os.path.realpath(folder), os.path.realpath(full)
    if real != root and not real.startswith(root + os.sep):
        return Escape(f"{path!r} leads out of the tree through a link")
    return full


def beneath(folder: str, path: str) -> str | Escape:
    """Return the absolute form of a path of the tree by its words alone: links in it may lead anywhere."""
    parts = path.split("/")
    try:
        is_name = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        is_name = False
    if not path or path.startswith("/") or ".." in parts or not is_name:
        return Escape(f"{path!r} is not a path inside the tree")
    return os.path.join(folder, *(part for part in parts if part not in ("", ".")))
