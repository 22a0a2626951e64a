"""Find what takes tests out of the run from within a Python file: ignore lists, hooks of pytest. Pure."""

import ast
from collections.abc import Iterator

from signoff.judges.test_integrity.python.case_marks import literal_cases
from signoff.judges.test_integrity.python.syntax_names import (
    every_part,
    last_name,
    name_of,
    source,
    targets_of,
)
from signoff.judges.test_integrity.python.tested_imports import ModuleNames
from signoff.text.word_lists import words

_TAKING_OVER = words(
    "pytest_runtest_call pytest_pyfunc_call pytest_collect_file pytest_pycollect_makeitem "
    "pytest_runtest_protocol load_tests"
)
"""Hooks that replace what the runner does. It is enough that one is there."""
_READ = words(
    "pytest_collection_modifyitems pytest_itemcollected pytest_runtest_makereport "
    "pytest_report_teststatus pytest_runtest_logreport pytest_sessionfinish pytest_runtest_setup "
    "pytest_generate_tests pytest_collection_finish pytest_configure"
)
"""Hooks with honest uses. What counts is what they do."""
_RESULTS = frozenset({"outcome", "exitstatus", "wasxfail", "longrepr", "testsfailed"})
_CALLS = frozenset({"pytest_deselected", "force_result", "exit", "_exit"})
_REMOVALS = frozenset({"remove", "clear", "pop"})
_ORDERING = frozenset({"sorted", "reversed", "list"})


def narrowing(tree: ast.Module, module: ModuleNames, *, is_conftest: bool) -> Iterator[str]:
    """Yield what takes tests out of the run, each as a text that names it.

    An assignment does so by its name, a hook by its name or by what it does.
    """
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            names = set(map(name_of, targets_of(node)))
            if names & {"collect_ignore", "collect_ignore_glob"} and is_conftest:
                for case in literal_cases(node.value, module):
                    yield f"{min(names)}: {case if isinstance(case, str) else source(case)}"
            elif "__test__" in names and source(node.value) == "False":
                yield "__test__ = False"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name in _TAKING_OVER:
                yield f"def {node.name}"
            elif node.name in _READ:
                yield from (f"{node.name}: {effect}" for effect in _effects(node))
            elif node.name == "pytest_ignore_collect":
                for part in every_part(node):
                    value = part.value if isinstance(part, ast.Return) else None
                    if value is not None and (not isinstance(value, ast.Constant) or value.value is True):
                        yield f"{node.name}: {source(part)}"


def _effects(hook: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield the statements of a hook that change a result, remove collected tests or mark them.

    Reordering the collected items is harmless and left out. A mark that was given a name first is followed
    to its value, since `add_marker(mark)` alone does not tell what it does.
    """
    parts = every_part(hook)
    assigned = [node for node in parts if isinstance(node, ast.Assign)]
    marks = {name_of(target): source(node.value) for node in assigned for target in node.targets}
    for node in parts:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
            value = None if isinstance(node, ast.Delete) else node.value
            is_sorting = isinstance(value, ast.Call) and name_of(value.func) in _ORDERING
            is_only_order = value is not None and is_sorting and "if " not in source(value)
            if any(map(_is_result, targets_of(node))) and not is_only_order:
                yield source(node)
        elif isinstance(node, ast.Call):
            last, name = last_name(node), name_of(node.func)
            is_removal = last in _REMOVALS and isinstance(node.func, ast.Attribute) and "items" in name
            if last == "add_marker" and node.args:
                mark = source(node.args[0])
                mark = marks.get(mark, mark)
                if "skip" in mark or "xfail" in mark:
                    yield f"add_marker({mark})"
            elif last in _CALLS or is_removal or name in ("pytest.skip", "pytest.xfail", "skip", "xfail"):
                yield source(node)


def _is_result(target: ast.expr) -> bool:
    """Check whether a target is the outcome of a test or a part of the list of collected ones."""
    if isinstance(target, ast.Attribute):
        return target.attr in _RESULTS
    return isinstance(target, ast.Subscript) and "items" in source(target.value)
