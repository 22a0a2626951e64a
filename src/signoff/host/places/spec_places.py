"""Where the specs of a project and the contracts of their sprints are stored."""

import os
from collections.abc import Iterator
from typing import Final

from signoff.domain.base.errors import UsageError
from signoff.specs.spec_answers import SpecPlace

HOMES: Final = (".signoff", ".bober")


def find_spec(root: str, name: str) -> SpecPlace:
    """Find a spec by its file, or by its id in this folder or one above it.

    The walk upwards stops at the root of the repository. An id with characters that do not belong into a file
    name is also tried with `_` in place of each of them.
    """
    if os.path.isfile(name):
        return SpecPlace(name, _history(name))
    stem = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)
    folder = os.path.abspath(root)
    while True:
        for home in HOMES:
            for file in (f"{name}.json", f"{stem}.json"):
                path = os.path.join(folder, home, "specs", file)
                if os.sep not in file and os.path.isfile(path):
                    return SpecPlace(path, _history(path))
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = parent
    raise UsageError(
        f"there is no spec {name}",
        slug="spec-unknown",
        why=f"neither a file of that name nor {' or '.join(f'{home}/specs/{stem}.json' for home in HOMES)}",
        fix="name the file, or the id of a spec",
    )


def _history(path: str) -> str:
    home, specs = os.path.split(os.path.dirname(os.path.abspath(path)))
    is_home = specs == "specs" and os.path.basename(home) in HOMES
    return os.path.join(home, "history.jsonl") if is_home else ""


def contract_folders(path: str, project: str) -> Iterator[str]:
    """Yield the folders that may hold the sprint contracts of a spec, the nearest first."""
    specs = os.path.dirname(os.path.abspath(path))
    if os.path.basename(specs) == "specs":
        yield os.path.join(os.path.dirname(specs), "contracts")
    for home in HOMES:
        yield os.path.join(project, home, "contracts")
