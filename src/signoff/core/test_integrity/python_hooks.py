"""What a Python file takes out of the run from within: ignore lists, hooks of the runner. Pure."""

import ast
from collections.abc import Iterator

from signoff.core.test_integrity.python_marks import literal_cases
from signoff.core.test_integrity.python_names import every_part, last_name, name_of, source
from signoff.core.test_integrity.python_subjects import Module

_TAKING_OVER = frozenset(
    [
        "pytest_runtest_call",
        "pytest_pyfunc_call",
        "pytest_collect_file",
        "pytest_pycollect_makeitem",
        "pytest_runtest_protocol",
        "load_tests",
    ]
)
"""Hooks that stand in for what the runner does; that one is there is enough."""
_READ = frozenset(
    [
        "pytest_collection_modifyitems",
        "pytest_itemcollected",
        "pytest_runtest_makereport",
        "pytest_report_teststatus",
        "pytest_runtest_logreport",
        "pytest_sessionfinish",
        "pytest_runtest_setup",
        "pytest_generate_tests",
        "pytest_collection_finish",
        "pytest_configure",
    ]
)
"""Hooks with honest uses: what counts is what they do."""
_RESULTS = frozenset({"outcome", "exitstatus", "wasxfail", "longrepr", "testsfailed"})
_CALLS = frozenset({"pytest_deselected", "force_result", "exit", "_exit"})
_REMOVALS = frozenset({"remove", "clear", "pop"})
_ORDERING = frozenset({"sorted", "reversed", "list"})


def narrowing(tree: ast.Module, module: Module, *, is_conftest: bool) -> Iterator[str]:
    """Give everything that takes tests out of the run, each as a text that names it."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {name_of(target) for target in targets}
            if names & {"collect_ignore", "collect_ignore_glob"} and is_conftest:
                for case in literal_cases(node.value, module):
                    yield f"{min(names)}: {case if isinstance(case, str) else source(case)}"
            elif "__test__" in names and source(node.value) == "False":
                yield "__test__ = False"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name in _TAKING_OVER:
                yield f"def {node.name}"
            elif node.name == "pytest_ignore_collect":
                yield from _ignoring(node)
            elif node.name in _READ:
                yield from (f"{node.name}: {said}" for said in _effects(node))


def _ignoring(hook: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for node in every_part(hook):
        value = node.value if isinstance(node, ast.Return) else None
        if value is not None and (not isinstance(value, ast.Constant) or value.value is True):
            yield f"{hook.name}: {source(node)}"


def _effects(hook: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    marks = {
        name_of(target): source(node.value)
        for node in every_part(hook)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    for node in every_part(hook):
        if isinstance(node, (ast.Assign, ast.AugAssign)) and not _is_only_order(node):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(_is_result(target) or _is_items(target) for target in targets):
                yield source(node)
        elif isinstance(node, ast.Delete) and any(map(_is_items, node.targets)):
            yield source(node)
        elif isinstance(node, ast.Call):
            yield from _call(node, marks)


def _is_result(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and target.attr in _RESULTS


def _is_items(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and "items" in source(target.value)


def _is_only_order(node: ast.Assign | ast.AugAssign) -> bool:
    value = node.value
    return isinstance(value, ast.Call) and name_of(value.func) in _ORDERING and "if " not in source(value)


def _call(node: ast.Call, marks: dict[str, str]) -> Iterator[str]:
    last, name = last_name(node.func), name_of(node.func)
    is_removal = last in _REMOVALS and isinstance(node.func, ast.Attribute) and "items" in name
    if last == "add_marker" and node.args:
        mark = source(node.args[0])
        mark = marks.get(mark, mark)
        if "skip" in mark or "xfail" in mark:
            yield f"add_marker({mark})"
    elif last in _CALLS or is_removal or name in ("pytest.skip", "pytest.xfail", "skip", "xfail"):
        yield source(node)
