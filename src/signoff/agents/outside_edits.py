"""Which of an agent's edits were meant for places outside its checkout, as its own activity tells."""

import os
import tempfile
from collections.abc import Iterable, Iterator

from signoff.domain.machine.activity import Activity, ToolKind, ToolStarted

_SYSTEM_TMP = ("/tmp", "/var/tmp")  # noqa: S108 - looked at, not written to
_MOST = 20
_MOST_EDITS = 10_000


def noting(activities: Iterable[Activity], edits: list[ToolStarted]) -> Iterator[Activity]:
    """Pass activity on, and keep the edits among it."""
    for activity in activities:
        if isinstance(activity, ToolStarted) and activity.does is ToolKind.EDIT and len(edits) < _MOST_EDITS:
            edits.append(activity)
        yield activity


def outside(edits: Iterable[ToolStarted], checkout: str, home: str) -> tuple[str, ...]:
    """List the paths that lie neither in the checkout nor in a home or temporary folder, links followed.

    It does not matter whether the edit succeeded: an agent that tries has not understood where it works.
    """
    own = tuple(os.path.realpath(folder) for folder in (checkout, home, "/dev"))
    found: dict[str, None] = {}
    for edit in edits:
        for path in edit.paths or (edit.about,):
            place = _place(path, checkout, home)
            is_own = any(_lies_in(place, folder) for folder in own)
            if place and not is_own and not _is_scratch(place, own[0]):
                found[place] = None
    return tuple(found)[:_MOST]


def _place(path: str, checkout: str, home: str) -> str:
    if not path or "\0" in path:
        return ""
    if path.startswith("~/"):
        return os.path.realpath(os.path.join(home, path[2:]))
    return os.path.realpath(os.path.join(checkout, path))


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _is_scratch(place: str, checkout: str) -> bool:
    """Check whether a place is in a temporary folder, but not in the part of it that holds the checkout."""
    for top in {*_SYSTEM_TMP, os.path.realpath(tempfile.gettempdir())}:
        if place.startswith(top + os.sep):
            return not (checkout.startswith(top + os.sep) and _first(place, top) == _first(checkout, top))
    return False


def _first(path: str, top: str) -> str:
    return path[len(top) + 1 :].split(os.sep)[0]
