"""Commits, merges and refs in the engine's git directory. The same arguments give the same ids."""

from datetime import UTC, datetime

from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.domain.machine.trees import Merge
from signoff.host.git.git_door import Git, git_failed, object_format_of, text

NAMESPACE = "refs/signoff/"

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Signoff",
    "GIT_AUTHOR_EMAIL": "signoff@localhost",
    "GIT_COMMITTER_NAME": "Signoff",
    "GIT_COMMITTER_EMAIL": "signoff@localhost",
}


def write_commit(git: Git, tree: TreeId, parents: tuple[CommitId, ...], message: str, when: str) -> CommitId:
    """Commit with the engine's identity, authored and committed at `when` (whole seconds, UTC)."""
    moment = datetime.fromisoformat(when)
    stamp = f"@{int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())} +0000"
    env = {**_IDENTITY, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
    options = [word for parent in parents for word in ("-p", parent)]
    # git refuses a NUL in a message; titles come from outside.
    body = message.replace("\0", "").encode("utf-8", "replace")
    return CommitId(text(git.run("commit-tree", tree, *options, "-F", "-", stdin=body, env=env)).strip())


def merge(git: Git, ours: CommitId, theirs: CommitId, message: str, when: str) -> Merge:
    """Merge without a working tree. The result is always a commit with both parents, even if one would do."""
    args = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
    answer = git.ask(*args)
    if answer.exit_code not in (0, 1):
        raise git_failed(args, answer)
    tree, *conflicts = answer.stdout.split(b"\0")[:-1]
    if answer.exit_code == 1:
        return Merge(commit=None, tree=None, conflicts=tuple(text(path) for path in conflicts))
    merged = TreeId(text(tree))
    return Merge(commit=write_commit(git, merged, (ours, theirs), message, when), tree=merged)


def read_ref(git: Git, name: str) -> str | None:
    """Return what `refs/signoff/<name>` points to, or None."""
    args = ("rev-parse", "--verify", "--quiet", NAMESPACE + name)
    answer = git.ask(*args)
    if answer.exit_code not in (0, 1):
        raise git_failed(args, answer)
    return text(answer.stdout).strip() or None


def set_ref(git: Git, name: str, new: str, expected: str | None) -> None:
    """Move `refs/signoff/<name>` from `expected` (None: it does not exist) to `new`, or refuse."""
    nothing = "0" * (64 if object_format_of(new) == "sha256" else 40)
    args = ("update-ref", "--no-deref", NAMESPACE + name, new, expected or nothing)
    answer = git.ask(*args)
    if answer.exit_code == 0:
        return
    found = read_ref(git, name)
    if found == expected:
        raise git_failed(args, answer)
    raise ConflictError(
        f"{NAMESPACE}{name} moved",
        slug="ref-moved",
        why=f"expected {expected or 'no such ref'}, found {found or 'no such ref'}",
        fix="another run wrote it; look at `signoff runs`, then resume this one",
    )
