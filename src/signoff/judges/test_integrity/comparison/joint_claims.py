"""Claims that several assertions make together, or the statement around them. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from signoff.domain.evidence.case_records import Assertion, WeakeningKind

_GROUP = re.compile(r"\bRaisesGroup\(")
_MEMBERS = re.compile(r"\.exceptions\b")
_ABOUT_ERROR = re.compile(r"\.value\b|\.args\b|\bstr\(|\b(?:message|msg|err|error)\b")
_FUNCTION = re.compile(r"\w+\([^.]*\)$")
_QUOTED = re.compile(r"""^[bruf]?(['"])(.*)\1$""", re.DOTALL)


class Loss(NamedTuple):
    """What became of one assertion."""

    old: Assertion
    new: Assertion | None
    kind: WeakeningKind | None
    """None: it insists on something else now, no weaker as far as can be told."""
    is_mild: bool = False
    """What is left about the same thing says most of it."""


def without_repetition(claims: Sequence[Assertion]) -> list[Assertion]:
    """Leave out an assertion that stands in two lines one after the other: it says nothing more.

    Unless it asks an object, which may answer otherwise the next time: `stream.read(5)`.
    """
    kept: list[Assertion] = []
    last: Assertion | None = None
    for one in claims:
        is_again = last is not None and one == last._replace(line=one.line) and one.line == last.line + 1
        last = one
        if not is_again or not _FUNCTION.match(one.subject):
            kept.append(one)
    return kept


# --- both branches of a condition ---


def unguarded_in_both_branches(claims: list[Assertion]) -> list[Assertion]:
    """Drop the condition of assertions that are made whichever way it turns out."""
    both = {id(one) for pair in _branches(claims) for one in pair}
    return [one._replace(guards=one.guards[:-1]) if id(one) in both else one for one in claims]


def one_for_both_branches(claims: list[Assertion]) -> list[Assertion]:
    """Take the claim of a branch and that of its other for one, which a single assertion can stand for."""
    other = {id(second) for _, second in _branches(claims)}
    return [one for one in claims if id(one) not in other]


def _branches(claims: list[Assertion]) -> list[tuple[Assertion, Assertion]]:
    """Return the pairs of claims that both branches of a condition make about the same thing.

    The twin of a claim under `if c` stands under `unless c` inside the same outer guards. Each is used for
    one pair only.
    """
    found = []
    free = [one for one in claims if one.guards and one.guards[-1].startswith("unless ")]
    for one in claims:
        if not one.guards or not one.guards[-1].startswith("if "):
            continue
        twin = (*one.guards[:-1], f"unless {one.guards[-1].removeprefix('if ')}")
        for second in free:
            is_same_call = one.plain_subject.partition("(")[0] == second.plain_subject.partition("(")[0]
            is_alike = one.op == second.op and (
                one.plain_subject == second.plain_subject
                or (is_same_call and one.plain_expected == second.plain_expected != "")
            )
            if second.guards == twin and is_alike:
                found.append((one, second))
                free = [other for other in free if other is not second]
                break
    return found


# --- what the statement around says ---


def is_said_by_context(old: Assertion, fresh: list[Assertion]) -> bool:
    """Check whether a new `raises` or `warns` says about the exception what an assertion said before.

    It may do so by counting a group's members, by its types, or by the text it matches.
    """
    contexts = [one for one in fresh if one.op in ("raises", "warns")]
    if _MEMBERS.search(old.subject) and any(_GROUP.search(one.text) for one in contexts):
        return True  # RaisesGroup says how many there are and of which types
    if old.op == "type":
        return any(set(one.exceptions) <= set(old.members) and one.exceptions for one in contexts)
    literal = _QUOTED.match(old.expected)
    if old.op == "contains" and literal and old.subject.startswith("str("):
        return any(literal[2] in one.expected.replace("\\", "") for one in contexts)
    return False


def without_match_asserted(loss: Loss, fresh: list[Assertion]) -> Loss:
    """Take a `match` that went for changed if new assertions say what the exception holds."""
    is_match_gone = (
        loss.kind is WeakeningKind.EXCEPTION_WIDENED and loss.new is not None and not loss.new.expected
    )
    if not is_match_gone or loss.new is None or loss.old.exceptions != loss.new.exceptions:
        return loss
    is_asserted = any(
        one.op in ("contains", "equals", "matches") and one.expected and _ABOUT_ERROR.search(one.text)
        for one in fresh
    )
    return loss._replace(kind=None) if is_asserted else loss
