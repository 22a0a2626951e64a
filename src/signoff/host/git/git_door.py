"""The git door: every git command of the engine goes through here.

Nothing of the person's or the agent's git setup reaches a command unless it is asked for: the
environment is scrubbed of `GIT_*`, system and user configuration are off, and the git directory is
always named, never looked for. `host.git.person_repository` looks for it, once.
"""

import re
import shutil
from collections.abc import Mapping
from typing import NamedTuple

from signoff.domain.base.errors import InfrastructureError
from signoff.host.processes.process_door import HelperAnswer, ask

OLDEST_GIT = (2, 38)
"""The first version with `merge-tree --write-tree` and `cat-file -z`."""

TIMEOUT_S = 600.0

_SCRUBBED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    # A replace ref would show another object under the id that a receipt names.
    "GIT_NO_REPLACE_OBJECTS": "1",
    # A partial clone must not reach for the network behind our back (git 2.44 and later heed it).
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class GitTool(NamedTuple):
    """A git that is new enough, and the environment it runs in."""

    program: str
    env: dict[str, str]
    """What the caller passed, without any `GIT_*`."""


def find_git(env: Mapping[str, str]) -> GitTool:
    """Find git on the PATH of `env` and check its version."""
    program = shutil.which("git", path=env.get("PATH", ""))
    if program is None:
        raise InfrastructureError(
            "git was not found",
            slug="git-missing",
            why=f"no `git` on PATH ({env.get('PATH', '')})",
            fix="install git 2.38 or later",
        )
    tool = GitTool(program, {name: value for name, value in env.items() if not name.startswith("GIT_")})
    answer = ask((program, "version"), cwd="/", env={**tool.env, **_SCRUBBED})
    _require(answer.stdout.decode("utf-8", "replace").strip())
    return tool


def version_of_git(tool: GitTool) -> str:
    """Return the version of a git that was found."""
    said = ask((tool.program, "version"), cwd="/", env={**tool.env, **_SCRUBBED}).stdout
    return said.decode("utf-8", "replace").strip().removeprefix("git version ")


def _require(said: str) -> None:
    found = re.match(r"git version (\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GIT:
        raise InfrastructureError(
            "git is too old",
            slug="git-too-old",
            why=f"`git version` says: {said}",
            fix="install git 2.38 or later",
        )


class Git:
    """Git on one git directory, with everything explicit.

    `settings` are `name=value` pairs that override the directory's own configuration. They are needed if
    that configuration is not ours.
    """

    def __init__(self, tool: GitTool, git_dir: str, settings: tuple[str, ...] = ()) -> None:
        self.tool = tool
        self.git_dir = git_dir
        self._settings = tuple(word for setting in settings for word in ("-c", setting))

    def at(self, git_dir: str) -> "Git":
        """Return the same git on another directory."""
        return Git(self.tool, git_dir)

    def ask(
        self,
        *args: str,
        stdin: bytes = b"",
        cwd: str = "",
        work_tree: str = "",
        index: str = "",
        env: Mapping[str, str] | None = None,
    ) -> HelperAnswer:
        """Run a command and return its answer. The caller judges the exit code."""
        full = {**self.tool.env, **_SCRUBBED, **(env or {}), "GIT_DIR": self.git_dir}
        if work_tree:
            full["GIT_WORK_TREE"] = work_tree
        if index:
            full["GIT_INDEX_FILE"] = index
        argv = (self.tool.program, *self._settings, *args)
        return ask(argv, cwd=cwd or work_tree or self.git_dir, env=full, stdin=stdin, timeout_s=TIMEOUT_S)

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        cwd: str = "",
        work_tree: str = "",
        index: str = "",
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run a command that has to succeed and return its output."""
        answer = self.ask(*args, stdin=stdin, cwd=cwd, work_tree=work_tree, index=index, env=env)
        if answer.exit_code != 0:
            raise git_failed(args, answer)
        return answer.stdout

    def line(self, *args: str, stdin: bytes = b"") -> str:
        """Run a command that answers with one line, such as an id or a name, and return it."""
        return text(self.run(*args, stdin=stdin)).rstrip("\n")


def git_failed(args: tuple[str, ...], answer: HelperAnswer) -> InfrastructureError:
    """Return the error for a failed command that has no more specific one."""
    return InfrastructureError(
        f"git {args[0]} failed (exit {answer.exit_code})",
        slug="git-failed",
        why=words(answer),
        fix="correct what git reports, then run the command again",
    )


def words(answer: HelperAnswer) -> str:
    """Return what git wrote to stderr."""
    return answer.stderr.decode("utf-8", "replace").strip()


def text(path: bytes) -> str:
    """Decode git's bytes to a string that `raw` turns back, whatever the encoding was."""
    return path.decode("utf-8", "surrogateescape")


def raw(path: str) -> bytes:
    """Return the bytes that `text` was made from."""
    return path.encode("utf-8", "surrogateescape")


def is_object_id(name: str) -> bool:
    """Check whether a revision is a full object id, whose meaning never changes."""
    return len(name) in (40, 64) and not name.strip("0123456789abcdef")


def object_format_of(oid: str) -> str:
    """Return the hash of a repository, judged by the length of one of its ids."""
    return "sha256" if len(oid) == 64 else "sha1"
