"""The state folder of a repository: `.signoff/`, private, with its own ignore rules.

What people curate is tracked: specs, contracts, memory. Everything else is the engine's, the rules
included, so that a run leaves the person's `git status` as it was.
"""

import os

from signoff.domain.base.errors import ConfigError

_RULES = b"""# Written by signoff. What people curate is tracked; the rest is the engine's.
*
!specs/
!specs/**
!contracts/
!contracts/**
!memory/
!memory/**
"""


def prepare(state_dir: str) -> tuple[str, ...]:
    """Make the folder and its ignore rules unless they exist, and return the paths that were made."""
    made = []
    try:
        os.mkdir(state_dir, mode=0o700)
        made.append(state_dir)
    except FileExistsError:
        if not os.path.isdir(state_dir):
            raise ConfigError(
                f"{state_dir} is not a folder",
                slug="state-folder-blocked",
                why="everything a run leaves behind goes there",
                fix="move that file out of the way",
            ) from None
    rules = os.path.join(state_dir, ".gitignore")
    try:
        handle = os.open(rules, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return tuple(made)
    with os.fdopen(handle, "wb") as file:
        file.write(_RULES)
    return (*made, rules)
