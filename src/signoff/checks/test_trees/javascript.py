"""Read a JavaScript or TypeScript test file: tests of jest, vitest, mocha, node and tape."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.javascript_body import JavascriptBody, bound_names, first_number
from signoff.checks.test_trees.javascript_declared import (
    FUNCTIONS,
    Called,
    Mode,
    declared,
    is_outermost,
    narrowed,
)
from signoff.checks.test_trees.statements import NameScope, statements
from signoff.checks.test_trees.trees import arguments, field, line, raw, text, walk, word
from signoff.domain.evidence.case_records import COMPUTED, ReadCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node


_NAMED = ("function_declaration", "class_declaration", "generator_function_declaration")
"""Declarations that are read as helpers of their own."""
_OUTSIDE = "(outside of tests)"
_RETRIES = re.compile(r"retries\s*:\s*(\d{1,6})")
_REQUIRED = re.compile(r"(?:await\s+)?(?:require|import)\(\s*['\"`]\.")
_ASSERTS = re.compile(r"\b(?:expect|assert\w*|should|t)\b[.(]")


def read_javascript(root: "Node") -> TestFile:
    """Return the tests of a file and the helpers that assert."""
    reader = _JavaScriptReader(root)
    reader.visit(root, Mode())
    reader.read_outside(root)
    return reader.file()


class _JavaScriptReader:
    def __init__(self, root: "Node") -> None:
        self._cases: dict[str, ReadCase] = {}
        self._twins: dict[str, int] = {}
        self._skips: list[str] = []
        self._mocks: list[str] = []
        self._narrowing: list[str] = []
        self._retries = 0
        self._values = _top_values(root)
        self._scope = NameScope(helpers=_asserting(root, self._values), own=_relative_imports(root))

    def file(self) -> TestFile:
        """Return what was found so far."""
        return TestFile(
            cases=tuple(self._cases.values()),
            skips=tuple(self._skips),
            mocks=tuple(self._mocks),
            retries=self._retries,
            narrowing=tuple(self._narrowing),
        )

    def read_outside(self, root: "Node") -> None:
        """Read what a file asserts outside of any test as a helper: scripts assert as they run."""
        body = JavascriptBody(self._scope_of(root))
        body.walk([node for node in root.named_children if not _is_named(node)])
        if body.assertions:
            case = ReadCase(id=_OUTSIDE, line=1, body="", is_test=False, assertions=tuple(body.assertions))
            self._cases.setdefault(_OUTSIDE, case)

    def _scope_of(self, node: "Node") -> NameScope:
        local, constants = bound_names(node)
        return self._scope._replace(local=local, constants=constants)

    def visit(self, node: "Node", mode: Mode) -> None:
        """Find tests below a node that is no test itself, with what each node on the way adds to them.

        `mode` collects on the way down what holds for every test below: names, skips, cases. A function or
        class is read as a helper only outside of any named block.
        """
        if node.type == "call_expression":
            if called := declared(node):
                self._declare(node, called, mode)
                return
            mode = self._with_cases(mode, _listed(node, "forEach", "map"))
            self._look_outside(node)
        elif node.type == "for_in_statement":
            mode = self._with_cases(mode, field(node, "right"))
        elif node.type == "if_statement":
            for name, when in (("consequence", "if"), ("alternative", "unless")):
                if (branch := field(node, name)) is not None:
                    skip = f"defined only {when} {text(field(node, 'condition'))}"
                    self.visit(branch, mode._replace(skips=(*mode.skips, skip)))
            return
        elif node.type in ("function_declaration", "class_declaration") and not mode.names:
            self._helper(node, node)
        elif node.type == "variable_declarator" and not mode.names and (value := _function_of(node)):
            self._helper(node, value)
        for child in node.named_children:
            self.visit(child, mode)

    def _with_cases(self, mode: Mode, node: "Node | None") -> Mode:
        cases = self._cases_of(node)
        return mode._replace(parameters=(*mode.parameters, ("loop", cases))) if len(cases) > 1 else mode

    def _cases_of(self, node: "Node | None") -> tuple[str, ...]:
        """Return the cases of a literal list, object or table, and one computed case for anything else.

        A name is looked up once among the constants of the file. `Object.entries(x)` and its siblings have
        as many cases as `x`.
        """
        if node is not None and node.type == "identifier":
            node = self._values.get(raw(node), node)
        if node is None:
            return ()
        match node.type:
            case "array" | "object":
                return tuple(text(child) for child in node.named_children if child.type != "comment")
            case "template_string":
                rows = [row for row in raw(node).strip("`").split("\n")[1:] if row.strip()]
                return tuple(" ".join(row.split()) for row in rows)
            case "call_expression" if word(node, "function").startswith("Object.") and arguments(node):
                return self._cases_of(arguments(node)[0])
            case _:
                return (COMPUTED + text(node),)

    def _look_outside(self, node: "Node") -> None:
        body = JavascriptBody(self._scope)
        body.call(node, ())
        self._mocks += body.mocks
        name = word(node, "function")
        if name.rpartition(".")[2] in ("retryTimes", "retries"):
            self._retries = max(self._retries, first_number(node))
        if name.endswith("describe.configure") and (found := _RETRIES.search(raw(node))):
            self._retries = max(self._retries, int(found[1]))
        if name in ("this.skip", "process.exit"):
            self._skips.append(text(node))

    def _helper(self, node: "Node", function: "Node") -> None:
        name = word(node, "name")
        case = self._read_body(name, function, Mode())
        if case.assertions:
            self._cases.setdefault(name, case._replace(is_test=False))

    # --- a test ---

    def _declare(self, node: "Node", called: Called, mode: Mode) -> None:
        inner = narrowed(mode, called)
        if called.table is not None:
            inner = inner._replace(parameters=(*inner.parameters, ("each", self._cases_of(called.table))))
        name, words, body = " > ".join((*mode.names, called.name)), ".".join(called.words), called.body
        inside = inner._replace(names=(*mode.names, called.name))
        if called.is_suite:
            self._narrowing += [f"{words} {name}"] if called.is_only else []
            for child in body.named_children if body is not None else ():
                self.visit(child, inside)
            return
        known = self._free_name(name)
        if body is None:
            self._cases[known] = ReadCase(
                id=known, line=line(node), body="", is_empty=True, skips=("no body",)
            )
            return
        case = self._read_body(known, body, inner)
        self._cases[known] = case._replace(line=line(node), focus=(words,) if called.is_only else ())
        for child in walk(body):  # the subtests of `node --test` and tape
            if child.type == "call_expression" and (subtest := declared(child)) and is_outermost(child, body):
                self._declare(child, subtest, inside)

    def _free_name(self, name: str) -> str:
        """Return the name, numbered where an earlier test has it already."""
        known = name
        while known in self._cases:
            self._twins[name] = self._twins.get(name, 1) + 1
            known = f"{name} #{self._twins[name]}"
        return known

    def _read_body(self, name: str, function: "Node", mode: Mode) -> ReadCase:
        scope = self._scope_of(function)
        body = JavascriptBody(scope)
        block = field(function, "body") or function
        is_block = block.type == "statement_block"
        if is_block:
            body.walk(statements(block))
        else:
            body.statement(block, ())
        loops: list[tuple[str, tuple[str, ...]]] = []
        for part in walk(block) if body.assertions else ():
            listed = field(part, "right") if part.type == "for_in_statement" else _listed(part, "forEach")
            if len(cases := self._cases_of(listed)) > 1:
                loops.append((f"loop {part.start_point[0] - block.start_point[0]}", cases))
        return ReadCase(
            id=name,
            line=line(function),
            body=text(block, scope.local),
            is_empty=is_block and all(part.type == "empty_statement" for part in statements(block)),
            skips=(*mode.skips, *body.skips),
            xfails=mode.xfails,
            parameters=(*mode.parameters, *loops),
            assertions=tuple(body.assertions),
            mocks=tuple(body.mocks),
            stubs=body.stubs,
            uses=tuple(sorted(set(body.uses))),
            retries=max(mode.retries, body.retries),
        )


def _listed(node: "Node", *methods: str) -> "Node | None":
    """Return the list that a call goes through with one of the methods: `[…].forEach(x => it(…))`."""
    function = field(node, "function") if node.type == "call_expression" else None
    is_loop = function is not None and function.type == "member_expression"
    return field(function, "object") if is_loop and word(function, "property") in methods else None


def _is_named(statement: "Node") -> bool:
    """Check whether a statement only declares functions and classes, which are read by themselves."""
    parts = statement.named_children if "_declaration" in statement.type else []
    bound = [part for part in parts if part.type == "variable_declarator"]
    return statement.type in _NAMED or (bool(bound) and all(_function_of(part) for part in bound))


def _function_of(declarator: "Node") -> "Node | None":
    """Return the function that a name is bound to, None if it is bound to something else."""
    value = field(declarator, "value")
    return value if value is not None and value.type in FUNCTIONS else None


def _relative_imports(root: "Node") -> frozenset[str]:
    """Return the names that a file imports from its own project, by a relative path."""
    found: set[str] = set()
    for node in walk(root):
        if node.type == "import_statement":
            if word(node, "source").strip("'\"").startswith("."):
                found |= {raw(part) for part in walk(node) if part.type == "identifier"}
        elif node.type == "variable_declarator" and _REQUIRED.match(word(node, "value")):
            found |= {raw(part) for part in walk(field(node, "name")) if "identifier" in part.type}
    return frozenset(found)


def _top_values(root: "Node") -> "dict[str, Node]":
    return {
        word(node, "name"): value
        for statement in root.named_children
        if "declaration" in statement.type
        for node in statement.named_children
        if node.type == "variable_declarator" and (value := field(node, "value")) is not None
    }


def _asserting(root: "Node", values: "dict[str, Node]") -> frozenset[str]:
    """Return the names of functions of the file that assert, declared as such or bound to a name."""
    named = [
        (word(part, "name"), part) for part in root.named_children if part.type == "function_declaration"
    ]
    bound = [(name, value) for name, value in values.items() if value.type in FUNCTIONS]
    return frozenset(name for name, function in (*named, *bound) if _ASSERTS.search(raw(function)))
