"""The files in which hosts keep the state of their work: never read through a link, always written whole.

The folder belongs to the host, so an existing file is replaced only if it was read as a state file before.
"""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator

from signoff.domain.base.errors import ConfigError
from signoff.host.files.durable_files import sync_folder
from signoff.host.files.locks import folder_lock
from signoff.text.json.json_text import MAX_BYTES

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class DiskStateFiles:
    """State files on this machine."""

    @contextlib.contextmanager
    def holding(self, path: str) -> Iterator[None]:
        """Lock the folder of a file against other processes that use this lock."""
        with contextlib.ExitStack() as held:
            with _explained(path, "read"):
                held.enter_context(folder_lock(_folder(path), what=path))
            yield

    def read(self, path: str) -> bytes:
        """Return a file's bytes, at most one more than the size limit."""
        # Without O_NONBLOCK a named pipe would be waited for.
        flags = os.O_NOFOLLOW | os.O_NONBLOCK
        with (
            _explained(path, "read"),
            open(path, "rb", opener=lambda p, mode: os.open(p, mode | flags)) as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(None, "not a regular file")
            return file.read(MAX_BYTES + 1)

    def what_is_at(self, path: str) -> str:
        """Name what is at the path, a dangling link included. Return "" if nothing is."""
        with _explained(path, "read"):
            try:
                mode = os.lstat(path).st_mode
            except (FileNotFoundError, NotADirectoryError):
                return ""
        if stat.S_ISLNK(mode):
            return "a symbolic link"
        if stat.S_ISDIR(mode):
            return "a folder"
        return "a file" if stat.S_ISREG(mode) else "not a regular file"

    def are_same(self, path: str, other: str) -> bool:
        """Check whether two paths lead to one file."""
        with contextlib.suppress(OSError):
            return os.path.samefile(path, other)
        return False

    def write_new(self, path: str, data: bytes, like: str) -> bool:
        """Write a whole file durably, with the mode of `like`. Return False if the name is taken."""
        with _explained(path, "written"):
            folder = _folder(path)
            handle, temporary = tempfile.mkstemp(prefix=".write-", dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fchmod(handle, stat.S_IMODE(os.stat(like).st_mode) & 0o666)
                    os.fsync(handle)
                is_ours = _put(temporary, path)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)
            sync_folder(folder)
            return is_ours

    def move(self, path: str, target: str) -> bool:
        """Rename a file. Return False if the new name is taken."""
        with _explained(path, "moved"):
            if not _put(path, target):
                return False
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            sync_folder(_folder(path))
            return True


def _put(path: str, target: str) -> bool:
    """Hard-link a file under a second name, or rename it on a file system without hard links.

    Return False if the name is taken.
    """
    try:
        os.link(path, target, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # The name is taken first, so that no file of others is replaced. A crash in between leaves it empty.
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            return False
        os.rename(path, target)
    return True


def _folder(path: str) -> str:
    return os.path.dirname(path) or "."


@contextlib.contextmanager
def _explained(path: str, done: str) -> Iterator[None]:
    """Turn an operating system error into one that a person can put right."""
    try:
        yield
    except (OSError, ValueError) as error:  # the latter: a NUL in the path
        said = str(error.strerror if isinstance(error, OSError) else error)
        is_link = isinstance(error, OSError) and error.errno == errno.ELOOP
        why = "it is a symbolic link" if is_link else said
        fix = "name the file it leads to" if is_link else "check the name and its permissions"
        slug = "file-unreadable" if done == "read" else "file-unwritable"
        raise ConfigError(f"{path} cannot be {done}", slug=slug, why=why, fix=fix) from None
