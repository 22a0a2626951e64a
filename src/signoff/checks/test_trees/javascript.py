"""Read a JavaScript or TypeScript test file: tests of jest, vitest, mocha, node and tape."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from signoff.checks.test_trees.javascript_asserts import arguments
from signoff.checks.test_trees.javascript_body import Body, bound_names, first_number
from signoff.checks.test_trees.javascript_declared import (
    FUNCTIONS,
    Called,
    Mode,
    declared,
    is_only,
    is_outermost,
    narrowed,
)
from signoff.checks.test_trees.trees import line, raw, text, walk
from signoff.core.test_integrity.records import COMPUTED, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node


_NAMED = ("function_declaration", "class_declaration", "generator_function_declaration")
"""Read as helpers of their own."""
_OUTSIDE = "(outside of tests)"
_ASSERTS = re.compile(r"\b(?:expect|assert\w*|should|t)\b[.(]")


def read_javascript(root: "Node") -> TestFile:
    """Give the records of a file."""
    reader = _Reader(root)
    reader.visit(root, Mode())
    reader.read_outside(root)
    return reader.file()


class _Reader:
    def __init__(self, root: "Node") -> None:
        self._cases: dict[str, TestCase] = {}
        self._twins: dict[str, int] = {}
        self._skips: list[str] = []
        self._mocks: list[str] = []
        self._narrowing: list[str] = []
        self._retries = 0
        self._own = _relative_imports(root)
        self._values = _top_values(root)
        self._helpers = _asserting(root)

    def file(self) -> TestFile:
        return TestFile(
            cases=tuple(self._cases.values()),
            skips=tuple(self._skips),
            mocks=tuple(self._mocks),
            retries=self._retries,
            narrowing=tuple(self._narrowing),
        )

    def read_outside(self, root: "Node") -> None:
        """Take what a file asserts outside of any test as a helper: scripts assert as they run."""
        body = Body(self._own, self._helpers, *bound_names(root))
        body.walk([node for node in root.named_children if not _is_named(node)], ())
        if body.assertions:
            case = TestCase(id=_OUTSIDE, line=1, body="", is_test=False, assertions=tuple(body.assertions))
            self._cases.setdefault(_OUTSIDE, case)

    def visit(self, node: "Node", mode: Mode) -> None:
        """Look for tests below a node that is no test itself."""
        if node.type == "call_expression":
            if called := declared(node):
                self._declare(node, called, mode)
                return
            mode = self._looped(node, mode)
            self._look_outside(node)
        elif node.type == "for_in_statement":
            mode = self._with_cases(mode, node.child_by_field_name("right"))
        elif node.type == "if_statement":
            condition = node.child_by_field_name("condition")
            self._visit_if(node, text(condition), mode)
            return
        elif node.type in ("function_declaration", "class_declaration") and not mode.names:
            self._helper(node, node)
        elif node.type == "variable_declarator" and not mode.names and (value := _function_of(node)):
            self._helper(node, value)
        for child in node.named_children:
            self.visit(child, mode)

    def _visit_if(self, node: "Node", condition: str, mode: Mode) -> None:
        for field, word in (("consequence", "if"), ("alternative", "unless")):
            branch = node.child_by_field_name(field)
            if branch is not None:
                self.visit(branch, mode._replace(skips=(*mode.skips, f"defined only {word} {condition}")))

    def _looped(self, node: "Node", mode: Mode) -> Mode:
        """Take in `[…].forEach(x => it(…))`."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "member_expression":
            return mode
        if raw(function.child_by_field_name("property")) not in ("forEach", "map"):
            return mode
        return self._with_cases(mode, function.child_by_field_name("object"))

    def _with_cases(self, mode: Mode, node: "Node | None") -> Mode:
        cases = self._cases_of(node)
        return mode._replace(parameters=(*mode.parameters, ("loop", cases))) if len(cases) > 1 else mode

    def _cases_of(self, node: "Node | None") -> tuple[str, ...]:
        if node is not None and node.type == "identifier":
            node = self._values.get(raw(node), node)
        if node is not None and node.type in ("array", "object"):
            return tuple(text(child) for child in node.named_children if child.type != "comment")
        if node is not None and node.type == "template_string":
            rows = [row for row in raw(node).strip("`").split("\n")[1:] if row.strip()]
            return tuple(" ".join(row.split()) for row in rows)
        if node is not None and node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and raw(function).startswith("Object.") and arguments(node):
                return self._cases_of(arguments(node)[0])
        return (COMPUTED + text(node),) if node is not None else ()

    def _look_outside(self, node: "Node") -> None:
        body = Body(self._own, self._helpers, frozenset(), frozenset())
        body.call(node, ())
        self._mocks += body.mocks
        name = raw(node.child_by_field_name("function"))
        if name.rpartition(".")[2] in ("retryTimes", "retries"):
            self._retries = max(self._retries, first_number(node))
        if name.endswith("describe.configure"):
            found = re.search(r"retries\s*:\s*(\d{1,6})", raw(node))
            self._retries = max(self._retries, int(found[1]) if found else 0)
        if name in ("this.skip", "process.exit"):
            self._skips.append(text(node))

    def _helper(self, node: "Node", function: "Node") -> None:
        name = raw(node.child_by_field_name("name"))
        case = self._read_body(name, function, Mode())
        if case.assertions:
            self._cases.setdefault(name, case._replace(is_test=False))

    # --- a test ---

    def _declare(self, node: "Node", called: Called, mode: Mode) -> None:
        inner = narrowed(mode, called)
        if called.table is not None:
            inner = inner._replace(parameters=(*inner.parameters, ("each", self._cases_of(called.table))))
        name = " > ".join((*mode.names, called.name))
        if called.is_suite:
            if is_only(called):
                self._narrowing.append(f"{'.'.join(called.words)} {name}")
            for child in called.body.named_children if called.body is not None else ():
                self.visit(child, inner._replace(names=(*mode.names, called.name)))
            return
        known = self._free_name(name)
        body = called.body
        if body is None:
            self._cases[known] = TestCase(
                id=known, line=line(node), body="", is_empty=True, skips=("no body",)
            )
            return
        case = self._read_body(known, body, inner)
        self._cases[known] = case._replace(
            line=line(node), focus=(".".join(called.words),) if is_only(called) else ()
        )
        self._nested(body, inner._replace(names=(*mode.names, called.name)))

    def _free_name(self, name: str) -> str:
        """Give the name, numbered where an earlier test has it already."""
        known = name
        while known in self._cases:
            self._twins[name] = self._twins.get(name, 1) + 1
            known = f"{name} #{self._twins[name]}"
        return known

    def _nested(self, body: "Node", mode: Mode) -> None:
        """Find the subtests of `node --test` and tape."""
        for child in walk(body):
            if child.type == "call_expression" and (called := declared(child)) and is_outermost(child, body):
                self._declare(child, called, mode)

    def _read_body(self, name: str, function: "Node", mode: Mode) -> TestCase:
        local, constants = bound_names(function)
        body = Body(self._own, self._helpers, local, constants)
        block = function.child_by_field_name("body") or function
        if block.type == "statement_block":
            body.walk(block.named_children, ())
        else:
            body.statement(block, ())
        is_empty = block.type == "statement_block" and not any(
            child.type not in ("comment", "empty_statement") for child in block.named_children
        )
        return TestCase(
            id=name,
            line=line(function),
            body=text(block, local),
            is_empty=is_empty,
            skips=(*mode.skips, *body.skips),
            xfails=mode.xfails,
            parameters=(*mode.parameters, *self._body_loops(block, body)),
            assertions=tuple(body.assertions),
            mocks=tuple(body.mocks),
            stubs=body.stubs,
            uses=tuple(sorted(set(body.uses))),
            retries=max(mode.retries, body.retries),
        )

    def _body_loops(self, block: "Node", body: "Body") -> "Iterable[tuple[str, tuple[str, ...]]]":
        if not body.assertions:
            return
        for node in walk(block):
            listed = None
            if node.type == "for_in_statement":
                listed = node.child_by_field_name("right")
            elif node.type == "call_expression":
                function = node.child_by_field_name("function")
                is_loop = function is not None and raw(function.child_by_field_name("property")) == "forEach"
                listed = function.child_by_field_name("object") if is_loop and function is not None else None
            if listed is not None and len(cases := self._cases_of(listed)) > 1:
                yield f"loop {node.start_point[0] - block.start_point[0]}", cases


def _is_named(statement: "Node") -> bool:
    """Say whether a statement only declares functions and classes, which are read by themselves."""
    parts = statement.named_children if "_declaration" in statement.type else []
    bound = [part for part in parts if part.type == "variable_declarator"]
    return statement.type in _NAMED or (bool(bound) and all(_function_of(part) for part in bound))


def _function_of(declarator: "Node") -> "Node | None":
    """Give the function that a name is bound to, if it is one."""
    value = declarator.child_by_field_name("value")
    return value if value is not None and value.type in FUNCTIONS else None


def _relative_imports(root: "Node") -> frozenset[str]:
    """Give the names that a file imports from its own project."""
    found: set[str] = set()
    for node in walk(root):
        if node.type == "import_statement":
            if raw(node.child_by_field_name("source")).strip("'\"").startswith("."):
                found |= {raw(part) for part in walk(node) if part.type == "identifier"}
        elif node.type == "variable_declarator":
            value = node.child_by_field_name("value")
            if value is not None and re.match(r"(?:await\s+)?(?:require|import)\(\s*['\"`]\.", raw(value)):
                name = node.child_by_field_name("name")
                found |= {raw(part) for part in walk(name) if "identifier" in part.type} if name else set()
    return frozenset(found)


def _top_values(root: "Node") -> "dict[str, Node]":
    found: dict[str, Node] = {}
    for statement in root.named_children:
        for node in statement.named_children if "declaration" in statement.type else ():
            value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
            if value is not None:
                found[raw(node.child_by_field_name("name"))] = value
    return found


def _asserting(root: "Node") -> frozenset[str]:
    """Give the names of functions of the file that assert, declared as such or bound to a name."""
    functions = [statement for statement in root.named_children if statement.type == "function_declaration"]
    bound = [(name, value) for name, value in _top_values(root).items() if value.type in FUNCTIONS]
    named = [(raw(function.child_by_field_name("name")), function) for function in functions]
    return frozenset(name for name, function in (*named, *bound) if _ASSERTS.search(raw(function)))
