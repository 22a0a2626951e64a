"""The folder of scenarios and packs on disk."""

import os

from signoff.domain.base.errors import UsageError
from signoff.host.files.durable_files import write_atomic

_LARGEST = 16_000_000


class DiskShelf:
    """One folder. Links in it are not followed."""

    def __init__(self, folder: str) -> None:
        if not os.path.isdir(folder):
            raise UsageError(
                f"there is no folder {folder}",
                slug="golden-missing",
                fix="name the folder that holds scenarios/",
            )
        self._folder = folder

    def names(self) -> tuple[str, ...]:
        """List every file, relative and sorted."""
        found: list[str] = []
        for parent, _, names in os.walk(self._folder):
            inside = os.path.relpath(parent, self._folder)
            found += (name if inside == "." else f"{inside}/{name}" for name in names)
        if odd := next((name for name in found if not name.isprintable()), None):
            raise _unreadable(repr(odd), "its name has unprintable characters")
        return tuple(sorted(found))

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None if there is no such file."""
        try:
            handle = os.open(os.path.join(self._folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(name, str(error.strerror)) from None
        with os.fdopen(handle, "rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise _unreadable(name, f"more than {_LARGEST} bytes")
        return data

    def write(self, name: str, data: bytes) -> None:
        """Write a file, and make its folder."""
        path = os.path.join(self._folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_atomic(path, data, 0o644)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(os.path.join(self._folder, name))


def _unreadable(name: str, why: str) -> UsageError:
    return UsageError(f"{name} cannot be read", slug="golden-unreadable", why=why, fix="check the file")
