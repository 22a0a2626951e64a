"""`file-exists` and `grep-match`: what the files of a tree hold."""

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from signoff.checks.base import (
    CheckJudgement,
    CheckTools,
    Escape,
    beneath,
    could_not_run,
    failed,
    inside,
    passed,
)
from signoff.checks.regex import RegexProblem, search_files
from signoff.domain.work.checks import Expectation, FileExists, GrepMatch
from signoff.text.globs import is_glob, match_glob

_PASSED_BY = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__"})
"""Folders a wildcard does not reach into: copied dependencies are not the work. Naming them does."""


def file_exists(bench: CheckTools, check: FileExists) -> CheckJudgement:
    """Check that a regular file is at the path and holds the text, if one is asked for."""
    path = inside(bench.order.folder, check.path)
    if isinstance(path, Escape):
        return failed(path.detail)
    if not _is_file(path):
        return failed(f"{check.path} is {'not a file' if os.path.lexists(path) else 'not there'}")
    if check.must_contain is None:
        return passed(f"{check.path} is there")
    with open(path, "rb") as file:
        holds = check.must_contain.encode(errors="surrogateescape") in file.read()
    if not holds:
        return failed(f"{check.path} does not contain {check.must_contain!r}")
    return passed(f"{check.path} contains {check.must_contain!r}")


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


class _Match(NamedTuple):
    """The files of a glob, and how many links were left alone because they lead out of the tree."""

    files: tuple[str, ...]
    escapes: int


def grep_match(bench: CheckTools, check: GrepMatch) -> CheckJudgement:
    """Check that a pattern is found on some line, or on no line, of the files of a path or glob."""
    start = _start(bench.order.folder, check.path)
    if isinstance(start, Escape):
        return failed(start.detail)
    match = _matching(bench.order.folder, start, check.path)
    if match.escapes and check.expect is Expectation.ABSENT:
        return could_not_run(f"{match.escapes} of the files of {check.path} lead out of the tree")
    if not match.files:
        is_absent = check.expect is Expectation.ABSENT
        return (could_not_run if is_absent else failed)(f"no file matches {check.path}")
    return _judge(bench, check, match.files)


def _judge(bench: CheckTools, check: GrepMatch, files: tuple[str, ...]) -> CheckJudgement:
    # One NUL makes a file binary. That must not hide what must be absent, nor may some artefact show what
    # must be present.
    is_absent = check.expect is Expectation.ABSENT
    seen = search_files(bench, check.pattern, files, in_binary=is_absent)
    if isinstance(seen, RegexProblem):
        return could_not_run(seen.error)
    if seen.hits:
        place = os.path.relpath(files[seen.file], bench.order.folder)
        detail = f"{check.pattern!r} is on {seen.hits} lines, first {place}:{seen.line}"
        return failed(detail) if is_absent else passed(detail)
    if is_absent and seen.binary == len(files):
        return could_not_run(f"only binary files match {check.path}")
    aside = f", {seen.binary} of them binary" if seen.binary else ""
    detail = f"{check.pattern!r} is in none of {len(files)} files{aside}"
    return passed(detail) if is_absent else failed(detail)


def _start(folder: str, pattern: str) -> str | Escape:
    """Return the path before the first wildcard: what is searched is there or below."""
    whole = beneath(folder, pattern)
    if isinstance(whole, Escape) or not is_glob(pattern):
        return whole if isinstance(whole, Escape) else inside(folder, pattern)
    parts = pattern.split("/")
    return inside(folder, "/".join(parts[: next(n for n, part in enumerate(parts) if is_glob(part))]) or ".")


def _matching(folder: str, start: str, pattern: str) -> _Match:
    found = sorted(_candidates(folder, start, pattern))
    kept = tuple(os.path.join(folder, path) for path in found if not isinstance(inside(folder, path), Escape))
    return _Match(tuple(filter(_is_file, kept)), len(found) - len(kept))


def _candidates(folder: str, start: str, pattern: str) -> Iterator[str]:
    """Yield the paths, relative to the tree, that the pattern covers. Links to folders are not followed."""
    if not os.path.isdir(start):
        yield from () if is_glob(pattern) else (os.path.relpath(start, folder),)
        return
    closed = _PASSED_BY - set(pattern.split("/"))
    for parent, folders, names in os.walk(start):
        folders[:] = [name for name in folders if name not in closed]
        for name in names:
            path = os.path.relpath(os.path.join(parent, name), folder)
            if match_glob(path, os.path.normpath(pattern)):
                yield path
