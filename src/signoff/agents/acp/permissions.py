"""What an agent may do when it asks first: which tools, which files. Pure but for `inside`.

Never "always": an agent would write it down, and its next session would not ask.
"""

import os

import msgspec

from signoff.agents.acp.messages import ToolCall, ToolLocation
from signoff.agents.profiles.acp_client_input import PromptOrder

_READING = frozenset(("read", "search", "think"))
_WRITING = frozenset(("edit", "delete", "move"))


class Option(msgspec.Struct, rename="camel"):
    """One of the answers that an agent offers."""

    option_id: str
    kind: str = ""


class PermissionRequest(msgspec.Struct, rename="camel"):
    """A `session/request_permission`."""

    tool_call: ToolCall
    options: list[Option] = []


def is_allowed(tool: ToolCall, name: str, order: PromptOrder, checkout: str) -> bool:
    """Check whether a tool may be used: everything in the checkout, or only reading for a planner.

    A command line is not looked at, since only the box around the agent can hold it.
    """
    if not order.may_write:
        return tool.kind in _READING or (tool.sort == "other" and name in order.reading)
    places: list[ToolLocation] = tool.locations or []
    return tool.kind not in _WRITING or all(inside(place.path, checkout) is not None for place in places)


def choose(options: list[Option], *, allow: bool) -> str | None:
    """Return the id of the answer for this once, or None, which cancels the tool."""
    wanted = "allow_once" if allow else "reject_once"
    return next((option.option_id for option in options if option.kind == wanted), None)


def inside(path: str, checkout: str) -> str | None:
    """Return the real path of a file in the checkout, links followed, or None for one outside."""
    if "\0" in path:
        return None
    root = os.path.realpath(checkout)
    real = os.path.realpath(os.path.join(root, path))
    return real if os.path.commonpath((root, real)) == root and real != root else None
