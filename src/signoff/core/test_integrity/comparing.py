"""Compare the tests of a file before and after a change. Pure; `judging` calls it for every file."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from signoff.core.test_integrity.pairing import losses
from signoff.core.test_integrity.records import (
    COMPUTED,
    Assertion,
    Change,
    Finding,
    Kind,
    TestCase,
    TestFile,
    finding,
    quoted,
)

_SAME_TEST = 0.6
"""Likeness of two bodies from which a test that vanished and one that appeared count as one."""
_LONGEST_BODY = 6_000
"""Characters; the likeness of longer bodies is not measured."""


class Elsewhere:
    """Tests that appeared in other places, so that moving one is no deletion."""

    def __init__(self, appeared: Iterable[TestCase]) -> None:
        self._names: dict[str, set[tuple[str, bool]]] = {}
        for case in appeared:
            self._names.setdefault(case.body, set()).add((_short(case.id), case.is_test))

    def holds(self, case: TestCase) -> bool:
        """Say whether the same test stands somewhere else now, under the same name."""
        known = self._names.get(case.body, set()) if case.body else set()
        return (_short(case.id), True) in known or (not case.is_test and (_short(case.id), False) in known)


def _short(name: str) -> str:
    return name.rpartition("::")[2]


def appeared(before: TestFile, after: TestFile) -> Iterator[TestCase]:
    """Give the cases that are only in the second."""
    known = {case.id for case in before.cases}
    yield from (case for case in after.cases if case.id not in known)


class Comparison:
    """Gathers what one file lost."""

    def __init__(self, path: str) -> None:
        self.findings: list[Finding] = []
        self.changed: list[Change] = []
        self._path = path

    def run(self, before: TestFile, after: TestFile, elsewhere: Elsewhere) -> None:
        """Compare both sides of the file."""
        self._whole_file(before, after)
        now = {case.id: case for case in after.cases}
        new = [case for case in appeared(before, after) if case.is_test]
        for old in before.cases:
            if (same := now.get(old.id)) is not None and (same.is_test or not old.is_test):
                self._case(old, same)
            elif not elsewhere.holds(old):
                self._gone(old, new, after)

    def new_file(self, after: TestFile) -> None:
        """Look at a file that was not there: it can take existing tests out of the run all the same."""
        for text in after.narrowing:
            if text != "__test__ = False":
                message = (
                    f"a new file takes tests out of the run: {quoted(text)}, before: nothing of the kind"
                )
                self._add(1, Kind.COLLECTION_NARROWED, "", message)
        if self._path.endswith("conftest.py"):
            for mock in after.mocks:
                self._add(1, Kind.SUBJECT_MOCKED, "", f"a new file replaces what is tested: {quoted(mock)}")

    def _add(self, line: int, kind: Kind, symbol: str, message: str) -> None:
        self.findings.append(finding(self._path, line, kind, symbol, message))

    def _whole_file(self, before: TestFile, after: TestFile) -> None:
        for kind, old, new, verb in (
            (Kind.SKIPPED, before.skips, after.skips, "the whole file is skipped now"),
            (Kind.EXPECTED_TO_FAIL, before.xfails, after.xfails, "the whole file is expected to fail now"),
            (Kind.SUBJECT_MOCKED, before.mocks, after.mocks, "what is tested is replaced for the whole file"),
            (Kind.COLLECTION_NARROWED, before.narrowing, after.narrowing, "tests are taken out of the run"),
        ):
            for text in _surplus(old, new):
                self._add(1, kind, "", f"{verb}: {quoted(text)}, before: nothing of the kind")
        if after.retries > before.retries:
            self._add(
                1, Kind.RETRIES_ADDED, "", f"retries for the whole file: {before.retries} → {after.retries}"
            )

    # --- a test that is gone ---

    def _gone(self, old: TestCase, new: list[TestCase], after: TestFile) -> None:
        if not old.is_test:
            self._lost_helper(old)
            return
        twin = next((case for case in new if case.body == old.body and case.body), None)
        like = twin or _most_alike(old, new)
        if like is None:
            is_there = any(case.id == old.id for case in after.cases)
            why = "it is no longer collected as a test" if is_there else "the test is gone"
            if any(_short(case.id).endswith(_short(old.id)) and not case.is_test for case in after.cases):
                why = "its function is no longer collected as a test"
            self._add(old.line, Kind.DELETED, old.id, f"{old.id} ({_summary(old)}): {why}")
            return
        new.remove(like)
        self._add(like.line, Kind.RENAMED, old.id, f"{old.id} is called {like.id} now")
        self._case(old, like)

    def _lost_helper(self, old: TestCase) -> None:
        if old.assertions:
            said = quoted(old.assertions[0].text)
            self._add(
                old.line,
                Kind.ASSERTION_REMOVED,
                old.id,
                f"the helper {old.id} with {said} is gone, after: nothing",
            )
        elif any(len(cases) > 1 for _, cases in old.parameters):
            self._add(old.line, Kind.PARAMETRISATION_SHRUNK, old.id, f"the parametrised {old.id} is gone")

    # --- a test that is still there ---

    def _case(self, old: TestCase, new: TestCase) -> None:
        if new.is_empty and not old.is_empty:
            self._add(new.line, Kind.EMPTIED, old.id, f"{old.id} does nothing now; before: {_summary(old)}")
            return
        self._marks(old, new)
        self._parameters(old, new)
        self._assertions(old, new)
        self._subject(old, new)

    def _marks(self, old: TestCase, new: TestCase) -> None:
        for kind, before, after, verb in (
            (Kind.SKIPPED, old.skips, new.skips, "is skipped now"),
            (Kind.EXPECTED_TO_FAIL, old.xfails, new.xfails, "is expected to fail now"),
            (Kind.SUBJECT_MOCKED, old.mocks, new.mocks, "replaces what it tests"),
            (Kind.COLLECTION_NARROWED, old.focus, new.focus, "makes the runner leave out its neighbours"),
        ):
            for text in _surplus(before, after):
                said = f"before: {', '.join(map(quoted, before)) or 'not'}"
                self._add(new.line, kind, old.id, f"{old.id} {verb}: {quoted(text)}; {said}")
        if new.retries > old.retries:
            self._add(
                new.line, Kind.RETRIES_ADDED, old.id, f"{old.id}: retries {old.retries} → {new.retries}"
            )

    def _parameters(self, old: TestCase, new: TestCase) -> None:
        after = dict(new.parameters)
        names = {name: cases for name, cases in new.parameters if name not in dict(old.parameters)}
        for name, cases in old.parameters:
            now = after.get(name)
            if now is None:  # the argument names changed, or the whole list went
                now = max(names.values(), key=len, default=()) if names else ()
            if len(now) >= len(cases) or (len(cases) == 1 and not now):
                continue
            if not now and name.startswith("for ") and new.assertions and _has_parameters(new, len(cases)):
                continue
            if any(case.startswith(COMPUTED) for case in now):
                continue  # the list is made elsewhere now; how long it is cannot be seen
            lost = next((case for case in cases if case not in now), cases[-1])
            message = (
                f"{old.id}: {len(cases)} cases of `{name}` before, {len(now)} after; gone: {quoted(lost)}"
            )
            self._add(new.line, Kind.PARAMETRISATION_SHRUNK, old.id, message)

    def _assertions(self, old: TestCase, new: TestCase) -> None:
        for before, after, kind in losses(old.assertions, new.assertions):
            line = after.line if after else new.line
            said = f"{old.id}: {_shown(before)} → {_shown(after) if after else 'nothing'}"
            if kind:
                self._add(line, kind, old.id, said)
            else:
                self.changed.append(Change(self._path, line, old.id, said))

    def _subject(self, old: TestCase, new: TestCase) -> None:
        if not old.is_test:
            return
        gone = set(old.uses) - set(new.uses)
        if gone and new.stubs > old.stubs:
            name = min(gone)
            self._add(
                new.line,
                Kind.SUBJECT_MOCKED,
                old.id,
                f"{old.id} calls a stand-in where it called {quoted(name)}",
            )
        elif not old.assertions and old.uses and not new.uses and new.body != old.body:
            name = old.uses[0]
            self._add(
                new.line, Kind.EMPTIED, old.id, f"{old.id} no longer calls {quoted(name)}, its only claim"
            )


def _has_parameters(case: TestCase, count: int) -> bool:
    return any(len(cases) >= count for _, cases in case.parameters)


def _surplus(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Give what is more often there after than before."""
    rest: dict[str, int] = {}
    for text in before:
        rest[text] = rest.get(text, 0) + 1
    found = []
    for text in after:
        if rest.get(text, 0):
            rest[text] -= 1
        elif text not in found:
            found.append(text)
    return found


def _summary(case: TestCase) -> str:
    count = len(case.assertions)
    first = f", first {quoted(case.assertions[0].text)}" if count else ""
    return f"{count} assertion{'' if count == 1 else 's'}{first}"


_WORDS: Mapping[str, str] = {"unreachable": "never reached", "swallowed": "its failure is swallowed"}


def _shown(assertion: Assertion) -> str:
    guards = ", ".join(_WORDS.get(guard, guard) for guard in assertion.guards)
    return quoted(assertion.text) + (f" ({guards})" if guards else "")


def _most_alike(old: TestCase, new: list[TestCase]) -> TestCase | None:
    best, found, words = _SAME_TEST, None, old.body.split()
    for case in new:
        if max(len(case.body), len(old.body)) > _LONGEST_BODY or not old.body:
            continue
        matcher = SequenceMatcher(None, words, case.body.split(), autojunk=False)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, found = matcher.ratio(), case
    return found
