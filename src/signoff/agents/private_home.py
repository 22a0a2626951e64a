"""A home folder for one dispatch: what an agent remembers, allows or breaks there is gone with it.

Only what the settings name comes over from the person's own home.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Mapping

from signoff.domain.base.errors import ConfigError

_FOLDERS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
    # Its own, or Codex takes its home for something temporary and leaves its sandbox out.
    "TMPDIR": "tmp",
}

_LARGEST_LOGIN = 1_000_000


def home_variables(home: str) -> dict[str, str]:
    """Return the variables by which programs find their files, all below the home."""
    return {"HOME": home, **{name: f"{home}/{folder}" for name, folder in _FOLDERS.items()}}


def lay_out(home: str, folders: Iterable[str], files: Mapping[str, bytes]) -> None:
    """Make the home, closed to other users, with these folders and files in it."""
    os.makedirs(home, exist_ok=True)
    os.chmod(home, 0o700)
    for folder in (*_FOLDERS.values(), *folders):
        os.makedirs(os.path.join(home, folder), exist_ok=True)
    for path, content in files.items():
        _write(os.path.join(home, path), content)


class Credentials:
    """The files of a login, and where an agent looks for them in its private home."""

    def __init__(self, named: tuple[str, ...], own_home: str, config_folder: str) -> None:
        self._places = [_place(name, own_home, config_folder) for name in named]
        self._lent: dict[str, bytes] = {}
        for name, (source, _) in zip(named, self._places, strict=True):
            if not os.path.isfile(source):
                raise ConfigError(
                    f"the credentials {name} are not there",
                    slug="agent-credentials-missing",
                    why=f"there is no file {source}",
                    fix="log in with the agent's own program, or correct [agent] credentials and commit",
                )

    def lend(self, home: str) -> None:
        """Put them into the private home.

        As a second name of the same file where the disk allows it: a login that the agent renews is renewed
        for the person too, who would otherwise be left with one that is used up.
        """
        for source, below in self._places:
            target = os.path.join(home, below)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target)
            try:
                os.link(os.path.realpath(source), target)
            except OSError:  # another disk, or one without links
                _copy(source, target)
            self._lent[target] = _content(target) or b""

    def take_back(self, home: str) -> None:
        """Remove every login from the home, and keep one that was renewed there as the person's own.

        Through a second name of the same file a renewal is the person's already. It is copied back if the
        file was replaced, or was only a copy.
        """
        for source, below in self._places:
            target = os.path.join(home, below)
            lent, now = self._lent.pop(target, None), _content(target)
            if lent is not None and now and now not in (lent, _content(os.path.realpath(source))):
                _renew(source, now)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target)


def _place(name: str, own_home: str, config_folder: str) -> tuple[str, str]:
    """Return a file's path and its place in a private home.

    The place is the same below both homes, or else among the agent's configuration.
    """
    path = os.path.normpath(os.path.join(own_home, name[2:]) if name.startswith("~/") else name)
    below = os.path.relpath(path, own_home) if own_home else ".."
    is_below = not os.path.isabs(below) and below.split("/")[0] != ".."
    return path, below if is_below else f"{config_folder}/{os.path.basename(path)}"


def _content(path: str) -> bytes | None:
    """Return a login's bytes, or None for a missing file, a link, or one too large for a login."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_LOGIN:
        return None
    with open(path, "rb") as file:
        return file.read(_LARGEST_LOGIN)


def _renew(source: str, data: bytes) -> None:
    """Put a renewed login in the place of the person's own, with the rights that it had."""
    place = os.path.realpath(source)
    mode = stat.S_IMODE(os.stat(place).st_mode)
    temporary = f"{place}.{os.getpid()}.signoff"
    with open(temporary, "wb", opener=_for_us_alone) as file:
        file.write(data)
    os.chmod(temporary, mode)
    os.replace(temporary, place)


def _copy(source: str, target: str) -> None:
    with open(source, "rb") as given, open(target, "wb", opener=_for_us_alone) as kept:
        shutil.copyfileobj(given, kept)


def _write(path: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb", opener=_for_us_alone) as file:
        file.write(content)


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
