"""How each test runner is told to leave a report, and what it can be narrowed to. Called by `tests`."""

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import assert_never

from signoff.text.globs import is_glob, match_glob
from signoff.text.shell.wrappers import WRAPPERS

Argv = tuple[str, ...]


class TestRunner(StrEnum):
    """A runner whose report we know how to get."""

    __test__ = False

    PYTEST = "pytest"
    NODE = "node"
    VITEST = "vitest"
    OTHER = "other"
    """Only the project can say where it leaves a report."""


_LAUNCHERS = frozenset(name for name, row in WRAPPERS.items() if "run" in row.verbs)
_NODE_LAUNCHERS = ("npx", "pnpm", "yarn", "bunx")
_REPORTER = Path(__file__).with_name("node_reporter.mjs")
_PYTEST_CONFIGS = (
    *((name, rb"") for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")),
    ("pyproject.toml", rb"^\s*\[tool\.pytest\b"),
    ("tox.ini", rb"^\[pytest\]"),
    ("setup.cfg", rb"^\[tool:pytest\]"),
)
_USES_CACHE = re.compile(rb"cache_dir|--(lf|ff|nf|sw|last-failed|failed-first|new-first|stepwise|cache)\b")
_TAKES_NO_VALUE = re.compile(
    r"-[qvxsl]+|-r\w*|--test|--test-only|--(strict|no|show|disable|exitfirst|quiet|verbose)[\w-]*"
)


def recognise(argv: Argv) -> TestRunner:
    """Return the runner a command starts. A launcher such as `uv run` may stand before it.

    Only the leading words decide: `echo pytest` starts no pytest, so a word further back counts only behind
    `LAUNCHER run`.
    """
    names = tuple(os.path.basename(word) for word in argv)
    if names[:1] == ("node",) and "--test" in argv:
        return TestRunner.NODE
    if "vitest" in names[:1] or (names[:1] and names[0] in _NODE_LAUNCHERS and "vitest" in names[:4]):
        return TestRunner.VITEST
    rest = names
    if len(names) > 1 and names[0] in _LAUNCHERS and names[1] == "run":
        rest = names[next((n for n, word in enumerate(names) if _starts_pytest(names[n:])), len(names)) :]
    return TestRunner.PYTEST if _starts_pytest(rest) else TestRunner.OTHER


def _starts_pytest(names: Argv) -> bool:
    if names[:1] in (("pytest",), ("py.test",)) or names[:2] == ("-m", "pytest"):
        return True
    return bool(names) and names[0].startswith("python") and names[1:3] == ("-m", "pytest")


def reporting_argv(runner: TestRunner, argv: Argv, select: Argv, folder: str, report: str) -> Argv:
    """Return the command with the words that make it leave JUnit XML at `report`, narrowed to `select`."""
    words = tuple(_without_paths(argv, folder)) if select else argv
    match runner:
        case TestRunner.PYTEST:
            return (*words, *_pytest_flags(argv, folder), f"--junitxml={report}", *select)
        case TestRunner.NODE:
            flags = (f"--test-reporter={_REPORTER.as_uri()}", f"--test-reporter-destination={report}")
            given = [
                file
                for word in _without_reporters(words[1:])
                # Globs become the files they name, as the shell of an npm script would have it.
                for file in (_files(folder, word) if is_glob(word) and not word.startswith("-") else (word,))
            ]
            return (words[0], *flags, *given, *select)
        case TestRunner.VITEST:
            return (*words, "--reporter=junit", f"--outputFile={report}", *select)
        case TestRunner.OTHER:
            return words
        case _:
            assert_never(runner)


def _pytest_flags(argv: Argv, folder: str) -> Iterator[str]:
    """Yield what makes a pytest run complete and independent of anything above the tree."""
    configs = [data for name, section in _PYTEST_CONFIGS if (data := _section(folder, name, section))]
    given = " ".join(argv).encode(errors="replace")
    if not any(_USES_CACHE.search(text) for text in (*configs, given)):
        yield from ("-p", "no:cacheprovider")  # unless asked for: its options would be unknown ones
    yield from ("-o", "junit_family=xunit1")
    # One module that cannot be imported, or one failure, must not keep the others out of the report.
    yield from ("--continue-on-collection-errors", "--maxfail=0")
    if not any(word.startswith("--rootdir") for word in argv):
        yield f"--rootdir={folder}"
    if not any(word.startswith("--confcutdir") for word in argv):
        yield f"--confcutdir={folder}"
    if not configs and not any(word.startswith(("-c", "--config-file")) for word in argv):
        yield from ("-c", os.devnull)  # pytest would go on looking in the folders above


def _section(folder: str, name: str, section: bytes) -> bytes:
    """Return a configuration file that has pytest's section, or nothing. A line end marks an empty one."""
    try:
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
    except OSError:
        return b""
    return data + b"\n" if re.search(section, data, re.MULTILINE) else b""


def _without_paths(argv: Argv, folder: str) -> Iterator[str]:
    """Leave out the files and folders a command names, so that a selection narrows it."""
    yield from argv[:1]
    for before, word in pairwise(argv):
        may_be_a_value = (
            before.startswith("-") and "=" not in before and not _TAKES_NO_VALUE.fullmatch(before)
        )
        is_path = is_glob(word) or os.path.exists(os.path.join(folder, word.split("::")[0]))
        if may_be_a_value or word.startswith("-") or not is_path:
            yield word


def _without_reporters(words: Argv) -> Iterator[str]:
    skips = False
    for word in words:
        is_reporter = word.startswith("--test-reporter")
        if not is_reporter and not skips:
            yield word
        skips = is_reporter and "=" not in word


def _files(folder: str, pattern: str) -> list[str]:
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "node_modules")]
        found += [os.path.relpath(os.path.join(parent, name), folder) for name in names]
    return sorted(path for path in found if match_glob(path, pattern))
