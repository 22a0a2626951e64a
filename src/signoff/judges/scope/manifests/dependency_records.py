"""What the readers of manifests share: the shape they return, and names of Python requirements. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class Dependency(NamedTuple):
    """One thing a manifest depends on: under which table, and by which name."""

    table: str
    name: str


Dependencies = Mapping[Dependency, str]
"""Each dependency with all that is said about it, as text that can be compared."""

ManifestReader = Callable[[bytes], Dependencies]
"""Reads one format. Raises `OddManifestError` or a ValueError if it cannot be sure of the whole."""

VERSIONS = "versions"
"""The table of names that are no dependencies, but decide which version of one is taken."""


class OddManifestError(ValueError):
    """A manifest whose shape is not the one its format has."""


def table_of(value: Any, what: str) -> dict[str, Any]:
    """Return a table that may be missing. Anything else in its place is odd."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise OddManifestError(f"{what} is not a table")
    return value


def list_of(value: Any, what: str) -> list[Any]:
    """Return a list that may be missing. Anything else in its place is odd."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise OddManifestError(f"{what} is not a list")
    return value


def gathered(pairs: Iterable[tuple[Dependency, str]]) -> Dependencies:
    """Return entries by name. One that is written twice keeps both texts."""
    found: dict[Dependency, list[str]] = {}
    for entry, text in pairs:
        found.setdefault(entry, []).append(text)
    return {entry: "\n".join(texts) for entry, texts in found.items()}


_ALIAS = re.compile(r"""(?:^|["'\s])(?:npm|jsr):/?((?:@[^/@\s"']+/)?[A-Za-z_][^/@\s"']*)""")


def aliases(table: str, text: str) -> Iterator[tuple[Dependency, str]]:
    """Yield the package that stands behind another name: `npm:target@1`."""
    yield from ((Dependency(table, found[1]), text) for found in _ALIAS.finditer(text))


_REQUIREMENT = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:$|[\[(<>=!~;@,\s])")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")


def requirements(table: str, items: Iterable[Any]) -> Iterator[tuple[Dependency, str]]:
    """Yield Python requirements by their normalised names. A path or address is a name of its own."""
    for item in items:
        if isinstance(item, dict):  # {include-group = "..."}: what it names is read where it is written
            yield Dependency(table, f"group {sorted(map(str, item.values()))}"), str(item)
        elif not isinstance(item, str):
            raise OddManifestError(f"{table} holds something that is no requirement")
        elif text := item.strip():
            yield Dependency(table, requirement_name(text)), " ".join(text.split())


def requirement_name(text: str) -> str:
    """Return the name of a requirement as package indexes compare it."""
    found = _REQUIREMENT.match(text) or _EGG.search(text)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found else text
