"""Throwaway folders that do not outlive the process for long.

Each folder has a lock file beside it, held while the folder is in use. What a killed process left
behind is recognised by its free lock and removed by the next process. A pid would not do, because two
containers can share a repository but not their process numbers.
"""

import contextlib
import fcntl
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from signoff.host.files.durable_files import remove_tree

_LOCK = ".lock"


class Scratch:
    """Creates throwaway folders below one parent. Threads may share it."""

    def __init__(self, parent: str) -> None:
        self._parent = parent
        self._swept = False
        self._sweeping = threading.Lock()

    @contextmanager
    def folder(self) -> Iterator[str]:
        """Yield a fresh empty folder and remove it afterwards, read-only or not."""
        os.makedirs(self._parent, mode=0o700, exist_ok=True)
        self._sweep_once()
        handle, path = self._reserve()
        try:
            os.mkdir(path, 0o700)
            yield path
        finally:
            remove_tree(path)
            os.unlink(path + _LOCK)
            os.close(handle)

    def _reserve(self) -> tuple[int, str]:
        while True:
            handle, lock = tempfile.mkstemp(prefix="", suffix=_LOCK, dir=self._parent)
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Between these two lines a sweep may have taken the new file for an orphan.
            if os.path.exists(lock):
                return handle, lock.removesuffix(_LOCK)
            os.close(handle)

    def _sweep_once(self) -> None:
        with self._sweeping:
            if not self._swept:
                for name in os.listdir(self._parent):
                    if name.endswith(_LOCK):
                        _sweep(os.path.join(self._parent, name))
                self._swept = True


def _sweep(lock: str) -> None:
    """Remove the folder of this lock file unless a process holds the lock."""
    with contextlib.suppress(FileNotFoundError, BlockingIOError):
        handle = os.open(lock, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(lock.removesuffix(_LOCK))
            os.unlink(lock)
        finally:
            os.close(handle)
