"""Globs on posix paths. Pure.

A glob knows `*` and `?` within one segment, `**` for any number of segments, and `{a,b}` for either of two
names or parts of one. Brackets are literal, because `app/[id]/page.tsx` is a real path. So are braces that
hold no choice, as in `{{cookiecutter.slug}}/setup.py`, or a slash.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import product
from math import prod
from typing import Final

MAX_ALTERNATIVES: Final = 64
"""A glob that stands for more than these is taken for a name."""

_CHOICE: Final = re.compile(r"""\{([^{}/\s"',]*(?:,[^{}/\s"',]*)+)\}""")


def match_glob(path: str, pattern: str) -> bool:
    """Check whether a glob covers a path.

    One without wildcards covers everything below the folder it names.
    """
    if "{" not in pattern:
        return _match_one(path, pattern)
    return any(_match_one(path, one) for one in alternatives(pattern))


def _match_one(path: str, pattern: str) -> bool:
    wanted = pattern.removeprefix("./").rstrip("/")
    if not wanted:
        return False
    if "*" not in wanted and "?" not in wanted:
        return path == wanted or path.startswith(wanted + "/")
    if pattern.endswith("/"):
        wanted += "/**"
    return _match(path.split("/"), wanted.split("/"), any_run="**", same=match_text)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Check whether one of the globs covers a path."""
    return any(match_glob(path, pattern) for pattern in patterns)


def is_glob(pattern: str) -> bool:
    """Check whether a pattern has wildcards or alternatives."""
    return "*" in pattern or "?" in pattern or ("{" in pattern and len(alternatives(pattern)) > 1)


@lru_cache(maxsize=1_024)
def alternatives(pattern: str) -> tuple[str, ...]:
    """Return the globs without braces that a glob stands for, itself if it has no alternatives."""
    # Between the choices stand the texts that every alternative has, at the even places.
    parts = _CHOICE.split(pattern)
    choices = [part.split(",") if n % 2 else [part] for n, part in enumerate(parts)]
    if prod(map(len, choices)) > MAX_ALTERNATIVES:
        return (pattern,)
    return tuple("".join(one) for one in product(*choices))


def match_text(text: str, pattern: str) -> bool:
    """Match a text that has no segments: `*` for any run of characters, `?` for one."""
    return _match(list(text), list(pattern), any_run="*", same=lambda char, mark: mark in ("?", char))


def _match(items: list[str], marks: list[str], *, any_run: str, same: Callable[[str, str], bool]) -> bool:
    """Match with one kind of mark that stands for any run. It is quadratic at worst, never exponential."""
    at = mark = 0
    run_mark, run_at = -1, 0
    while at < len(items):
        if mark < len(marks) and marks[mark] == any_run:
            run_mark, run_at = mark, at
            mark += 1
        elif mark < len(marks) and same(items[at], marks[mark]):
            at, mark = at + 1, mark + 1
        elif run_mark >= 0:  # let the last run swallow one more
            run_at += 1
            at, mark = run_at, run_mark + 1
        else:
            return False
    return all(rest == any_run for rest in marks[mark:])
