"""Find the objects of a submodule, and run git on them without the submodule's own configuration."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from signoff.host.files.scratch import Scratch
from signoff.host.git.git_directories import THROWAWAY, Lender, write_git_dir
from signoff.host.git.git_door import Git, object_format_of, text
from signoff.host.git.tree_objects import Entries

Homes = tuple[str, ...]
"""Git directories below which `modules/<name>` is looked for."""


class Head(NamedTuple):
    """Where a populated submodule says it stands."""

    commit: str
    git_dir: str


class SubmoduleCommit(NamedTuple):
    """A submodule's commit in a git directory that can read it."""

    git: Git
    """Git without the submodule's settings, on borrowed objects. Only valid within `find_module`."""
    commit: str
    homes: Homes
    """Where its own submodules are looked for."""


def module_homes(git: Git, entries: Entries, path: bytes, homes: Homes) -> Homes:
    """Return the git directories that may hold the submodule at `path`."""
    name = _names(git, entries).get(path, text(path))
    # git refuses such names too: they would lead out of `modules/` (CVE-2018-11235).
    if name.startswith("/") or ".." in name.split("/"):
        return ()
    return tuple(os.path.join(home, "modules", name) for home in homes)


def _names(git: Git, entries: Entries) -> dict[bytes, str]:
    """Return the submodule name of each path. A `.gitmodules` that git cannot read names nothing."""
    settings = entries.get(b".gitmodules")
    if settings is None:
        return {}
    pattern = r"^submodule\..*\.path$"
    answer = git.ask("config", "--blob", settings.oid, "-z", "--get-regexp", pattern)
    pairs = [line.split(b"\n", 1) for line in answer.stdout.split(b"\0") if b"\n" in line]
    return {path: text(key)[len("submodule.") : -len(".path")] for key, path in pairs}


def populated_head(git: Git, folder: str) -> Head | None:
    """Ask the `.git` of a submodule where it stands. Return None if it cannot say.

    `rev-parse` on a ref runs nothing that its configuration could name, and reads no object.
    """
    inside = git.at(os.path.join(folder, ".git"))
    head = inside.ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=folder)
    place = inside.ask("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=folder)
    if head.exit_code != 0 or place.exit_code != 0:
        return None
    return Head(text(head.stdout).strip(), text(place.stdout).rstrip("\n"))


@contextmanager
def find_module(
    git: Git, commit: str, candidates: Homes, scratch: Scratch
) -> Iterator[SubmoduleCommit | None]:
    """Yield the commit in the first of these git directories that holds it, or None."""
    with scratch.folder() as folder:
        for number, candidate in enumerate(candidates):
            if os.path.isdir(os.path.join(candidate, "objects")):
                borrower = git.at(os.path.join(folder, str(number)))
                lender = Lender(os.path.join(candidate, "objects"), object_format_of(commit))
                write_git_dir(borrower.git_dir, THROWAWAY, lender)
                if borrower.ask("cat-file", "-e", f"{commit}^{{commit}}").exit_code == 0:
                    yield SubmoduleCommit(borrower, commit, (candidate,))
                    return
        yield None
