"""Read the statements of a Go test: what it insists on, under which conditions, where it is skipped."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.go_asserts import FAILING, TESTS, asserting_call, failing_condition
from signoff.checks.test_trees.statements import Body, guard, statements
from signoff.checks.test_trees.trees import arguments, field, raw
from signoff.domain.evidence.case_records import under

if TYPE_CHECKING:
    from tree_sitter import Node

_CASES = ("expression_case", "default_case", "type_case", "communication_case")
_SKIPS = (".Skip", ".Skipf", ".SkipNow")
_FAILS = re.compile(r"\.(?:Error|Fatal|Fail)|\b(?:assert|require)\.|\bpanic\(")


class GoBody(Body):
    """The assertions and skips of one Go function."""

    def statement(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Read one statement or expression with everything in it.

        Each kind that changes the guards has its own branch. A function literal that recovers without
        failing the test swallows the failures of what it holds.
        """
        if node.type == "if_statement":
            self._if(node, guards)
        elif node.type == "for_statement":
            self._for(node, guards)
        elif node.type == "block" or node.type in _CASES:
            self.walk(statements(node), guards)
        elif node.type == "func_literal":
            block = field(node, "body")
            body = raw(block)
            is_named = node.parent is not None and node.parent.type == "short_var_declaration"
            is_recovering = re.search(r"\brecover\(\)", body) and not _FAILS.search(body) and not is_named
            self.walk(statements(block), (*guards, "swallowed") if is_recovering else guards)
        elif node.type == "call_expression":
            self._call(node, guards)
        else:
            for child in node.named_children:
                self.statement(child, guards)

    def _ends(self, node: "Node") -> bool:
        return super()._ends(node) or _called_name(node).endswith(_SKIPS)

    def _for(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Read a loop. One over a part of a list insists on less than one over all of it."""
        for child in node.named_children:
            right = field(child, "right") if child.type == "range_clause" else None
            if right is not None and right.type == "slice_expression":
                guards = (*guards, f"only for {self._text(right)}")
            self.statement(child, guards)

    def _if(self, node: "Node", guards: tuple[str, ...]) -> None:
        condition, block = field(node, "condition"), field(node, "consequence")
        start, other = field(node, "initializer"), field(node, "alternative")
        if start is not None:
            self.statement(start, guards)
        # A block that says, whatever else it does, that the test failed, makes the condition the claim.
        is_failing = any(_called_name(part).rpartition(".")[2] in FAILING for part in statements(block))
        if condition is not None and is_failing:
            claims = failing_condition(node, condition, self._scope)
            self.assertions += [claim._replace(guards=guards) for claim in claims]
            self.statement(condition, guards)
        elif condition is not None:
            self.walk(statements(block), (*guards, guard("if", self._text(condition))))
        if other is not None:
            unless = (*guards, guard("unless", self._text(condition)))
            self.statement(other, guards if is_failing else unless)

    def _call(self, node: "Node", guards: tuple[str, ...]) -> None:
        function = field(node, "function")
        head, _, last = raw(function).rpartition(".")
        if f".{last}" in _SKIPS and head in TESTS | {"s"}:
            self.skips.append(under(f"{head}.Skip()", guards))
        elif function is not None and function.type == "func_literal":  # func() { … }(), also behind defer
            self.statement(function, guards)
        else:
            self.assertions += [claim._replace(guards=guards) for claim in asserting_call(node, self._scope)]
        for child in arguments(node):
            self.statement(child, guards)


def _called_name(node: "Node") -> str:
    """Return the name of the function that a statement calls, empty if it is no plain call."""
    if node.type == "expression_statement" and node.named_children:
        node = node.named_children[0]
    return raw(field(node, "function")) if node.type == "call_expression" else ""
