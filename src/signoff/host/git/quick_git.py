"""The base of a hosted run in one git command.

A host calls once per cycle and waits for the answer, so the first cycle asks git a single time, with the
person's own configuration, for the last commit, its tree and the two files that may hold settings. Everything
else about the repository is in `host.places.repository`, and is loaded when files are looked at.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from signoff.domain.base.errors import ConfigError, InfrastructureError
from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.domain.port_records import PinnedBase

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASKED = ("HEAD", "HEAD:signoff.toml", "HEAD:pyproject.toml")
_TIMEOUT_S = 60


def top_of_repository(folder: str) -> str | None:
    """Return the top of the repository around a folder without asking git, or None outside of one."""
    at = os.path.abspath(folder)
    while not _is_git(os.path.join(at, ".git")):
        at, below = os.path.dirname(at), at
        if at == below:
            return None
    return at


def _is_git(path: str) -> bool:
    """Check whether git would take this for its directory, or for a file that names one."""
    return os.path.isfile(path) or os.path.isfile(os.path.join(path, "HEAD"))


def read_base(root: str, env: Mapping[str, str]) -> PinnedBase:
    """Return the last commit of a repository, its tree and its settings files, all empty without a commit."""
    from signoff.host.processes.quick_process import answer_of  # only the first cycle of a run asks

    clean = {name: value for name, value in env.items() if not name.startswith("GIT_")}
    clean |= {
        "LC_ALL": "C",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    argv = ("git", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    asked = "".join(f"{name}\n" for name in _ASKED).encode()
    try:
        said = answer_of((*argv, "cat-file", "--batch"), asked, clean, _TIMEOUT_S)
    except FileNotFoundError:
        raise InfrastructureError(
            "git was not found", slug="git-missing", why="no `git` on PATH", fix="install git 2.38 or later"
        ) from None
    if said.exit_code != 0:
        why = said.stderr.decode("utf-8", "replace").strip()
        raise ConfigError(
            f"git cannot read {root}", slug="not-a-repository", why=why, fix="correct what git reports"
        )
    commit, toml, pyproject = _objects(said.stdout)
    if commit is None:
        return PinnedBase(CommitId(""), TreeId(""), None, None)
    oid, body = commit
    tree = body.split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")
    return PinnedBase(
        CommitId(oid), TreeId(tree), toml[1] if toml else None, pyproject[1] if pyproject else None
    )


def _objects(output: bytes) -> list[tuple[str, bytes] | None]:
    """Cut the answer of `cat-file --batch` into objects, with None for one that is missing."""
    found: list[tuple[str, bytes] | None] = []
    at = 0
    for _ in _ASKED:
        end = output.index(b"\n", at)
        words = output[at:end].rsplit(b" ", 2)
        at = end + 1
        if words[-1] == b"missing":
            found.append(None)
            continue
        size = int(words[2])
        found.append((words[0].decode("ascii"), output[at : at + size]))
        at += size + 1
    return found
