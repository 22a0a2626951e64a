"""Capture of a folder as a tree, without trusting anything in its `.git`.

No filter, attribute, hook, configuration or index of the folder has any influence. What cannot be
captured faithfully is reported as a problem, and then the tree is incomplete.
"""

import os
from collections.abc import Iterator

from signoff.domain.base.typed_ids import TreeId
from signoff.domain.machine.trees import Capture, ProblemKind
from signoff.host.files.scratch import Scratch
from signoff.host.git.git_door import Git, object_format_of, raw, text
from signoff.host.git.submodules import Homes, find_module, module_homes, populated_head
from signoff.host.git.tree_objects import GITLINK, TreeObject, read_entries, tree_of, write_tree
from signoff.host.places.file_blobs import write_blobs
from signoff.host.places.walk import IgnoreRules, Walk

STATE_FOLDER = b".signoff"


def capture(
    git: Git, folder: str, base: TreeId, scratch: Scratch, homes: Homes, skipped: bytes = STATE_FOLDER
) -> Capture:
    """Write every file of `folder` as a tree.

    `skipped` is a name at the top that is not looked at: the tree gets what the base has there.
    """
    tracked = read_entries(git, base)
    kept = {path: entry for path, entry in tracked.items() if path.split(b"/", 1)[0] == skipped}
    with scratch.folder() as work:
        walk = Walk(raw(folder), tracked, IgnoreRules(git, tracked, work), skipped)
        walk.go()
    blobs = write_blobs(git, walk, object_format_of(base))
    modules = dict(_judge_modules(git, walk, scratch, homes))
    tree = write_tree(git, {**kept, **blobs, **modules}, scratch)
    return Capture(tree=tree, problems=tuple(sorted(walk.problems, key=lambda p: (p.path, p.kind))))


def _judge_modules(
    git: Git, walk: Walk, scratch: Scratch, homes: Homes
) -> Iterator[tuple[bytes, TreeObject]]:
    for path in walk.modules:
        candidates = module_homes(git, walk.tracked, path, homes)
        folder = text(walk.disk_path(path))
        commit, is_clean = _judge_module(git, folder, walk.tracked[path].oid, candidates, scratch)
        if not is_clean:
            walk.note(ProblemKind.SUBMODULE_DIRTY, path)
        yield path, TreeObject(GITLINK, commit)


def _judge_module(
    git: Git, folder: str, pinned: str, candidates: Homes, scratch: Scratch
) -> tuple[str, bool]:
    """Return the commit that a submodule has checked out, and whether its files match that commit.

    Its files are captured and compared with that commit, because its index and configuration prove nothing.
    `materialise` writes submodules without a `.git`: such files are compared with the pinned commit.
    """
    try:
        names = os.listdir(folder)
    except OSError:
        return pinned, False
    if not names:
        return pinned, True
    commit = pinned
    if ".git" in names:
        head = populated_head(git, folder)
        if head is None:
            return pinned, False
        commit, candidates = head.commit, (head.git_dir,)
    with find_module(git, commit, candidates, scratch) as module:
        if module is None:
            return commit, False
        tree = tree_of(module.git, commit)
        found = capture(module.git, folder, tree, scratch, module.homes, skipped=b"")
        return commit, found.tree == tree and not found.problems
