"""How much an assertion says, and whether another one says less. Pure; `comparing` asks about pairs."""

import re

from signoff.core.test_integrity.records import Assertion, Kind

STRENGTHS = {
    "vacuous": 0,
    "any": 1,
    "equals-itself": 1,
    "truthy": 2,
    "falsy": 2,
    "differs": 2,
    "not-none": 2,
    "mock-called": 3,
    "warns": 3,
    "call": 4,
    "order": 4,
    "strict-order": 5,
    "all": 5,
    "type": 5,
    "contains": 5,
    "excludes": 5,
    "choice": 5,
    "matches": 5,
    "mock-called-once": 5,
    "mock-called-with": 6,
    "mock-called-once-with": 7,
    "approx": 7,
    "subset": 7,
    "snapshot": 7,
    "raises": 8,
    "equals-part": 8,
    "equals-unordered": 9,
    "loosely-equals": 9,
    "equals": 10,
}
"""The ladder of operations; a step down on the same subject is a loosening."""

WIDE = frozenset({"Exception", "BaseException", "Error", "Throwable", "object", "any"})
"""Types of exceptions that say nothing about what went wrong."""
_BASES = {
    "KeyError": {"LookupError"},
    "IndexError": {"LookupError"},
    "UnicodeDecodeError": {"UnicodeError", "ValueError"},
    "UnicodeEncodeError": {"UnicodeError", "ValueError"},
    "UnicodeError": {"ValueError"},
    "JSONDecodeError": {"ValueError"},
    "ZeroDivisionError": {"ArithmeticError"},
    "OverflowError": {"ArithmeticError"},
    "FileNotFoundError": {"OSError", "IOError"},
    "PermissionError": {"OSError", "IOError"},
    "FileExistsError": {"OSError", "IOError"},
    "IsADirectoryError": {"OSError", "IOError"},
    "ConnectionError": {"OSError"},
    "TimeoutError": {"OSError"},
    "ModuleNotFoundError": {"ImportError"},
    "NotImplementedError": {"RuntimeError"},
    "RecursionError": {"RuntimeError"},
    "TypeError": {"Error"},
    "RangeError": {"Error"},
    "SyntaxError": {"Error"},
}
_ANYTHING = re.compile(r"^['\"]?\(?\^?(?:\.[*+]\??|)\$?\)?['\"]?$")


def weakening(old: Assertion, new: Assertion) -> Kind | None:
    """Say how the second says less than the first; None if it does not. They must be about one thing."""
    if set(new.guards) - set(old.guards) and len(new.guards) > len(old.guards):
        return Kind.ASSERTION_LOOSENED
    if any(guard in _DEAD and guard not in old.guards for guard in new.guards):
        return Kind.ASSERTION_LOOSENED
    if old.op == "raises" and new.op == "raises":
        return _raises(old, new)
    before, after = STRENGTHS[old.op], STRENGTHS[new.op]
    if old.op == "equals-itself":
        # `Cart(1) == Cart(1)` tests equality, so nothing but equality says as much; as a new claim it is
        # next to nothing.
        before = after if new.op == old.op else STRENGTHS["equals"]
    if after < before:
        return _step_down(old, new)
    if after > before:
        return None
    if is_wider(old, new):
        return Kind.TOLERANCE_WIDENED
    if new.wildcards > old.wildcards or _takes_more(old, new):
        return Kind.ASSERTION_LOOSENED
    return None


_DEAD = frozenset({"unreachable", "swallowed", "raised by the test itself"})


def _step_down(old: Assertion, new: Assertion) -> Kind:
    if old.op == "equals" and new.op == "approx":
        return Kind.ASSERTION_LOOSENED
    if is_wider(old, new):
        return Kind.TOLERANCE_WIDENED
    return Kind.ASSERTION_LOOSENED


def is_wider(old: Assertion, new: Assertion) -> bool:
    """Say whether the second lets a number be further off."""
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


def _raises(old: Assertion, new: Assertion) -> Kind | None:
    before, after = set(old.exceptions), set(new.exceptions)
    if after > before or (
        after - before and any(_is_wider_type(old.exceptions, name) for name in after - before)
    ):
        return Kind.EXCEPTION_WIDENED
    if not after and before:
        return Kind.EXCEPTION_WIDENED
    if old.expected and _matches_more(old.expected, new.expected):
        return Kind.EXCEPTION_WIDENED
    return None


def _matches_more(before: str, after: str) -> bool:
    if not after or _ANYTHING.match(after):
        return before != after
    # A full stop that ends a sentence matches nearly nothing more when it goes.
    shorter, longer = (text.strip("'\"/").replace("\\", "").rstrip(".") for text in (after, before))
    return shorter != longer and shorter in longer


def _is_wider_type(before: tuple[str, ...], name: str) -> bool:
    last = name.rpartition(".")[2]
    known = {old.rpartition(".")[2] for old in before}
    return last in WIDE or any(last in _BASES.get(old, ()) for old in known)
