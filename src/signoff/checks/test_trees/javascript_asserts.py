"""Read what JavaScript's assertions insist on: jest, vitest, chai, node:assert, tape, ava and their kin."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.statements import NameScope, bounded, call_claim, claim
from signoff.checks.test_trees.trees import arguments, field, number, raw, text, word
from signoff.domain.evidence.case_records import Assertion
from signoff.text.word_lists import by_word
from signoff.text.word_lists import words as word_list

if TYPE_CHECKING:
    from tree_sitter import Node

_MATCHERS = by_word({
    "equals": "toBe toEqual toStrictEqual toBeNull toBeUndefined toBeNaN equal equals eql eq eqls true false "
              "null undefined empty deepEqual deepStrictEqual strictEqual is same strictSame isTrue isFalse "
              "isNull isUndefined NaN toHaveTextContent toHaveValue toHaveText toHaveAttribute",
    "truthy": "toBeTruthy ok exist truthy assert isOk toBeVisible toBeInTheDocument",
    "falsy": "toBeFalsy notOk falsy isNotOk",
    "not-none": "toBeDefined exists isDefined isNotNull isExist",
    "differs": "notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notSame isNot isNotTrue",
    "contains": "toContain toContainEqual toHaveProperty include includes contain contains property members",
    "matches": "toMatch match regex matches string",
    "subset": "toMatchObject like toMatchInlineObject containSubset",
    "equals-part": "toHaveLength lengthOf length keys sameMembers toHaveCount",
    "strict-order": "toBeGreaterThan toBeLessThan above below greaterThan lessThan gt lt isAbove isBelow",
    "order": "toBeGreaterThanOrEqual toBeLessThanOrEqual least most gte lte isAtLeast isAtMost within",
    "approx": "toBeCloseTo closeTo approximately",
    "raises": "toThrow toThrowError throws throw rejects throwsAsync rejected rejectedWith "
              "toThrowErrorMatchingSnapshot",
    "mock-called": "toHaveBeenCalled toBeCalled called toHaveReturned",
    "mock-called-once": "toHaveBeenCalledTimes toBeCalledTimes calledOnce callCount toHaveBeenCalledOnce",
    "mock-called-with": "toHaveBeenCalledWith toBeCalledWith toHaveBeenLastCalledWith "
                        "toHaveBeenNthCalledWith calledWith lastCalledWith",
    "mock-called-once-with": "toHaveBeenCalledExactlyOnceWith calledOnceWith",
    "snapshot": "toMatchSnapshot toMatchInlineSnapshot snapshot matchSnapshot",
    "type": "toBeInstanceOf a an instanceof instanceOf typeOf isArray isString isObject isFunction isNumber "
            "toBeTypeOf",
})  # fmt: skip
"""What each matcher or assertion says, as an operation of `assertion_strength.STRENGTHS`."""
_NEGATED = {"equals": "differs", "truthy": "falsy", "falsy": "truthy", "not-none": "equals",
           "contains": "excludes", "matches": "excludes", "differs": "equals", "raises": "call",
           "strict-order": "order", "order": "strict-order"}  # fmt: skip
_COMPARE = {"===": "equals", "==": "loosely-equals", "!==": "differs", "!=": "differs", "<": "strict-order",
           ">": "strict-order", "<=": "order", ">=": "order"}  # fmt: skip
_UPPER = word_list("toBeLessThan toBeLessThanOrEqual lessThan below most lt lte isBelow isAtMost")
"""Orderings that name the most a value may be."""
_LOOSE = frozenset({"equal", "deepEqual"})
_NONE = frozenset({"toBeNull", "toBeUndefined", "null", "undefined", "isNull", "isUndefined"})
_NO_EXPECTED = _NONE | {"true", "false", "empty", "NaN", "isTrue"}
"""Words that name the expected value themselves."""
_CONTEXTS = word_list("t st tt assert tap assertion chai.assert QUnit.assert s2t t2 plan p")
"""What assertions are called on besides `assert`, by custom."""
_BARE = word_list("strictEqual deepStrictEqual deepEqual notStrictEqual notDeepStrictEqual throws rejects")
"""Functions of `node:assert` that are imported by their own names and mean nothing else."""
_HELPER = re.compile(r"_?(?:assert|check|expect|verify|should|ensure|must|validate|fail)(?:[A-Z_]|$)")
_LITERALS = frozenset(
    {"string", "number", "true", "false", "null", "undefined", "template_string", "regex", "unary_expression"}
)
_ANYTHING = re.compile(
    r"\bexpect\.(?:anything|any|objectContaining|arrayContaining|stringContaining|stringMatching)\("
    r"|\bsinon\.match\b|\bmatch\.any\b"
)
_LONGEST_NAME = 60
_NAMES = ("identifier", "member_expression")
_WITHIN = frozenset(
    {"member_expression", "call_expression", "arguments", "array", "parenthesized_expression"}
)


def chain(node: "Node | None") -> "tuple[Node | None, list[str]]":
    """Return what a chain of members and calls starts from and its words: `expect(x)`, then `not`, `toBe`."""
    words: list[str] = []
    while node is not None and node.type in ("member_expression", "call_expression", "await_expression"):
        if node.type == "call_expression":
            inner = field(node, "function")
            if inner is not None and inner.type == "identifier":
                break
            node = inner
        elif node.type == "await_expression":
            node = node.named_children[0]
        else:
            words.append(word(node, "property"))
            node = field(node, "object")
    return node, words[::-1]


def read_assertion(node: "Node", scope: NameScope) -> list[Assertion]:
    """Return what an expression insists on, nothing if it does not assert.

    The start of its chain tells the library: `expect(x)…`, `assert(x)`, a context such as `t`, or `x.should`.
    """
    start, words = chain(node)
    is_call = node.type == "call_expression"
    args = arguments(node) if is_call else []
    if (
        start is not None
        and start.type == "call_expression"
        and words
        and word(start, "function") == "expect"
    ):
        return [_expect(node, start, words, args, scope)]
    if not is_call:
        return _should(node, start, words, scope)
    name = ".".join((raw(start), *words)) if words else word(node, "function")
    if name == "assert" and args:
        return _truth(node, args[0], scope)
    head, _, last = name.rpartition(".")
    is_context = head in _CONTEXTS or head.startswith("assert") or head.endswith(".assert")
    if (is_context and (last in _MATCHERS or last in ("plan", "fail"))) or (not head and last in _BARE):
        return _context(node, head, last, args, scope)
    if "should" in words:
        return _should(node, start, words, scope)
    is_helper = _HELPER.match(last) or last in scope.helpers or words[-1:] == ["assertions"]
    if is_helper and (words or last != "expect"):
        return [call_claim(node, name if len(name) < _LONGEST_NAME else last, args, scope)]
    return []


def _should(node: "Node", start: "Node | None", words: list[str], scope: NameScope) -> list[Assertion]:
    if "should" not in words or start is None:
        return []
    op = next((_MATCHERS[known] for known in reversed(words) if known in _MATCHERS), "call")
    op = _NEGATED.get(op, op) if "not" in words else op
    args = arguments(node) if node.type == "call_expression" else []
    subject = ".".join((text(start), *words[: words.index("should")]))
    return [_made(node, op, start, args[:1], scope)._replace(subject=subject)]


def _made(node: "Node", op: str, subject: "Node", args: "list[Node]", scope: NameScope) -> Assertion:
    made = claim(node, op, subject, args, scope)
    return made._replace(wildcards=len(_ANYTHING.findall(made.expected)))


def _expect(node: "Node", start: "Node", words: list[str], args: "list[Node]", scope: NameScope) -> Assertion:
    """Return the assertion of `expect(subject).not.toBe(args)`.

    The last known word says what is claimed, and the words before it negate it or wait for a promise.
    """
    subject = (arguments(start) or [start])[0]
    last = next((known for known in reversed(words) if known in _MATCHERS), words[-1])
    op = _MATCHERS.get(last, "call")
    if "not" in words:
        op = "not-none" if last in _NONE else _NEGATED.get(op, "differs")
    elif last == "keys" and "any" in words:
        op = "contains"
    made = _sharpened(_made(node, op, subject, args, scope), last, args)
    if {"rejects", "resolves", "eventually"} & set(words):
        made = made._replace(guards=() if _is_awaited(node) else ("not awaited",))
        if "rejects" in words and made.op != "raises":
            made = made._replace(subject=f"rejected {made.subject}")
    if last in _NO_EXPECTED:
        made = made._replace(expected=last, plain_expected=last)
    is_same = bool(args) and op in ("equals", "loosely-equals") and text(subject) == text(args[0])
    return made._replace(op="vacuous") if is_same or _are_constant(scope, subject, *args) else made


def _sharpened(made: Assertion, last: str, args: "list[Node]") -> Assertion:
    """Return an assertion with what its operation needs besides: a tolerance, a bound, types, members."""
    match made.op:
        case "approx":
            given = number(args[-1]) if len(args) > 1 else None
            if last == "toBeCloseTo":  # it counts decimal places, two if none are given
                given = 10.0 ** -(min(given, 300) if given is not None else 2)
            expected = ", ".join(map(text, args[:1]))
            return made._replace(tolerance=given, expected=expected, plain_expected=expected)
        case "order" | "strict-order":
            return bounded(made, "<" if last in _UPPER else ">", args[0] if args else None)
        case "raises":
            types = tuple(text(arg) for arg in args if arg.type in _NAMES)
            match = next((text(arg) for arg in args if arg.type not in _NAMES), "")
            return made._replace(exceptions=types, expected=match, plain_expected=match)
        case _:
            is_type = last == "toBeTypeOf" or made.op == "type"
            return made._replace(members=(made.expected,)) if is_type else made


def _is_awaited(node: "Node") -> bool:
    parent = node.parent
    while parent is not None and parent.type in _WITHIN:
        parent = parent.parent
    return parent is not None and parent.type != "expression_statement"


def _are_constant(scope: NameScope, *nodes: "Node") -> bool:
    """Check whether none of the values can come out otherwise, so that comparing them proves nothing."""
    for node in nodes:
        if node.type in ("unary_expression", "binary_expression"):
            is_constant = _are_constant(scope, *node.named_children)
        elif node.type == "template_string":
            is_constant = "${" not in raw(node)
        else:
            is_constant = node.type in _LITERALS or (
                node.type == "identifier" and raw(node) in scope.constants
            )
        if not is_constant:
            return False
    return True


def _truth(node: "Node", said: "Node", scope: NameScope) -> list[Assertion]:
    """Return what `assert(said)` insists on: `a && b` is two claims, `a || b` says next to nothing.

    Operators are split from the outside in, so each branch deals with one operator. A constant operand
    makes `||` vacuous, and so is comparing an expression with itself, other than by `<` or `>`.
    """
    while said.type == "parenthesized_expression":
        said = said.named_children[0]
    if _are_constant(scope, said):
        return [_made(node, "vacuous", said, [], scope)]
    if said.type == "unary_expression" and raw(said).startswith("!"):
        return [_made(node, "falsy", said.named_children[0], [], scope)]
    left, right = field(said, "left"), field(said, "right")
    if said.type == "binary_expression" and left is not None and right is not None:
        sign = word(said, "operator")
        if sign == "&&":
            return [*_truth(node, left, scope), *_truth(node, right, scope)]
        if sign == "||":
            is_free = _are_constant(scope, left) or _are_constant(scope, right)
            return [_made(node, "vacuous" if is_free else "any", left, [right], scope)]
        if sign in _COMPARE:
            op = "vacuous" if text(left) == text(right) and "=" in sign else _COMPARE[sign]
            made = _made(node, op, left, [right], scope)
            return [bounded(made, sign[0], right) if op in ("order", "strict-order") else made]
    return [_made(node, "truthy", said, [], scope)]


def _context(node: "Node", head: str, last: str, args: "list[Node]", scope: NameScope) -> list[Assertion]:
    """Return what `t.equal(subject, expected, message)` insists on, by what the operation takes."""
    if last in ("plan", "fail") or not args:
        return [call_claim(node, f"{head}.{last}", args, scope)]
    op = _MATCHERS[last]
    if op == "truthy":
        return _truth(node, args[0], scope)
    if op == "falsy":
        return [_made(node, "falsy", args[0], [], scope)]
    if op == "equals" and last in _LOOSE and (head == "assert" or head.endswith(".assert")):
        op = "loosely-equals"
    kept = args[1:] if op in ("raises", "approx") else args[1:2]
    if op == "raises":  # a text behind it is the message
        kept = [arg for arg in kept if arg.type not in ("string", "template_string")]
    made = _sharpened(_made(node, op, args[0], kept, scope), last, kept)
    if last in ("rejects", "throwsAsync") and not _is_awaited(node):
        made = made._replace(guards=("not awaited",))
    is_free = op != "raises" and _are_constant(scope, args[0], *kept)
    is_same = op in ("equals", "loosely-equals") and bool(kept) and text(args[0]) == text(kept[0])
    return [made._replace(op="vacuous") if is_free or is_same else made]
