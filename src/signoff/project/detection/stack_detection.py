"""Detect the stacks of a tree and the commands that build, lint and test it. Pure.

It works on a list of paths and a way to read files, so it sees the base commit and not a working tree.
Settings come first. A command is detected only if a file of the project names it or its tool; it is never
guessed, and a note tells what was not found.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from signoff.domain.run.directives import Facts
from signoff.domain.work.settings import CheckSettings
from signoff.project.detection.changed_surface import Argv, CommandFound, Reader, Tree
from signoff.project.detection.extra_checks import (
    PLAIN,
    counts_when,
    demanded,
    make_targets,
    strategies,
    with_section,
)

_MANIFESTS = {
    "python": ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"),
    "node": ("package.json",),
    "go": ("go.mod",),
    "rust": ("Cargo.toml",),
    "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
}
_PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_PYTEST_SECTIONS = (("tox.ini", rb"^\[pytest\]"), ("setup.cfg", rb"^\[tool:pytest\]"))
_TEST_MODULE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_TEST_CODE = re.compile(rb"^(async )?def test|^(import|from) pytest\b|^class Test\w*:", re.MULTILINE)
_MODULES_READ = 200
"""How many test modules are opened in search of one that looks like pytest."""
_SHELL = re.compile(r"[|&;<>()$`\\{}~#\n]|^\s*\w+=")
_VENDORED = ("node_modules", ".venv", "venv", "vendor")
_PYTEST: Argv = ("python", "-m", "pytest")


def detect(paths: frozenset[str], read: Reader, settings: CheckSettings) -> Facts:
    """Return stacks, commands with their sources, module guides, and notes on what was not recognised.

    Of two commands of one kind the first counts: the settings, then what the files show, then the preset.
    """
    tree = Tree(paths, read, [])
    commands: dict[str, Argv] = {}
    sources: dict[str, str] = {}
    looked = (*_from_settings(settings), *_python(tree), *_node(tree, settings), *_make(tree))
    for found in (*looked, *_of_preset(settings, {found.kind for found in looked})):
        if found.kind not in commands:
            commands[found.kind], sources[found.kind] = found.argv, found.source
        elif sources[found.kind] != "settings":
            tree.note_second(found, "[checks]")
    further = strategies(tree, settings)
    has_python = any(path.endswith(".py") for path in paths)
    stacks = tuple(
        stack
        for stack, manifests in _MANIFESTS.items()
        if paths & set(manifests) or (stack == "python" and has_python)
    )
    named = [path for path in paths if path.rpartition("/")[2] in ("CLAUDE.md", "AGENTS.md")]
    guides = (path for path in named if not set(path.split("/")[:-1]) & set(_VENDORED))
    return Facts(
        stacks=stacks,
        commands=commands,
        sources=sources,
        guides=tuple(sorted(guides)),
        notes=(*tree.notes, *_remarks(tree, stacks, commands)),
        strategies=further,
        counts_when=counts_when(sources, further, settings),
    )


def _remarks(tree: Tree, stacks: tuple[str, ...], commands: dict[str, Argv]) -> Iterator[str]:
    if "test" not in commands:
        yield "no test command found: set [checks] test, or nothing can be shown by tests"
    for stack in stacks:
        if stack not in ("python", "node") and "test" not in commands:
            yield f"{stack} is recognised by name only; [checks] test and test_report make its tests readable"
    if ".gitmodules" in tree.paths:
        yield "submodules are known by their commit alone; their files are not checked"


def _from_settings(settings: CheckSettings) -> Iterator[CommandFound]:
    for kind, argv in (("test", settings.test), ("build", settings.build), ("lint", settings.lint)):
        if argv:
            yield CommandFound(kind, argv, "settings")


def _of_preset(settings: CheckSettings, known: set[str]) -> Iterator[CommandFound]:
    for name, argv in demanded(settings).items():
        if name in PLAIN and name not in known:
            yield CommandFound(name, argv, f"preset {settings.preset}")


def _make(tree: Tree) -> Iterator[CommandFound]:
    """Yield `make lint` and no other target: a build may be anything, and make's tests leave no report."""
    if "lint" in make_targets(tree):
        yield CommandFound("lint", ("make", "lint"), "Makefile")


# --- Python ---


def _python(tree: Tree) -> Iterator[CommandFound]:
    tables = tree.tools()
    if source := _pytest_source(tree, tables):
        yield CommandFound("test", _PYTEST, source)
    elif any(_TEST_MODULE.search(path) for path in tree.paths):
        tree.notes.append("test modules found, but nothing that says pytest; set [checks] test to use it")
    in_pyproject = "pyproject.toml" if "ruff" in tables else ""
    if source := next((path for path in ("ruff.toml", ".ruff.toml") if path in tree.paths), in_pyproject):
        yield CommandFound("lint", ("python", "-m", "ruff", "check", "--no-cache", "."), source)


def _pytest_source(tree: Tree, tables: dict[str, Any]) -> str:
    """Return the file that shows that pytest is the runner, or an empty text.

    The clearest sign comes first: a file of pytest's own, its section in a shared file, a conftest.py, and
    at last test code that only pytest would run.
    """
    for path in _PYTEST_FILES:
        if path in tree.paths:
            return path
    if "pytest" in tables:
        return "pyproject.toml"
    if source := with_section(tree, _PYTEST_SECTIONS):
        return source
    if conftests := sorted(path for path in tree.paths if path.rpartition("/")[2] == "conftest.py"):
        return conftests[0]
    modules = sorted(path for path in tree.paths if _TEST_MODULE.search(path))
    return next((path for path in modules[:_MODULES_READ] if _TEST_CODE.search(tree.text(path))), "")


# --- Node ---


def _node(tree: Tree, settings: CheckSettings) -> Iterator[CommandFound]:
    package, scripts = tree.json("package.json"), tree.scripts()
    for kind in ("test", "build", "lint"):
        if kind in scripts and "no test specified" not in scripts[kind]:
            yield CommandFound(kind, _script_argv(tree, kind, scripts, settings), "package.json")
    needs_modules = any(package.get(key) for key in ("dependencies", "devDependencies"))
    if (
        needs_modules
        and "node_modules" not in settings.carry
        and not any(path.startswith("node_modules/") for path in tree.paths)
    ):
        tree.notes.append('node_modules is not carried: checks need [checks] carry = ["node_modules"]')


def _script_argv(tree: Tree, kind: str, scripts: Mapping[str, str], settings: CheckSettings) -> Argv:
    """Return the command for a script of package.json: its runner if that can write a report, else npm."""
    by_name: Argv = ("npm", "run", "--silent", kind)
    if kind != "test":
        return by_name
    script = scripts["test"]
    if direct := _reporting(() if _SHELL.search(script) else _split(script)):
        for hook in ("pretest", "posttest"):
            if hook in scripts:
                tree.notes.append(f"the script {hook} is not run: {direct[0]} is started directly")
        return direct
    if not settings.test_report and not settings.test:
        tree.notes.append(f"`npm test` is `{script[:50]}`: no report we can read, see [checks] test_report")
    return by_name


def _reporting(words: Argv) -> Argv:
    """Return the command of a runner that writes JUnit XML when asked to, or nothing for any other runner."""
    if words[:1] == ("node",) and "--test" in words:
        return words
    if words[:1] == ("vitest",) and not {"watch", "dev", "bench", "list", "--watch"} & set(words):
        return ("npx", "--no-install", "vitest", "run", *words[2 if words[1:2] == ("run",) else 1 :])
    return ()


def _split(script: str) -> Argv:
    try:
        return tuple(shlex.split(script))
    except ValueError:
        return ()
