"""Reading files, writing them atomically and durably, and thorough removal of folders."""

import contextlib
import os
import stat
import time

_REMOVAL_TRIES = 5
_REMOVAL_PAUSE_S = 0.1


def read_if_there(path: str) -> bytes | None:
    """Return a file's bytes, or None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_atomic(path: str, data: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Write `data` to `path` so that a crash leaves the old file or the new one, never a part of one.

    It is on disk when this returns, which needs a sync of the folder too because the rename is stored there.
    `durable=False` is for what can be made again: a crash of the machine may then leave an empty file, but a
    killed process never does.
    """
    folder = os.path.dirname(path) or "."
    handle, temporary = _unfinished(folder)
    try:
        _fill(handle, data, mode, durable=durable)
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if durable:
        sync_folder(folder)


def write_new(path: str, data: bytes, mode: int = 0o600) -> bool:
    """Write `data` to `path` as `write_atomic` does, but return False if a file is there already."""
    folder = os.path.dirname(path) or "."
    handle, temporary = _unfinished(folder)
    try:
        _fill(handle, data, mode, durable=True)
        os.link(temporary, path)  # fails where a rename would replace
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    sync_folder(folder)
    return True


def _fill(handle: int, data: bytes, mode: int, *, durable: bool) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), mode)
        if durable:
            os.fsync(file.fileno())


def _unfinished(folder: str) -> tuple[int, str]:
    """Open a new file with a unique name beside the one it is to become."""
    temporary = os.path.join(folder, f".write-{os.getpid():x}-{os.urandom(8).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(temporary, flags, 0o600), temporary


def append_line(path: str, line: bytes, mode: int = 0o644, *, durable: bool = True) -> None:
    """Append one line in a single write, durable when this returns unless told otherwise.

    The file is created if it is missing. After a line that was cut off, a new one is begun.
    """
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, mode)
    try:
        size = os.fstat(handle).st_size
        is_torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        data = b"\n" + line if is_torn else line
        if os.write(handle, data) != len(data):
            raise OSError(None, "the disk is full")
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)


def remove_tree(path: str) -> None:
    """Remove a file or folder whatever its permissions, if it exists.

    Tries again for a moment, because a process that is just ending may still write into the folder.
    """
    for _ in range(_REMOVAL_TRIES - 1):
        with contextlib.suppress(OSError):
            _remove_once(path)
            return
        _open_up(path)
        time.sleep(_REMOVAL_PAUSE_S)
    _remove_once(path)


def _remove_once(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            import shutil  # removing a folder is rare, and loading this is not free

            shutil.rmtree(path)
        else:
            os.unlink(path)


def _open_up(path: str) -> None:
    """Make every folder writable, because removing a file needs rights on its folder, not on the file."""
    _allow(path)
    for parent, folders, _ in os.walk(path):
        # Top down, so a folder is readable before `walk` goes into it.
        for name in folders:
            _allow(os.path.join(parent, name))


def _allow(folder: str) -> None:
    # chmod follows links: without this test a link left in the folder would change rights elsewhere.
    if not os.path.islink(folder):
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)


def sync_folder(folder: str) -> None:
    """Make what was created, renamed or removed in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
