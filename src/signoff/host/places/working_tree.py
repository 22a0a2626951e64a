"""The person's files as they are in their working tree: for `init` and `config`, never for a run."""

import os

from signoff.domain.base.errors import SignoffError
from signoff.host.git.git_door import Git, GitTool, text
from signoff.host.git.person_repository import find_place

_LARGEST = 10_000_000
_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false")
"""Reading a repository must not run a program that its configuration names."""


class WorkingTree:
    """The files below `root`. Without `git`, the folder is not in a repository."""

    def __init__(self, root: str, git: Git | None) -> None:
        self.root = root
        self._git = git

    def paths(self) -> frozenset[str]:
        """List the files that git tracks or would take and that exist, relative to the top."""
        if self._git is None:
            return frozenset()
        args = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        listed = self._git.run(*args, work_tree=self.root).split(b"\0")[:-1]
        return frozenset(path for path in map(text, listed) if os.path.isfile(os.path.join(self.root, path)))

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, or None if there is no such file."""
        try:
            with open(os.path.join(self.root, path), "rb") as file:
                return file.read(_LARGEST)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def write_new(self, path: str, data: bytes) -> bool:
        """Write a new file. Return False if the name is taken, even by a dangling link."""
        place = os.path.join(self.root, path)
        try:
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            return False
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return True


def find_working_tree(tool: GitTool, folder: str) -> WorkingTree:
    """Return the working tree of the repository around `folder`."""
    place = find_place(tool, folder)
    return WorkingTree(place.root, Git(tool, place.git_dir, _SETTINGS))


def find_project(tool: GitTool, folder: str) -> WorkingTree:
    """Return the working tree around `folder`, or the folder itself outside a repository."""
    try:
        return find_working_tree(tool, folder)
    except SignoffError:
        return WorkingTree(folder, None)
