"""Read the statements of a JavaScript test: what it asserts, under which conditions, what it replaces."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.javascript_asserts import read_assertion
from signoff.checks.test_trees.javascript_declared import FUNCTIONS, declared
from signoff.checks.test_trees.statements import Body, NameScope, guard, statements
from signoff.checks.test_trees.trees import arguments, field, raw, walk, word
from signoff.domain.evidence.case_records import under
from signoff.text.word_lists import words

if TYPE_CHECKING:
    from tree_sitter import Node

_MOCKING = frozenset({"mock", "doMock", "unstable_mockModule", "setMock"})
_FAKED = words(
    "mockReturnValue mockResolvedValue mockRejectedValue mockImplementation mockReturnValueOnce "
    "mockResolvedValueOnce mockImplementationOnce returns resolves callsFake replace"
)
_STUBBING = frozenset({"sinon.stub", "sandbox.stub", "t.mock.method", "mock.method"})
_TELLS = re.compile(r"\b(?:throw|expect|assert\w*|fail|done|reject|should|t)\b\s*[.(]|\bthrow\b")
"""What a handler does that lets a failure through."""
_LITERALS = ("string", "number", "true", "false", "null")


class JavascriptBody(Body):
    """The assertions, skips and replaced modules of one JavaScript function."""

    def __init__(self, scope: NameScope) -> None:
        super().__init__(scope)
        self.mocks: list[str] = []
        self.uses: list[str] = []
        self.stubs = 0
        self.retries = 0

    def statement(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Read one statement or expression with everything in it, by its type."""
        match node.type:
            case "statement_block":
                self.walk(statements(node), guards)
            case "if_statement":
                for name, when in (("consequence", "if"), ("alternative", "unless")):
                    if (branch := field(node, name)) is not None:
                        self.statement(branch, (*guards, guard(when, self._text(field(node, "condition")))))
            case "try_statement":
                self._try(node, guards)
            case "binary_expression" if (sign := word(node, "operator")) in ("&&", "||"):
                # Its right side is only reached if the left one lets it.
                left, right = field(node, "left"), field(node, "right")
                if left is not None and right is not None:
                    self.statement(left, guards)
                    when = guard("if" if sign == "&&" else "unless", f"({self._text(left)})")
                    self.statement(right, (*guards, when))
            case "variable_declarator" if _is_never_called(node):
                self._expression(node, (*guards, "unreachable"))
            case kind if kind in FUNCTIONS:
                if (body := field(node, "body")) is not None:
                    self.statement(body, guards)
            case "call_expression" if (called := declared(node)) is not None:
                if dead := [one for one in guards if one in ("unreachable", "swallowed")]:
                    self.skips.append(f"subtest {called.name}: {dead[0]}")
            case _:
                self._expression(node, guards)

    def _ends(self, node: "Node") -> bool:
        return super()._ends(node) or node.type == "throw_statement"

    def _try(self, node: "Node", guards: tuple[str, ...]) -> None:
        body, handler = field(node, "body"), field(node, "handler")
        is_swallowed = handler is not None and not _TELLS.search(raw(handler))
        self.walk(statements(body), (*guards, "swallowed") if is_swallowed else guards)
        self.walk(statements(field(handler, "body")), (*guards, "catch"))
        self.walk(statements(field(field(node, "finalizer"), "body")), guards)

    def _expression(self, node: "Node", guards: tuple[str, ...]) -> None:
        # A member expression in a longer chain is only its beginning.
        inner = node.parent is not None and node.parent.type in ("call_expression", "member_expression")
        if node.type == "call_expression" or (node.type == "member_expression" and not inner):
            found = read_assertion(node, self._scope)
            self.assertions += [a._replace(guards=(*guards, *a.guards)) for a in found]
            if found and node.type == "member_expression":
                return
        if node.type == "call_expression":
            self.call(node, guards)
        elif node.type == "new_expression":
            self._use(word(node, "constructor"))
        for child in node.named_children:
            self.statement(child, guards)

    def call(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Read what one call skips, replaces or uses."""
        function = field(node, "function")
        name = raw(function) if function is not None and function.type != "call_expression" else ""
        head, _, last = name.rpartition(".")
        args = arguments(node)
        if last == "skip" and head in ("this", "t", "ctx", "context", "st"):
            self.skips.append(under(f"{head}.skip()", guards))
        elif head in ("jest", "vi", "vitest") and last in _MOCKING and args:
            target = raw(args[0]).strip("'\"`")
            self.mocks += [target] if target.startswith(".") else []
        elif name in ("jest.fn", "vi.fn"):
            self.stubs += 1
        elif name in ("this.retries", "jest.retryTimes"):
            self.retries = max(self.retries, first_number(node))
        elif name in _STUBBING and args:
            self._replace(args[0])
        elif last in _FAKED:
            # Of `jest.spyOn(api, "load").mockReturnValue(…)`, the call at the start names the object.
            calls = (part for part in walk(node) if part.type == "call_expression" and arguments(part))
            spied = (part for part in calls if word(part, "function").endswith((".spyOn", ".stub")))
            if (spy := next(spied, None)) is not None:
                self._replace(arguments(spy)[0])
        self._use(name)

    def _use(self, name: str) -> None:
        if name.partition(".")[0] in self._scope.own:
            self.uses.append(name)

    def _replace(self, target: "Node") -> None:
        if raw(target).partition(".")[0] in self._scope.own:
            self.mocks.append(raw(target))


def _is_never_called(node: "Node") -> bool:
    """Check whether a variable holds a function and its name stands nowhere else in the file."""
    name, value = field(node, "name"), field(node, "value")
    if name is None or value is None or value.type not in FUNCTIONS or name.type != "identifier":
        return False
    if node.parent is not None and node.parent.parent is not None and "export" in node.parent.parent.type:
        return False
    top = node
    while top.parent is not None:
        top = top.parent
    return len(re.findall(rf"(?<![\w$]){re.escape(raw(name))}(?![\w$])", raw(top))) == 1


def first_number(node: "Node") -> int:
    """Return the first argument of a call, 1 where it is no plain number."""
    said = raw(next(iter(arguments(node)), None))
    return int(said) if re.fullmatch(r"\d{1,6}", said) else 1


def bound_names(function: "Node") -> tuple[frozenset[str], frozenset[str]]:
    """Return the names a function binds, and those that are `const` and a literal.

    Each kind of declaration keeps its names under another role of the grammar.
    """
    local: set[str] = set()
    constants: set[str] = set()
    for node in walk(function):
        if node.type == "variable_declarator":
            name, value = field(node, "name"), field(node, "value")
            local |= {raw(part) for part in walk(name) if part.type.endswith(("identifier", "pattern"))}
            if value is not None and value.type in _LITERALS and raw(node.parent).startswith("const"):
                constants.add(raw(name))
        elif node.type == "formal_parameters":
            local |= {raw(part) for part in walk(node) if part.type == "identifier"}
        elif node.type == "arrow_function" and (parameter := field(node, "parameter")) is not None:
            local.add(raw(parameter))
    return frozenset(local), frozenset(constants)
