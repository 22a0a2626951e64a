"""Which assertion of the old test became which of the new one, and what was lost on the way. Pure."""

import re
from collections.abc import Callable, Hashable
from typing import NamedTuple

from signoff.core.test_integrity.records import Assertion, Kind
from signoff.core.test_integrity.strength import STRENGTHS, weakening

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WRAPPED = re.compile(
    r"^(?:len|type|set|frozenset|sorted|bool|str|repr|list|tuple|sum|min|max)\((.*)\)$", re.DOTALL
)
_CUT = re.compile(r"\.(?:length|size|keys\(\)|values\(\)|name|type|status|code)$")
_ALIKE = 0.5
"""Share of common words from which two assertions count as about the same thing."""
_MOST = 400
"""Leftover assertions of one test that are compared in all pairs; more are only matched exactly."""


class Loss(NamedTuple):
    """What became of one assertion."""

    old: Assertion
    new: Assertion | None
    kind: Kind | None
    """None: it insists on something else now, no weaker as far as can be told."""


def losses(old: tuple[Assertion, ...], new: tuple[Assertion, ...]) -> list[Loss]:
    """Give what the old assertions lost; one that is there again lost nothing."""
    left, right = list(old), list(new)
    for key in (_exactly, _plainly):
        left, right = _without_common(left, right, key)
    left = [assertion for assertion in left if STRENGTHS[assertion.op] > 0]
    found: list[Loss] = []
    fresh = list(right)
    if len(left) * len(right) <= _MOST * _MOST:
        for rule in (_same_claim, _same_subject, _related_subject, _alike, _same_expectation):
            left, right = _paired(left, right, rule, found)
    for assertion in left:
        if not _is_covered(assertion, fresh):
            found.append(Loss(assertion, None, Kind.ASSERTION_REMOVED))
    return sorted(found, key=lambda loss: loss.old.line)


def _exactly(assertion: Assertion) -> Hashable:
    return assertion._replace(line=0, text="", plain_subject="", plain_expected="")


def _plainly(assertion: Assertion) -> Hashable:
    return assertion._replace(line=0, text="", subject="", expected="", members=())


def _without_common(
    left: list[Assertion], right: list[Assertion], key: Callable[[Assertion], Hashable]
) -> tuple[list[Assertion], list[Assertion]]:
    free: dict[Hashable, list[Assertion]] = {}
    for assertion in right:
        free.setdefault(key(assertion), []).append(assertion)
    rest = []
    for assertion in left:
        if same := free.get(key(assertion)):
            same.pop(0)
        else:
            rest.append(assertion)
    remaining = {id(assertion) for listed in free.values() for assertion in listed}
    return rest, [assertion for assertion in right if id(assertion) in remaining]


def _paired(
    left: list[Assertion],
    right: list[Assertion],
    rule: Callable[[Assertion, Assertion], bool],
    found: list[Loss],
) -> tuple[list[Assertion], list[Assertion]]:
    rest = []
    free = list(right)
    for assertion in left:
        # The nearest in strength: a test that says one thing about a value twice keeps both apart.
        fitting = [other for other in free if rule(assertion, other)]
        if not fitting:
            rest.append(assertion)
            continue
        best = min(fitting, key=lambda other: abs(STRENGTHS[other.op] - STRENGTHS[assertion.op]))
        free.remove(best)
        kind = weakening(assertion, best) or _narrower(assertion, best)
        if kind or not _is_stronger(assertion, best):
            found.append(Loss(assertion, best, kind))
    return rest, free


def _same_claim(old: Assertion, new: Assertion) -> bool:
    is_same = (old.op, old.plain_subject, old.plain_expected) == (
        new.op,
        new.plain_subject,
        new.plain_expected,
    )
    return is_same and old.exceptions == new.exceptions


def _same_subject(old: Assertion, new: Assertion) -> bool:
    return old.subject == new.subject or (
        old.plain_subject == new.plain_subject and old.plain_expected == new.plain_expected
    )


def _related_subject(old: Assertion, new: Assertion) -> bool:
    before, after = _core(old.subject), _core(new.subject)
    if before == after or _core(old.plain_subject) == _core(new.plain_subject) != "_":
        return True
    return len(before) > 1 and (before in new.text or _is_within(before, after))


def _is_within(whole: str, part: str) -> bool:
    return part.startswith((f"{whole}.", f"{whole}["))


def _alike(old: Assertion, new: Assertion) -> bool:
    before, after = set(_TOKEN.findall(old.text)), set(_TOKEN.findall(new.text))
    words = {word for word in before | after if word[:1].isalnum() and word not in ("assert", "expect")}
    common = before & after & words
    return bool(words) and len(common) >= _ALIKE * len(words)


def _same_expectation(old: Assertion, new: Assertion) -> bool:
    """The value was given a name first, or the other way round."""
    is_same = bool(old.plain_expected) and old.plain_expected == new.plain_expected
    return is_same and STRENGTHS[new.op] >= STRENGTHS[old.op]


def _core(subject: str) -> str:
    while found := _WRAPPED.match(subject):
        subject = found[1]
    return _CUT.sub("", subject)


def _narrower(old: Assertion, new: Assertion) -> Kind | None:
    """Say whether equality with a whole became equality with a part of it."""
    is_same_op = old.op == new.op and old.op in ("equals", "loosely-equals")
    if is_same_op and _is_within(old.subject, new.subject) and not _is_within(new.subject, old.subject):
        return Kind.ASSERTION_LOOSENED
    return None


def _is_stronger(old: Assertion, new: Assertion) -> bool:
    return STRENGTHS[new.op] > STRENGTHS[old.op] or len(new.guards) < len(old.guards)


def _is_covered(old: Assertion, fresh: list[Assertion]) -> bool:
    """Say whether a new and stronger assertion about the same thing makes this one needless."""
    core = _core(old.subject)
    return any(
        STRENGTHS[new.op] > STRENGTHS[old.op]
        and new.op != "raises"
        and _core(new.subject) == core
        and set(new.guards) <= set(old.guards)
        for new in fresh
        if len(core) > 1 and new.subject != old.subject
    )
