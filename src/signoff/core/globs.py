"""Globs on posix paths. Pure.

A glob knows `*` and `?` within one segment and `**` for any number of segments; brackets are literal,
because `app/[id]/page.tsx` is a real path.
"""

from collections.abc import Callable, Iterable


def match_glob(path: str, pattern: str) -> bool:
    """Say whether a glob covers a path; one without wildcards covers everything below the folder it names."""
    wanted = pattern.removeprefix("./").rstrip("/")
    if not wanted:
        return False
    if "*" not in wanted and "?" not in wanted:
        return path == wanted or path.startswith(wanted + "/")
    if pattern.endswith("/"):
        wanted += "/**"
    return _match(path.split("/"), wanted.split("/"), any_run="**", same=match_text)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Say whether one of the globs covers a path."""
    return any(match_glob(path, pattern) for pattern in patterns)


def is_glob(pattern: str) -> bool:
    """Say whether a pattern has wildcards."""
    return "*" in pattern or "?" in pattern


def match_text(text: str, pattern: str) -> bool:
    """Match a text that has no segments: `*` for any run of characters, `?` for one."""
    return _match(list(text), list(pattern), any_run="*", same=lambda char, mark: mark in ("?", char))


def _match(items: list[str], marks: list[str], *, any_run: str, same: Callable[[str, str], bool]) -> bool:
    """Match with one kind of mark that stands for any run; quadratic at worst, never exponential."""
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
