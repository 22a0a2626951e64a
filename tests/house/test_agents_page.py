"""AGENTS.md names what exists, and what its recipes repeat in two places is the same in both."""

import ast
import re
from pathlib import Path

import pytest

from signoff.agents.profiles.tested import TESTED
from signoff.agents.registry import BUILT_IN
from signoff.cli.deliver.arguments import work
from signoff.cli.plan import refine
from signoff.domain.work.ticket import InputKind
from signoff.golden.play import playback
from signoff.project.agent_search import AGENTS

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "signoff"
PAGE = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
DECIDED = (ROOT / "docs/explanation/where-things-are-decided.md").read_text(encoding="utf-8")
NAMES = r"`(?:([a-z_\d/]+\.py))?(?::(\w+))?`(?: \((?=`)([^)]*)\))?"
NOT_A_PROGRAM = {"acp", "command", "hosted", "recorded"}
"""Backends without a program of their own name."""


def named() -> list[tuple[str, str]]:
    """Return each module named on the page with a name it must define, or "". `:name` repeats the module."""
    found, last = [], ""
    for path, name, private in re.findall(NAMES, f"{PAGE}\n{DECIDED}"):
        last = path or last
        if path or name:
            found.append((last, name))
        found += [(last, each) for each in re.findall(r"`(\w+)`", private)]
    return found


def defined(tree: ast.Module) -> set[str]:
    functions = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return functions | {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


@pytest.mark.parametrize(("path", "name"), named())
def test_the_page_names_what_is_there(path: str, name: str) -> None:
    """Otherwise a newcomer opens a file that moved, or searches for a function that has another name."""
    file = ROOT / path if path.startswith(("tests/", "docs/")) else SRC / path
    assert file.is_file()
    if name:
        assert name in defined(ast.parse(file.read_text(encoding="utf-8")))


def test_every_room_has_a_row() -> None:
    """The map of rooms is complete."""
    rows = "\n".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    rooms = [item.name for item in SRC.iterdir() if item.is_dir() and (item / "__init__.py").is_file()]
    assert [room for room in rooms if f"`{room}/`" not in rows] == []


def test_a_coding_agent_is_known_everywhere() -> None:
    """A program that is not looked for, or has no tested version, would be a backend that none finds."""
    assert set(AGENTS) == set(TESTED) == set(BUILT_IN) - NOT_A_PROGRAM
    source = (SRC / "domain/work/settings.py").read_text(encoding="utf-8")
    assert [name for name in BUILT_IN if name != "recorded" and f"`{name}`" not in source] == []


def test_every_kind_of_input_has_its_flag() -> None:
    """A kind without a flag could be read from a state file and never be handed in."""
    flags = tuple(f"{kind}_file" for kind in InputKind)
    assert flags == work.INPUTS
    assert (*flags, "input") == refine._FLAGS
    assert set(playback._INPUTS) == set(InputKind)
