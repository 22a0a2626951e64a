"""The records that readers of test files return and that comparisons work on. Pure."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple


class WeakeningKind(StrEnum):
    """How a test was weakened."""

    DELETED = "deleted"
    RENAMED = "renamed"
    SKIPPED = "skipped"
    EXPECTED_TO_FAIL = "expected-to-fail"
    ASSERTION_REMOVED = "assertion-removed"
    ASSERTION_LOOSENED = "assertion-loosened"
    TOLERANCE_WIDENED = "tolerance-widened"
    EXCEPTION_WIDENED = "exception-widened"
    PARAMETRISATION_SHRUNK = "parametrisation-shrunk"
    SUBJECT_MOCKED = "subject-mocked"
    COLLECTION_NARROWED = "collection-narrowed"
    COVERAGE_LOWERED = "coverage-lowered"
    RETRIES_ADDED = "retries-added"
    EMPTIED = "emptied"
    FILE_DELETED = "file-deleted"
    FILE_SHRUNK = "file-shrunk"


class WeakeningSeverity(StrEnum):
    """How much a finding matters."""

    BLOCKING = "blocking"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"


_MILDER = {
    WeakeningKind.RENAMED: WeakeningSeverity.SUGGESTION,
    WeakeningKind.RETRIES_ADDED: WeakeningSeverity.IMPORTANT,
    WeakeningKind.COVERAGE_LOWERED: WeakeningSeverity.IMPORTANT,
    WeakeningKind.FILE_SHRUNK: WeakeningSeverity.IMPORTANT,
}
COMPUTED = "computed: "
"""Begins a list of cases whose length cannot be seen."""
TOO_LONG = "took too long"
"""The problem of a file that could not be read in its time. A change of such a file is never a pass."""
SHOWN = 120
"""Characters of a source text that a message quotes."""


class Weakening(NamedTuple):
    """One weakening, and where it is."""

    path: str
    line: int
    kind: str
    symbol: str
    severity: WeakeningSeverity
    message: str


def finding(path: str, line: int, kind: WeakeningKind, symbol: str, message: str) -> Weakening:
    """Return a finding with the severity of its kind."""
    return Weakening(path, line, kind, symbol, _MILDER.get(kind, WeakeningSeverity.BLOCKING), message)


def quoted(text: str) -> str:
    """Return a source text for a message, on one line and not too long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= SHOWN else line[: SHOWN - 1] + '…'}`"


def short_name(name: str) -> str:
    """Return the name of a test without its classes."""
    return name.rpartition("::")[2]


def under(text: str, guards: Iterable[str]) -> str:
    """Return what a test does with the conditions under which it does so, without its other guards."""
    return " ".join((text, *(guard for guard in guards if guard.startswith(("if ", "unless ", "except ")))))


class Assertion(NamedTuple):
    """One thing a test insists on.

    Three spellings of each part are kept apart: `text` is for people, `subject` and `expected` are
    normalised, and the two `plain` ones have local names blanked, so that renaming a variable changes
    nothing.
    """

    line: int
    text: str
    op: str
    """A key of `assertion_strength.STRENGTHS`: how much it says."""
    subject: str
    expected: str = ""
    plain_subject: str = ""
    plain_expected: str = ""
    guards: tuple[str, ...] = ()
    """What has to hold for it to be reached and to count: conditions, handlers, an early return."""
    tolerance: float | None = None
    """How far off a value may be. A larger one is weaker."""
    bound: float | None = None
    """The number an ordering is against."""
    exceptions: tuple[str, ...] = ()
    """For `raises`: the accepted types."""
    wildcards: int = 0
    """How many parts of the expected value match anything."""
    members: tuple[str, ...] = ()
    """For a choice of several: what is accepted. For `raises`: what is asked in its block."""


class ReadCase(NamedTuple):
    """A test, or a helper that asserts."""

    id: str
    line: int
    body: str
    """The normalised text of everything it does, equal for a test that only moved."""
    is_test: bool = True
    is_empty: bool = False
    skips: tuple[str, ...] = ()
    xfails: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    """What makes a runner leave out its neighbours."""
    is_autouse: bool = False
    """A fixture that every test in its reach gets without asking."""
    provides: str = ""
    """The name under which tests ask for it, if it is a fixture."""
    arguments: tuple[str, ...] = ()
    """What it asks for by name: fixtures and parameters."""
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Named lists of cases, each a literal in the source."""
    assertions: tuple[Assertion, ...] = ()
    strict_warnings: tuple[str, ...] = ()
    """Warnings that fail it."""
    mocks: tuple[str, ...] = ()
    """Targets replaced in it that belong to what is tested."""
    stubs: int = 0
    """Objects in it that answer anything."""
    uses: tuple[str, ...] = ()
    """Imported names it calls."""
    retries: int = 0


def nothing_more(_: str) -> tuple[Assertion, ...]:
    """Return no assertions, for a reader that cannot write tests out."""
    return ()


class TestFile(NamedTuple):
    """The tests of one file, and what holds for all of them."""

    cases: tuple[ReadCase, ...] = ()
    skips: tuple[str, ...] = ()
    xfails: tuple[str, ...] = ()
    strict_warnings: tuple[str, ...] = ()
    mocks: tuple[str, ...] = ()
    retries: int = 0
    narrowing: tuple[str, ...] = ()
    """What takes tests out of the collection from within: `collect_ignore`, `__test__ = False`, hooks."""
    expand: Callable[[str], tuple[Assertion, ...]] = nothing_more
    """Returns the assertions of the test of that id, with helpers of the file and literal cases written out.

    Empty if that cannot be done.
    """
    problem: str = ""
    """Why the file could not be read. If it is set, nothing else is."""


Reader = Callable[[str, str, frozenset[str]], TestFile]
"""Takes a path, a text and the names of the project's own packages. Raises nothing."""


class AssertionChange(NamedTuple):
    """An assertion that insists on something else now, neither weaker nor stronger as far as can be told."""

    path: str
    line: int
    symbol: str
    message: str


class NotJudged(NamedTuple):
    """A file that was changed and could not be compared, and why."""

    path: str
    reason: str


class FileSides(NamedTuple):
    """A file before and after. A side is None if the file was not there or is not text."""

    path: str
    before: str | None
    after: str | None
    is_part: bool = False
    """Only what a diff shows of it."""


class IntegrityJudged(NamedTuple):
    """Everything that was found."""

    findings: list[Weakening]
    changed: list[AssertionChange]
    not_judged: list[NotJudged]

    @property
    def is_cut_short(self) -> bool:
        """Whether time ran out over a file. Asking again may give an answer."""
        return any(one.reason == TOO_LONG for one in self.not_judged)
