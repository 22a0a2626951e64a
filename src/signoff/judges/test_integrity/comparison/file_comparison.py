"""Compare the tests of a file before and after a change. Pure.

What became of a test is decided in this order: it is still there, it moved, it was renamed, another one makes
its claims, it is gone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from signoff.domain.evidence.case_records import (
    COMPUTED,
    Assertion,
    AssertionChange,
    ReadCase,
    TestFile,
    Weakening,
    WeakeningKind,
    WeakeningSeverity,
    finding,
    quoted,
    short_name,
)
from signoff.judges.test_integrity.comparison.assertion_pairs import losses
from signoff.judges.test_integrity.comparison.assertion_strength import STRENGTHS
from signoff.judges.test_integrity.comparison.joint_claims import Loss
from signoff.judges.test_integrity.comparison.mark_differences import MARK_KINDS, marks_of, surplus
from signoff.judges.test_integrity.comparison.moved_cases import SAME_TEST, Elsewhere, MovedCase, appeared

_WORD = re.compile(r"\w+")
_LITERAL = re.compile(r"""['"][^'"]{4}|\d{3}""")
"""What a test would hardly have in common with another one by chance."""
_LONGEST_BODY = 6_000
"""Characters. The likeness of longer bodies is not measured."""
_NOT_WRITTEN_OUT = frozenset({"params", "max_examples", "example", "data", "expand"})
"""Lists of cases that `TestFile.expand` leaves alone."""
_NOTHING = "before: nothing of the kind"


class Comparison:
    """The losses of one file, gathered test by test."""

    def __init__(self, path: str) -> None:
        self.findings: list[Weakening] = []
        self.changed: list[AssertionChange] = []
        self._path = path
        self._before = self._after = TestFile()
        self._elsewhere = Elsewhere(())
        self._fresh: list[ReadCase] = []

    def run(self, before: TestFile, after: TestFile, elsewhere: Elsewhere) -> None:
        """Compare both sides of the file, test by test.

        Every old case has one of four fates: it is still there, it moved to another file, it is gone, or it
        was a helper that is gone. The order of the branches matters, because a test that moved must not be
        taken for a renamed one.
        """
        self._before, self._after, self._elsewhere = before, after, elsewhere
        self._whole_file(before, after)
        now = {case.id: case for case in after.cases}
        new = [case for case in appeared(before, after) if case.is_test]
        self._fresh = new.copy()
        for old in before.cases:
            if (same := now.get(old.id)) is not None and (same.is_test or not old.is_test):
                self._case(old, same)
            elif place := elsewhere.find(old, self._path):
                new = [case for case in new if case is not place.case]
                self.moved(old, before, place, elsewhere)
            elif old.is_test:
                self._gone(old, new, after)
            else:
                self._lost_helper(old)

    def moved(self, old: ReadCase, before: TestFile, place: MovedCase, elsewhere: Elsewhere) -> None:
        """Compare a test with itself in another place: it may have lost something on the way."""
        there = Comparison(place.path)
        there._before, there._after, there._elsewhere = before, place.file, elsewhere
        there._case(old, place.case)
        self.findings += there.findings
        self.changed += there.changed

    def new_file(self, after: TestFile) -> None:
        """Find what a new file does to existing tests: it can take them out of the run all the same."""
        for text in after.narrowing:
            if text != "__test__ = False":
                said = f"a new file takes tests out of the run: {quoted(text)}, {_NOTHING}"
                self._add(1, WeakeningKind.COLLECTION_NARROWED, "", said)
        if self._path.endswith("conftest.py"):
            for mock in after.mocks:
                said = f"a new file replaces what is tested: {quoted(mock)}"
                self._add(1, WeakeningKind.SUBJECT_MOCKED, "", said)
            for skip in after.skips:
                said = f"a new file skips every test in its reach: {quoted(skip)}"
                self._add(1, WeakeningKind.SKIPPED, "", said)

    def _add(
        self, line: int, kind: WeakeningKind, symbol: str, message: str, *, is_mild: bool = False
    ) -> None:
        found = finding(self._path, line, kind, symbol, message)
        self.findings.append(found._replace(severity=WeakeningSeverity.SUGGESTION) if is_mild else found)

    def _whole_file(self, before: TestFile, after: TestFile) -> None:
        """Compare what the marks, filters and settings of the file do to all its tests.

        A mark that every test carried already is only written in another place now, so it is not reported.
        """
        tests = [case for case in before.cases if case.is_test]
        for mark in MARK_KINDS:
            for text, is_respelled in mark.more(marks_of(before), marks_of(after)):
                if not tests or not all(text in mark.of(case) for case in tests):
                    said = f"{mark.of_file}: {quoted(text)}, {_NOTHING}"
                    self._add(1, mark.kind, "", said, is_mild=is_respelled)
        for text in surplus(before.narrowing, after.narrowing):
            said = f"tests are taken out of the run: {quoted(text)}, {_NOTHING}"
            self._add(1, WeakeningKind.COLLECTION_NARROWED, "", said)
        if after.cases:
            self._warnings("", 1, before.strict_warnings, after.strict_warnings, after.cases)
        if after.retries > before.retries:
            said = f"retries for the whole file: {before.retries} → {after.retries}"
            self._add(1, WeakeningKind.RETRIES_ADDED, "", said)

    # --- a test that is gone ---

    def _gone(self, old: ReadCase, new: list[ReadCase], after: TestFile) -> None:
        """Add a deletion, unless one of the new tests is the old one under another name.

        The candidates are tried from the surest on: the same body, the most alike, one that takes up its
        claims. A match is used up, so that two deleted tests cannot share one new test.
        """
        twin = next((case for case in new if case.body == old.body and case.body), None)
        like = twin or _most_alike(old, new) or _taking_up(old, new)
        if like is not None:
            new.remove(like)
            self._add(like.line, WeakeningKind.RENAMED, old.id, f"{old.id} is called {like.id} now")
            self._case(old, like)
            return
        name, helpers = short_name(old.id), [case.id for case in after.cases if not case.is_test]
        why = "the test is gone"
        if any(short_name(other).endswith(name) for other in helpers):
            why = "its function is no longer collected as a test"
        elif any(case.id == old.id for case in after.cases):
            why = "it is no longer collected as a test"
        self._add(old.line, WeakeningKind.DELETED, old.id, f"{old.id} ({_summary(old)}): {why}")

    def _lost_helper(self, old: ReadCase) -> None:
        """Add what is lost with a helper, unless the tests that called it are judged without it anyway."""
        name = short_name(old.id)
        tests = [case for case in self._before.cases if case.is_test]
        calls = {
            one.subject.rpartition(".")[2] for case in tests for one in case.assertions if one.op == "call"
        }
        if old.assertions and name in calls:
            return  # the tests that called it are judged with its assertions written out
        others = (case.body for case in self._before.cases if case is not old)
        is_named = _WORD.fullmatch(name) is not None  # what a script asserts as it runs has no name
        if is_named and tests and not any(name in _WORD.findall(body) for body in others):
            return  # nothing here made use of it
        if old.assertions:
            said = f"the helper {old.id} with {quoted(old.assertions[0].text)} is gone, after: nothing"
            self._add(old.line, WeakeningKind.ASSERTION_REMOVED, old.id, said)
        elif any(len(cases) > 1 for _, cases in old.parameters):
            said = f"the parametrised {old.id} is gone"
            self._add(old.line, WeakeningKind.PARAMETRISATION_SHRUNK, old.id, said)

    # --- a test that is still there ---

    def _case(self, old: ReadCase, new: ReadCase) -> None:
        if new.is_empty and not old.is_empty:
            said = f"{old.id} does nothing now; before: {_summary(old)}"
            self._add(new.line, WeakeningKind.EMPTIED, old.id, said)
            return
        if not (old.is_autouse and new.is_autouse):  # that is done to the whole file and compared there
            self._marks(old, new)
        self._claims(old, new)
        if old.is_test:
            self._subject(old, new)

    def _marks(self, old: ReadCase, new: ReadCase) -> None:
        before, after = marks_of(old, self._before), marks_of(new)
        is_dead = bool(old.assertions) and all("unreachable" in one.guards for one in old.assertions)
        for mark in MARK_KINDS:
            if is_dead and mark.kind is not WeakeningKind.SUBJECT_MOCKED:
                continue  # a test that asserted nothing loses nothing by not running
            for text, is_respelled in mark.more(before, after):
                known = ", ".join(map(quoted, mark.of(before))) or "not"
                said = f"{old.id} {mark.of_test}: {quoted(text)}; before: {known}"
                self._add(new.line, mark.kind, old.id, said, is_mild=is_respelled)
        for text in surplus(old.focus, new.focus):
            said = f"{old.id} makes the runner leave out its neighbours: {quoted(text)}; before: not"
            self._add(new.line, WeakeningKind.COLLECTION_NARROWED, old.id, said)
        kept = (*new.strict_warnings, *self._after.strict_warnings)
        self._warnings(old.id, new.line, old.strict_warnings, kept, ())
        if new.retries > old.retries:
            said = f"{old.id}: retries {old.retries} → {new.retries}"
            self._add(new.line, WeakeningKind.RETRIES_ADDED, old.id, said)

    def _warnings(
        self, name: str, line: int, before: Iterable[str], after: Iterable[str], cases: Iterable[ReadCase]
    ) -> None:
        """Find warnings that failed a test and no longer do, unless all of `cases` have taken them over."""
        tests = [case for case in cases if case.is_test]
        is_taken = bool(tests) and all(case.strict_warnings for case in tests)
        for text in surplus(after, before):
            if not is_taken and not any(text.startswith(kept) for kept in after):
                said = f"{name or 'the whole file'}: {quoted(text)} before, after: they pass"
                self._add(line, WeakeningKind.ASSERTION_LOOSENED, name, said)

    def _claims(self, old: ReadCase, new: ReadCase) -> None:
        """Compare cases and assertions, as they stand there and, if something is lost, written out.

        Written out, a loop, a table of cases and a helper are the same assertions. Only if those lose nothing
        either is the first comparison dropped.
        """
        found = [
            self._handed_over(loss)
            for loss in losses(old.assertions, new.assertions)
            # One test may have become two: what a new test of the file asserts is not removed.
            if loss.kind is not WeakeningKind.ASSERTION_REMOVED
            or not any(_makes(case, loss.old, old) for case in self._fresh)
        ]
        shrunk = list(self._parameters(old, new))
        # Nothing that is written out makes up for `assert True`.
        vacuous = [sum(one.op == "vacuous" for one in case.assertions) for case in (old, new)]
        if vacuous[1] <= vacuous[0] and (shrunk or any(loss.kind for loss in found)):
            before, after = self._before.expand(old.id), self._after.expand(new.id)
            if before or after:
                wide = losses(before or old.assertions, after or new.assertions)
                is_whole = bool(before) and all(name not in _NOT_WRITTEN_OUT for name, _ in shrunk)
                if not any(loss.kind for loss in wide) and (is_whole or not shrunk):
                    found, shrunk = wide, []
        self.findings += [lost for _, lost in shrunk]
        for was, now, kind, is_mild in found:
            line = now.line if now else new.line
            said = f"{old.id}: {_shown(was)} → {_shown(now) if now else 'nothing'}"
            if kind:
                self._add(line, kind, old.id, said, is_mild=is_mild)
            else:
                self.changed.append(AssertionChange(self._path, line, old.id, said))

    def _parameters(self, old: ReadCase, new: ReadCase) -> Iterator[tuple[str, Weakening]]:
        """Yield each list of cases that became shorter, with its finding.

        A list whose arguments were renamed is compared with the longest new one. None is lost where the cases
        became tests, come from a fixture, or are computed in another place.
        """
        known, after = dict(old.parameters), dict(new.parameters)
        renamed = max((cases for name, cases in after.items() if name not in known), key=len, default=())
        for name, cases in old.parameters:
            now = after.get(name, renamed)
            is_one = len(cases) == 1 and not now
            if len(now) >= len(cases) or is_one or any(case.startswith(COMPUTED) for case in now):
                continue
            is_loop = not now and name.startswith("for ") and bool(new.assertions)
            if is_loop and any(len(others) >= len(cases) for _, others in new.parameters):
                continue
            heirs = [case for case in self._fresh if short_name(case.id).startswith(short_name(old.id))]
            if sum(any(STRENGTHS[one.op] for one in case.assertions) for case in heirs) >= len(cases):
                continue  # each case became a test
            asked = [word for word in name.split(", ") if word]
            is_asked = not now and bool(asked) and set(asked) <= set(new.arguments)
            given = self._elsewhere.cases_given(asked, self._after) if is_asked else 0
            if given is not None and given >= len(cases):
                continue
            lost = next((case for case in cases if case not in now), cases[-1])
            said = f"{len(now) or given or 0} after; gone: {quoted(lost)}"
            if given is None:
                said = "now of a fixture that is not seen"
            message = f"{old.id}: {len(cases)} cases of `{name}` before, {said}"
            made = finding(self._path, new.line, WeakeningKind.PARAMETRISATION_SHRUNK, old.id, message)
            yield name, made._replace(severity=WeakeningSeverity.SUGGESTION) if given is None else made

    def _handed_over(self, loss: Loss) -> Loss:
        """Return a loss as a mere change if a helper that compares is given what was expected."""
        new = loss.new
        if loss.kind is not WeakeningKind.ASSERTION_LOOSENED or new is None or new.op != "call":
            return loss
        wanted = set(_WORD.findall(f"{loss.old.subject} {loss.old.expected}"))
        is_known = short_name(new.subject.replace(".", "::")) in self._elsewhere.asserting
        is_given = bool(loss.old.expected) and wanted <= set(_WORD.findall(new.expected))
        is_reached = set(new.guards) <= set(loss.old.guards)
        return loss._replace(kind=None) if is_known and is_given and is_reached else loss

    def _subject(self, old: ReadCase, new: ReadCase) -> None:
        gone = set(old.uses) - set(new.uses)
        if gone and new.stubs > old.stubs:
            said = f"{old.id} calls a stand-in where it called {quoted(min(gone))}"
            self._add(new.line, WeakeningKind.SUBJECT_MOCKED, old.id, said)
        elif not old.assertions and old.uses and not new.uses and new.body != old.body:
            said = f"{old.id} no longer calls {quoted(old.uses[0])}, its only claim"
            self._add(new.line, WeakeningKind.EMPTIED, old.id, said)


# --- which test became which ---


def _most_alike(old: ReadCase, new: list[ReadCase]) -> ReadCase | None:
    """Return the new test whose body is most like the old one, None if none is like enough."""
    best, found, words = SAME_TEST, None, old.body.split()
    counted = Counter(words)
    for case in new:
        if max(len(case.body), len(old.body)) > _LONGEST_BODY or not old.body:
            continue
        if old.uses and not set(old.uses) & set(case.uses):
            continue  # short bodies look alike; what calls nothing that the old one called is another test
        others = case.body.split()
        # What two bodies have in common at most, cheaply: only few pairs need to be measured.
        bound = 2 * (counted & Counter(others)).total() / max(len(words) + len(others), 1)
        if bound <= best:
            continue
        ratio = SequenceMatcher(None, words, others, autojunk=False).ratio()
        if ratio > best:
            best, found = ratio, case
    return found


def _taking_up(old: ReadCase, new: list[ReadCase]) -> ReadCase | None:
    """Return a new test that makes all the claims of one that is gone, None if there is none.

    One claim at least must be the old test's own: any test may say `assert actual == expected`, or `raises`.
    """
    if not any(
        one.op not in ("raises", "warns") and _LITERAL.search(one.plain_expected) for one in old.assertions
    ):
        return None
    claims = set(map(_claim, old.assertions))
    for case in new:
        is_about_same = not old.uses or set(old.uses) & set(case.uses)
        if is_about_same and claims <= set(map(_claim, case.assertions)):
            return case
    return None


def _claim(one: Assertion) -> tuple[object, ...]:
    return one.op, one.plain_subject, one.plain_expected, one.exceptions


def _makes(case: ReadCase, lost: Assertion, old: ReadCase) -> bool:
    """Check whether a test insists on the same about the same, and not just about a name it chose itself."""
    is_about_same = lost.subject == lost.plain_subject or (bool(old.uses) and set(old.uses) <= set(case.uses))
    return is_about_same and not losses((lost,), case.assertions)


# --- text ---


def _summary(case: ReadCase) -> str:
    count = len(case.assertions)
    first = f", first {quoted(case.assertions[0].text)}" if count else ""
    return f"{count} assertion{'' if count == 1 else 's'}{first}"


def _shown(assertion: Assertion) -> str:
    spelled = {"unreachable": "never reached", "swallowed": "its failure is swallowed"}
    guards = ", ".join(spelled.get(guard, guard) for guard in assertion.guards)
    return quoted(assertion.text) + (f" ({guards})" if guards else "")
