"""Conversion of the files and links that a walk found into blobs of the engine's git directory.

Every file's bytes are read, because any program can set times and sizes. A file whose bytes hash to the id
that the base has at its path needs no writing. The rest goes to git through one stream, which is ten
times as fast as a loose object for each file and needs one sync for all.
"""

import hashlib
import os
from typing import BinaryIO

from signoff.domain.machine.trees import ProblemKind
from signoff.host.git.git_door import Git, object_format_of, text
from signoff.host.git.tree_objects import SYMLINK, Entries, TreeObject
from signoff.host.places.walk import Walk

_BATCH_BYTES = 64 << 20
"""The most that is held in memory. A larger file is read by git itself."""

_CHUNK = 1 << 20


def write_blobs(git: Git, walk: Walk, object_format: str) -> Entries:
    """Return an entry for every file and link that can be read, and note the others as problems."""
    batch = _Batch(git, object_format)
    entries: Entries = {}
    for path, mode in walk.files.items():
        try:
            entries[path] = TreeObject(mode, _write_file(git, walk, path, batch))
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone since the walk, so not part of the tree
        except OSError:
            walk.note(ProblemKind.UNREADABLE, path)
    for path, target in walk.links.items():
        entries[path] = TreeObject(SYMLINK, batch.add(target, _known_id(walk, path)))
    batch.flush()
    return entries


def _write_file(git: Git, walk: Walk, path: bytes, batch: "_Batch") -> str:
    with _open(walk.disk_path(path)) as file:
        if os.fstat(file.fileno()).st_size <= _BATCH_BYTES:
            return batch.add(file.read(), _known_id(walk, path))
        known = _known_id(walk, path)
        if known and _stream_id(file, known) == known:
            return known
    return _write_big(git, walk, path)


def _write_big(git: Git, walk: Walk, path: bytes) -> str:
    """Have git read a file that is too big for memory. Its path needs no quoting as an argument."""
    args = ("hash-object", "-w", "--no-filters", "--", text(b"./" + path))
    answer = git.ask(*args, cwd=text(walk.folder))
    if answer.exit_code != 0:
        raise OSError(answer.stderr)
    return text(answer.stdout).strip()


def _known_id(walk: Walk, path: bytes) -> str:
    entry = walk.tracked.get(path)
    return entry.oid if entry is not None else ""


def _open(path: bytes) -> BinaryIO:
    """Open for reading without following a link, and without waiting for a pipe put there since the walk."""
    return open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _stream_id(file: BinaryIO, like: str) -> str:
    """Hash a file as git does, with the hash that the id `like` was made with."""
    header = b"blob %d\0" % os.fstat(file.fileno()).st_size
    digest = hashlib.new(object_format_of(like), header, usedforsecurity=False)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


class _Batch:
    """Blobs that are still to be written by git."""

    def __init__(self, git: Git, object_format: str) -> None:
        self._git = git
        self._object_format = object_format
        self._blobs: dict[str, bytes] = {}
        self._size = 0

    def add(self, data: bytes, known: str) -> str:
        """Return the blob's id. It will be written unless it is the `known` one."""
        header = b"blob %d\0" % len(data)
        oid = hashlib.new(self._object_format, header + data, usedforsecurity=False).hexdigest()
        if oid != known and oid not in self._blobs:
            self._blobs[oid] = data
            self._size += len(data)
            if self._size > _BATCH_BYTES:
                self.flush()
        return oid

    def flush(self) -> None:
        """Write the blobs gathered so far. `done` tells git that nothing was cut off."""
        if self._blobs:
            stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in self._blobs.values())
            self._git.run("fast-import", "--quiet", "--done", stdin=stream + b"done\n")
            self._blobs.clear()
            self._size = 0
