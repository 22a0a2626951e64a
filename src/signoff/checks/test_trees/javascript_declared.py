"""Read which call declares a JavaScript test or suite, and what holds for it by its words and options."""

import re
from typing import TYPE_CHECKING, NamedTuple

from signoff.checks.test_trees.javascript_asserts import chain
from signoff.checks.test_trees.trees import arguments, field, raw, text
from signoff.text.word_lists import words as word_list

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = frozenset({"it", "test", "specify", "fit", "xit", "xtest", "xspecify", "ftest"})
_SUITES = frozenset({"describe", "context", "suite", "fdescribe", "xdescribe", "xcontext", "module"})
_CONTEXTS = frozenset({"t", "st", "tt", "tap", "QUnit", "Deno", "ava", "s2t"})
_NO_RUNNER = word_list("forEach map filter reduce some every find slice concat push")
"""What is asked of a list: one that is called `suite` or `context` declares nothing."""
_NAMES = ("string", "template_string", "identifier", "binary_expression")
_TABLES = (".each", ".for", ".skipIf", ".runIf")
_MOST_WORDS = 4
FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration", "function",
                        "generator_function", "method_definition"})  # fmt: skip


class Mode(NamedTuple):
    """What holds for a test by what stands around it."""

    names: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    xfails: tuple[str, ...] = ()
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    retries: int = 0


class Called(NamedTuple):
    """A call that declares a test or a suite."""

    is_suite: bool
    name: str
    words: tuple[str, ...]
    body: "Node | None"
    options: str
    table: "Node | None"

    @property
    def is_only(self) -> bool:
        """Whether the runner leaves out the neighbours of this one."""
        has_word = "only" in self.words or self.words[0] in ("fit", "fdescribe", "ftest")
        return has_word or re.search(r"\bonly\s*:\s*true", self.options) is not None


def declared(node: "Node") -> Called | None:
    """Return the test or suite that a call declares, None for any other call.

    Names are shared with ordinary code (`test`, `context`, `module`), so a call counts only if its words, its
    first argument and its function all fit.
    """
    function, table = field(node, "function"), None
    if function is not None and function.type == "call_expression":  # test.each(table)("name", fn)
        listed = field(function, "arguments")
        is_template = listed is not None and listed.type == "template_string"
        table = listed if is_template else next(iter(arguments(function)), None)
        function = field(function, "function")
        if not raw(function).endswith(_TABLES):
            return None
    if function is None or function.type not in ("identifier", "member_expression"):
        return None
    start, members = chain(function)
    words = (raw(start), *members)
    behind = words[2:] if words[0] in _CONTEXTS and len(words) > 1 else words[1:]
    first = words[-1 - len(behind)]
    if first not in _TESTS | _SUITES or len(behind) >= _MOST_WORDS or _NO_RUNNER & set(behind):
        return None
    args = arguments(node)
    body = next((arg for arg in args if arg.type in FUNCTIONS), None)
    if not args or (args[0].type not in _NAMES and not body):
        return None
    is_suite = first in _SUITES or "describe" in behind
    name = text(args[0]).strip("\"'`") if args[0].type not in FUNCTIONS else "(unnamed)"
    options = next((text(arg) for arg in args if arg.type == "object"), "")
    if words[-1] in ("skipIf", "runIf") and table is not None:
        table, options = None, f"{words[-1]}({text(table)})"
    return Called(is_suite, name, words, field(body, "body") if is_suite else body, options, table)


def narrowed(mode: Mode, called: Called) -> Mode:
    """Return what holds for a test: what holds around it, and what its own words and options add."""
    words, options = called.words, called.options
    skips, xfails = list(mode.skips), list(mode.xfails)
    said = ".".join(words)
    if {"skip", "todo"} & set(words) or (words[0].startswith("x") and words[0] != "xtest.each"):
        skips.append(said)
    if re.search(r"\b(?:skip|todo)\s*:\s*(?!false\b)", options) or options.startswith(("skipIf", "runIf")):
        skips.append(options)
    if {"failing", "fails", "fail"} & set(words) or re.search(r"\b(?:fails|failing)\s*:\s*true", options):
        xfails.append(said)
    found = re.search(r"\b(?:retry|retries)\s*:\s*(\d{1,6})", options)
    retries = max(mode.retries, int(found[1]) if found else 0)
    return mode._replace(skips=tuple(skips), xfails=tuple(xfails), retries=retries)


def is_outermost(node: "Node", body: "Node") -> bool:
    """Check whether no other declaration stands between a call and the body it was found in."""
    parent = node.parent
    while parent is not None and parent.id != body.id:
        if parent.type == "call_expression" and declared(parent) is not None:
            return False
        parent = parent.parent
    return True
