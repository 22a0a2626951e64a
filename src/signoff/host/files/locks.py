"""Advisory locks that the kernel releases when their holder dies, however it dies.

Lock order: a run's lock before the repository's lock, never the other way round. A process that holds the
repository's lock must not ask for a run's.

flock(2) belongs to the open file, so a child that is forked without exec keeps the lock alive after its
parent. The descriptor is close-on-exec, and programs started through `host` do not inherit it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from typing import TYPE_CHECKING, Self

from signoff.domain.base.errors import ConflictError
from signoff.host.files.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from signoff.domain.ports import Clock

_POLL_S = 0.02
_NOTE_BYTES = 200


class FileLock:
    """An exclusive lock on a file whose only content is a note on its holder. Not for use by two threads."""

    def __init__(
        self,
        path: str,
        *,
        what: str = "this run",
        slug: str = "run-locked",
        fix: str = "wait for it, or stop that process and try again",
        wait_s: float = 0.0,
        clock: Clock | None = None,
    ) -> None:
        self._path = path
        self._what = what
        self._slug = slug
        self._fix = fix
        self._wait_s = wait_s
        self._clock = clock or SystemClock()
        self._handle: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._handle is not None

    def acquire(self, wait_s: float | None = None) -> None:
        """Take the lock, waiting for at most `wait_s`. Raise a `ConflictError` that names its holder.

        It always tries more than once, because `is_taken` in another process holds the lock for an instant.
        """
        if self._handle is not None:
            raise RuntimeError(f"{self._path} is locked by this very object")
        deadline = time.monotonic() + max(_POLL_S, self._wait_s if wait_s is None else wait_s)
        while (handle := self._try()) is None:
            if time.monotonic() >= deadline:
                raise self._conflict()
            time.sleep(_POLL_S)
        self._handle = handle
        _write_note(handle, f"process {os.getpid()} since {self._clock.now()}\n")

    def is_taken(self) -> bool:
        """Check whether any process holds the lock now, this object included."""
        if not os.path.exists(self._path):
            return False
        handle = self._try()
        if handle is not None:
            os.close(handle)
        return handle is None

    def release(self) -> None:
        """Release the lock if it is held."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _write_note(handle, "")
            os.close(handle)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _try(self) -> int | None:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A removed file locks nothing out: the one at the path must still be the locked one.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(self._path)):
                    return handle
        except BlockingIOError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None

    def _conflict(self) -> ConflictError:
        holder = ""
        with contextlib.suppress(OSError), open(self._path, "rb") as file:
            holder = file.read(_NOTE_BYTES).decode("utf-8", "replace").strip()
        return ConflictError(
            f"{self._what} is in use",
            slug=self._slug,
            why=f"{holder} holds {self._path}" if holder else f"another process holds {self._path}",
            fix=self._fix,
        )


@contextlib.contextmanager
def folder_lock(folder: str, *, what: str, wait_s: float = 10.0) -> Iterator[None]:
    """Lock a folder itself while a file in it is read, changed and replaced. No lock file is left behind."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise ConflictError(
                        f"{what} is in use",
                        slug="file-locked",
                        why=f"another process has locked the folder {folder}",
                        fix="wait for it, then try again",
                    ) from None
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(handle)


def _write_note(handle: int, text: str) -> None:
    """Write who holds the lock. On a full disk the lock holds all the same, only the message is poorer."""
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, text.encode(), 0)
