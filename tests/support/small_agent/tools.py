"""The four tools of the small agent."""

import json
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from small_agent.wires import Call, Tool

_LONGEST_OUTPUT = 20_000


class Came(NamedTuple):
    """What a tool came back with."""

    text: str
    is_error: bool = False
    is_denied: bool = False
    exit_code: int | None = None


def _read(path: str) -> Came:
    with open(path, encoding="utf-8") as file:
        return Came(file.read())


def _write(path: str, content: str) -> Came:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    return Came("written")


def _edit(path: str, old: str, new: str) -> Came:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if old not in text:
        return Came("the old text is not there", is_error=True)
    return _write(path, text.replace(old, new, 1))


def _shell(command: str) -> Came:
    ours, theirs = os.pipe()
    files = (
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, theirs, 1),
        (os.POSIX_SPAWN_DUP2, theirs, 2),
    )
    # In a session of its own, as the tools of real agents are.
    child = os.posix_spawn("/bin/sh", ("sh", "-c", command), os.environ, file_actions=files, setsid=True)
    os.close(theirs)
    with open(ours, "rb") as output:
        said = output.read()
    exit_code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Came(said[-_LONGEST_OUTPUT:].decode(errors="replace"), exit_code != 0, exit_code=exit_code)


READING = {"read": Tool("read", ("path",))}
ALL: Mapping[str, Tool] = {
    **READING,
    "write": Tool("write", ("path", "content")),
    "edit": Tool("edit", ("path", "old_string", "new_string")),
    "bash": Tool("bash", ("command",)),
}
_DOES: Mapping[str, Callable[..., Came]] = {"read": _read, "write": _write, "edit": _edit, "bash": _shell}


def use(call: Call, offered: Mapping[str, Tool]) -> Came:
    """Do what a call wants; whatever is wrong with it is told to the model."""
    if call.tool in ALL and call.tool not in offered:
        return Came(f"{call.tool} is not allowed here", is_error=True, is_denied=True)
    if call.tool not in offered:
        return Came(f"there is no tool {call.tool}", is_error=True)
    try:
        given = json.loads(call.arguments)
        return _DOES[call.tool](*(given[slot] for slot in offered[call.tool].slots))
    except (ValueError, KeyError, TypeError) as error:
        return Came(f"bad arguments: {error!r}", is_error=True)
    except OSError as error:
        return Came(str(error), is_error=True)
