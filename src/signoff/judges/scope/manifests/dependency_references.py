"""Files of any name that a manifest has its requirements read from.

Pure. Manifests are sought where they usually lie around a file that changed, and what they include is
followed from one file to the next.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from signoff.judges.scope.change_scope import Reader
from signoff.judges.scope.manifests import line_formats, table_formats
from signoff.judges.scope.manifests.manifest_kinds import LISTED, is_lock, is_manifest, manifest_of
from signoff.text.word_lists import words

_USUAL: Final = (
    *("pyproject.toml", "setup.cfg", "environment.yml", "environment.yaml"),
    *("requirements.txt", "requirements.in", "constraints.txt"),
    *(f"requirements-{kind}.txt" for kind in ("dev", "test")),
    *(f"{kind}-requirements.txt" for kind in ("dev", "test")),
    *(f"requirements/{kind}.txt" for kind in ("base", "dev", "test", "prod")),
)
_MOST_FOLLOWED: Final = 200

_ENDINGS_OF_LISTS: Final = words("txt in pip list lst req reqs deps requirements cfg conf")
_ENDINGS_OF_OTHERS: Final = words(
    "py pyi js jsx ts tsx mjs cjs mts cts go rs rb php java kt scala c h cc cpp hpp cs swift ex exs dart vue "
    "svelte html css scss less sql sh md mdx rst png jpg jpeg gif svg ico webp woff woff2 pdf ipynb snap"
)
_NO_LISTS: Final = re.compile(
    r"(?:license|licence|copying|notice|readme|version|changes|changelog|history|news|authors|contributors"
    r"|manifest\.in|robots\.txt)",
    re.IGNORECASE,
)


def possible_lists(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the files that a manifest may include: no manifest themselves, no code, pages or pictures."""
    return tuple(
        path
        for path in paths
        if not is_manifest(path) and not is_lock(path) and _ending(path) not in _ENDINGS_OF_OTHERS
    )


def drawn_in(paths: Iterable[str], read: Reader) -> frozenset[str]:
    """Return the files that manifests around or among these paths have requirements read from."""
    given = tuple(paths)
    waiting = list(dict.fromkeys([*_around(given), *filter(is_manifest, given)]))
    seen, found = set(waiting), set[str]()
    most = len(seen) + _MOST_FOLLOWED
    while waiting and len(seen) <= most:
        path = waiting.pop()
        for named in _named(path, read(path)):
            found.add(named)
            if named not in seen:
                seen.add(named)
                waiting.append(named)
    return frozenset(found)


def read_by_setup(path: str, read: Reader) -> bool:
    """Check whether a `setup.py` above a file mentions it.

    Only running it would show what it does with it.
    """
    name = path.rpartition("/")[2]
    if not _looks_like_a_list(path) or _NO_LISTS.match(name):
        return False
    texts = (read(f"{folder}setup.py") or b"" for folder in _folders(path))
    written = name.encode("utf-8", "surrogateescape")  # a name is bytes, and need not be UTF-8
    return any(written in text for text in texts)


def _looks_like_a_list(path: str) -> bool:
    """Check the ending alone, so that folders are not searched for every data file."""
    return (_ending(path) or "txt") in _ENDINGS_OF_LISTS


def _ending(path: str) -> str:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def _around(paths: Iterable[str]) -> Iterator[str]:
    lists = filter(_looks_like_a_list, possible_lists(paths))
    folders = {"", *(folder for path in lists for folder in _folders(path))}
    yield from (folder + name for folder in sorted(folders) for name in _USUAL)


def _folders(path: str) -> Iterator[str]:
    """Yield the folders above a file, each with its slash. The root is empty."""
    parts = path.split("/")[:-1]
    yield from ("".join(f"{part}/" for part in parts[:count]) for count in range(len(parts) + 1))


def _named(path: str, data: bytes | None) -> Iterator[str]:
    if not data:
        return
    folder = path.split("/")[:-1]
    try:
        names = tuple(_references(path, data))
    except (ValueError, RecursionError):  # where it changed, it is named as one that cannot be read
        return
    for name in names:
        if resolved := _resolved(folder, name.strip("\"' ")):
            yield resolved


def _references(path: str, data: bytes) -> Iterable[str]:
    match path.rpartition("/")[2].lower():
        case "pyproject.toml":
            return table_formats.requirement_files(data)
        case "setup.cfg":
            return table_formats.files_of_setup_cfg(data)
        case "environment.yml" | "environment.yaml":
            return line_formats.drawn_in(data)
        case _:
            return line_formats.drawn_in(data) if (manifest_of(path) or LISTED) is LISTED else ()


def _resolved(folder: list[str], name: str) -> str:
    """Return a path as seen from the root, empty if it leads out of it."""
    parts = list(folder)
    if name.startswith("/") or "://" in name:
        return ""
    for part in name.split("/"):
        if part == ".." and not parts:
            return ""
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
