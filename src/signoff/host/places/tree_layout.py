"""Writing a tree to disk byte for byte: without filters, line-end conversion or attributes."""

import os

from signoff.host.files.scratch import Scratch
from signoff.host.git.git_door import Git, text
from signoff.host.git.submodules import Homes, find_module, module_homes
from signoff.host.git.tree_objects import GITLINK, read_entries


def lay_out(git: Git, tree: str, folder: str, index: str, scratch: Scratch, homes: Homes) -> None:
    """Write the files of `tree` into an existing empty `folder`, and an index that matches them.

    A submodule is filled when its commit is found below `homes`, and an empty folder otherwise.
    """
    git.run("read-tree", tree, index=index)
    git.run("checkout-index", "--all", "--index", "--quiet", work_tree=folder, index=index)
    entries = read_entries(git, tree)
    for path, entry in entries.items():
        if entry.mode == GITLINK:
            candidates = module_homes(git, entries, path, homes)
            with find_module(git, entry.oid, candidates, scratch) as module:
                if module is not None:
                    inner = os.path.join(folder, text(path))
                    module_index = os.path.join(module.git.git_dir, "index")
                    lay_out(module.git, module.commit, inner, module_index, scratch, module.homes)
