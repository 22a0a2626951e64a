"""Read a Python test file: tests and asserting helpers, as pytest and unittest collect them. Pure."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signoff.domain.evidence.case_records import Assertion, ReadCase, TestFile
from signoff.judges.test_integrity.python.case_body import Function, PythonBody
from signoff.judges.test_integrity.python.case_marks import Marks, literal_cases, read_marks
from signoff.judges.test_integrity.python.collection_hooks import narrowing
from signoff.judges.test_integrity.python.syntax_names import (
    elements,
    every_part,
    keywords,
    last_name,
    name_of,
    respell_formats,
    source,
    string,
)
from signoff.judges.test_integrity.python.tested_imports import (
    called_in,
    is_fixture,
    read_module_names,
    shadowed,
)
from signoff.judges.test_integrity.python.written_out_cases import written_out
from signoff.text.word_lists import words

_SETUPS = words(
    "setUp setUpClass setUpModule setup_method setup_class setup_module setup asyncSetUp setup_function"
)

_ALIAS = re.compile(r"^([ \t]*)type[ ]+([A-Za-z_]\w*)(?:\[[^\n=]*\])?[ ]*=(?!=)", re.MULTILINE)
_GENERIC = re.compile(
    r"^([ \t]*(?:async[ ]+def|def|class)[ ]+[A-Za-z_]\w*)"
    r"\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\](?=\s*[(:])",
    re.MULTILINE,
)
_EXCEPT = re.compile(r"^([ \t]*except\*?[ ]+)([A-Za-z_][\w.]*(?:,[ ]*[A-Za-z_][\w.]*)+)([ ]*:)", re.MULTILINE)
"""Syntax of later versions of Python than the one that runs. It declares types, of which no test is made."""


class _Place(NamedTuple):
    """Where a function stands."""

    function: Function
    owner: str
    marks: Marks
    is_collected: bool


def read_python(path: str, text: str, own: frozenset[str]) -> TestFile:
    """Return the tests of a file. One that Python cannot parse has a problem and nothing else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of the file's strings is not our business
            tree = parse(text)
            if ".format(" in text:
                respell_formats(tree)
            return _PythonTestReader(tree, own, is_conftest=path.endswith("conftest.py")).read()
    except SyntaxError as error:
        return TestFile(problem=f"not Python as this version reads it: line {error.lineno}: {error.msg}")
    except (RecursionError, MemoryError, ValueError) as error:
        return TestFile(problem=f"cannot be parsed: {type(error).__name__}")


def parse(text: str) -> ast.Module:
    """Return the tree of a file that this or a later version of Python reads.

    A file that the project's own Python reads must not count as broken here. So newer words are respelled,
    line by line, and the numbers of lines stay.
    """
    try:
        return ast.parse(text)
    except SyntaxError:
        older = _EXCEPT.sub(r"\1(\2)\3", _GENERIC.sub(r"\1", _ALIAS.sub(r"\1\2 =", text)))
        if older == text:
            raise
        return ast.parse(older)


class _PythonTestReader:
    def __init__(self, tree: ast.Module, own: frozenset[str], *, is_conftest: bool) -> None:
        self._tree = tree
        self._module = read_module_names(tree, own)
        self._is_conftest = is_conftest
        # Skips and the like of the whole file are compared for the file, not again for each test.
        shared = Marks(parameters=self._marks_of(tree.body).parameters)
        self._places = list(self._find(tree.body, "", shared, is_test_class=True))
        self._by_id = {_id(place): place for place in self._places}
        self._helpers = self._asserting()

    def read(self) -> TestFile:
        """Return what the file tests: its cases, and what holds for all of them.

        Fixtures and setup functions act on tests from afar, so what they skip and replace is added to the
        file if they run for every test, and to a case if it asks for them.
        """
        top = PythonBody(self._module, self._helpers)
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        top.walk([node for node in self._tree.body if not isinstance(node, definitions)])
        marks = self._marks_of(self._tree.body)
        cases = {case.id: case for case in (self._case(place) for place in self._places)}
        for name in _unbound(self._tree.body):
            cases.pop(name, None)
        known = {
            case.provides or name.rpartition("::")[2]: case
            for name, case in cases.items()
            if not case.is_test
        }
        called = called_in(every_part(self._tree))
        shared = self._module.shared
        hidden = (name for node in self._tree.body for name in shadowed(node, self._module, shared, called))
        setups = [case for name, case in known.items() if name in _SETUPS or case.is_autouse]
        return TestFile(
            cases=tuple(
                self._with_fixtures(case, known)
                for case in cases.values()
                if case.is_test or case.assertions or case.parameters or case.provides
            ),
            skips=(*marks.skips, *top.skips, *(s for case in setups for s in case.skips)),
            xfails=(*marks.xfails, *top.xfails),
            strict_warnings=(*marks.strict_warnings, *(w for case in setups for w in case.strict_warnings)),
            mocks=(*top.mocks, *hidden, *(mock for case in setups for mock in case.mocks)),
            retries=marks.retries,
            narrowing=tuple(narrowing(self._tree, self._module, is_conftest=self._is_conftest)),
            expand=self.expand,
        )

    # --- finding functions ---

    def _find(
        self, body: Iterable[ast.stmt], owner: str, marks: Marks, *, is_test_class: bool
    ) -> Iterator[_Place]:
        """Yield every function with the marks of what stands around it: classes, conditions, blocks.

        A condition that is a literal decides which branch exists. Any other condition but `TYPE_CHECKING`
        becomes a skip, because it can take the tests inside out of the run.
        """
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield _Place(node, owner, marks, is_test_class and node.name.startswith("test"))
                case ast.ClassDef():
                    own = read_marks(node.decorator_list, self._module).joined(self._marks_of(node.body))
                    name = f"{owner}::{node.name}" if owner else node.name
                    is_test = _is_test_class(node)
                    yield from self._find(node.body, name, own.joined(marks), is_test_class=is_test)
                case ast.If(test=ast.Constant(value=condition)):
                    chosen = node.body if condition else node.orelse
                    yield from self._find(chosen, owner, marks, is_test_class=is_test_class)
                case ast.If() | ast.Try() | ast.With():
                    inner = marks
                    if isinstance(node, ast.If) and last_name(node.test) != "TYPE_CHECKING":
                        inner = marks._replace(skips=(*marks.skips, f"defined only if {source(node.test)}"))
                    yield from self._find(node.body, owner, inner, is_test_class=is_test_class)
                    other = [] if isinstance(node, ast.With) else node.orelse
                    yield from self._find(other, owner, marks, is_test_class=is_test_class)

    def _marks_of(self, body: Iterable[ast.stmt]) -> Marks:
        found = Marks()
        for node in body:
            if isinstance(node, ast.Assign) and any(name_of(name) == "pytestmark" for name in node.targets):
                found = found.joined(read_marks(elements(node.value), self._module))
        return found

    def _asserting(self) -> frozenset[str]:
        """Return the names of helpers that assert, so that calling one counts."""
        known: set[str] = set()
        for place in self._places:
            if place.is_collected or is_fixture(place.function):
                continue
            body = PythonBody(self._module, frozenset(), place.function)
            # Most helpers hold an `assert`, and that is seen without walking their body.
            if not any(isinstance(part, ast.Assert) for part in every_part(place.function)):
                body.walk(place.function.body)
                if not body.assertions:
                    continue
            known.add(place.function.name)
        return frozenset(known)

    # --- one function ---

    def _case(self, place: _Place) -> ReadCase:
        function = place.function
        marks = read_marks(function.decorator_list, self._module).joined(place.marks)
        body = PythonBody(self._module, self._helpers, function)
        statements = without_docstring(function.body)
        body.walk(statements)
        is_made = is_fixture(function)
        fixture = _fixture_words(function)
        given = list(literal_cases(fixture["params"], self._module)) if "params" in fixture else []
        params = (("params", tuple(case if isinstance(case, str) else source(case) for case in given)),)
        parameters = _merged((*marks.parameters, *body.loops, *(params if "params" in fixture else ())))
        if "given" in map(last_name, function.decorator_list) and not any(
            name == "max_examples" for name, _ in parameters
        ):
            parameters += (("max_examples", ("an example",) * 100),)
        # What a test asks for, by its arguments and by `usefixtures`.
        listed = [
            arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        ]
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and last_name(mark) == "usefixtures":
                listed += [name for name in map(string, mark.args) if name is not None]
        return ReadCase(
            id=_id(place),
            line=function.lineno,
            body="\n".join(body.names.plain(node) for node in statements),
            is_test=place.is_collected and not is_made,
            is_empty=all(map(_does_nothing, statements)),
            skips=(*marks.skips, *body.skips),
            xfails=(*marks.xfails, *body.xfails),
            is_autouse=is_made and "autouse" in fixture and source(fixture["autouse"]) == "True",
            provides=(string(fixture.get("name")) or function.name) if is_made else "",
            arguments=tuple(listed),
            strict_warnings=(*marks.strict_warnings, *body.strict_warnings),
            parameters=parameters,
            assertions=tuple(body.assertions),
            mocks=(*marks.mocks, *body.mocks),
            stubs=body.stubs,
            uses=tuple(sorted({name for name in body.uses if self._module.is_subject(name)})),
            retries=marks.retries,
        )

    def _with_fixtures(self, case: ReadCase, known: dict[str, ReadCase]) -> ReadCase:
        """Return a test with what the fixtures it asks for replace and skip."""
        asked = [known[name] for name in case.arguments if name in known and case.is_test]
        mocks = (mock for fixture in asked for mock in fixture.mocks)
        skips = (skip for fixture in asked for skip in fixture.skips)
        return case._replace(mocks=(*case.mocks, *mocks), skips=(*case.skips, *skips))

    def expand(self, name: str) -> tuple[Assertion, ...]:
        """Return the assertions of a test written out, none if it cannot be."""
        place = self._by_id.get(name)
        if place is None:
            return ()
        helpers = {
            other.function.name: other.function
            for other in self._places
            if other.function.name in self._helpers
        }
        function = written_out(place.function, self._module, helpers)
        if function is None:
            return ()
        body = PythonBody(self._module, self._helpers, function)
        try:
            body.walk(without_docstring(function.body))
        except RecursionError:
            return ()
        return tuple(body.assertions)


def _id(place: _Place) -> str:
    return f"{place.owner}::{place.function.name}" if place.owner else place.function.name


def _merged(parameters: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, tuple[str, ...]] = {}
    for name, cases in parameters:
        found[name] = found.get(name, ()) + cases
    return tuple(found.items())


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a function that do something."""
    first = body[0]
    return body[1:] if isinstance(first, ast.Expr) and string(first.value) is not None else body


def _does_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Return(value=None | ast.Constant()):
            return True
        case _:
            return False


def _is_test_class(node: ast.ClassDef) -> bool:
    """Check whether pytest or unittest collects a class, by its bases and its name."""
    if any(isinstance(part, ast.Assign) and source(part) == "__test__ = False" for part in node.body):
        return False
    has_init = any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body)
    is_unittest = any("Test" in last_name(base) for base in node.bases)
    return is_unittest or (node.name.startswith("Test") and not has_init)


def _fixture_words(function: Function) -> dict[str | None, ast.expr]:
    """Return the keyword arguments of the decorators that make a fixture."""
    calls = [mark for mark in function.decorator_list if isinstance(mark, ast.Call)]
    return {
        key: value for call in calls if "fixture" in last_name(call) for key, value in keywords(call).items()
    }


def _unbound(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names of functions that mean something else at the end of the module."""
    defined: set[str] = set()
    gone: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            defined.add(node.name)
            gone.discard(node.name)
        elif isinstance(node, (ast.Assign, ast.Delete)):
            gone |= {name_of(target) for target in node.targets} & defined
    yield from gone
