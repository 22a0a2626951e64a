"""See what a tree is made of and how it is built, linted and tested.

Pure: works on a list of paths and a way to read files, so it sees the base commit and not somebody's
working tree. Settings win; what is found by looking is only what a file of the project says. A command
that would have to be guessed is not given, and a note says so.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from signoff.domain.directives import Facts
from signoff.domain.settings import CheckSettings

Reader = Callable[[str], bytes | None]
Argv = tuple[str, ...]

_MANIFESTS = {
    "python": ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"),
    "node": ("package.json",),
    "go": ("go.mod",),
    "rust": ("Cargo.toml",),
    "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
}
_PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_PYTEST_SECTIONS = (("tox.ini", rb"^\[pytest\]"), ("setup.cfg", rb"^\[tool:pytest\]"))
_MYPY_FILES = (("mypy.ini", rb""), (".mypy.ini", rb""), ("setup.cfg", rb"^\[mypy\]"))
_TEST_MODULE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_TEST_CODE = re.compile(rb"^(async )?def test|^(import|from) pytest\b|^class Test\w*:", re.MULTILINE)
_MODULES_READ = 200
"""How many test modules are opened in search of one that looks like pytest."""
_SHELL = re.compile(r"[|&;<>()$`\\{}~#\n]|^\s*\w+=")
_VENDORED = ("node_modules", ".venv", "venv", "vendor")
_PYTEST: Argv = ("python", "-m", "pytest")


class _Found(NamedTuple):
    """A command and the file that says so."""

    kind: str
    argv: Argv
    source: str


class _Tree(NamedTuple):
    """A tree to look at; broken files become notes."""

    paths: frozenset[str]
    read: Reader
    notes: list[str]

    def text(self, path: str) -> bytes:
        return (self.read(path) or b"") if path in self.paths else b""

    def toml(self, path: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(path).decode())
        except (ValueError, RecursionError):
            self.notes.append(f"{path} cannot be parsed")
            return {}

    def json(self, path: str) -> dict[str, Any]:
        if path not in self.paths:
            return {}
        try:
            whole = json.loads(self.text(path))
        except (ValueError, RecursionError):
            whole = None
        if not isinstance(whole, dict):
            self.notes.append(f"{path} cannot be parsed")
            return {}
        return whole


def detect(paths: frozenset[str], read: Reader, settings: CheckSettings) -> Facts:
    """Give stacks, commands with their source, module guides and honest remarks."""
    tree = _Tree(paths, read, [])
    commands: dict[str, Argv] = {}
    sources: dict[str, str] = {}
    for found in (*_from_settings(settings), *_python(tree), *_node(tree, settings)):
        if found.kind not in commands:
            commands[found.kind], sources[found.kind] = found.argv, found.source
        elif sources[found.kind] != "settings":
            said = f"`{' '.join(found.argv)}` ({found.source})"
            tree.notes.append(f"{said} is not run: one {found.kind} command is, see [checks] {found.kind}")
    stacks = tuple(_stacks(paths))
    return Facts(
        stacks=stacks,
        commands=commands,
        sources=sources,
        guides=tuple(sorted(path for path in paths if _is_guide(path))),
        notes=(*tree.notes, *_remarks(tree, stacks, commands)),
    )


def _stacks(paths: frozenset[str]) -> Iterator[str]:
    for stack, manifests in _MANIFESTS.items():
        if paths & set(manifests) or (stack == "python" and any(path.endswith(".py") for path in paths)):
            yield stack


def _is_guide(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name in ("CLAUDE.md", "AGENTS.md") and not set(folder.split("/")) & set(_VENDORED)


def _remarks(tree: _Tree, stacks: tuple[str, ...], commands: dict[str, Argv]) -> Iterator[str]:
    if "test" not in commands:
        yield "no test command found: set [checks] test, or nothing can be shown by tests"
    for stack in stacks:
        if stack not in ("python", "node") and "test" not in commands:
            yield f"{stack} is recognised by name only; [checks] test and test_report make its tests readable"
    if ".gitmodules" in tree.paths:
        yield "submodules are known by their commit alone; their files are not checked"


def _from_settings(settings: CheckSettings) -> Iterator[_Found]:
    for kind, argv in (("test", settings.test), ("build", settings.build), ("lint", settings.lint)):
        if argv:
            yield _Found(kind, argv, "settings")


# --- Python ---


def _python(tree: _Tree) -> Iterator[_Found]:
    tool = tree.toml("pyproject.toml").get("tool", {})
    tables: dict[str, Any] = tool if isinstance(tool, dict) else {}
    if source := _pytest_source(tree, tables):
        yield _Found("test", _PYTEST, source)
    elif any(_TEST_MODULE.search(path) for path in tree.paths):
        tree.notes.append("test modules found, but nothing that says pytest; set [checks] test to use it")
    if source := _ruff_source(tree, tables):
        yield _Found("lint", ("python", "-m", "ruff", "check", "--no-cache", "."), source)
    if source := _mypy_source(tree, tables):
        yield _Found("lint", ("python", "-m", "mypy", *_mypy_subject(tree, tables, source)), source)


def _mypy_subject(tree: _Tree, tables: dict[str, Any], source: str) -> Argv:
    """Give what mypy is to check, unless its configuration says so."""
    table = tables.get("mypy")
    says_files = isinstance(table, dict) and "files" in table
    return () if says_files or re.search(rb"^files\b", tree.text(source), re.MULTILINE) else (".",)


def _pytest_source(tree: _Tree, tables: dict[str, Any]) -> str:
    """Give the file that says that pytest is the runner."""
    for path in _PYTEST_FILES:
        if path in tree.paths:
            return path
    if "pytest" in tables:
        return "pyproject.toml"
    if source := _with_section(tree, _PYTEST_SECTIONS):
        return source
    if conftests := sorted(path for path in tree.paths if path.rpartition("/")[2] == "conftest.py"):
        return conftests[0]
    modules = sorted(path for path in tree.paths if _TEST_MODULE.search(path))
    return next((path for path in modules[:_MODULES_READ] if _TEST_CODE.search(tree.text(path))), "")


def _ruff_source(tree: _Tree, tables: dict[str, Any]) -> str:
    for path in ("ruff.toml", ".ruff.toml"):
        if path in tree.paths:
            return path
    return "pyproject.toml" if "ruff" in tables else ""


def _mypy_source(tree: _Tree, tables: dict[str, Any]) -> str:
    return "pyproject.toml" if "mypy" in tables else _with_section(tree, _MYPY_FILES)


def _with_section(tree: _Tree, candidates: tuple[tuple[str, bytes], ...]) -> str:
    """Give the first file of the tree that has its section."""
    for path, section in candidates:
        if path in tree.paths and re.search(section, tree.text(path), re.MULTILINE):
            return path
    return ""


# --- Node ---


def _node(tree: _Tree, settings: CheckSettings) -> Iterator[_Found]:
    package = tree.json("package.json")
    given = package.get("scripts")
    scripts: dict[str, Any] = given if isinstance(given, dict) else {}
    for kind in ("test", "build", "lint"):
        script = scripts.get(kind)
        if isinstance(script, str) and script.strip() and "no test specified" not in script:
            yield _Found(kind, _script_argv(tree, kind, scripts, settings), "package.json")
    needs_modules = any(package.get(key) for key in ("dependencies", "devDependencies"))
    if needs_modules and "node_modules" not in settings.carry and not _below(tree, "node_modules/"):
        tree.notes.append('node_modules is not carried: checks need [checks] carry = ["node_modules"]')


def _below(tree: _Tree, folder: str) -> bool:
    return any(path.startswith(folder) for path in tree.paths)


def _script_argv(tree: _Tree, kind: str, scripts: dict[str, Any], settings: CheckSettings) -> Argv:
    """Give what to run for a script: itself where its runner can be told to write a report, else npm."""
    by_name: Argv = ("npm", "run", "--silent", kind)
    if kind != "test":
        return by_name
    script = str(scripts["test"])
    if direct := _reporting(() if _SHELL.search(script) else _split(script)):
        for hook in ("pretest", "posttest"):
            if hook in scripts:
                tree.notes.append(f"the script {hook} is not run: {direct[0]} is started directly")
        return direct
    if not settings.test_report and not settings.test:
        tree.notes.append(f"`npm test` is `{script[:50]}`: no report we can read, see [checks] test_report")
    return by_name


def _reporting(words: Argv) -> Argv:
    """Give the command of a runner that writes JUnit XML when asked to; empty for any other."""
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
