"""A tree as a git bundle of one commit without history, and a repository made from such a bundle."""

import os
import tempfile
from collections.abc import Mapping

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import TreeId
from signoff.host.git.commits import NAMESPACE, write_commit
from signoff.host.git.git_door import Git, find_git, object_format_of, words

_WHEN = "2026-01-01T00:00:00Z"
_REF = NAMESPACE + "pinned-base"


def write_bundle(git: Git, tree: TreeId) -> bytes:
    """Return a bundle of a tree with all its objects. The same tree gives the same commit."""
    commit = write_commit(git, tree, (), "The base of a pinned run\n", _WHEN)
    git.run("update-ref", "--no-deref", _REF, commit)
    try:
        return git.run("bundle", "create", "--quiet", "-", _REF)
    finally:
        git.run("update-ref", "-d", _REF)


def lay_out_bundle(bundle: bytes, tree: TreeId, folder: str, env: Mapping[str, str]) -> None:
    """Make `folder` a repository whose only commit is the bundle's, and check that its tree is `tree`."""
    git = Git(find_git(env), os.path.join(folder, ".git"))
    kind = object_format_of(tree)
    git.run("init", "-q", "--template=", "--initial-branch=main", f"--object-format={kind}", cwd=folder)
    with tempfile.NamedTemporaryFile(prefix="signoff-", suffix=".bundle") as file:
        file.write(bundle)
        file.flush()
        where = (file.name, f"+{_REF}:refs/heads/main")
        fetched = git.ask("fetch", "-q", "--no-tags", "--update-head-ok", *where)
    found = git.ask("rev-parse", "--verify", "--quiet", "refs/heads/main^{tree}").stdout.decode().strip()
    if fetched.exit_code != 0 or found != tree:
        raise ConfigError(
            "the base of the pinned run cannot be laid out",
            slug="golden-unreadable",
            why=words(fetched) if fetched.exit_code else f"the bundle holds tree {found}, not {tree}",
            fix="restore base.bundle, or pin the run again",
        )
    git.run("reset", "-q", "--hard", work_tree=folder)
