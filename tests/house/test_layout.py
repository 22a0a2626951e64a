"""The source tree keeps its layout, its names and its wording.

Each test names what breaks the rule and where, so that the message is the list of what to change.
"""

import ast
import collections
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SRC = Path(__file__).parents[2] / "src" / "signoff"
# File names that every subject may have, and rooms that are named by command or by backend.
LAYER_NAMES = {"records", "rules", "flow", "effects", "report"}
NAMED_BY_BACKEND = {"cli", "agents", "checks", "storage", "testing"}
NOUNS_IN_ING = {"string", "thing", "wiring", "testing", "setting", "settings"}
DIALECT = re.compile(
    r"\b(nobody|somebody|whoever|that is none|where none|comes of|come to rest|borne out"
    r"|leans? on|goes without)\b",
    re.IGNORECASE,
)
BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.AsyncFor,
    ast.ExceptHandler,
    ast.IfExp,
    ast.Assert,
    ast.match_case,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    place: Path
    text: str
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    found = []
    for path in sorted(SRC.rglob("*.py")):
        if "__pycache__" not in path.parts and "sample" not in path.parts:
            text = path.read_text(encoding="utf-8")
            found.append(Module(path.relative_to(SRC), text, ast.parse(text)))
    return tuple(found)


def functions() -> Iterator[tuple[Module, Function]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, Function):
                yield module, node


def docstrings() -> Iterator[tuple[str, str]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, Function | ast.ClassDef | ast.Module) and (doc := ast.get_docstring(node)):
                yield f"{module.place}:{getattr(node, 'lineno', 1)}", doc


def branches(function: Function) -> int:
    count = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
    return count


def comment_lines(text: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def doubled(places: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in places.items() if len(found) > 1}


def test_a_class_name_occurs_once() -> None:
    """Otherwise a name in a message or a search leads to six classes."""
    places = collections.defaultdict(list)
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{module.place}:{node.lineno}")
    assert doubled(places) == {}


def test_a_file_name_occurs_once() -> None:
    """Otherwise a tab title, a traceback or "look into budget.py" says too little."""
    places = collections.defaultdict(list)
    for module in modules():
        stem = module.place.stem
        if not stem.startswith("__") and module.place.parts[0] not in NAMED_BY_BACKEND | LAYER_NAMES:
            places[stem].append(str(module.place))
    assert doubled({stem: found for stem, found in places.items() if stem not in LAYER_NAMES}) == {}


def test_a_module_is_named_by_a_noun() -> None:
    """A gerund says that something happens, a noun what is inside; `test_` belongs to tests."""
    stems = [(module.place, module.place.stem.rsplit("_", 1)[-1]) for module in modules()]
    assert [str(place) for place, last in stems if last.endswith("ing") and last not in NOUNS_IN_ING] == []
    assert [str(place) for place, _ in stems if place.stem.startswith("test_")] == []


def test_a_package_holds_at_most_twenty_modules() -> None:
    """More of them side by side are a list, not a layout."""
    sizes = collections.Counter(m.place.parent for m in modules() if not m.place.stem.startswith("__"))
    assert {str(place): size for place, size in sizes.items() if size > 20} == {}


def test_every_package_says_what_it_holds() -> None:
    """The first line of `__init__.py` is the sign on the door."""
    assert [
        str(m.place) for m in modules() if m.place.stem == "__init__" and not ast.get_docstring(m.tree)
    ] == []


def test_docstrings_are_plain_english() -> None:
    """A first line is one imperative without a semicolon, and no word is one that only we understand."""
    bad = []
    for place, doc in docstrings():
        first = doc.splitlines()[0]
        if first.split(" ", 1)[0] in {"Give", "Gives", "Say", "Says"} or ";" in first or DIALECT.search(doc):
            bad.append(f"{place}: {first}")
    assert bad == []


def test_functions_stay_small() -> None:
    """Sixty lines are a screen."""
    sizes = [(f"{m.place}:{f.lineno} {f.name}", (f.end_lineno or 0) - f.lineno + 1) for m, f in functions()]
    assert [place for place, size in sizes if size > 60] == []


def test_a_dense_function_explains_its_idea() -> None:
    """More than ten branches need a sentence: beyond the first line of the docstring, or in a comment."""
    bare = []
    for module, function in functions():
        if branches(function) > 10:
            doc = ast.get_docstring(function) or ""
            inside = range(function.lineno, (function.end_lineno or 0) + 1)
            if len(doc.strip().splitlines()) < 2 and comment_lines(module.text).isdisjoint(inside):
                bare.append(f"{module.place}:{function.lineno} {function.name}")
    assert bare == []


def test_few_short_functions_are_used_once() -> None:
    """A private function of a few lines with one caller usually belongs into its caller."""
    used: collections.Counter[str] = collections.Counter()
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name):
                used[node.id] += 1
            elif isinstance(node, ast.Attribute):
                used[node.attr] += 1
    short = [
        f"{m.place}:{f.lineno} {f.name}"
        for m, f in functions()
        if f.name.startswith("_") and not f.name.startswith("__")
        if (f.end_lineno or 0) - f.lineno + 1 <= 6 and used[f.name] == 1
    ]
    assert len(short) <= 100, short
