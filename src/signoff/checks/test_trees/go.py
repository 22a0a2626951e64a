"""Read a Go test file: its tests, subtests and tables, and the `TestMain` that starts them all."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from signoff.checks.test_trees.go_asserts import Scope, bound_to_test
from signoff.checks.test_trees.go_body import Body, statements
from signoff.checks.test_trees.trees import line, raw, text, walk
from signoff.core.test_integrity.records import Assertion, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST = re.compile(r"(?:Test|Fuzz|Example|Benchmark)(?:[^a-z].*)?$", re.DOTALL)
_BUILD = re.compile(r"^//(?:go:build|\s*\+build)\s+(.+)$", re.MULTILINE)
_TABLES = ("slice_type", "map_type", "array_type", "implicit_length_array_type")
_EXIT = re.compile(r"(?:os|syscall)\.Exit$")


def read_go(root: "Node", source: str) -> TestFile:
    """Give the records of a file."""
    functions = [
        node for node in root.named_children if node.type in ("function_declaration", "method_declaration")
    ]
    helpers = frozenset(
        raw(node.child_by_field_name("name"))
        for node in functions
        if re.search(r"\*testing\.|testing\.TB|\*\w+\.C\b", raw(node.child_by_field_name("parameters")))
        and not _TEST.match(raw(node.child_by_field_name("name")))
    )
    tables: dict[str, tuple[str, ...]] = {}
    for node in root.named_children:
        if node.type == "var_declaration":
            tables |= _shared_tables(node)
    cases: dict[str, TestCase] = {}
    narrowing: list[str] = []
    for node in functions:
        if _is_main(node):
            narrowing += _main_narrows(node)
            continue
        for case in _read_function(node, helpers, tables):
            cases[case.id] = case
    builds = _BUILD.findall(source.partition("\npackage ")[0])
    return TestFile(
        cases=tuple(cases.values()),
        skips=tuple(f"built only if {said.strip()}" for said in builds),
        narrowing=tuple(narrowing),
    )


# --- functions ---


def _read_function(
    node: "Node", helpers: frozenset[str], tables: dict[str, tuple[str, ...]]
) -> list[TestCase]:
    name = raw(node.child_by_field_name("name"))
    receiver = node.child_by_field_name("receiver")
    is_suite = receiver is not None and name.startswith("Test")
    is_test = is_suite or (receiver is None and bool(_TEST.match(name)) and not name.startswith("Benchmark"))
    if not is_test and name not in helpers:
        return []
    block = node.child_by_field_name("body")
    scope = Scope(_locals(node), helpers, bound_to_test(node))
    body = Body(scope)
    if block is not None:
        body.walk(statements(block), ())
    owner = re.sub(r"[()*\s]|^\w+\s", "", raw(receiver).strip("()")) if receiver is not None else ""
    shown = raw(block)
    used = {name: cases for name, cases in tables.items() if re.search(rf"\b{re.escape(name)}\b", shown)}
    case = TestCase(
        id=f"{owner}.{name}" if owner else name,
        line=line(node),
        body=text(block, scope.local),
        is_test=is_test,
        is_empty=block is not None and not statements(block) and not re.search(r"//\s*Output:", shown),
        skips=tuple(body.skips),
        parameters=tuple({**used, **_tables(node)}.items()),
        assertions=tuple(body.assertions) + _example_output(name, block),
    )
    return [case] if is_test or case.assertions else []


def _example_output(name: str, block: "Node | None") -> tuple[Assertion, ...]:
    found = (
        re.search(r"//\s*(?:Unordered output|Output):[^}]*", raw(block))
        if name.startswith("Example")
        else None
    )
    if found is None or block is None:
        return ()
    said = " ".join(found[0].split())
    return (Assertion(line(block), said, "equals", "output", said, "output", said),)


def _locals(function: "Node") -> frozenset[str]:
    found: set[str] = set()
    for node in walk(function):
        if node.type in ("short_var_declaration", "range_clause"):
            left = node.child_by_field_name("left")
            found |= {raw(part) for part in walk(left) if part.type == "identifier"} if left else set()
        elif node.type in ("var_spec", "parameter_declaration"):
            found |= {raw(part) for part in node.children if part.type == "identifier"}
    return frozenset(found - {"t", "b", "f"})


# --- TestMain ---


def _is_main(node: "Node") -> bool:
    name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    return node.type == "function_declaration" and raw(name) == "TestMain" and "testing.M" in raw(parameters)


def _main_narrows(function: "Node") -> Iterator[str]:
    """Give what keeps a `TestMain` from running the tests, or from saying how they went.

    Without one, and in one that only calls `m.Run()`, the result of the run is the result of the program.
    """
    block = function.child_by_field_name("body")
    found = re.search(r"(\w+)\s+\*testing\.M", raw(function.child_by_field_name("parameters")))
    listed = statements(block) if block is not None and found is not None else []
    if found is None or block is None:
        return
    runs = re.compile(rf"\b{re.escape(found[1])}\.Run\(\)|[(,]\s*{re.escape(found[1])}\s*[,)]")
    first = next((at for at, node in enumerate(listed) if runs.search(text(node))), None)
    if first is None:
        yield f"TestMain never calls {found[1]}.Run()"
        return
    if listed[first].type == "if_statement" and not _is_asked_for(listed[first], runs):
        condition = text(listed[first].child_by_field_name("condition"))
        yield f"TestMain calls {found[1]}.Run() only if {condition}"
    for node in listed:
        if code := _fixed_exit(node):
            yield f"TestMain ends in {code}, however the tests went"
    for node in listed[:first]:
        if node.type == "if_statement" and (how := _leaves_well(node)):
            condition = text(node.child_by_field_name("condition"))
            yield f"TestMain leaves by {how} without a test if {condition}"


def _is_asked_for(node: "Node", runs: re.Pattern[str]) -> bool:
    """Say whether a branch runs the tests in its condition or in both of its arms."""
    start, condition = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
    other = node.child_by_field_name("alternative")
    is_first = any(part is not None and runs.search(text(part)) for part in (start, condition))
    return is_first or (other is not None and runs.search(text(other)) is not None)


def _fixed_exit(node: "Node") -> str:
    """Give a call that ends the program with a number which is no result; empty if the statement is none."""
    is_plain = node.type in ("expression_statement", "defer_statement") and node.named_children
    call = node.named_children[0] if is_plain else None
    if call is None or call.type != "call_expression":
        return ""
    name = raw(call.child_by_field_name("function"))
    said = raw(call.child_by_field_name("arguments")).strip("() ")
    return f"{name}({said})" if _EXIT.search(name) and said == "0" else ""


def _leaves_well(node: "Node") -> str:
    block = node.child_by_field_name("consequence")
    last = statements(block)[-1:] if block is not None else []
    if last and last[0].type == "return_statement":
        return "return"
    return _fixed_exit(last[0]) if last else ""


# --- tables ---


def _shared_tables(declaration: "Node") -> dict[str, tuple[str, ...]]:
    """Give the literal lists that a file declares for all its functions, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for spec in walk(declaration):
        if spec.type != "var_spec":
            continue
        value = spec.child_by_field_name("value")
        literal = next(iter(value.named_children), None) if value is not None else None
        if literal is not None and (rows := _rows(literal)):
            found[raw(spec.child_by_field_name("name"))] = rows
    return found


def _tables(function: "Node") -> dict[str, tuple[str, ...]]:
    """Give the literal lists that a function goes through, by their order."""
    found: dict[str, tuple[str, ...]] = {}
    shown = raw(function)
    for node in walk(function):
        if node.type == "composite_literal" and _is_ranged(node, shown) and (rows := _rows(node)):
            found[f"table {len(found) + 1}"] = rows
    return found


def _rows(node: "Node") -> tuple[str, ...]:
    if node.type != "composite_literal":
        return ()
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if kind is None or body is None or kind.type not in _TABLES:
        return ()
    return tuple(text(child) for child in body.named_children if child.type != "comment")


def _is_ranged(node: "Node", function: str) -> bool:
    """Say whether a literal is gone through in a loop: directly, or by its name."""
    parent = node.parent
    while parent is not None and parent.type in ("expression_list",):
        parent = parent.parent
    if parent is None or parent.type == "range_clause":
        return parent is not None
    left = parent.child_by_field_name("left") or parent.child_by_field_name("name")
    if left is None:
        return False
    return re.search(rf"\brange\s+{re.escape(raw(left))}\b", function) is not None
