"""Read a Go test file: its tests, subtests and tables, with the plain `testing` way and testify's."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.trees import line, raw, text, walk
from signoff.core.test_integrity.records import Assertion, TestCase, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST = re.compile(r"(?:Test|Fuzz|Example|Benchmark)(?:[^a-z].*)?$", re.DOTALL)
_FAILING = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_BUILD = re.compile(r"^//(?:go:build|\s*\+build)\s+(.+)$", re.MULTILINE)
_TESTIFY = {
    **dict.fromkeys(("Equal", "Exactly", "Same", "JSONEq", "YAMLEq"), "equals"),
    **dict.fromkeys(("Nil", "True", "False", "Empty", "Zero"), "equals"),
    **dict.fromkeys(("EqualValues", "EqualExportedValues"), "loosely-equals"),
    **dict.fromkeys(("NotNil", "NotEmpty", "NotZero"), "not-none"),
    **dict.fromkeys(("NotEqual", "NotSame"), "differs"),
    **dict.fromkeys(("Contains", "Subset"), "contains"),
    **dict.fromkeys(("NotContains", "NotSubset"), "excludes"),
    **dict.fromkeys(("Len", "ElementsMatch"), "equals-part"),
    **dict.fromkeys(("Greater", "Less", "Positive", "Negative"), "strict-order"),
    **dict.fromkeys(("GreaterOrEqual", "LessOrEqual"), "order"),
    **dict.fromkeys(("InDelta", "InEpsilon", "WithinDuration"), "approx"),
    **dict.fromkeys(("ErrorIs", "ErrorAs", "EqualError", "ErrorContains"), "raises"),
    **dict.fromkeys(("PanicsWithValue", "PanicsWithError"), "raises"),
    **dict.fromkeys(("Panics",), "raises"),
    "Error": "truthy", "Regexp": "matches", "IsType": "type", "Implements": "type",
}  # fmt: skip
_TESTIFY_HEADS = ("assert", "require", "s", "suite", "is", "s.Require()", "a", "r")
_COMPARE = {
    "!=": "equals",
    "==": "differs",
    "<": "order",
    ">": "order",
    "<=": "strict-order",
    ">=": "strict-order",
}
"""By the operator of a condition that fails the test; the test insists on the opposite."""


def read_go(root: "Node", source: str) -> TestFile:
    """Give the records of a file."""
    functions = [
        node for node in root.named_children if node.type in ("function_declaration", "method_declaration")
    ]
    helpers = frozenset(
        raw(node.child_by_field_name("name"))
        for node in functions
        if re.search(r"\*testing\.|testing\.TB", raw(node.child_by_field_name("parameters")))
        and not _TEST.match(raw(node.child_by_field_name("name")))
    )
    tables: dict[str, tuple[str, ...]] = {}
    for node in root.named_children:
        if node.type == "var_declaration":
            tables |= _tables(node)
    cases: dict[str, TestCase] = {}
    for node in functions:
        for case in _read_function(node, helpers, tables):
            cases[case.id] = case
    builds = _BUILD.findall(source.partition("\npackage ")[0])
    return TestFile(
        cases=tuple(cases.values()), skips=tuple(f"built only if {said.strip()}" for said in builds)
    )


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
    local = _locals(node)
    body = _Body(local, helpers)
    if block is not None:
        body.walk(_statements(block), ())
    owner = re.sub(r"[()*\s]|^\w+\s", "", raw(receiver).strip("()")) if receiver is not None else ""
    known = _tables(node)
    used = {name: cases for name, cases in tables.items() if re.search(rf"\b{re.escape(name)}\b", raw(block))}
    case = TestCase(
        id=f"{owner}.{name}" if owner else name,
        line=line(node),
        body=text(block, local),
        is_test=is_test,
        is_empty=block is not None and not _statements(block) and not re.search(r"//\s*Output:", raw(block)),
        skips=tuple(body.skips),
        parameters=tuple({**used, **known}.items()),
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


def _statements(block: "Node") -> "list[Node]":
    found: list[Node] = []
    for child in block.named_children:
        found += child.named_children if child.type == "statement_list" else [child]
    return [node for node in found if node.type != "comment"]


class _Body:
    def __init__(self, local: frozenset[str], helpers: frozenset[str]) -> None:
        self.assertions: list[Assertion] = []
        self.skips: list[str] = []
        self._local = local
        self._helpers = helpers

    def walk(self, nodes: "list[Node]", guards: tuple[str, ...]) -> None:
        for node in nodes:
            self._statement(node, guards)
            if node.type in ("return_statement", "continue_statement", "break_statement") or _is_skip(node):
                guards = (*guards, "unreachable")
            elif node.type == "if_statement" and _leaves(node.child_by_field_name("consequence")):
                guards = (*guards, f"unless {text(node.child_by_field_name('condition'), self._local)}")

    def _statement(self, node: "Node", guards: tuple[str, ...]) -> None:
        if node.type == "if_statement":
            self._if(node, guards)
        elif node.type == "block":
            self.walk(_statements(node), guards)
        elif node.type == "func_literal":
            body = node.child_by_field_name("body")
            if body is not None:
                is_recovering = re.search(r"\brecover\(\)", raw(body)) and not re.search(
                    r"\.(?:Error|Fatal)", raw(body)
                )
                self.walk(_statements(body), (*guards, "swallowed") if is_recovering else guards)
        elif node.type == "call_expression":
            self._call(node, guards)
        else:
            for child in node.named_children:
                self._statement(child, guards)

    def _if(self, node: "Node", guards: tuple[str, ...]) -> None:
        condition = node.child_by_field_name("condition")
        block, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        start = node.child_by_field_name("initializer")
        if start is not None:
            self._statement(start, guards)
        if block is not None and condition is not None:
            if _fails(block):
                self.assertions += [a._replace(guards=guards) for a in self._claims(node, condition)]
            else:
                self.walk(_statements(block), (*guards, _guard("if", text(condition, self._local))))
        if other is not None:
            said = _guard("unless", text(condition, self._local))
            self._statement(other, guards if block is not None and _fails(block) else (*guards, said))

    def _claims(self, node: "Node", condition: "Node") -> list[Assertion]:
        while condition.type == "parenthesized_expression":
            condition = condition.named_children[0]
        said = f"if {text(condition)} {{ fail }}"
        if condition.type == "binary_expression":
            sign = raw(condition.child_by_field_name("operator"))
            left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
            if left is not None and right is not None:
                if sign == "||":
                    return [*self._claims(node, left), *self._claims(node, right)]
                if sign == "&&":
                    members = (text(left, self._local), text(right, self._local))
                    return [self._made(node, said, "any", left, None)._replace(members=members)]
                if sign in _COMPARE:
                    op = "vacuous" if text(left) == text(right) else _COMPARE[sign]
                    made = self._made(node, said, op, left, right)
                    if op in ("order", "strict-order"):
                        made = _bounded(made, "<" if sign in (">", ">=") else ">", right)
                    return [made]
        if raw(condition) == "false":
            return [self._made(node, said, "vacuous", condition, None)]
        if condition.type == "unary_expression" and raw(condition).startswith("!"):
            inner = condition.named_children[0]
            is_equal = re.match(
                r"(?:reflect\.DeepEqual|bytes\.Equal|cmp\.Equal|slices\.Equal|maps\.Equal)\(", raw(inner)
            )
            args = _arguments(inner) if inner.type == "call_expression" else []
            if is_equal and len(args) > 1:
                return [self._made(node, said, "equals", args[0], args[1])]
            if raw(inner).startswith("strings.Contains(") and len(args) > 1:
                return [self._made(node, said, "contains", args[0], args[1])]
            if raw(inner).startswith("errors.Is(") and len(args) > 1:
                return [self._made(node, said, "raises", args[0], None)._replace(exceptions=(text(args[1]),))]
            return [self._made(node, said, "truthy", inner, None)]
        return [self._made(node, said, "falsy", condition, None)]

    def _made(self, node: "Node", said: str, op: str, subject: "Node", expected: "Node | None") -> Assertion:
        return Assertion(
            line(node), said, op, text(subject), text(expected),
            text(subject, self._local), text(expected, self._local),
        )  # fmt: skip

    def _call(self, node: "Node", guards: tuple[str, ...]) -> None:
        function = node.child_by_field_name("function")
        name = raw(function)
        head, _, last = name.rpartition(".")
        args = _arguments(node)
        if last in ("Skip", "Skipf", "SkipNow") and head in ("t", "b", "f", "tb", "s.T()"):
            conditions = [guard for guard in guards if guard.startswith(("if ", "unless "))]
            self.skips.append(" ".join((f"{head}.Skip()", *conditions)))
        elif last in _FAILING and head in ("t", "f", "tb", "s.T()"):
            self.assertions.append(
                Assertion(line(node), text(node), "call", name, "", name, "", guards=guards)
            )
        elif head in _TESTIFY_HEADS and last.rstrip("f") in {
            *_TESTIFY, "NoError", "Eventually", "Never", "FileExists", "Fail", "FailNow",
        }:  # fmt: skip
            self.assertions.append(self._testify(node, head, last.rstrip("f"), args)._replace(guards=guards))
        elif last in self._helpers:
            shown = [text(arg, self._local) for arg in args]
            made = Assertion(line(node), text(node), "call", name, text(node), name, ", ".join(shown))
            self.assertions.append(made._replace(guards=guards))
        for child in args:
            self._statement(child, guards)

    def _testify(self, node: "Node", head: str, last: str, args: "list[Node]") -> Assertion:
        claim = args[1:] if head in ("assert", "require") else args
        op = _TESTIFY.get(last, "call")
        if not claim:
            return Assertion(line(node), text(node), "call", last)
        first, rest = claim[0], claim[1:]
        if (
            op in ("equals", "loosely-equals", "differs", "approx")
            and rest
            and last not in ("Nil", "True", "False")
        ):
            first, rest = rest[0], [first]  # testify names the expected value first
        expected = (
            rest[0] if rest and last not in ("Nil", "True", "False", "Empty", "Zero", "Error") else None
        )
        made = self._made(node, text(node), op, first, expected)
        if last in ("Nil", "True", "False", "Empty", "Zero"):
            literal = {"True": "true", "False": "false", "Nil": "nil"}.get(last, last)
            op = "vacuous" if raw(first) == literal else "equals"
            return made._replace(expected=literal, plain_expected=literal, op=op)
        if expected is not None and text(expected) == text(first) and op in ("equals", "loosely-equals"):
            return made._replace(op="vacuous")
        if op == "approx":
            return made._replace(tolerance=_number(claim[2]) if len(claim) > 2 else None)
        if op == "raises":
            return made._replace(exceptions=(text(expected),) if last in ("ErrorIs", "ErrorAs") else ())
        if op in ("order", "strict-order") and expected is not None:
            return _bounded(made, "<" if last.startswith("Less") else ">", expected)
        if op == "type" and len(claim) > 1:
            return self._made(node, text(node), op, claim[1], claim[0])
        return made


def _bounded(made: Assertion, sign: str, bound: "Node") -> Assertion:
    return made._replace(
        bound=_number(bound), expected=sign + made.expected, plain_expected=sign + made.plain_expected
    )


def _number(node: "Node") -> float | None:
    said = raw(node).replace("_", "")
    return float(said) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?(?:e-?\d{1,2})?", said) else None


def _guard(word: str, condition: str) -> str:
    return (
        "unreachable" if (word, condition) in (("if", "false"), ("unless", "true")) else f"{word} {condition}"
    )


def _arguments(call: "Node") -> "list[Node]":
    listed = call.child_by_field_name("arguments")
    return [] if listed is None else [node for node in listed.named_children if node.type != "comment"]


def _fails(block: "Node") -> bool:
    """Say whether a block does nothing but say that the test failed."""
    return any(
        (call := _called(node)) is not None
        and raw(call.child_by_field_name("function")).rpartition(".")[2] in _FAILING
        for node in _statements(block)
    )


def _called(node: "Node") -> "Node | None":
    if node.type == "expression_statement" and node.named_children:
        node = node.named_children[0]
    return node if node.type == "call_expression" else None


def _is_skip(node: "Node") -> bool:
    call = _called(node)
    return call is not None and raw(call.child_by_field_name("function")).endswith(
        (".Skip", ".Skipf", ".SkipNow")
    )


def _leaves(block: "Node | None") -> bool:
    last = _statements(block)[-1:] if block is not None else []
    return bool(last) and last[0].type in ("return_statement", "continue_statement", "break_statement")


def _locals(function: "Node") -> frozenset[str]:
    found: set[str] = set()
    for node in walk(function):
        if node.type in ("short_var_declaration", "range_clause"):
            left = node.child_by_field_name("left")
            found |= {raw(part) for part in walk(left) if part.type == "identifier"} if left else set()
        elif node.type in ("var_spec", "parameter_declaration"):
            found |= {raw(part) for part in node.children if part.type == "identifier"}
    return frozenset(found - {"t", "b", "f"})


def _tables(function: "Node") -> dict[str, tuple[str, ...]]:
    """Give the literal lists of a function, by the name they are given."""
    found: dict[str, tuple[str, ...]] = {}
    count = 0
    for node in walk(function):
        if node.type != "composite_literal":
            continue
        kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        if (
            kind is None
            or body is None
            or kind.type not in ("slice_type", "map_type", "array_type", "implicit_length_array_type")
        ):
            continue
        if not _is_ranged(node, function):
            continue
        cases = tuple(text(child) for child in body.named_children if child.type != "comment")
        count += 1
        found[f"table {count}"] = cases
    return found


def _is_ranged(node: "Node", function: "Node") -> bool:
    """Say whether a literal is gone through in a loop: directly, or by its name."""
    parent = node.parent
    while parent is not None and parent.type in ("expression_list",):
        parent = parent.parent
    if parent is None or parent.type == "range_clause":
        return parent is not None
    left = parent.child_by_field_name("left") or parent.child_by_field_name("name")
    if left is None:
        return False
    return (
        re.search(rf"\brange\s+{re.escape(raw(left))}\b", raw(function)) is not None
        or function.type == "var_declaration"
    )
