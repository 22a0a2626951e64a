"""Find which assertion of the old test became which of the new one, and what was lost. Pure."""

import re
from collections.abc import Callable, Hashable
from functools import lru_cache

from signoff.domain.evidence.case_records import Assertion, WeakeningKind
from signoff.judges.test_integrity.comparison.assertion_strength import STRENGTHS, WIDE, weakening
from signoff.judges.test_integrity.comparison.joint_claims import (
    Loss,
    is_said_by_context,
    one_for_both_branches,
    unguarded_in_both_branches,
    without_match_asserted,
    without_repetition,
)

_TOKEN = re.compile(r"[^\W_]\w*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
_TAIL = re.compile(r"(?:\[[^\]]*\])?\.\w+(?:\([^()]*\))?$")
_BUILTIN = frozenset(
    {"len", "str", "repr", "list", "set", "sorted", "dict", "tuple", "type", "bool", "isinstance"}
)
_WRAPPED = re.compile(
    r"^(?:len|type|set|frozenset|sorted|bool|str|repr|list|tuple|sum|min|max)\((.*)\)$", re.DOTALL
)
_CUT = re.compile(r"\.(?:length|size|keys\(\)|values\(\)|name|type|status|code)$")
_WHOLE = re.compile(r"\.(?:isoformat|timestamp|hex|as_posix|tolist|to_dict|model_dump|as_dict|getvalue)\(\)$")
"""Calls that give all of a value in another form."""
_ALIKE = 0.5
"""Share of common words from which two assertions count as about the same thing."""
_MOST = 200
"""Assertions of one test that are compared in all pairs. More are only matched exactly."""


def losses(old: tuple[Assertion, ...], new: tuple[Assertion, ...]) -> list[Loss]:
    """Return what the old assertions lost.

    Equal assertions are taken out first, and the rest is paired by one rule after the other, the surest
    first. An old assertion without a partner is removed, unless others say the same together.
    """
    left, right = list(old), list(new)
    for key in _SAME:
        left, right = _without_common(left, right, key)
    left = [assertion for assertion in left if STRENGTHS[assertion.op] > 0]
    found: list[Loss] = []
    fresh = list(right)
    if len(left) * len(right) <= _MOST * _MOST:
        left, right = one_for_both_branches(left), unguarded_in_both_branches(right)
        for rule in _RULES:
            left, right = _paired(left, right, rule, found)
    needed = {id(assertion) for assertion in without_repetition(old)}
    for assertion in (one for one in left if id(one) in needed):
        if not _is_covered(assertion, fresh) and not is_said_by_context(assertion, fresh):
            found.append(
                Loss(assertion, None, WeakeningKind.ASSERTION_REMOVED, _only_narrowed(assertion, new))
            )
    found = [without_match_asserted(loss, fresh) for loss in found]
    return sorted(found, key=lambda loss: loss.old.line)


def _only_narrowed(old: Assertion, new: tuple[Assertion, ...]) -> bool:
    """Check whether an assertion only told a type checker what the remaining assertions use."""
    is_narrowing = old.op in ("type", "not-none") and not old.guards
    return is_narrowing and any(
        STRENGTHS[one.op] >= STRENGTHS[old.op] and not one.guards and _is_within(old.subject, one.subject)
        for one in new
    )


_SAME: tuple[Callable[[Assertion], Hashable], ...] = (
    lambda one: one._replace(line=0, text="", plain_subject="", plain_expected=""),
    lambda one: one._replace(line=0, text="", subject="", expected="", members=()),
)
"""What equal assertions have in common: all they say, or all but the names that a test gives."""


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
    """Pair assertions by one rule and return what is left of both sides. Losses are added to `found`."""
    rest = []
    free = list(right)
    for assertion in left:
        # The nearest in strength: a test that says one thing about a value twice keeps both apart.
        fitting = [other for other in free if rule(assertion, other)]
        if not fitting:
            rest.append(assertion)
            continue
        best = min(fitting, key=lambda other: abs(STRENGTHS[other.op] - STRENGTHS[assertion.op]))
        free = [other for other in free if other is not best]
        kind = weakening(assertion, best)
        # Equality with a whole that became equality with a part of it.
        is_equality = assertion.op == best.op and best.op in ("equals", "loosely-equals")
        if is_equality and not _WHOLE.search(best.subject) and _is_within(assertion.subject, best.subject):
            kind = kind or WeakeningKind.ASSERTION_LOOSENED
        if _hands_over(assertion, best) or rule is _turned_round:
            kind = None
        if (
            kind
            or rule is _turned_round
            or not (STRENGTHS[best.op] > STRENGTHS[assertion.op] or len(best.guards) < len(assertion.guards))
        ):
            found.append(Loss(assertion, best, kind))
    return rest, free


def _same_claim(old: Assertion, new: Assertion) -> bool:
    return all(
        getattr(old, part) == getattr(new, part)
        for part in ("op", "plain_subject", "plain_expected", "exceptions")
    )


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
    before, after = _tokens(old.text), _tokens(new.text)
    words = before | after
    return bool(words) and len(before & after) >= _ALIKE * len(words)


@lru_cache(maxsize=4096)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text)) - {"assert", "expect"}


def _same_expectation(old: Assertion, new: Assertion) -> bool:
    """Check whether both expect the same: the value was given a name first, or the other way round."""
    is_same = bool(old.plain_expected) and old.plain_expected == new.plain_expected
    return is_same and STRENGTHS[new.op] >= STRENGTHS[old.op]


def _same_call(old: Assertion, new: Assertion) -> bool:
    """Check whether both ask the same function, about something else."""
    before, after = _CALLED.match(old.subject), _CALLED.match(new.subject)
    if old.op != new.op or not before or not after:
        return False
    return before[1] == after[1] and before[1] not in _BUILTIN


def _same_tail(old: Assertion, new: Assertion) -> bool:
    """Check whether both ask the same part of something that was given another name."""
    before, after = _TAIL.search(old.subject), _TAIL.search(new.subject)
    if not before or not after or before[0] != after[0] or old.op != new.op:
        return False
    # A mock that is asked under another name may be asked for other arguments: so it was with the old name.
    return old.plain_expected == new.plain_expected or old.op in ("mock-called-with", "mock-called-once-with")


def _turned_round(old: Assertion, new: Assertion) -> bool:
    """Check whether a call that was to raise returns a value now, or the other way round: no less is said."""
    if set(new.guards) - set(old.guards):
        return False
    if old.op == "raises":
        return new.op == "equals" and new.subject in old.members
    is_typed = new.op == "raises" and bool(new.exceptions) and not set(new.exceptions) & WIDE
    return is_typed and old.subject in new.members


def _same_root(old: Assertion, new: Assertion) -> bool:
    """Check whether both ask a part of the same thing in much the same words: its interface was renamed."""
    before, after = _root(old.subject), _root(new.subject)
    if not before or before != after or before in _BUILTIN or STRENGTHS[new.op] < STRENGTHS[old.op]:
        return False
    words, others = _words(old.text), _words(new.text)
    return old.op == new.op and len(words & others) >= max(2, _ALIKE * min(len(words), len(others)))


def _hands_over(old: Assertion, new: Assertion) -> bool:
    """Check whether the object asserts by itself now: `done.assert_outcomes(passed=2)`."""
    is_asserting = new.op == "call" != old.op and "." in new.subject and set(new.guards) <= set(old.guards)
    wanted = set(_TOKEN.findall(old.expected))
    is_given = bool(wanted) and wanted <= set(_TOKEN.findall(new.text))
    return is_asserting and is_given and _root(new.subject) == _root(old.subject) != ""


def _root(subject: str) -> str:
    found = _NAME.match(subject)
    return found[0] if found and len(found[0]) < len(subject) else ""


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text)) - {"assert", "expect", "is", "not", "in", "None"}


@lru_cache(maxsize=4096)
def _core(subject: str) -> str:
    while found := _WRAPPED.match(subject):
        subject = found[1]
    return _CUT.sub("", subject)


def _is_covered(old: Assertion, fresh: list[Assertion]) -> bool:
    """Check whether a new and stronger assertion about the same thing makes this one needless."""
    core = _core(old.subject)
    return any(
        STRENGTHS[new.op] > STRENGTHS[old.op]
        and new.op != "raises"
        and _core(new.subject) == core
        and set(new.guards) <= set(old.guards)
        for new in fresh
        if len(core) > 1 and new.subject != old.subject
    )


_RULES = (_same_claim, _same_subject, _related_subject, _alike, _same_expectation, _same_call, _same_tail,
          _turned_round, _same_root)  # fmt: skip
"""When an old and a new assertion count as one, the surest rule first."""
