"""What the readers of all languages share: the scope of a test, the walk over its statements, its claims."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from signoff.checks.test_trees.trees import field, line, number, text
from signoff.domain.evidence.case_records import Assertion

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = frozenset(
    {"block", "statement_block", "expression_case", "default_case", "type_case", "communication_case"}
)
_LEAVING = frozenset({"return_statement", "continue_statement", "break_statement"})


class NameScope(NamedTuple):
    """What the names in a function mean."""

    local: frozenset[str] = frozenset()
    helpers: frozenset[str] = frozenset()
    """Functions of the file that assert or take a test."""
    bound: frozenset[str] = frozenset()
    """Go: values made of the test that assert by their methods (`is := is.New(t)`)."""
    own: frozenset[str] = frozenset()
    """JavaScript: names imported from the project itself."""
    constants: frozenset[str] = frozenset()
    """JavaScript: names of literals."""


def statements(block: "Node | None") -> "list[Node]":
    """Return the statements of a block without comments, or the one statement that stands in its place."""
    if block is None or block.type not in _BLOCKS:
        return [] if block is None else [block]
    found: list[Node] = []
    for child in block.named_children:  # newer Go grammars wrap the statements in a list
        found += child.named_children if child.type == "statement_list" else [child]
    return [node for node in found if node.type != "comment"]


def leaves(block: "Node | None") -> bool:
    """Check whether a branch ends by leaving the function or the loop."""
    return any(last.type in _LEAVING for last in statements(block)[-1:])


def guard(word: str, condition: str) -> str:
    """Return the guard of a branch, `unreachable` where a literal says so."""
    never = (word, condition.strip("()")) in (("if", "false"), ("unless", "true"))
    return "unreachable" if never else f"{word} {condition}"


class Body:
    """The assertions and skips of one function, gathered statement by statement."""

    def __init__(self, scope: NameScope) -> None:
        self.assertions: list[Assertion] = []
        self.skips: list[str] = []
        self._scope = scope

    def walk(self, nodes: "list[Node]", guards: tuple[str, ...] = ()) -> None:
        """Read statements in their order. What stands behind an early return is never reached."""
        for node in nodes:
            self.statement(node, guards)
            if self._ends(node):
                guards = (*guards, "unreachable")
            elif node.type == "if_statement" and leaves(field(node, "consequence")):
                guards = (*guards, f"unless {self._text(field(node, 'condition'))}")

    def statement(self, node: "Node", guards: tuple[str, ...]) -> None:
        """Read one statement or expression of the language with everything in it."""
        raise NotImplementedError

    def _ends(self, node: "Node") -> bool:
        return node.type in _LEAVING

    def _text(self, node: "Node | None") -> str:
        return text(node, self._scope.local)


# --- assertions ---


def claim(
    node: "Node",
    op: str,
    subject: "Node",
    expected: "Sequence[Node | None]",
    scope: NameScope,
    said: str = "",
) -> Assertion:
    """Return the record of an assertion, quoted as `said` or else as the node reads."""
    return Assertion(
        line(node),
        said or text(node),
        op,
        text(subject),
        ", ".join(map(text, expected)),
        text(subject, scope.local),
        ", ".join(text(part, scope.local) for part in expected),
    )


def call_claim(node: "Node", name: str, args: "Sequence[Node]", scope: NameScope) -> Assertion:
    """Return the record of a helper or method that asserts by itself."""
    given, plain = (", ".join(text(arg, names) for arg in args) for names in (frozenset[str](), scope.local))
    return Assertion(line(node), text(node), "call", name, given, name, plain)


def bounded(made: Assertion, sign: str, bound: "Node | None") -> Assertion:
    """Return an ordering with the number it is against and its sign, by which widening is told."""
    expected, plain = sign + made.expected, sign + made.plain_expected
    return made._replace(bound=number(bound), expected=expected, plain_expected=plain)
