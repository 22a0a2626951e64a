"""Where the tests of a change are now: in another class or file, or given by a fixture. Pure."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from signoff.domain.evidence.case_records import ReadCase, TestFile, short_name

SAME_TEST = 0.6
"""Likeness of two bodies from which two tests count as one."""
_MOST_RATED = 8
_LONGEST_BODY = 12_000


class MovedCase(NamedTuple):
    """A test that appeared, and where."""

    path: str
    file: TestFile
    case: ReadCase


def appeared(before: TestFile, after: TestFile) -> Iterator[ReadCase]:
    """Yield the cases that are only in the second file."""
    known = {case.id for case in before.cases}
    yield from (case for case in after.cases if case.id not in known)


class Elsewhere:
    """Tests that appeared somewhere, so that moving one is no deletion, and fixtures that all tests share."""

    def __init__(
        self,
        places: Iterable[MovedCase],
        fixtures: Iterable[ReadCase] = (),
        asserting: frozenset[str] = frozenset(),
    ) -> None:
        self.asserting = asserting
        """Names of helpers that are known to assert, in any file of the change."""
        self._by_body: dict[tuple[str, str], list[MovedCase]] = {}
        self._by_name: dict[str, list[MovedCase]] = {}
        for place in places:
            name = short_name(place.case.id)
            self._by_body.setdefault((name, place.case.body), []).append(place)
            if place.case.is_test:
                self._by_name.setdefault(name, []).append(place)
        self._fixtures = {case.provides: _case_count(case) for case in fixtures if case.provides}

    def find(self, case: ReadCase, path: str) -> MovedCase | None:
        """Return where the same test is now, edited or not, None if it cannot be told.

        An equal body decides first. Then the name does, in the order: same id, same file, anywhere, most
        alike.
        """
        name = short_name(case.id)
        same = self._by_body.get((name, case.body), []) if case.body else []
        fitting = [place for place in same if place.case.is_test or not case.is_test]
        if fitting:
            return min(fitting, key=lambda place: (place.path != path, place.case.id != case.id))
        if not case.is_test:
            return None
        named = self._by_name.get(name, [])
        exact = [place for place in named if place.case.id == case.id]
        here = [place for place in named if place.path == path]
        for chosen in (exact, here, named):
            if len(chosen) == 1:
                return chosen[0]
        # The test whose body is most like that of the case, None if none is like enough.
        words = case.body.split()
        rated = [
            (SequenceMatcher(None, words, place.case.body.split(), autojunk=False).ratio(), place)
            for place in here[:_MOST_RATED]
            if len(place.case.body) + len(case.body) < _LONGEST_BODY
        ]
        best = max(rated, key=lambda one: one[0], default=None)
        return best[1] if best and best[0] > SAME_TEST else None

    def cases_given(self, names: Iterable[str], file: TestFile) -> int | None:
        """Return how many cases the fixtures of these names make for a file, None if one is unknown."""
        known = self._fixtures | {case.provides: _case_count(case) for case in file.cases if case.provides}
        count = 1
        for name in names:
            if name not in known:
                return None
            count *= known[name]
        return count


def _case_count(fixture: ReadCase) -> int:
    return max((len(cases) for name, cases in fixture.parameters if name == "params"), default=1)
