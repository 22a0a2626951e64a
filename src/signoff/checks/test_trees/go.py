"""Read a Go test file: its tests, subtests and tables, and the `TestMain` that starts them all."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from signoff.checks.test_trees.go_body import GoBody
from signoff.checks.test_trees.statements import NameScope, statements
from signoff.checks.test_trees.trees import field, line, raw, text, walk, word
from signoff.domain.evidence.case_records import Assertion, ReadCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST = re.compile(r"(?:Test|Fuzz|Example|Benchmark)(?:[^a-z].*)?$", re.DOTALL)
_BUILD = re.compile(r"^//(?:go:build|\s*\+build)\s+(.+)$", re.MULTILINE)
_TAKES_TEST = re.compile(r"\*testing\.|testing\.TB|\*\w+\.C\b")
_BOUND = re.compile(r"\b(\w+)\s*:=\s*(?:\w+\.)?New(?:GomegaWithT|WithT|Gomega)?\(\w+\)")
"""A name that is bound to the test: `should := require.New(t)`."""
_TABLES = ("slice_type", "map_type", "array_type", "implicit_length_array_type")
_EXIT = re.compile(r"(?:os|syscall)\.Exit$")


def read_go(root: "Node", source: str) -> TestFile:
    """Return the tests of a file, the helpers that assert, and what keeps the tests from running.

    A function that takes the test but is not one may assert for it, so helpers and the lists of cases
    of the file are found first and each function is read with both.
    """
    functions = [n for n in root.named_children if n.type in ("function_declaration", "method_declaration")]
    helpers = frozenset(
        name
        for node in functions
        if not _TEST.match(name := word(node, "name")) and _TAKES_TEST.search(word(node, "parameters"))
    )
    tables: dict[str, tuple[str, ...]] = {}
    for spec in (spec for n in root.named_children if n.type == "var_declaration" for spec in walk(n)):
        literals = getattr(field(spec, "value"), "named_children", ()) if spec.type == "var_spec" else ()
        if literals and (rows := _rows(literals[0])):
            tables[word(spec, "name")] = rows
    read = (_read_function(node, helpers, tables) for node in functions if not _is_main(node))
    builds = _BUILD.findall(source.partition("\npackage ")[0])
    return TestFile(
        cases=tuple({case.id: case for case in read if case is not None}.values()),
        skips=tuple(f"built only if {condition.strip()}" for condition in builds),
        narrowing=tuple(how for node in functions if _is_main(node) for how in _main_narrows(node)),
    )


# --- functions ---


def _read_function(
    node: "Node", helpers: frozenset[str], tables: dict[str, tuple[str, ...]]
) -> ReadCase | None:
    """Return the record of a test or of a helper that asserts, None for any other function.

    A method whose name begins with `Test` belongs to a suite. A benchmark is no test.
    """
    name, receiver = word(node, "name"), field(node, "receiver")
    is_plain = receiver is None and bool(_TEST.match(name)) and not name.startswith("Benchmark")
    is_test = is_plain or (receiver is not None and name.startswith("Test"))
    if not is_test and name not in helpers:
        return None
    block, shown = field(node, "body"), word(node, "body")
    scope = NameScope(_locals(node), helpers, frozenset(_BOUND.findall(raw(node))))
    body = GoBody(scope)
    body.walk(statements(block))
    example = re.search(r"//\s*(?:Unordered output|Output):[^}]*", raw(block))
    if block is not None and example is not None and name.startswith("Example"):
        output = " ".join(example[0].split())
        body.assertions.append(Assertion(line(block), output, "equals", "output", output, "output", output))
    owner = re.sub(r"[()*\s]|^\w+\s", "", raw(receiver).strip("()"))
    used = {key: cases for key, cases in tables.items() if re.search(rf"\b{re.escape(key)}\b", shown)}
    # The literal lists that the function loops over are numbered by their order.
    literals = [part for part in walk(node) if part.type == "composite_literal"]
    ranged = [rows for part in literals if _is_ranged(part, raw(node)) and (rows := _rows(part))]
    used |= {f"table {at}": rows for at, rows in enumerate(ranged, 1)}
    case = ReadCase(
        id=f"{owner}.{name}" if owner else name,
        line=line(node),
        body=text(block, scope.local),
        is_test=is_test,
        is_empty=block is not None and not statements(block) and not re.search(r"//\s*Output:", shown),
        skips=tuple(body.skips),
        parameters=tuple(used.items()),
        assertions=tuple(body.assertions),
    )
    return case if is_test or case.assertions else None


def _locals(function: "Node") -> frozenset[str]:
    found: set[str] = set()
    for node in walk(function):
        if node.type in ("short_var_declaration", "range_clause"):
            found |= {raw(part) for part in walk(field(node, "left")) if part.type == "identifier"}
        elif node.type in ("var_spec", "parameter_declaration"):
            found |= {raw(part) for part in node.children if part.type == "identifier"}
    return frozenset(found - {"t", "b", "f"})


# --- TestMain ---


def _is_main(node: "Node") -> bool:
    return (
        node.type == "function_declaration"
        and word(node, "name") == "TestMain"
        and "testing.M" in word(node, "parameters")
    )


def _main_narrows(function: "Node") -> Iterator[str]:
    """Yield what keeps a `TestMain` from running the tests, or from returning their result.

    Without one, and in one that only calls `m.Run()`, the result of the run is the result of the program.
    """
    found = re.search(r"(\w+)\s+\*testing\.M", word(function, "parameters"))
    if found is None or field(function, "body") is None:
        return
    listed = statements(field(function, "body"))
    runs = re.compile(rf"\b{re.escape(found[1])}\.Run\(\)|[(,]\s*{re.escape(found[1])}\s*[,)]")
    first = next((at for at, node in enumerate(listed) if runs.search(text(node))), None)
    if first is None:
        yield f"TestMain never calls {found[1]}.Run()"
        return
    # The tests run whatever happens if they run in the condition, or in both branches of it.
    always = ("initializer", "condition", "alternative")
    if listed[first].type == "if_statement" and not any(
        runs.search(text(field(listed[first], part))) for part in always
    ):
        yield f"TestMain calls {found[1]}.Run() only if {text(field(listed[first], 'condition'))}"
    for node in listed:
        if code := _fixed_exit(node):
            yield f"TestMain ends in {code}, however the tests went"
    for node in (node for node in listed[:first] if node.type == "if_statement"):
        last = statements(field(node, "consequence"))[-1:]
        how = "return" if last and last[0].type == "return_statement" else "".join(map(_fixed_exit, last))
        if how:
            yield f"TestMain leaves by {how} without a test if {text(field(node, 'condition'))}"


def _fixed_exit(node: "Node") -> str:
    """Return a call that ends the program well whatever the tests did, empty if the statement is no such."""
    is_plain = node.type in ("expression_statement", "defer_statement") and node.named_children
    call = node.named_children[0] if is_plain else None
    if call is None or call.type != "call_expression":
        return ""
    name, code = word(call, "function"), word(call, "arguments").strip("() ")
    return f"{name}({code})" if _EXIT.search(name) and code == "0" else ""


# --- tables ---


def _rows(node: "Node") -> tuple[str, ...]:
    kind, body = field(node, "type"), field(node, "body")
    if node.type != "composite_literal" or kind is None or body is None or kind.type not in _TABLES:
        return ()
    return tuple(text(child) for child in body.named_children if child.type != "comment")


def _is_ranged(node: "Node", function: str) -> bool:
    """Check whether a loop goes through a literal, directly or by its name."""
    parent = node.parent
    while parent is not None and parent.type == "expression_list":
        parent = parent.parent
    if parent is None or parent.type == "range_clause":
        return parent is not None
    name = word(parent, "left") or word(parent, "name")
    return bool(name) and re.search(rf"\brange\s+{re.escape(name)}\b", function) is not None
