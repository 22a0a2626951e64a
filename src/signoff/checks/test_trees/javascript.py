"""Read a JavaScript or TypeScript test file: tests of jest, vitest, mocha, node and tape."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from signoff.checks.test_trees.javascript_asserts import arguments, chain, read_assertion
from signoff.checks.test_trees.trees import line, raw, text, walk
from signoff.core.test_integrity.records import COMPUTED, Assertion, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = frozenset({"it", "test", "specify", "fit", "xit", "xtest", "xspecify", "ftest"})
_SUITES = frozenset({"describe", "context", "suite", "fdescribe", "xdescribe", "xcontext", "module"})
_CONTEXTS = frozenset({"t", "st", "tt", "tap", "QUnit", "Deno", "ava", "s2t"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration", "function",
                        "generator_function", "method_definition"})  # fmt: skip
_HOOKS = frozenset({"beforeEach", "beforeAll", "before", "setup"})
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


class _Mode(NamedTuple):
    """What holds for a test by what stands around it."""

    names: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    xfails: tuple[str, ...] = ()
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    retries: int = 0


class _Called(NamedTuple):
    """A call that declares a test or a suite."""

    is_suite: bool
    name: str
    words: tuple[str, ...]
    body: "Node | None"
    options: str
    table: "Node | None"


def read_javascript(root: "Node") -> TestFile:
    """Give the records of a file."""
    reader = _Reader(root)
    reader.visit(root, _Mode())
    return reader.file()


class _Reader:
    def __init__(self, root: "Node") -> None:
        self._cases: dict[str, TestCase] = {}
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

    def visit(self, node: "Node", mode: _Mode) -> None:
        """Look for tests below a node that is no test itself."""
        if node.type == "call_expression":
            if called := _declared(node):
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
            self._helper(node)
        for child in node.named_children:
            self.visit(child, mode)

    def _visit_if(self, node: "Node", condition: str, mode: _Mode) -> None:
        for field, word in (("consequence", "if"), ("alternative", "unless")):
            branch = node.child_by_field_name(field)
            if branch is not None:
                self.visit(branch, mode._replace(skips=(*mode.skips, f"defined only {word} {condition}")))

    def _looped(self, node: "Node", mode: _Mode) -> _Mode:
        """Take in `[…].forEach(x => it(…))`."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "member_expression":
            return mode
        if raw(function.child_by_field_name("property")) not in ("forEach", "map"):
            return mode
        return self._with_cases(mode, function.child_by_field_name("object"))

    def _with_cases(self, mode: _Mode, node: "Node | None") -> _Mode:
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
        body = _Body(self._own, self._helpers, frozenset(), frozenset())
        body.call(node, ())
        self._mocks += body.mocks
        name = raw(node.child_by_field_name("function"))
        if name.rpartition(".")[2] in ("retryTimes", "retries"):
            self._retries = max(self._retries, _first_number(node))
        if name.endswith("describe.configure"):
            found = re.search(r"retries\s*:\s*(\d{1,6})", raw(node))
            self._retries = max(self._retries, int(found[1]) if found else 0)
        if name in ("this.skip", "process.exit"):
            self._skips.append(text(node))

    def _helper(self, node: "Node") -> None:
        name = raw(node.child_by_field_name("name"))
        case = self._read_body(name, node, _Mode())
        if case.assertions:
            self._cases.setdefault(name, case._replace(is_test=False))

    # --- a test ---

    def _declare(self, node: "Node", called: _Called, mode: _Mode) -> None:
        inner = _narrowed(mode, called)
        if called.table is not None:
            inner = inner._replace(parameters=(*inner.parameters, ("each", self._cases_of(called.table))))
        name = " > ".join((*mode.names, called.name))
        if called.is_suite:
            if _is_only(called):
                self._narrowing.append(f"{'.'.join(called.words)} {name}")
            for child in called.body.named_children if called.body is not None else ():
                self.visit(child, inner._replace(names=(*mode.names, called.name)))
            return
        known, count = name, 2
        while known in self._cases:
            known, count = f"{name} #{count}", count + 1
        body = called.body
        if body is None:
            self._cases[known] = TestCase(
                id=known, line=line(node), body="", is_empty=True, skips=("no body",)
            )
            return
        case = self._read_body(known, body, inner)
        self._cases[known] = case._replace(
            line=line(node), focus=(".".join(called.words),) if _is_only(called) else ()
        )
        self._nested(body, inner._replace(names=(*mode.names, called.name)))

    def _nested(self, body: "Node", mode: _Mode) -> None:
        """Find the subtests of `node --test` and tape."""
        for child in walk(body):
            if child.type == "call_expression" and (called := _declared(child)) and _outer(child, body):
                self._declare(child, called, mode)

    def _read_body(self, name: str, function: "Node", mode: _Mode) -> TestCase:
        local, constants = _locals(function)
        body = _Body(self._own, self._helpers, local, constants)
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

    def _body_loops(self, block: "Node", body: "_Body") -> "Iterable[tuple[str, tuple[str, ...]]]":
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


class _Body:
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
        for node in nodes:
            self.statement(node, guards)
            if node.type in _LEAVING:
                guards = (*guards, "unreachable")
            elif node.type == "if_statement" and _leaves(node.child_by_field_name("consequence")):
                guards = (*guards, f"unless {text(node.child_by_field_name('condition'), self._local)}")

    def statement(self, node: "Node", guards: tuple[str, ...]) -> None:
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
        elif node.type in _FUNCTIONS:
            body = node.child_by_field_name("body")
            if body is not None:
                self.statement(body, guards)
        elif node.type == "call_expression" and (_declared(node) is not None):
            return
        else:
            self._expression(node, guards)

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
            self.retries = max(self.retries, _first_number(node))
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


def _is_inner(node: "Node") -> bool:
    """Say whether a member expression is only the beginning of a longer chain."""
    return node.parent is not None and node.parent.type in ("call_expression", "member_expression")


# --- reading declarations ---


def _declared(node: "Node") -> _Called | None:
    """Say which test or suite a call declares; None if none."""
    function = node.child_by_field_name("function")
    table: Node | None = None
    if function is not None and function.type == "call_expression":  # test.each(table)("name", fn)
        listed = function.child_by_field_name("arguments")
        is_template = listed is not None and listed.type == "template_string"
        table = listed if is_template else next(iter(arguments(function)), None)
        function = function.child_by_field_name("function")
        if not raw(function).endswith((".each", ".for", ".skipIf", ".runIf")):
            return None
    if function is None or function.type not in ("identifier", "member_expression"):
        return None
    start, members = chain(function)
    words = (raw(start), *members)
    at = 1 if words[0] in _CONTEXTS and len(words) > 1 else 0
    if words[at] not in _TESTS | _SUITES or (len(words) > at + 4):
        return None
    args = arguments(node)
    body = next((arg for arg in args if arg.type in _FUNCTIONS), None)
    if not args or (
        args[0].type not in ("string", "template_string", "identifier", "binary_expression") and not body
    ):
        return None
    is_suite = words[at] in _SUITES or "describe" in words[at + 1 :]
    inner = body.child_by_field_name("body") if body is not None and is_suite else body
    name = text(args[0]).strip("\"'`") if args[0].type not in _FUNCTIONS else "(unnamed)"
    options = next((text(arg) for arg in args if arg.type == "object"), "")
    if words[-1] in ("skipIf", "runIf") and table is not None:
        words, table, options = words, None, f"{words[-1]}({text(table)})"
    return _Called(is_suite, name, words, inner, options, table)


def _narrowed(mode: _Mode, called: _Called) -> _Mode:
    words, options = called.words, called.options
    skips, xfails = list(mode.skips), list(mode.xfails)
    said = ".".join(words)
    if {"skip", "todo"} & set(words) or (words[0].startswith("x") and words[0] != "xtest.each"):
        skips.append(said)
    if re.search(r"\b(?:skip|todo)\s*:\s*(?!false\b)", options) or options.startswith(("skipIf", "runIf")):
        skips.append(options)
    if {"failing", "fails", "fail"} & set(words) or re.search(r"\b(?:fails|failing)\s*:\s*true", options):
        xfails.append(said)
    found = re.search(r"\b(?:retry|retries)\s*:\s*(\d{1,6})", options)
    retries = max(mode.retries, int(found[1]) if found else 0)
    return mode._replace(skips=tuple(skips), xfails=tuple(xfails), retries=retries)


def _is_only(called: _Called) -> bool:
    has_word = "only" in called.words or called.words[0] in ("fit", "fdescribe", "ftest")
    return has_word or re.search(r"\bonly\s*:\s*true", called.options) is not None


def _outer(node: "Node", body: "Node") -> bool:
    """Say whether no other declaration stands between a call and the body it was found in."""
    parent = node.parent
    while parent is not None and parent.id != body.id:
        if parent.type == "call_expression" and _declared(parent) is not None:
            return False
        parent = parent.parent
    return True


def _leaves(node: "Node | None") -> bool:
    if node is None:
        return False
    if node.type == "statement_block":
        kept = [child for child in node.named_children if child.type != "comment"]
        return bool(kept) and kept[-1].type in ("return_statement", "continue_statement", "break_statement")
    return node.type in ("return_statement", "continue_statement", "break_statement")


def _first_number(node: "Node") -> int:
    args = arguments(node)
    said = raw(args[0]) if args else ""
    return int(said) if re.fullmatch(r"\d{1,6}", said) else 1


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
    """Give the names of functions of the file that assert."""
    found = set()
    for statement in root.named_children:
        if statement.type == "function_declaration" and re.search(
            r"\b(?:expect|assert\w*|should|t)\b[.(]", raw(statement)
        ):
            found.add(raw(statement.child_by_field_name("name")))
    return frozenset(found)


def _locals(function: "Node") -> tuple[frozenset[str], frozenset[str]]:
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
