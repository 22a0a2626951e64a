"""Git directories written by hand: the engine's, those of checkouts, throwaway ones.

By hand because `git init` copies the person's templates, hooks included. A directory made here
borrows objects from others and is otherwise alone: no remotes, no hooks, no filters.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from signoff.host.files.durable_files import read_if_there, write_atomic
from signoff.host.git.git_door import Git, GitTool, raw

# info/attributes outranks every .gitattributes. `-text` switches line-end conversion off for good;
# the others are `!` (unspecified), because git dies of `-working-tree-encoding`:
# "true/false are no valid working-tree-encodings".
_ATTRIBUTES = b"* -text !eol !crlf !filter !ident !working-tree-encoding\n"

_SHARED = """\
	fileMode = true
	symlinks = true
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	autocrlf = false
	protectHFS = false
	protectNTFS = false
[gc]
	auto = 0
[maintenance]
	auto = false
[commit]
	gpgSign = false
"""

# excludesFile and attributesFile have defaults below HOME that hold even with user configuration off.
ENGINE = (
    """\
[core]
	bare = true
	ignoreCase = false
	precomposeUnicode = false
	excludesFile = /dev/null
	attributesFile = /dev/null
	quotePath = false
	fsync = objects,reference
	fsyncMethod = batch
"""
    + _SHARED
    + """\
[checkout]
	workers = 4
"""
)
"""The engine's own directory: fixed, and durable before a journal record names what is in it."""

THROWAWAY = ENGINE.replace("fsync = objects,reference", "fsync = none")
"""The configuration of a directory that is gone before its objects could be missed."""

CHECKOUT = (
    """\
[core]
	bare = false
	logAllRefUpdates = true
"""
    + _SHARED
    + """\
[tag]
	gpgSign = false
[user]
	name = Signoff agent
	email = agent@localhost
"""
)
"""What an agent works in with ordinary git. The identity makes `git commit` work in a sandbox."""


class Lender(NamedTuple):
    """The repository that a git directory borrows from, and what the two must agree on."""

    objects: str
    object_format: str
    """`sha1` or `sha256`."""
    shallow: str = ""
    """The file that says where a shallow history ends. It need not exist."""


def write_git_dir(git_dir: str, config: str, lender: Lender) -> None:
    """Create or repair `git_dir`, writing only the files that differ.

    Safe when two processes do it at once, because both write the same bytes.
    """
    for folder in ("objects/info", "objects/pack", "refs/heads", "info"):
        os.makedirs(os.path.join(git_dir, folder), exist_ok=True)
    _put(git_dir, "config", _config(config, lender.object_format))
    _put(git_dir, "info/attributes", _ATTRIBUTES)
    _put(git_dir, "info/exclude", b"")
    _put(git_dir, "objects/info/alternates", _alternates(git_dir, lender.objects))
    _put(git_dir, "shallow", read_if_there(lender.shallow) or b"")
    _put(git_dir, "HEAD", b"ref: refs/heads/signoff\n")


@contextlib.contextmanager
def throwaway_git(tool: GitTool, lender: Lender) -> Iterator[tuple[Git, str]]:
    """Yield git on a throwaway directory, and the folder that is removed with it.

    A lender without objects stands for none: outside a repository there is nothing to borrow from.
    """
    with tempfile.TemporaryDirectory(prefix="signoff-", ignore_cleanup_errors=True) as folder:
        git = Git(tool, os.path.join(folder, "objects.git"))
        objects = lender.objects or os.path.join(folder, "none")
        os.makedirs(objects, exist_ok=True)
        write_git_dir(git.git_dir, THROWAWAY, lender._replace(objects=objects))
        yield git, folder


def _put(git_dir: str, name: str, data: bytes) -> None:
    path = os.path.join(git_dir, name)
    # For git an empty file and no file mean the same here.
    if (read_if_there(path) or b"") == data:
        return
    if data:
        write_atomic(path, data)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _config(config: str, object_format: str) -> bytes:
    if object_format == "sha1":
        return (config + "[core]\n\trepositoryFormatVersion = 0\n").encode()
    extension = f"[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = {object_format}\n"
    return (config + extension).encode()


def _alternates(git_dir: str, objects: str) -> bytes:
    """Return the lender as a relative path, so that a moved repository still finds itself.

    git starts from the real place of the borrowing folder, hence `realpath`. Quoted as git reads it:
    https://git-scm.com/docs/gitrepository-layout (objects/info/alternates).
    """
    here = os.path.realpath(os.path.join(git_dir, "objects"))
    relative = raw(os.path.relpath(os.path.realpath(objects), here))
    plain = b"".join(bytes([c]) if 32 <= c < 127 and c not in b'"\\' else b"\\%03o" % c for c in relative)
    return b'"' + plain + b'"\n'
