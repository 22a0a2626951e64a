"""How much an assertion says, and whether another one says less. Pure."""

import re

from signoff.domain.evidence.case_records import Assertion, WeakeningKind
from signoff.text.word_lists import by_word

STRENGTHS = {
    operation: rank
    for rank, operations in enumerate((
        "vacuous",
        "any equals-itself",
        "truthy falsy differs not-none",
        "mock-called warns",
        "call order",
        "strict-order all type contains excludes choice matches mock-called-once",
        "mock-called-with",
        "mock-called-once-with approx subset snapshot",
        "raises equals-part",
        "equals-unordered loosely-equals",
        "equals",
    ))
    for operation in operations.split()
}  # fmt: skip
"""The ladder of operations. A step down on the same subject is a loosening."""

WIDE = frozenset({"Exception", "BaseException", "Error", "Throwable", "object", "any"})
"""Types of exceptions that say nothing about what went wrong."""
_BASES = by_word({
    "LookupError": "KeyError IndexError",
    "UnicodeError": "UnicodeDecodeError UnicodeEncodeError",
    "ArithmeticError": "ZeroDivisionError OverflowError",
    "OSError": "FileNotFoundError PermissionError FileExistsError IsADirectoryError ConnectionError "
               "TimeoutError",
    "ImportError": "ModuleNotFoundError",
    "RuntimeError": "NotImplementedError RecursionError",
    "ValueError": "UnicodeError JSONDecodeError",
    "Error": "TypeError RangeError SyntaxError",
})  # fmt: skip
"""The next wider type of an exception."""
_ALIASES = {"IOError": "OSError"}
_ANYTHING = re.compile(r"^['\"]?\(?\^?(?:\.[*+]\??|)\$?\)?['\"]?$")


def weakening(old: Assertion, new: Assertion) -> WeakeningKind | None:
    """Return how the second assertion says less than the first, None if it does not.

    They must be about one thing. Conditions under which it counts come first, then the ladder, then
    tolerances, wildcards and accepted values.
    """
    if set(new.guards) - set(old.guards) and len(new.guards) > len(old.guards):
        return WeakeningKind.ASSERTION_LOOSENED
    if any(guard in _DEAD and guard not in old.guards for guard in new.guards):
        return WeakeningKind.ASSERTION_LOOSENED
    if old.op == "raises" and new.op == "raises":
        return _raises(old, new)
    before, after = STRENGTHS[old.op], STRENGTHS[new.op]
    if old.op == "equals-itself":
        # `Cart(1) == Cart(1)` tests equality, so nothing but equality says as much; as a new claim it is
        # next to nothing.
        before = after if new.op == old.op else STRENGTHS["equals"]
    if after < before:
        # Near is less than equal, whatever the tolerance.
        is_near = old.op == "equals" and new.op == "approx"
        is_further = not is_near and is_wider(old, new)
        return WeakeningKind.TOLERANCE_WIDENED if is_further else WeakeningKind.ASSERTION_LOOSENED
    if after > before:
        return None
    if is_wider(old, new):
        return WeakeningKind.TOLERANCE_WIDENED
    if new.wildcards > old.wildcards or _takes_more(old, new):
        return WeakeningKind.ASSERTION_LOOSENED
    return None


_DEAD = frozenset({"unreachable", "swallowed", "raised by the test itself"})


def is_wider(old: Assertion, new: Assertion) -> bool:
    """Check whether the second lets a number be further off."""
    if old.op == new.op == "approx" and old.tolerance is not None and new.tolerance is not None:
        return new.tolerance > old.tolerance
    if old.bound is None or new.bound is None or old.expected[:1] != new.expected[:1]:
        return False
    return new.bound > old.bound if old.expected[:1] == "<" else new.bound < old.bound


def _takes_more(old: Assertion, new: Assertion) -> bool:
    if old.op in ("choice", "type") and old.op == new.op:
        return set(new.members) > set(old.members)
    if old.op == new.op == "contains" or old.op == new.op == "matches":
        before, after = old.expected.strip("'\"/"), new.expected.strip("'\"/")
        is_literal = old.expected[:1] in "'\"/" and new.expected[:1] in "'\"/"
        return is_literal and after != before and (after in before or bool(_ANYTHING.match(after)))
    return False


def _raises(old: Assertion, new: Assertion) -> WeakeningKind | None:
    before, after = set(old.exceptions), set(new.exceptions)
    # A new exception widens the claim if it is very general, or a base of an old one up to two levels above.
    bases = {_BASES.get(name.rpartition(".")[2], "") for name in before}
    wider = (bases | {_BASES.get(base, "") for base in bases}) - {""}
    fresh = [name.rpartition(".")[2] for name in after - before]
    if after > before or any(name in WIDE or _ALIASES.get(name, name) in wider for name in fresh):
        return WeakeningKind.EXCEPTION_WIDENED
    if not after and before:
        return WeakeningKind.EXCEPTION_WIDENED
    if old.expected and _matches_more(old.expected, new.expected):
        return WeakeningKind.EXCEPTION_WIDENED
    return None


def _matches_more(before: str, after: str) -> bool:
    if not after or _ANYTHING.match(after):
        return before != after
    # A full stop that ends a sentence matches nearly nothing more when it goes.
    shorter, longer = (text.strip("'\"/").replace("\\", "").rstrip(".") for text in (after, before))
    return shorter != longer and shorter in longer
