"""A cheap fingerprint of everything around a checkout that an agent without a sandbox could change.

It records sizes, times and inodes, and contents of only a few small files, so that thousands of files take
milliseconds. A process that sets file times back escapes it. It finds accidents and plain lies, and only a
sandbox really confines a program.
"""

import os
import tempfile
import zlib
from collections.abc import Iterable

from signoff.domain.machine.surroundings import Fingerprint, Surroundings
from signoff.host.git.person_repository import RepositoryPlace
from signoff.host.places.state_folder_probe import STATE_FOLDER

_MOST_FILES = 20_000
_MOST_SIBLING_FILES = 2_000
_LARGEST_READ = 1 << 20
_PASSED_BY = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".gradle", "target"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".idea", ".vscode"}
)
"""Dependencies and caches: many files, which editors and test runners change all the time."""
_GIT_FILES = ("HEAD", "config", "config.worktree", "packed-refs")
_GIT_FOLDERS = ("hooks", "info", "refs")
_ENGINE_FILES = ("HEAD", "config", "info/attributes", "objects/info/alternates")
_OURS = os.path.join("refs", "signoff")
_PERSONS_STATE = ("specs", "contracts", "plans", "memory")
_DISPATCH = "dispatch-"
_RUN_FOLDERS = ("blobs", "receipts")
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - looked at, not written to

Marks = dict[str, Fingerprint]


def look_around(
    place: RepositoryPlace, state_dir: str, run_id: str, checkout: str, settled: Iterable[str]
) -> Surroundings:
    """Return the fingerprint. `settled` are the checkouts of this run in which no agent works any more."""
    person: Marks = {}
    is_whole = _walk(place.root, "", person, _PASSED_BY | {STATE_FOLDER}, _MOST_FILES)
    for folder in {place.git_dir, place.common_dir}:
        _git_dir(folder, _shown(folder, place.root), person)
    _beside(place.root, person)
    for name in _PERSONS_STATE:
        _walk(os.path.join(state_dir, name), f"{STATE_FOLDER}/{name}/", person, frozenset(), _MOST_FILES)
    engine: Marks = {}
    for name in _ENGINE_FILES:
        _content(os.path.join(state_dir, "engine.git", name), f"{STATE_FOLDER}/engine.git/{name}", engine)
    _walk(os.path.join(state_dir, "engine.git/hooks"), f"{STATE_FOLDER}/engine.git/hooks/", engine)
    _strays(state_dir, checkout, engine)
    for folder in settled:
        room = _MOST_SIBLING_FILES - len(engine)
        _walk(folder, _shown(folder, place.root) + "/", engine, frozenset({".git"}), max(0, room))
    kept: Marks = {}
    run = f"{STATE_FOLDER}/runs/{run_id}/"
    for name in _RUN_FOLDERS:
        _walk(os.path.join(state_dir, "runs", run_id, name), f"{run}{name}/", kept)
    return Surroundings(person, engine, kept, _journals(state_dir), is_whole)


def _walk(
    top: str, prefix: str, into: Marks, passed_by: frozenset[str] = frozenset(), most: int = _MOST_FILES
) -> bool:
    """Record every file below a folder, links as links. Return False if there are more than `most`."""
    room = len(into) + most
    folders = [(top, prefix)]
    while folders:
        folder, shown = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in passed_by:
                            folders.append((entry.path, f"{shown}{entry.name}/"))
                    else:
                        found = entry.stat(follow_symlinks=False)
                        into[shown + entry.name] = (found.st_size, found.st_mtime_ns, found.st_ino)
        except OSError:
            continue  # gone meanwhile, or not ours to read
        if len(into) > room:
            return False
    return True


def _git_dir(folder: str, shown: str, into: Marks) -> None:
    """Record the files that make git run something or move a branch: hooks, settings, refs."""
    for name in _GIT_FILES:
        _content(os.path.join(folder, name), f"{shown}/{name}", into)
    for name in _GIT_FOLDERS:
        for parent, folders, names in os.walk(os.path.join(folder, name)):
            below = os.path.relpath(parent, folder)
            if below == "refs":
                folders[:] = [each for each in folders if os.path.join(below, each) != _OURS]
            for each in names:
                _content(os.path.join(parent, each), f"{shown}/{below}/{each}", into)


def _beside(root: str, into: Marks) -> None:
    """Record the names beside the repository, where a new name is something that a program put there.

    Not in a temporary folder, where programs create files all the time.
    """
    parent = os.path.realpath(os.path.dirname(root))
    if parent in {os.path.realpath(each) for each in (*_TEMPORARY, tempfile.gettempdir())}:
        return
    try:
        names = os.listdir(parent)
    except OSError:
        return
    into.update((f"../{name}", (0, 0, 0)) for name in names if not name.startswith("."))


def _strays(state_dir: str, checkout: str, into: Marks) -> None:
    """Record files in the folders above a checkout, and folders beside it that are not checkouts."""
    top = os.path.join(state_dir, "checkouts")
    folder = os.path.dirname(checkout)
    while folder.startswith(top):
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    shown = f"{STATE_FOLDER}/{os.path.relpath(entry.path, state_dir)}"
                    if not entry.is_dir(follow_symlinks=False):
                        found = entry.stat(follow_symlinks=False)
                        into[shown] = (found.st_size, found.st_mtime_ns, found.st_ino)
                    elif folder == os.path.dirname(checkout) and not entry.name.startswith(_DISPATCH):
                        into[shown] = (0, 0, entry.inode())
        except OSError:
            pass
        folder = os.path.dirname(folder)


def _journals(state_dir: str) -> Marks:
    marks: Marks = {}
    runs = os.path.join(state_dir, "runs")
    try:
        names = os.listdir(runs)
    except OSError:
        return marks
    for name in names:
        try:
            found = os.lstat(os.path.join(runs, name, "journal.jsonl"))
        except OSError:
            continue
        marks[f"{STATE_FOLDER}/runs/{name}/journal.jsonl"] = (found.st_size, 0, found.st_ino)
    return marks


def _content(path: str, shown: str, into: Marks) -> None:
    """Record a small file by its content, because git rewrites the same content under another inode."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST_READ)
    except OSError:
        return
    into[shown] = (len(data), zlib.crc32(data), 0)


def _shown(path: str, root: str) -> str:
    return os.path.relpath(os.path.realpath(path), os.path.realpath(root))
