"""Read what a Go test insists on: conditions that fail it, calls of testify, gocheck, gomega and others."""

import re
from typing import TYPE_CHECKING, NamedTuple

from signoff.checks.test_trees.trees import line, raw, text
from signoff.core.test_integrity.records import Assertion

if TYPE_CHECKING:
    from tree_sitter import Node

FAILING = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_TESTIFY = {
    **dict.fromkeys(("Equal", "Exactly", "Same", "JSONEq", "YAMLEq", "Cmp"), "equals"),
    **dict.fromkeys(("Nil", "True", "False", "Empty", "Zero"), "equals"),
    **dict.fromkeys(("EqualValues", "EqualExportedValues"), "loosely-equals"),
    **dict.fromkeys(("NotNil", "NotEmpty", "NotZero"), "not-none"),
    **dict.fromkeys(("NotEqual", "NotSame", "NotEqualValues"), "differs"),
    **dict.fromkeys(("Contains", "Subset"), "contains"),
    **dict.fromkeys(("NotContains", "NotSubset"), "excludes"),
    **dict.fromkeys(("Len", "ElementsMatch"), "equals-part"),
    **dict.fromkeys(("Greater", "Less", "Positive", "Negative"), "strict-order"),
    **dict.fromkeys(("GreaterOrEqual", "LessOrEqual"), "order"),
    **dict.fromkeys(("InDelta", "InEpsilon", "WithinDuration"), "approx"),
    **dict.fromkeys(("ErrorIs", "ErrorAs", "EqualError", "ErrorContains"), "raises"),
    **dict.fromkeys(("PanicsWithValue", "PanicsWithError"), "raises"),
    **dict.fromkeys(("Panics",), "raises"),
    "Error": "truthy", "Regexp": "matches", "IsType": "type", "Implements": "type",
}  # fmt: skip
_PLAIN_CALLS = frozenset(
    {"NoError", "Eventually", "Never", "FileExists", "DirExists", "NotPanics", "Fail", "FailNow", "Condition"}
)
_NO_EXPECTED = ("Nil", "True", "False", "Empty", "Zero")
_WITH_T = frozenset({"assert", "require", "td", "is", "autogold"})
"""Packages whose functions take the test first."""
_METHODS = frozenset(
    {"s", "suite", "is", "a", "r", "s.Require()", "s.Assert()", "suite.Require()", "should", "must"}
)
"""Receivers that are bound to a test already, by custom; `bound_to_test` finds the others."""
_CHECKERS = {
    **dict.fromkeys(("Equals", "DeepEquals", "IsNil", "IsTrue", "IsFalse", "CmpEquals"), "equals"),
    **dict.fromkeys(("Equal", "BeNil", "BeTrue", "BeFalse", "BeEmpty", "BeZero", "BeIdenticalTo"), "equals"),
    **dict.fromkeys(("NotNil", "IsNotNil"), "not-none"),
    **dict.fromkeys(("Contains", "ContainElement", "ContainElements"), "contains"),
    **dict.fromkeys(("ContainSubstring", "HaveKey"), "contains"),
    **dict.fromkeys(("Matches", "MatchRegexp", "HavePrefix", "HaveSuffix"), "matches"),
    **dict.fromkeys(("HasLen", "HaveLen", "ConsistOf"), "equals-part"),
    **dict.fromkeys(("ErrorMatches", "PanicMatches", "MatchError", "ErrorIs", "ErrorAs", "Panic"), "raises"),
    **dict.fromkeys(("FitsTypeOf", "Implements", "BeAssignableToTypeOf"), "type"),
    "BeEquivalentTo": "loosely-equals", "BeNumerically": "order", "HaveOccurred": "truthy", "Not": "differs",
}  # fmt: skip
"""Of gocheck and quicktest (`c.Assert(got, Equals, want)`) and of gomega (`Expect(got).To(Equal(want))`)."""
_NEGATED = {"equals": "differs", "contains": "excludes", "matches": "excludes", "not-none": "equals",
            "truthy": "falsy", "loosely-equals": "differs", "order": "order"}  # fmt: skip
_COMPARE = {
    "!=": "equals",
    "==": "differs",
    "<": "order",
    ">": "order",
    "<=": "strict-order",
    ">=": "strict-order",
}
"""By the operator of a condition that fails the test; the test insists on the opposite."""
_EQUAL_CALL = re.compile(
    r"(?:reflect\.DeepEqual|bytes\.Equal|cmp\.Equal|slices\.Equal|maps\.Equal|proto\.Equal|strings\.EqualFold)\("
)


class Scope(NamedTuple):
    """What the names in a function mean."""

    local: frozenset[str]
    helpers: frozenset[str]
    """Functions of the file that take a test."""
    bound: frozenset[str] = frozenset()
    """Values made of the test that assert by their methods: `is := is.New(t)`."""


def bound_to_test(function: "Node") -> frozenset[str]:
    """Give the names that a function binds to its test: `should := require.New(t)`."""
    return frozenset(
        re.findall(r"\b(\w+)\s*:=\s*(?:\w+\.)?New(?:GomegaWithT|WithT|Gomega)?\(\w+\)", raw(function))
    )


def arguments(call: "Node") -> "list[Node]":
    """Give the arguments of a call, without comments."""
    listed = call.child_by_field_name("arguments")
    return [] if listed is None else [node for node in listed.named_children if node.type != "comment"]


# --- conditions ---


def failing_condition(node: "Node", condition: "Node", scope: Scope) -> list[Assertion]:
    """Give what a test insists on that fails if a condition holds: its opposite."""
    while condition.type == "parenthesized_expression":
        condition = condition.named_children[0]
    said = f"if {text(condition)} {{ fail }}"
    if condition.type == "binary_expression":
        sign = raw(condition.child_by_field_name("operator"))
        left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        if left is not None and right is not None:
            if sign == "||":
                return [*failing_condition(node, left, scope), *failing_condition(node, right, scope)]
            if sign == "&&":
                return [_both(node, said, left, right, scope)]
            if sign in _COMPARE:
                op = "vacuous" if text(left) == text(right) else _COMPARE[sign]
                made = _made(node, said, op, left, right, scope)
                if op in ("order", "strict-order"):
                    made = _bounded(made, "<" if sign in (">", ">=") else ">", right)
                return [made]
    if raw(condition) == "false":
        return [_made(node, said, "vacuous", condition, None, scope)]
    if condition.type == "unary_expression" and raw(condition).startswith("!"):
        return [_denied(node, said, condition.named_children[0], scope)]
    return [_made(node, said, "falsy", condition, None, scope)]


def _both(node: "Node", said: str, left: "Node", right: "Node", scope: Scope) -> Assertion:
    """Read `a && b`: the test fails only if both hold, so it insists on one of two things."""
    op = "vacuous" if "false" in (raw(left), raw(right)) else "any"
    members = (text(left, scope.local), text(right, scope.local))
    return _made(node, said, op, left, None, scope)._replace(members=members)


def _denied(node: "Node", said: str, inner: "Node", scope: Scope) -> Assertion:
    args = arguments(inner) if inner.type == "call_expression" else []
    if _EQUAL_CALL.match(raw(inner)) and len(args) > 1:
        op = "vacuous" if text(args[0]) == text(args[1]) else "equals"
        return _made(node, said, op, args[0], args[1], scope)
    if raw(inner).startswith("strings.Contains(") and len(args) > 1:
        return _made(node, said, "contains", args[0], args[1], scope)
    if raw(inner).startswith("errors.Is(") and len(args) > 1:
        return _made(node, said, "raises", args[0], None, scope)._replace(exceptions=(text(args[1]),))
    return _made(node, said, "truthy", inner, None, scope)


def _made(
    node: "Node", said: str, op: str, subject: "Node", expected: "Node | None", scope: Scope
) -> Assertion:
    return Assertion(
        line(node), said, op, text(subject), text(expected),
        text(subject, scope.local), text(expected, scope.local),
    )  # fmt: skip


# --- calls ---


def asserting_call(node: "Node", scope: Scope) -> list[Assertion]:
    """Give what a call insists on, if it is one that asserts."""
    name = raw(node.child_by_field_name("function"))
    head, _, last = name.rpartition(".")
    args = arguments(node)
    if last in FAILING and head in ("t", "f", "tb", "s.T()", "suite.T()", "c"):
        return [Assertion(line(node), text(node), "call", name, "", name, "")]
    plain = last.removesuffix("f")
    is_method = head in scope.bound or head in _METHODS
    if (head in _WITH_T or is_method) and (plain in _TESTIFY or plain in _PLAIN_CALLS):
        return [_testify(node, plain, args if is_method and not _takes_test(args) else args[1:], scope)]
    if last in ("Assert", "Check") and len(args) > 1:
        return [_checked(node, args[-3:] if raw(args[0]) == "t" else args, scope)]
    if last in ("To", "Should", "NotTo", "ToNot", "ShouldNot") and re.match(
        r"(?:\w+\.)?(?:Expect|Eventually|Ω)\(", head
    ):
        return _expected(node, last, args, scope)
    if last in scope.helpers:
        shown = [text(arg, scope.local) for arg in args]
        return [Assertion(line(node), text(node), "call", name, text(node), name, ", ".join(shown))]
    return []


def _takes_test(args: "list[Node]") -> bool:
    return bool(args) and raw(args[0]) in ("t", "b", "f", "tb", "s.T()")


def _checked(node: "Node", args: "list[Node]", scope: Scope) -> Assertion:
    """Read `c.Assert(got, Equals, want)`."""
    checker = raw(args[1]).partition("(")[0].rpartition(".")[2]
    expected = args[2] if len(args) > 2 else None
    made = _made(node, text(node), _CHECKERS.get(checker, "call"), args[0], expected, scope)
    said = f"{text(args[1])} {made.expected}"
    if expected is not None and made.op == "equals" and text(args[0]) == text(expected):
        return made._replace(op="vacuous")
    return made._replace(expected=said, plain_expected=f"{text(args[1], scope.local)} {made.plain_expected}")


def _expected(node: "Node", last: str, args: "list[Node]", scope: Scope) -> list[Assertion]:
    """Read `Expect(got).To(Equal(want))`."""
    selector = node.child_by_field_name("function")
    start = selector.child_by_field_name("operand") if selector is not None else None
    subject = next(iter(arguments(start)), None) if start is not None else None
    if subject is None or not args:
        return [Assertion(line(node), text(node), "call", "Expect")]
    matcher = raw(args[0]).partition("(")[0].rpartition(".")[2]
    op = _CHECKERS.get(matcher, "call")
    if last in ("NotTo", "ToNot", "ShouldNot"):
        op = "not-none" if matcher == "BeNil" else _NEGATED.get(op, op)
    return [_made(node, text(node), op, subject, args[0], scope)]


def _testify(node: "Node", last: str, claim: "list[Node]", scope: Scope) -> Assertion:
    op = _TESTIFY.get(last, "call")
    if not claim:
        return Assertion(line(node), text(node), "call", last)
    first, rest = claim[0], claim[1:]
    if op in ("equals", "loosely-equals", "differs", "approx") and rest and last not in _NO_EXPECTED:
        first, rest = rest[0], [first]  # testify names the expected value first
    expected = rest[0] if rest and last not in (*_NO_EXPECTED, "Error") else None
    made = _made(node, text(node), op, first, expected, scope)
    if last in _NO_EXPECTED:
        literal = {"True": "true", "False": "false", "Nil": "nil"}.get(last, last)
        op = "vacuous" if raw(first) == literal else "equals"
        return made._replace(expected=literal, plain_expected=literal, op=op)
    if expected is not None and text(expected) == text(first) and op in ("equals", "loosely-equals"):
        return made._replace(op="vacuous")
    if op == "approx":
        return made._replace(tolerance=_number(claim[2]) if len(claim) > 2 else None)
    if op == "raises":
        return made._replace(exceptions=(text(expected),) if last in ("ErrorIs", "ErrorAs") else ())
    if op in ("order", "strict-order") and expected is not None:
        return _bounded(made, "<" if last.startswith("Less") else ">", expected)
    if op == "type" and len(claim) > 1:
        return _made(node, text(node), op, claim[1], claim[0], scope)
    return made


def _bounded(made: Assertion, sign: str, bound: "Node") -> Assertion:
    return made._replace(
        bound=_number(bound), expected=sign + made.expected, plain_expected=sign + made.plain_expected
    )


def _number(node: "Node") -> float | None:
    said = raw(node).replace("_", "")
    return float(said) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?(?:e-?\d{1,2})?", said) else None
