"""Read what JavaScript's assertions insist on: jest, vitest, chai, node:assert, tape, ava and their kin."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.javascript_matchers import (
    ANYTHING,
    BARE,
    COMPARE,
    CONTEXTS,
    HELPER,
    LITERALS,
    LOOSE,
    MATCHERS,
    NEGATED,
    NONE,
)
from signoff.checks.test_trees.trees import line, raw, text
from signoff.core.test_integrity.records import Assertion

if TYPE_CHECKING:
    from tree_sitter import Node


def chain(node: "Node | None") -> "tuple[Node | None, list[str]]":
    """Give what a chain of members and calls starts from, and its words: `expect(x)`, then `not`, `toBe`."""
    words: list[str] = []
    while node is not None and node.type in ("member_expression", "call_expression", "await_expression"):
        if node.type == "call_expression":
            inner = node.child_by_field_name("function")
            if inner is not None and inner.type == "identifier":
                break
            node = inner
        elif node.type == "await_expression":
            node = node.named_children[0]
        else:
            words.append(raw(node.child_by_field_name("property")))
            node = node.child_by_field_name("object")
    return node, words[::-1]


def arguments(call: "Node") -> "list[Node]":
    """Give the arguments of a call, without comments."""
    listed = call.child_by_field_name("arguments")
    return [] if listed is None else [node for node in listed.named_children if node.type != "comment"]


def read_assertion(
    node: "Node", local: frozenset[str], helpers: frozenset[str], constants: frozenset[str]
) -> list[Assertion]:
    """Give what an expression insists on, if it is one that asserts."""
    start, words = chain(node)
    is_call = node.type == "call_expression"
    args = arguments(node) if is_call else []
    if start is not None and start.type == "call_expression":
        name = raw(start.child_by_field_name("function"))
        if name == "expect" and words:
            return [_expect(node, start, words, args, local, constants)]
    if not is_call:
        return _should(node, start, words, local)
    name = raw(node.child_by_field_name("function")) if not words else ".".join((raw(start), *words))
    if name == "assert" and args:
        return _truth(node, args[0], local, constants)
    head, _, last = name.rpartition(".")
    is_context = head in CONTEXTS or head.startswith("assert") or head.endswith(".assert")
    if (is_context and (last in MATCHERS or last in ("plan", "fail"))) or (not head and last in BARE):
        return _context(node, head, last, args, local, constants)
    if "should" in words:
        return _should(node, start, words, local)
    if words[-1:] in (["expect"], ["assertions"]) or HELPER.match(last) or last in helpers:
        if last == "expect" and not words:
            return []
        return [_call(node, name if len(name) < 60 else last, args, local)]
    return []


def _call(node: "Node", name: str, args: "list[Node]", local: frozenset[str]) -> Assertion:
    expected = ", ".join(text(arg) for arg in args)
    plain = ", ".join(text(arg, local) for arg in args)
    return Assertion(line(node), text(node), "call", name, expected, name, plain)


def _should(node: "Node", start: "Node | None", words: list[str], local: frozenset[str]) -> list[Assertion]:
    if "should" not in words or start is None:
        return []
    subject = ".".join((text(start), *words[: words.index("should")]))
    known = [word for word in words if word in MATCHERS]
    op = MATCHERS[known[-1]] if known else "call"
    args = arguments(node) if node.type == "call_expression" else []
    return [
        _made(node, NEGATED.get(op, op) if "not" in words else op, start, args[:1], local)._replace(
            subject=subject
        )
    ]


def _made(node: "Node", op: str, subject: "Node", args: "list[Node]", local: frozenset[str]) -> Assertion:
    expected = ", ".join(text(arg) for arg in args)
    return Assertion(
        line(node),
        text(node),
        op,
        text(subject),
        expected,
        text(subject, local),
        ", ".join(text(arg, local) for arg in args),
        wildcards=len(ANYTHING.findall(expected)),
    )


def _expect(
    node: "Node",
    start: "Node",
    words: list[str],
    args: "list[Node]",
    local: frozenset[str],
    constants: frozenset[str],
) -> Assertion:
    subject = (arguments(start) or [start])[0]
    is_negated = "not" in words
    known = [word for word in words if word in MATCHERS]
    last = known[-1] if known else words[-1]
    op = MATCHERS.get(last, "call")
    if is_negated:
        op = "not-none" if last in NONE else NEGATED.get(op, "differs")
    elif last in ("keys",) and "any" in words:
        op = "contains"
    made = _sharpened(_made(node, op, subject, args, local), last, args)
    if "rejects" in words or "resolves" in words or "eventually" in words:
        made = made._replace(guards=() if _is_awaited(node) else ("not awaited",))
        if "rejects" in words and made.op != "raises":
            made = made._replace(subject=f"rejected {made.subject}")
    if last in NONE or last in ("true", "false", "empty", "NaN") or last.startswith("isTrue"):
        made = made._replace(expected=last, plain_expected=last)
    if _is_constant(subject, constants) and all(_is_constant(arg, constants) for arg in args):
        return made._replace(op="vacuous")
    if args and op in ("equals", "loosely-equals") and text(subject) == text(args[0]):
        return made._replace(op="vacuous")
    return made


def _sharpened(made: Assertion, last: str, args: "list[Node]") -> Assertion:
    if made.op == "approx":
        number = _number(args[-1]) if len(args) > 1 else None
        if last == "toBeCloseTo":
            made = made._replace(tolerance=10.0 ** -(min(number, 300) if number is not None else 2))
        else:
            made = made._replace(tolerance=number)
        kept = args[:1]
        return made._replace(expected=", ".join(map(text, kept)), plain_expected=", ".join(map(text, kept)))
    if made.op in ("order", "strict-order"):
        is_upper = "Less" in last or last in ("below", "most", "lt", "lte", "isBelow", "isAtMost")
        sign = "<" if is_upper else ">"
        return made._replace(
            bound=_number(args[0]) if args else None,
            expected=sign + made.expected,
            plain_expected=sign + made.plain_expected,
        )
    if made.op == "raises":
        types = tuple(text(arg) for arg in args if arg.type in ("identifier", "member_expression"))
        match = next((text(arg) for arg in args if arg.type not in ("identifier", "member_expression")), "")
        return made._replace(exceptions=types, expected=match, plain_expected=match)
    if last == "toBeTypeOf" or made.op == "type":
        return made._replace(members=(made.expected,))
    return made


def _number(node: "Node | None") -> float | None:
    said = raw(node).replace("_", "")
    if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?(?:e-?\d{1,2})?", said):
        return float(said)
    return None


def _is_awaited(node: "Node") -> bool:
    parent = node.parent
    while parent is not None and parent.type in (
        "member_expression",
        "call_expression",
        "arguments",
        "array",
        "parenthesized_expression",
    ):
        parent = parent.parent
    return parent is not None and parent.type != "expression_statement"


def _is_constant(node: "Node", constants: frozenset[str]) -> bool:
    if node.type == "template_string":
        return "${" not in raw(node)
    if node.type == "unary_expression":
        return all(_is_constant(child, constants) for child in node.named_children)
    if node.type == "binary_expression":
        return all(_is_constant(child, constants) for child in node.named_children)
    return node.type in LITERALS or (node.type == "identifier" and raw(node) in constants)


def _truth(node: "Node", claim: "Node", local: frozenset[str], constants: frozenset[str]) -> list[Assertion]:
    """Give what `assert(claim)` insists on."""
    while claim.type == "parenthesized_expression":
        claim = claim.named_children[0]
    if _is_constant(claim, constants):
        return [_made(node, "vacuous", claim, [], local)]
    if claim.type == "unary_expression" and raw(claim).startswith("!"):
        return [_made(node, "falsy", claim.named_children[0], [], local)]
    if claim.type == "binary_expression":
        sign = raw(claim.child_by_field_name("operator"))
        left, right = claim.child_by_field_name("left"), claim.child_by_field_name("right")
        if left is None or right is None:
            return [_made(node, "truthy", claim, [], local)]
        if sign == "&&":
            return [*_truth(node, left, local, constants), *_truth(node, right, local, constants)]
        if sign == "||":
            is_free = _is_constant(left, constants) or _is_constant(right, constants)
            return [_made(node, "vacuous" if is_free else "any", left, [right], local)]
        if sign in COMPARE:
            op = "vacuous" if text(left) == text(right) and "=" in sign else COMPARE[sign]
            made = _made(node, op, left, [right], local)
            if op in ("order", "strict-order"):
                made = made._replace(bound=_number(right), expected=sign[0] + made.expected)
            return [made]
    return [_made(node, "truthy", claim, [], local)]


def _context(
    node: "Node", head: str, last: str, args: "list[Node]", local: frozenset[str], constants: frozenset[str]
) -> list[Assertion]:
    if last in ("plan", "fail") or not args:
        return [_call(node, f"{head}.{last}", args, local)]
    op = MATCHERS[last]
    if op == "truthy":
        return _truth(node, args[0], local, constants)
    if op == "falsy":
        return [_made(node, "falsy", args[0], [], local)]
    if op == "equals" and last in LOOSE and (head == "assert" or head.endswith(".assert")):
        op = "loosely-equals"
    kept = args[1:] if op in ("raises", "approx") else args[1:2]
    if op == "raises":
        kept = [arg for arg in kept if arg.type not in ("string", "template_string")]
    made = _sharpened(_made(node, op, args[0], kept, local), last, kept)
    if last in ("rejects", "throwsAsync") and not _is_awaited(node):
        made = made._replace(guards=("not awaited",))
    is_free = all(_is_constant(arg, constants) for arg in (args[0], *kept)) and op != "raises"
    is_same = op in ("equals", "loosely-equals") and kept and text(args[0]) == text(kept[0])
    return [made._replace(op="vacuous") if is_free or is_same else made]
