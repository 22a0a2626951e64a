"""Read a Python test file: tests and asserting helpers, as pytest and unittest collect them. Pure."""

import ast
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signoff.core.test_integrity.python_body import Body, Function
from signoff.core.test_integrity.python_expanding import written_out
from signoff.core.test_integrity.python_hooks import narrowing
from signoff.core.test_integrity.python_marks import (
    Marks,
    literal_cases,
    read_marks,
)
from signoff.core.test_integrity.python_names import every_part, last_name, name_of, respell_formats, source
from signoff.core.test_integrity.python_newer import parse
from signoff.core.test_integrity.python_subjects import called_in, is_fixture, read_module_names, shadowed
from signoff.core.test_integrity.records import Assertion, TestCase, TestFile
from signoff.core.word_lists import words

_SETUPS = words(
    "setUp setUpClass setUpModule setup_method setup_class setup_module setup asyncSetUp setup_function"
)


class _Place(NamedTuple):
    """Where a function stands."""

    function: Function
    owner: str
    marks: Marks
    is_collected: bool


def read_python(path: str, text: str, own: frozenset[str]) -> TestFile:
    """Give the records of a file; one that Python cannot parse has a problem and nothing else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of the file's strings is not our business
            tree = parse(text)
            if ".format(" in text:
                respell_formats(tree)
            return _Reader(tree, own, is_conftest=path.endswith("conftest.py")).read()
    except SyntaxError as error:
        return TestFile(problem=f"not Python as this version reads it: line {error.lineno}: {error.msg}")
    except (RecursionError, MemoryError, ValueError) as error:
        return TestFile(problem=f"cannot be parsed: {type(error).__name__}")


class _Reader:
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
        top = Body(self._module, self._helpers)
        top.walk([node for node in self._tree.body if not _is_definition(node)])
        marks = self._marks_of(self._tree.body)
        cases = {case.id: case for case in (self._case(place) for place in self._places)}
        for name in _unbound(self._tree.body):
            cases.pop(name, None)
        known = self._fixtures(cases)
        setups = [case for name, case in known.items() if name in _SETUPS or case.is_autouse]
        return TestFile(
            cases=tuple(self._with_fixtures(case, known) for case in cases.values() if _matters(case)),
            skips=(*marks.skips, *top.skips, *(s for case in setups for s in case.skips)),
            xfails=(*marks.xfails, *top.xfails),
            strict_warnings=(*marks.strict_warnings, *(w for case in setups for w in case.strict_warnings)),
            mocks=(*top.mocks, *self._shadowed(), *(mock for case in setups for mock in case.mocks)),
            retries=marks.retries,
            narrowing=tuple(narrowing(self._tree, self._module, is_conftest=self._is_conftest)),
            expand=self.expand,
        )

    # --- finding functions ---

    def _find(
        self, body: Iterable[ast.stmt], owner: str, marks: Marks, *, is_test_class: bool
    ) -> Iterator[_Place]:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield _Place(node, owner, marks, is_test_class and node.name.startswith("test"))
            elif isinstance(node, ast.ClassDef):
                own = read_marks(node.decorator_list, self._module).joined(self._marks_of(node.body))
                inner = own.joined(marks)
                name = f"{owner}::{node.name}" if owner else node.name
                yield from self._find(node.body, name, inner, is_test_class=_is_test_class(node))
            elif isinstance(node, (ast.If, ast.Try, ast.With)):
                if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
                    chosen = node.body if node.test.value else node.orelse
                    yield from self._find(chosen, owner, marks, is_test_class=is_test_class)
                    continue
                inner = marks
                if isinstance(node, ast.If) and not _is_about_types(node.test):
                    inner = marks._replace(skips=(*marks.skips, f"defined only if {source(node.test)}"))
                yield from self._find(node.body, owner, inner, is_test_class=is_test_class)
                if not isinstance(node, ast.With):
                    yield from self._find(node.orelse, owner, marks, is_test_class=is_test_class)

    def _marks_of(self, body: Iterable[ast.stmt]) -> Marks:
        found = Marks()
        for node in body:
            if isinstance(node, ast.Assign) and any(name_of(name) == "pytestmark" for name in node.targets):
                listed = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]
                found = found.joined(read_marks(listed, self._module))
        return found

    def _asserting(self) -> frozenset[str]:
        """Give the names of helpers that assert, so that calling one counts."""
        known: set[str] = set()
        for place in self._places:
            if place.is_collected or is_fixture(place.function):
                continue
            if any(isinstance(part, ast.Assert) for part in every_part(place.function)):
                known.add(place.function.name)  # most do so, and this is seen at once
            else:
                body = Body(self._module, frozenset(), place.function)
                body.walk(place.function.body)
                if body.assertions:
                    known.add(place.function.name)
        return frozenset(known)

    # --- one function ---

    def _case(self, place: _Place) -> TestCase:
        function = place.function
        marks = read_marks(function.decorator_list, self._module).joined(place.marks)
        body = Body(self._module, self._helpers, function)
        statements = without_docstring(function.body)
        body.walk(statements)
        decorated = {last_name(d.func if isinstance(d, ast.Call) else d) for d in function.decorator_list}
        parameters = _merged((*marks.parameters, *body.loops, *self._fixture_cases(function)))
        if "given" in decorated and not any(name == "max_examples" for name, _ in parameters):
            parameters += (("max_examples", ("an example",) * 100),)
        is_autouse = is_fixture(function) and "autouse=True" in map(source, _fixture_words(function))
        return TestCase(
            id=_id(place),
            line=function.lineno,
            body="\n".join(body.names.plain(node) for node in statements),
            is_test=place.is_collected and not is_fixture(function),
            is_empty=all(map(_does_nothing, statements)),
            skips=(*marks.skips, *body.skips),
            xfails=(*marks.xfails, *body.xfails),
            is_autouse=is_autouse,
            provides=_provided(function) if is_fixture(function) else "",
            arguments=_arguments(function),
            strict_warnings=(*marks.strict_warnings, *body.strict_warnings),
            parameters=parameters,
            assertions=tuple(body.assertions),
            mocks=(*marks.mocks, *body.mocks),
            stubs=body.stubs,
            uses=tuple(sorted({name for name in body.uses if self._module.is_subject(name)})),
            retries=marks.retries,
        )

    def _fixture_cases(self, function: Function) -> Iterator[tuple[str, tuple[str, ...]]]:
        for word in _fixture_words(function):
            if word.arg == "params":
                cases = literal_cases(word.value, self._module)
                yield "params", tuple(case if isinstance(case, str) else source(case) for case in cases)

    def _fixtures(self, cases: dict[str, TestCase]) -> dict[str, TestCase]:
        return {
            case.provides or name.rpartition("::")[2]: case
            for name, case in cases.items()
            if not case.is_test
        }

    def _with_fixtures(self, case: TestCase, known: dict[str, TestCase]) -> TestCase:
        """Add what the fixtures a test asks for replace and skip."""
        asked = [known[name] for name in case.arguments if name in known and case.is_test]
        mocks = (mock for fixture in asked for mock in fixture.mocks)
        skips = (skip for fixture in asked for skip in fixture.skips)
        return case._replace(mocks=(*case.mocks, *mocks), skips=(*case.skips, *skips))

    def _shadowed(self) -> Iterator[str]:
        called = called_in(every_part(self._tree))
        for node in self._tree.body:
            yield from shadowed(node, self._module, self._module.shared, called)

    def expand(self, name: str) -> tuple[Assertion, ...]:
        """Give the assertions of a test written out; none if it cannot be."""
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
        body = Body(self._module, self._helpers, function)
        try:
            body.walk(without_docstring(function.body))
        except RecursionError:
            return ()
        return tuple(body.assertions)


def _id(place: _Place) -> str:
    return f"{place.owner}::{place.function.name}" if place.owner else place.function.name


def _provided(function: Function) -> str:
    for word in _fixture_words(function):
        if word.arg == "name" and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str):
            return word.value.value
    return function.name


def _arguments(function: Function) -> tuple[str, ...]:
    """Give what a test asks for, by its arguments and by `usefixtures`."""
    listed = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and last_name(mark.func) == "usefixtures":
            listed += [a.value for a in mark.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return tuple(listed)


def _merged(
    parameters: Iterable[tuple[str, tuple[str, ...]]],
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, tuple[str, ...]] = {}
    for name, cases in parameters:
        found[name] = found.get(name, ()) + cases
    return tuple(found.items())


def _matters(case: TestCase) -> bool:
    return case.is_test or bool(case.assertions or case.parameters or case.provides)


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Give the statements of a function that do something."""
    first = body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return body[1:]
    return body


def _does_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Return(value=None | ast.Constant()):
            return True
        case _:
            return False


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _is_about_types(test: ast.expr) -> bool:
    return last_name(test) == "TYPE_CHECKING"


def _is_test_class(node: ast.ClassDef) -> bool:
    is_unittest = any("Test" in last_name(base) for base in node.bases)
    names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    for part in node.body:
        if isinstance(part, ast.Assign) and source(part) == "__test__ = False":
            return False
    if is_unittest:
        return True
    return node.name.startswith("Test") and "__init__" not in names


def _fixture_words(function: Function) -> list[ast.keyword]:
    return [
        word
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and "fixture" in last_name(decorator.func)
        for word in decorator.keywords
    ]


def _unbound(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Give names that mean something else than the function of that name at the end of the module."""
    defined: set[str] = set()
    gone: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            defined.add(node.name)
            gone.discard(node.name)
        elif isinstance(node, (ast.Assign, ast.Delete)):
            gone |= {name_of(target) for target in node.targets} & defined
    yield from gone
