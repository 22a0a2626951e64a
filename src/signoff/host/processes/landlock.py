"""Landlock by system calls: a process gives up writing outside some folders, for itself and all it starts.

Standard library only, and only ctypes of that. Imported by `host.processes.sandbox_launch` to see what the
kernel has, and by the supervisor's child, which has no search path, right before it becomes the program.
Nothing happens at import. The numbers are the kernel's: https://docs.kernel.org/userspace-api/landlock.html
"""

import os
import sys
from ctypes import CDLL, c_ulong, create_string_buffer, get_errno

_ORDER = sys.byteorder
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on every architecture
_ASK_VERSION = 1
_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_WRITE_FILE = 1 << 1
_CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))  # remove and make, of every kind
_REFER = 1 << 13
_TRUNCATE = 1 << 14
WRITES_IN_FOLDER = _WRITE_FILE | _CHANGE_FOLDER | _REFER | _TRUNCATE
WRITES_TO_FILE = _WRITE_FILE | _TRUNCATE
_TCP = 0b11
_OUTSIDE = 0b11
"""Abstract sockets of others, and signals to others."""

TRUNCATES = 3
"""The first version that keeps files from being emptied. Under an older one any file could be lost."""
CUTS_TCP = 4
_KEEPS_APART = 6

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Rules(TypedDict):
        """What stays allowed, as it goes down the supervisor's pipe."""

        version: int
        folders: list[bytes]
        files: list[bytes]
        network: bool


def version() -> int:
    """Return the version that the kernel has, or 0 if it has none or it is switched off."""
    try:
        return max(0, _call(_CREATE, None, 0, _ASK_VERSION))
    except OSError:
        return 0


def confine(rules: "Rules") -> None:
    """Refuse every write but those in `rules`, for good. After an OSError nothing is confined."""
    network = 0 if rules["network"] or rules["version"] < CUTS_TCP else _TCP
    outside = _OUTSIDE if rules["version"] >= _KEEPS_APART else 0
    fields = (WRITES_IN_FOLDER, network, outside)[: 1 + (rules["version"] >= CUTS_TCP) + bool(outside)]
    attributes = b"".join(field.to_bytes(8, _ORDER) for field in fields)
    ruleset = _call(_CREATE, attributes, len(attributes), 0)
    for path in rules["folders"]:
        _allow(ruleset, path, WRITES_IN_FOLDER)
    for path in rules["files"]:
        if os.path.exists(path):
            _allow(ruleset, path, WRITES_TO_FILE)
    _checked(_libc().prctl(_NO_NEW_PRIVILEGES, c_ulong(1), c_ulong(0), c_ulong(0), c_ulong(0)))
    _call(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: bytes, access: int) -> None:
    file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = access.to_bytes(8, _ORDER) + file.to_bytes(4, _ORDER)
    _call(_ADD_RULE, ruleset, _BENEATH, rule, 0)
    os.close(file)


def _call(number: int, *words: "bytes | int | None") -> int:
    # Each as wide as a register: a bare int would leave the upper half of one to chance.
    buffers = [create_string_buffer(word, len(word)) if isinstance(word, bytes) else word for word in words]
    return _checked(
        _libc().syscall(c_ulong(number), *(c_ulong(w) if isinstance(w, int) else w for w in buffers))
    )


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(get_errno(), os.strerror(get_errno()), "landlock")
    return result


def _libc() -> CDLL:
    return CDLL(None, use_errno=True)
