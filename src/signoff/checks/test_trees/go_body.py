"""Go through the statements of a Go test: what it insists on, on which conditions, where it is skipped."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.go_asserts import FAILING, Scope, arguments, asserting_call, failing_condition
from signoff.checks.test_trees.trees import raw, text

if TYPE_CHECKING:
    from tree_sitter import Node

    from signoff.core.test_integrity.records import Assertion

_LEAVING = ("return_statement", "continue_statement", "break_statement")


def statements(block: "Node") -> "list[Node]":
    """Give the statements of a block, without comments."""
    found: list[Node] = []
    for child in block.named_children:
        found += child.named_children if child.type == "statement_list" else [child]
    return [node for node in found if node.type != "comment"]


class Body:
    """Gathers the assertions and skips of a function."""

    def __init__(self, scope: Scope) -> None:
        self.assertions: list[Assertion] = []
        self.skips: list[str] = []
        self._scope = scope

    def walk(self, nodes: "list[Node]", guards: tuple[str, ...]) -> None:
        """Take in statements in their order; what stands behind an early return is never reached."""
        for node in nodes:
            self._statement(node, guards)
            if node.type in _LEAVING or _is_skip(node):
                guards = (*guards, "unreachable")
            elif node.type == "if_statement" and _leaves(node.child_by_field_name("consequence")):
                guards = (*guards, f"unless {self._text(node.child_by_field_name('condition'))}")

    def _text(self, node: "Node | None") -> str:
        return text(node, self._scope.local)

    def _statement(self, node: "Node", guards: tuple[str, ...]) -> None:
        if node.type == "if_statement":
            self._if(node, guards)
        elif node.type == "for_statement":
            self._for(node, guards)
        elif node.type == "block":
            self.walk(statements(node), guards)
        elif node.type in ("expression_case", "default_case", "type_case", "communication_case"):
            self.walk([child for part in node.named_children for child in _flat(part)], guards)
        elif node.type == "func_literal":
            self._function(node, guards)
        elif node.type == "call_expression":
            self._call(node, guards)
        else:
            for child in node.named_children:
                self._statement(child, guards)

    def _function(self, node: "Node", guards: tuple[str, ...]) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        is_recovering = re.search(r"\brecover\(\)", raw(body)) and not re.search(
            r"\.(?:Error|Fatal|Fail)|\b(?:assert|require)\.|\bpanic\(", raw(body)
        )
        if node.parent is not None and node.parent.type == "short_var_declaration":
            is_recovering = None
        self.walk(statements(body), (*guards, "swallowed") if is_recovering else guards)

    def _for(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Take in a loop; one over a part of a list insists on less than one over all of it."""
        for child in node.named_children:
            right = child.child_by_field_name("right") if child.type == "range_clause" else None
            if right is not None and right.type == "slice_expression":
                guards = (*guards, f"only for {self._text(right)}")
            self._statement(child, guards)

    def _if(self, node: "Node", guards: tuple[str, ...]) -> None:
        condition = node.child_by_field_name("condition")
        block, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        start = node.child_by_field_name("initializer")
        if start is not None:
            self._statement(start, guards)
        is_failing = block is not None and _fails(block)
        if block is not None and condition is not None:
            if is_failing:
                claims = failing_condition(node, condition, self._scope)
                self.assertions += [claim._replace(guards=guards) for claim in claims]
                self._statement(condition, guards)
            else:
                self.walk(statements(block), (*guards, _guard("if", self._text(condition))))
        if other is not None:
            said = _guard("unless", self._text(condition))
            self._statement(other, guards if is_failing else (*guards, said))

    def _call(self, node: "Node", guards: tuple[str, ...]) -> None:
        function = node.child_by_field_name("function")
        head, _, last = raw(function).rpartition(".")
        if last in ("Skip", "Skipf", "SkipNow") and head in (
            "t",
            "b",
            "f",
            "tb",
            "s.T()",
            "suite.T()",
            "c",
            "s",
        ):
            conditions = [guard for guard in guards if guard.startswith(("if ", "unless "))]
            self.skips.append(" ".join((f"{head}.Skip()", *conditions)))
        elif (
            function is not None and function.type == "func_literal"
        ):  # func() { … }(), also behind go and defer
            self._statement(function, guards)
        else:
            self.assertions += [claim._replace(guards=guards) for claim in asserting_call(node, self._scope)]
        for child in arguments(node):
            self._statement(child, guards)


def _flat(node: "Node") -> "list[Node]":
    return node.named_children if node.type == "statement_list" else [node]


def _guard(word: str, condition: str) -> str:
    return (
        "unreachable" if (word, condition) in (("if", "false"), ("unless", "true")) else f"{word} {condition}"
    )


def _fails(block: "Node") -> bool:
    """Say whether a block says, whatever else it does, that the test failed."""
    return any(
        (call := _called(node)) is not None
        and raw(call.child_by_field_name("function")).rpartition(".")[2] in FAILING
        for node in statements(block)
    )


def _called(node: "Node") -> "Node | None":
    if node.type == "expression_statement" and node.named_children:
        node = node.named_children[0]
    return node if node.type == "call_expression" else None


def _is_skip(node: "Node") -> bool:
    call = _called(node)
    return call is not None and raw(call.child_by_field_name("function")).endswith(
        (".Skip", ".Skipf", ".SkipNow")
    )


def _leaves(block: "Node | None") -> bool:
    last = statements(block)[-1:] if block is not None else []
    return bool(last) and last[0].type in _LEAVING
