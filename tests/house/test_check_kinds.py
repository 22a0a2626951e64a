"""mypy names every place that a new kind of check must be added to: no code asks for one by `isinstance`."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import signoff
from signoff.checks import registry
from signoff.contracts.compile.plan_checks import TYPES
from signoff.domain.work import check_kinds, checks
from signoff.domain.work.checks import Check, ContractCheck, EngineCheck

SOURCE = Path(signoff.__file__).parent
KINDS = {kind.__name__ for kind in get_args(Check)}


def functions(module: object) -> list[ast.FunctionDef]:
    tree = ast.parse(Path(str(getattr(module, "__file__", ""))).read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def kinds_asked_for(tree: ast.AST) -> Iterator[str]:
    """Yield the kinds of checks that `isinstance` or `type(...) is` names in a module that imports them."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == checks.__name__
        for alias in node.names
    }
    suspects = imported & (KINDS | {"Check", "ContractCheck", "EngineCheck"})
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if is_call and node.func.id in ("isinstance", "issubclass"):  # type: ignore[attr-defined]
            asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}  # type: ignore[attr-defined]
            yield from sorted(asked & suspects)


def test_no_code_asks_for_the_kind_of_a_check_by_isinstance() -> None:
    """An `isinstance` is silent about the next kind; `domain.work.check_kinds` and `match` are not."""
    found = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for name in kinds_asked_for(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert found == []


@pytest.mark.parametrize("function", [*functions(check_kinds), *functions(registry)], ids=lambda f: f.name)
def test_every_question_about_kinds_is_one_match_that_knows_them_all(function: ast.FunctionDef) -> None:
    """mypy accepts `assert_never` only where no kind is left, and so it names one that was forgotten."""
    match = function.body[-1]
    assert isinstance(match, ast.Match), f"{function.name} is not one match"
    last = match.cases[-1]

    assert ast.unparse(last.pattern) == "_"
    assert ast.unparse(last.body[0]) == f"assert_never({ast.unparse(match.subject)})"
    assert all(ast.unparse(case.pattern) != "_" for case in match.cases[:-1])


def test_every_kind_of_check_is_in_both_unions() -> None:
    """A kind that only one of the unions names would be read and never run, or the other way round."""
    assert {*get_args(ContractCheck), *get_args(EngineCheck)} == set(get_args(Check))


def test_a_plan_can_say_every_kind_a_planner_may_write() -> None:
    """The words of a plan are text, so mypy cannot name this place."""
    assert {str(kind.__struct_config__.tag) for kind in get_args(ContractCheck)} == set(TYPES)
