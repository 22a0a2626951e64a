"""Compare the tests of a file before and after a change. Pure; `judging` calls it for every file."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from signoff.core.test_integrity.covering import Loss
from signoff.core.test_integrity.marking import more_expected_failures, more_skips, more_stand_ins, surplus
from signoff.core.test_integrity.moving import Elsewhere, Place, appeared, short_name
from signoff.core.test_integrity.pairing import losses
from signoff.core.test_integrity.records import (
    COMPUTED,
    Assertion,
    Change,
    Finding,
    Kind,
    Severity,
    TestCase,
    TestFile,
    finding,
    quoted,
)
from signoff.core.test_integrity.strength import STRENGTHS

_SAME_TEST = 0.6
"""Likeness of two bodies from which a test that vanished and one that appeared count as one."""
_WORD = re.compile(r"\w+")
_LITERAL = re.compile(r"""['"][^'"]{4}|\d{3}""")
"""What a test would hardly have in common with another one by chance."""
_LONGEST_BODY = 6_000
"""Characters; the likeness of longer bodies is not measured."""


class Comparison:
    """Gathers what one file lost."""

    def __init__(self, path: str) -> None:
        self.findings: list[Finding] = []
        self.changed: list[Change] = []
        self._path = path
        self._before = self._after = TestFile()
        self._elsewhere = Elsewhere(())
        self._fresh: list[TestCase] = []

    def run(self, before: TestFile, after: TestFile, elsewhere: Elsewhere) -> None:
        """Compare both sides of the file."""
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
            else:
                self._gone(old, new, after)

    def moved(self, old: TestCase, before: TestFile, place: Place, elsewhere: Elsewhere) -> None:
        """Compare a test with itself in another place: it may have lost something on the way."""
        there = Comparison(place.path)
        there._before, there._after, there._elsewhere = before, place.file, elsewhere
        there._case(old, place.case)
        self.findings += there.findings
        self.changed += there.changed

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
            for skip in after.skips:
                self._add(1, Kind.SKIPPED, "", f"a new file skips every test in its reach: {quoted(skip)}")

    def _add(self, line: int, kind: Kind, symbol: str, message: str, *, is_mild: bool = False) -> None:
        found = finding(self._path, line, kind, symbol, message)
        self.findings.append(found._replace(severity=Severity.SUGGESTION) if is_mild else found)

    def _whole_file(self, before: TestFile, after: TestFile) -> None:
        tests = [case for case in before.cases if case.is_test]
        for kind, more, own, verb in (
            (Kind.SKIPPED, more_skips(before.skips, after.skips), _skips, "the whole file is skipped now"),
            (
                Kind.EXPECTED_TO_FAIL,
                more_expected_failures(before.xfails, before.skips, after.xfails),
                _xfails,
                "the whole file is expected to fail now",
            ),
            (
                Kind.SUBJECT_MOCKED,
                more_stand_ins(before.mocks, after.mocks),
                _mocks,
                "what is tested is replaced for the whole file",
            ),
        ):
            for text, is_respelled in more:
                if not tests or not all(text in own(case) for case in tests):
                    said = f"{verb}: {quoted(text)}, before: nothing of the kind"
                    self._add(1, kind, "", said, is_mild=is_respelled)
        for text in surplus(before.narrowing, after.narrowing):
            said = f"tests are taken out of the run: {quoted(text)}, before: nothing of the kind"
            self._add(1, Kind.COLLECTION_NARROWED, "", said)
        if after.cases:
            self._warnings("", 1, before.strict_warnings, after.strict_warnings, after.cases)
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
        like = twin or _most_alike(old, new) or _taking_up(old, new)
        if like is None:
            is_there = any(case.id == old.id for case in after.cases)
            why = "it is no longer collected as a test" if is_there else "the test is gone"
            if any(
                short_name(case.id).endswith(short_name(old.id)) and not case.is_test for case in after.cases
            ):
                why = "its function is no longer collected as a test"
            self._add(old.line, Kind.DELETED, old.id, f"{old.id} ({_summary(old)}): {why}")
            return
        new.remove(like)
        self._add(like.line, Kind.RENAMED, old.id, f"{old.id} is called {like.id} now")
        self._case(old, like)

    def _lost_helper(self, old: TestCase) -> None:
        name = short_name(old.id)
        tests = [case for case in self._before.cases if case.is_test]
        if old.assertions and any(name in _called(case) for case in tests):
            return  # the tests that called it are judged with its assertions written out
        others = (case.body for case in self._before.cases if case is not old)
        is_named = _WORD.fullmatch(name) is not None  # what a script asserts as it runs has none
        if is_named and tests and not any(name in _WORD.findall(body) for body in others):
            return  # nothing here made use of it
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
        self._claims(old, new)
        self._subject(old, new)

    def _marks(self, old: TestCase, new: TestCase) -> None:
        if old.is_autouse and new.is_autouse:
            return  # what it does, it does to the whole file, and is compared there
        skips = (*old.skips, *self._before.skips)
        xfails = (*old.xfails, *self._before.xfails)
        mocks = (*old.mocks, *self._before.mocks)
        for kind, more, before, verb in (
            (Kind.SKIPPED, more_skips(skips, new.skips), skips, "is skipped now"),
            (
                Kind.EXPECTED_TO_FAIL,
                more_expected_failures(xfails, skips, new.xfails),
                xfails,
                "is expected to fail now",
            ),
            (Kind.SUBJECT_MOCKED, more_stand_ins(mocks, new.mocks), mocks, "replaces what it tests"),
        ):
            if kind is not Kind.SUBJECT_MOCKED and _came_to_nothing(old):
                continue
            for text, is_respelled in more:
                said = f"before: {', '.join(map(quoted, before)) or 'not'}"
                self._add(
                    new.line, kind, old.id, f"{old.id} {verb}: {quoted(text)}; {said}", is_mild=is_respelled
                )
        for text in surplus(old.focus, new.focus):
            said = f"{old.id} makes the runner leave out its neighbours: {quoted(text)}; before: not"
            self._add(new.line, Kind.COLLECTION_NARROWED, old.id, said)
        kept = (*new.strict_warnings, *self._after.strict_warnings)
        self._warnings(old.id, new.line, old.strict_warnings, kept, ())
        if new.retries > old.retries:
            self._add(
                new.line, Kind.RETRIES_ADDED, old.id, f"{old.id}: retries {old.retries} → {new.retries}"
            )

    def _warnings(
        self, name: str, line: int, before: Iterable[str], after: Iterable[str], cases: Iterable[TestCase]
    ) -> None:
        """Find warnings that failed the test and do so no longer; `cases` may have taken them over."""
        tests = [case for case in cases if case.is_test]
        for text in surplus(after, before):
            is_taken = bool(tests) and all(case.strict_warnings for case in tests)
            is_wider = any(text.startswith(kept) for kept in after)
            if not is_taken and not is_wider:
                said = f"{name or 'the whole file'}: {quoted(text)} before, after: they pass"
                self._add(line, Kind.ASSERTION_LOOSENED, name, said)

    def _claims(self, old: TestCase, new: TestCase) -> None:
        """Compare cases and assertions, as they stand there and, if something is lost, written out."""
        found = self._not_moved(old, losses(old.assertions, new.assertions))
        shrunk = list(self._parameters(old, new))
        is_hollow = _vacuous(new) > _vacuous(old)  # nothing that is written out makes up for `assert True`
        if not is_hollow and (shrunk or any(loss.kind for loss in found)):
            before, after = self._before.expand(old.id), self._after.expand(new.id)
            if before or after:
                wide = losses(before or old.assertions, after or new.assertions)
                is_whole = bool(before) and all(name not in _NOT_WRITTEN_OUT for name, _ in shrunk)
                if not any(loss.kind for loss in wide) and (is_whole or not shrunk):
                    found, shrunk = wide, []
        for _, one in shrunk:
            self.findings.append(one)
        for before_one, after_one, kind, is_mild in found:
            line = after_one.line if after_one else new.line
            said = f"{old.id}: {_shown(before_one)} → {_shown(after_one) if after_one else 'nothing'}"
            if kind:
                self._add(line, kind, old.id, said, is_mild=is_mild)
            else:
                self.changed.append(Change(self._path, line, old.id, said))

    def _parameters(self, old: TestCase, new: TestCase) -> Iterator[tuple[str, Finding]]:
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
            heirs = [case for case in self._fresh if short_name(case.id).startswith(short_name(old.id))]
            if sum(any(STRENGTHS[one.op] for one in case.assertions) for case in heirs) >= len(cases):
                continue  # each case became a test
            asked = [word for word in name.split(", ") if word]
            is_asked = not now and bool(asked) and set(asked) <= set(new.arguments)
            given = self._elsewhere.cases_given(asked, self._after) if is_asked else 0
            if given is not None and given >= len(cases):
                continue
            lost = next((case for case in cases if case not in now), cases[-1])
            count = len(now) or given or 0
            message = f"{old.id}: {len(cases)} cases of `{name}` before, {count} after; gone: {quoted(lost)}"
            if given is None:
                message = (
                    f"{old.id}: {len(cases)} cases of `{name}` before, now of a fixture that is not seen"
                )
            made = finding(self._path, new.line, Kind.PARAMETRISATION_SHRUNK, old.id, message)
            yield name, made._replace(severity=Severity.SUGGESTION) if given is None else made

    def _not_moved(self, old: TestCase, found: list[Loss]) -> list[Loss]:
        """Leave out assertions that a new test of the file makes: one test became two."""
        return [
            self._handed_over(loss)
            for loss in found
            if loss.kind is not Kind.ASSERTION_REMOVED
            or not any(_makes(case, loss.old, old) for case in self._fresh)
        ]

    def _handed_over(self, loss: Loss) -> Loss:
        """Take for changed what is given, with what was expected of it, to a helper that compares."""
        new = loss.new
        if loss.kind is not Kind.ASSERTION_LOOSENED or new is None or new.op != "call":
            return loss
        given = set(_WORD.findall(new.expected))
        wanted = set(_WORD.findall(f"{loss.old.subject} {loss.old.expected}"))
        is_known = short_name(new.subject.replace(".", "::")) in self._elsewhere.asserting
        is_given = bool(loss.old.expected) and wanted <= given and set(new.guards) <= set(loss.old.guards)
        return loss._replace(kind=None) if is_known and is_given else loss

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


_NOT_WRITTEN_OUT = frozenset({"params", "max_examples", "example", "data", "expand"})
"""Lists of cases that `TestFile.expand` leaves alone."""


def _skips(case: TestCase) -> tuple[str, ...]:
    return case.skips


def _xfails(case: TestCase) -> tuple[str, ...]:
    return case.xfails


def _mocks(case: TestCase) -> tuple[str, ...]:
    return case.mocks


def _came_to_nothing(case: TestCase) -> bool:
    return bool(case.assertions) and all("unreachable" in one.guards for one in case.assertions)


def _vacuous(case: TestCase) -> int:
    return sum(one.op == "vacuous" for one in case.assertions)


def _called(case: TestCase) -> set[str]:
    return {one.subject.rpartition(".")[2] for one in case.assertions if one.op == "call"}


def _makes(case: TestCase, lost: Assertion, old: TestCase) -> bool:
    """Say whether a test insists on the same about the same, and not just about a name it chose itself."""
    is_about_same = lost.subject == lost.plain_subject or (bool(old.uses) and set(old.uses) <= set(case.uses))
    return is_about_same and not losses((lost,), case.assertions)


def _taking_up(old: TestCase, new: list[TestCase]) -> TestCase | None:
    """Give a new test that makes all the claims of one that is gone."""
    claims = {_claim(one) for one in old.assertions}
    if not any(map(_is_telling, old.assertions)):
        return None
    for case in new:
        is_about_same = not old.uses or set(old.uses) & set(case.uses)
        if is_about_same and claims <= {_claim(one) for one in case.assertions}:
            return case
    return None


def _is_telling(one: Assertion) -> bool:
    """Say whether a claim is a test's own; `assert actual == expected` and a lone `raises` are anybody's."""
    return one.op not in ("raises", "warns") and _LITERAL.search(one.plain_expected) is not None


def _claim(one: Assertion) -> tuple[object, ...]:
    return one.op, one.plain_subject, one.plain_expected, one.exceptions


def _has_parameters(case: TestCase, count: int) -> bool:
    return any(len(cases) >= count for _, cases in case.parameters)


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
