"""Read the body of a Python test: what it asserts and under which conditions, skips, replaces. Pure."""

import ast
from collections.abc import Iterable, Sequence

from signoff.domain.evidence.case_records import Assertion, under
from signoff.judges.test_integrity.python.assertion_calls import CONTEXTS, read_call, read_raises
from signoff.judges.test_integrity.python.assertions import compare, read_truth
from signoff.judges.test_integrity.python.case_marks import literal_cases, strict_warning, without_reason
from signoff.judges.test_integrity.python.syntax_names import (
    Names,
    elements,
    every_part,
    last_name,
    name_of,
    source,
    string,
    targets_of,
)
from signoff.judges.test_integrity.python.tested_imports import (
    ModuleNames,
    called_in,
    imported_in,
    mock_target,
    shadowed,
)
from signoff.text.word_lists import words

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SKIP_CALLS = frozenset({"skip", "skipTest", "importorskip", "SkipTest"})
_STUBS = words("Mock MagicMock AsyncMock NonCallableMock PropertyMock create_autospec")
_CATCH_ALL = frozenset({"AssertionError", "Exception", "BaseException", "Failed", "fail.Exception"})

_STORES = words("g session request config local settings environ state extensions")
"""Objects that a test sets up by giving them attributes."""
RAISED_HERE = "raised by the test itself"
SKIP = "pytest.skip"
"""Stands for every way to skip from within: unittest's and the exception they raise mean the same."""
IN_RAISES = "in a block that is to raise"


class PythonBody:
    """The assertions, skips and stand-ins of one function, gathered statement by statement."""

    def __init__(
        self, module: ModuleNames, helpers: frozenset[str], function: Function | None = None
    ) -> None:
        self.assertions: list[Assertion] = []
        self.skips: list[str] = []
        self.xfails: list[str] = []
        self.mocks: list[str] = []
        self.uses: list[str] = []
        self.loops: list[tuple[str, tuple[str, ...]]] = []
        self.strict_warnings: list[str] = []
        self.stubs = 0
        self._module = module
        self._helpers = helpers
        parts = every_part(function) if function else []
        self.names = local_names(function, parts) if function else Names()
        loaded = (part for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
        self._loaded = frozenset(part.id for part in loaded)
        self._hidden = module.shared | imported_in(parts) if function else frozenset()
        self._called = called_in(parts)

    def walk(self, statements: Sequence[ast.stmt], guards: tuple[str, ...] = ()) -> None:
        """Read statements that are reached under `guards`."""
        for statement in statements:
            self._read(statement, guards)
            guards += self._after(statement)

    def _after(self, statement: ast.stmt) -> tuple[str, ...]:
        """Return the guards that hold behind a statement which may leave the function."""
        if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return ("unreachable",)
        if isinstance(statement, ast.Expr) and isinstance(call := _awaited(statement.value), ast.Call):
            name = name_of(call.func)
            is_skip = name in ("pytest.skip", "pytest.xfail", "self.skipTest", "sys.exit", "pytest.exit")
            return ("unreachable",) if is_skip else ()
        if isinstance(statement, ast.If) and (
            bool(statement.body) and isinstance(statement.body[-1], (ast.Return, ast.Continue, ast.Break))
        ):
            return (f"unless {self.names.plain(statement.test)}",)
        return ()

    def _read(self, node: ast.stmt, guards: tuple[str, ...]) -> None:
        """Read one statement by its kind. Blocks are walked with the guards that their condition adds.

        One case per kind of statement that holds assertions, skips or blocks. A block whose code cannot run
        gets the guard `unreachable`.
        """
        self.mocks += shadowed(node, self._module, self._hidden, self._called)
        match node:
            case ast.Assert():
                text = f"assert {source(node.test)}"
                found = (a._replace(text=text) for a in read_truth(node.test, self.names))
                self._keep(found, node.lineno, guards)
                self._look(node, guards)
            case ast.If():
                self._read_if(node, guards)
            case ast.For() | ast.AsyncFor():
                self._read_loop(node, guards)
            case ast.While():
                never = isinstance(node.test, ast.Constant) and not node.test.value
                self.walk(node.body, guards + (("unreachable",) if never else ()))
                self.walk(node.orelse, guards)
            case ast.With() | ast.AsyncWith():
                self._read_with(node, guards)
            case ast.Try() | ast.TryStar():
                self._read_try(node, guards)
            case ast.Match():
                for case in node.cases:
                    self.walk(case.body, (*guards, f"case {self.names.plain(case.pattern)}"))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                is_used = node.name in self._loaded or node.decorator_list
                self.walk(node.body, guards if is_used else (*guards, "unreachable"))
            case ast.ClassDef():
                self.walk(node.body, guards)
            case ast.Raise():
                name = last_name(node.exc) if node.exc else ""
                if name in ("SkipTest", "Skipped"):
                    self.skips.append(under(SKIP, guards))
                elif name == "AssertionError":
                    made = Assertion(node.lineno, source(node), "call", "raise AssertionError")
                    self._keep([made._replace(plain_subject=made.subject)], node.lineno, guards)
            case _:
                self._look(node, guards)

    def _keep(self, found: Iterable[Assertion], line: int, guards: tuple[str, ...]) -> None:
        guards = tuple(guard for guard in guards if guard != IN_RAISES)
        self.assertions += [assertion._replace(guards=guards, line=line) for assertion in found]

    def _read_if(self, node: ast.If, guards: tuple[str, ...]) -> None:
        condition = self.names.plain(node.test)
        if isinstance(node.test, ast.Constant):
            taken, other = (node.body, node.orelse) if node.test.value else (node.orelse, node.body)
            self.walk(taken, guards)
            self.walk(other, (*guards, "unreachable"))
            return
        if _is_failing(node.body):
            found = read_truth(node.test, self.names, is_negated=True)
            self._keep((a._replace(text=f"if {source(node.test)}: fail") for a in found), node.lineno, guards)
        else:
            self.walk(node.body, (*guards, f"if {condition}"))
        self.walk(node.orelse, (*guards, f"unless {condition}"))
        self._look(node.test, guards)

    def _read_loop(self, node: ast.For | ast.AsyncFor, guards: tuple[str, ...]) -> None:
        before = len(self.assertions)
        is_none = isinstance(node.iter, (ast.List, ast.Tuple)) and not node.iter.elts
        self.walk(node.body, guards + (("unreachable",) if is_none else ()))
        self.walk(node.orelse, guards)
        self._look(node.iter, guards)
        if len(self.assertions) > before:
            cases = tuple(
                case if isinstance(case, str) else source(case)
                for case in literal_cases(node.iter, self._module)
            )
            if len(cases) > 1 or is_none:
                self.loops.append((f"for {self.names.plain(node.target)}", cases))

    def _read_with(self, node: ast.With | ast.AsyncWith, guards: tuple[str, ...]) -> None:
        """Read a `with` block.

        `raises` and `warns` are claims, and wide ones swallow what fails inside them.
        """
        inner = guards
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and last_name(call) in CONTEXTS:
                asked = tuple(source(part.value) for part in node.body if isinstance(part, ast.Expr))
                found = read_raises(call, self.names)._replace(members=asked)
                # A context manager beside it may be what lets the exception through, and be tested.
                by_itself = len(node.items) == 1 and any(isinstance(part, ast.Raise) for part in node.body)
                is_own = by_itself and found.op == "raises"
                self._keep([found], call.lineno, guards + ((RAISED_HERE,) if is_own else ()))
                if found.op == "raises":
                    is_wide = any(name.rpartition(".")[2] in _CATCH_ALL for name in found.exceptions)
                    inner += (IN_RAISES, *(("swallowed",) if is_wide else ()))
            elif isinstance(call, ast.Call) and last_name(call) == "suppress":
                inner += ("swallowed",) if any(last_name(arg) in _CATCH_ALL for arg in call.args) else ()
            else:
                self._look(call, guards)
        self.walk(node.body, inner)

    def _read_try(self, node: ast.Try | ast.TryStar, guards: tuple[str, ...]) -> None:
        is_swallowed = any(_swallows(handler) for handler in node.handlers)
        self.walk(node.body, guards + (("swallowed",) if is_swallowed else ()))
        for handler in node.handlers:
            kind = source(handler.type) if handler.type else "anything"
            self.walk(handler.body, (*guards, f"except {kind}"))
        is_passed = all(h.type and all(isinstance(part, ast.Pass) for part in h.body) for h in node.handlers)
        if node.orelse and _is_failing(node.orelse) and is_passed:
            # `try: … except Kind: pass` with a failing `else` as the claim it is: `raises(Kind)`.
            types = [source(kind) for handler in node.handlers for kind in elements(handler.type)]
            text = f"try: … except {', '.join(types)}: pass"
            made = Assertion(node.lineno, text, "raises", "raised", "", "raised")
            self._keep([made._replace(exceptions=tuple(sorted(types)))], node.lineno, guards)
        else:
            self.walk(node.orelse, guards)
        self.walk(node.finalbody, guards)

    def _look(self, node: ast.AST, guards: tuple[str, ...]) -> None:
        """Read every call in a statement that is not a block, by the name that is called.

        A call is looked up in a fixed order: skips and marks, warning filters, stand-ins, and assertions
        last.
        """
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._look_at_target(node)
        for part in every_part(node):
            if not isinstance(part, ast.Call):
                continue
            name = name_of(part.func)
            last = name.rpartition(".")[2]
            if last in _SKIP_CALLS and name.partition(".")[0] in ("pytest", "self", "unittest", last):
                if IN_RAISES not in guards:  # there it is what is tested
                    text = without_reason(part, self._module) if last == "importorskip" else SKIP
                    self.skips.append(under(text, guards))
            elif name == "pytest.xfail":
                self.xfails.append(under(without_reason(part, self._module), guards))
            elif name in ("warnings.simplefilter", "warnings.filterwarnings"):
                self.strict_warnings += strict_warning(part)
            elif target := mock_target(part, self._module):
                self.mocks.append(target)
            elif last in _STUBS:
                self.stubs += 1
            elif name == "zip" and len(part.args) == 2 and "strict=True" in map(source, part.keywords):
                sizes = [ast.Call(ast.Name("len"), [arg], []) for arg in part.args]
                same = compare(ast.copy_location(part, part), sizes[0], ast.Eq, sizes[1], self.names)
                self._keep([same], part.lineno, guards)
            elif not isinstance(node, ast.Assert) or last in self._helpers:
                # In `assert made(x) == 3` the helper `made` asserts as well.
                is_statement = isinstance(node, ast.Expr) and _awaited(node.value) is part
                is_alone = is_statement or isinstance(node, ast.Assert)
                found = read_call(part, self.names, self._helpers, is_statement=is_alone)
                self._keep(found, part.lineno, guards)
            if used := self._module.resolved(part.func):
                self.uses.append(used)

    def _look_at_target(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """Add the parts of the subject that an assignment replaces, in an object or in `sys.modules`.

        Setting a plain value on a settings object is how a test is set up, and no replacement. A stand-in
        such as a lambda or a mock counts there too.
        """
        value = node.value
        is_stand_in = isinstance(value, ast.Lambda) or (
            isinstance(value, ast.Call) and last_name(value) in _STUBS
        )
        for target in targets_of(node):
            name = ""
            if isinstance(target, ast.Attribute):
                is_set_up = last_name(target.value) in _STORES and not is_stand_in
                name = "" if is_set_up else self._module.resolved(target)
            elif isinstance(target, ast.Subscript) and source(target.value) == "sys.modules":
                name = string(target.slice) or ""
            if name and self._module.is_subject(name):
                self.mocks.append(name)


def _awaited(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Await) else node


def _is_failing(statements: Sequence[ast.stmt]) -> bool:
    last = statements[-1]
    if isinstance(last, ast.Raise) and last.exc is not None:
        return last_name(last.exc) == "AssertionError"
    is_call = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return is_call and name_of(last.value.func) in ("pytest.fail", "self.fail")  # type: ignore[attr-defined]


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Check whether a handler catches a failed assertion and lets the test go on."""
    kinds = elements(handler.type)
    if kinds and not any(last_name(name) in _CATCH_ALL for name in kinds):
        return False
    for node in (part for statement in handler.body for part in every_part(statement)):
        if isinstance(node, (ast.Raise, ast.Assert)):
            return False
        if isinstance(node, ast.Call) and last_name(node) in ("fail", "exit", "_exit"):
            return False
    return True


def local_names(function: Function, parts: Iterable[ast.AST]) -> Names:
    """Return the names a function binds, and those of them that are bound once, to a constant.

    A name of an argument, a handler or an inner function counts as bound twice, because it may be anything.
    """
    arguments = function.args
    local = {arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    stores: dict[str, int] = dict.fromkeys(local, 2)
    constants: set[str] = set()
    for node in parts:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores[node.id] = stores.get(node.id, 0) + 1
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            constants |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            stores |= dict.fromkeys(node.names, 2)
        elif isinstance(node, (ast.ExceptHandler, ast.FunctionDef, ast.AsyncFunctionDef)):
            stores |= {node.name: 2} if node.name and node is not function else {}
    stores.pop("self", None)
    return Names(frozenset(stores), frozenset(name for name in constants if stores.get(name) == 1))
