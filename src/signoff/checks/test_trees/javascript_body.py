"""Go through the statements of a JavaScript test: what it asserts, on which conditions, what it replaces."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.javascript_asserts import arguments, read_assertion
from signoff.checks.test_trees.javascript_declared import FUNCTIONS, declared
from signoff.checks.test_trees.trees import raw, text, walk
from signoff.core.test_integrity.records import Assertion

if TYPE_CHECKING:
    from tree_sitter import Node

_MOCKING = frozenset({"mock", "doMock", "unstable_mockModule", "setMock"})
_FAKED = frozenset(
    [
        "mockReturnValue",
        "mockResolvedValue",
        "mockRejectedValue",
        "mockImplementation",
        "mockReturnValueOnce",
        "mockResolvedValueOnce",
        "mockImplementationOnce",
        "returns",
        "resolves",
        "callsFake",
    ]
)
_LEAVING = frozenset({"return_statement", "throw_statement", "break_statement", "continue_statement"})


class Body:
    """Goes through the statements of a test."""

    def __init__(
        self, own: frozenset[str], helpers: frozenset[str], local: frozenset[str], constants: frozenset[str]
    ) -> None:
        self.assertions: list[Assertion] = []
        self.skips: list[str] = []
        self.mocks: list[str] = []
        self.uses: list[str] = []
        self.stubs = 0
        self.retries = 0
        self._own = own
        self._helpers = helpers
        self._local = local
        self._constants = constants

    def walk(self, nodes: "list[Node]", guards: tuple[str, ...]) -> None:
        """Take in statements in their order; what stands behind an early return is never reached."""
        for node in nodes:
            self.statement(node, guards)
            if node.type in _LEAVING:
                guards = (*guards, "unreachable")
            elif node.type == "if_statement" and _leaves(node.child_by_field_name("consequence")):
                guards = (*guards, f"unless {text(node.child_by_field_name('condition'), self._local)}")

    def statement(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Take in one statement or expression, with all that stands in it."""
        if node.type == "statement_block":
            self.walk(node.named_children, guards)
        elif node.type == "if_statement":
            condition = text(node.child_by_field_name("condition"), self._local)
            for field, word in (("consequence", "if"), ("alternative", "unless")):
                branch = node.child_by_field_name(field)
                if branch is not None:
                    never = (condition, word) in (("(false)", "if"), ("(true)", "unless"))
                    self.statement(branch, (*guards, "unreachable" if never else f"{word} {condition}"))
            return
        elif node.type == "try_statement":
            self._try(node, guards)
        elif node.type == "binary_expression" and raw(node.child_by_field_name("operator")) in ("&&", "||"):
            self._either(node, guards)
        elif node.type == "variable_declarator" and _is_never_called(node):
            self._expression(node, (*guards, "unreachable"))
        elif node.type in FUNCTIONS:
            body = node.child_by_field_name("body")
            if body is not None:
                self.statement(body, guards)
        elif node.type == "call_expression" and (called := declared(node)) is not None:
            if dead := [guard for guard in guards if guard in ("unreachable", "swallowed")]:
                self.skips.append(f"subtest {called.name}: {dead[0]}")
        else:
            self._expression(node, guards)

    def _either(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Take in `a && b`: its right side is only reached if the left one lets it."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        word = "if" if raw(node.child_by_field_name("operator")) == "&&" else "unless"
        said = text(left, self._local)
        never = (said, word) in (("false", "if"), ("true", "unless"))
        if left is not None and right is not None:
            self.statement(left, guards)
            self.statement(right, (*guards, "unreachable" if never else f"{word} ({said})"))

    def _try(self, node: "Node", guards: tuple[str, ...]) -> None:
        body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
        is_swallowed = handler is not None and not re.search(
            r"\b(?:throw|expect|assert\w*|fail|done|reject|should|t)\b\s*[.(]|\bthrow\b", raw(handler)
        )
        if body is not None:
            self.walk(body.named_children, guards + (("swallowed",) if is_swallowed else ()))
        for field in ("handler", "finalizer"):
            part = node.child_by_field_name(field)
            block = part.child_by_field_name("body") if part is not None else None
            if block is not None:
                self.walk(block.named_children, (*guards, "catch") if field == "handler" else guards)

    def _expression(self, node: "Node", guards: tuple[str, ...]) -> None:
        if node.type == "call_expression" or (node.type == "member_expression" and not _is_inner(node)):
            found = read_assertion(node, self._local, self._helpers, self._constants)
            self.assertions += [a._replace(guards=(*guards, *a.guards)) for a in found]
            if found and node.type == "member_expression":
                return
        if node.type == "call_expression":
            self.call(node, guards)
        elif node.type == "new_expression":
            name = raw(node.child_by_field_name("constructor"))
            if name.partition(".")[0] in self._own:
                self.uses.append(name)
        for child in node.named_children:
            self.statement(child, guards)

    def call(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Look at one call: skips, mocks, what is used."""
        function = node.child_by_field_name("function")
        name = raw(function) if function is not None and function.type != "call_expression" else ""
        head, _, last = name.rpartition(".")
        args = arguments(node)
        if last == "skip" and head in ("this", "t", "ctx", "context", "st"):
            conditions = [guard for guard in guards if guard.startswith(("if ", "unless "))]
            self.skips.append(" ".join((f"{head}.skip()", *conditions)))
        elif head in ("jest", "vi", "vitest") and last in _MOCKING and args:
            target = raw(args[0]).strip("'\"`")
            if target.startswith("."):
                self.mocks.append(target)
        elif last in ("fn",) and head in ("jest", "vi"):
            self.stubs += 1
        elif name in ("this.retries", "jest.retryTimes"):
            self.retries = max(self.retries, first_number(node))
        elif name in ("sinon.stub", "sandbox.stub", "t.mock.method", "mock.method") and args:
            self._replaced(args[0])
        elif last in _FAKED or last == "replace":
            self._spied(node)
        if name.partition(".")[0] in self._own:
            self.uses.append(name)

    def _spied(self, node: "Node") -> None:
        for part in walk(node):
            if part.type == "call_expression":
                function = part.child_by_field_name("function")
                if function is not None and raw(function).endswith((".spyOn", ".stub")) and arguments(part):
                    self._replaced(arguments(part)[0])
                    return

    def _replaced(self, target: "Node") -> None:
        if raw(target).partition(".")[0] in self._own:
            self.mocks.append(raw(target))


def _is_never_called(node: "Node") -> bool:
    """Say whether a variable holds a function and its name stands nowhere else in the file."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None or value.type not in FUNCTIONS or name.type != "identifier":
        return False
    if node.parent is not None and node.parent.parent is not None and "export" in node.parent.parent.type:
        return False
    top = node
    while top.parent is not None:
        top = top.parent
    return len(re.findall(rf"(?<![\w$]){re.escape(raw(name))}(?![\w$])", raw(top))) == 1


def _is_inner(node: "Node") -> bool:
    """Say whether a member expression is only the beginning of a longer chain."""
    return node.parent is not None and node.parent.type in ("call_expression", "member_expression")


# --- reading declarations ---


def _leaves(node: "Node | None") -> bool:
    if node is None:
        return False
    if node.type == "statement_block":
        kept = [child for child in node.named_children if child.type != "comment"]
        return bool(kept) and kept[-1].type in ("return_statement", "continue_statement", "break_statement")
    return node.type in ("return_statement", "continue_statement", "break_statement")


def first_number(node: "Node") -> int:
    """Give the first argument of a call; 1 where it is no plain number."""
    args = arguments(node)
    said = raw(args[0]) if args else ""
    return int(said) if re.fullmatch(r"\d{1,6}", said) else 1


def bound_names(function: "Node") -> tuple[frozenset[str], frozenset[str]]:
    """Give the names a function binds, and those that are `const` and a literal."""
    local: set[str] = set()
    constants: set[str] = set()
    for node in walk(function):
        if node.type == "variable_declarator":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None:
                local |= {raw(part) for part in walk(name) if part.type.endswith(("identifier", "pattern"))}
            is_literal = value is not None and value.type in ("string", "number", "true", "false", "null")
            if is_literal and name is not None and raw(node.parent).startswith("const"):
                constants.add(raw(name))
        elif node.type == "formal_parameters":
            local |= {raw(part) for part in walk(node) if part.type == "identifier"}
        elif node.type == "arrow_function":
            parameter = node.child_by_field_name("parameter")
            local |= {raw(parameter)} if parameter is not None else set()
    return frozenset(local), frozenset(constants)
