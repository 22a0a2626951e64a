"""The person's own repository: found once, read for the base, written only below `refs/signoff/`.

Their hooks and file-system monitor are never run. Their configuration counts in two places, because anything
else would astonish them: which folders they trust, and which files they ignore.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from signoff.domain.base.errors import ConfigError, SignoffError
from signoff.domain.base.typed_ids import CommitId
from signoff.domain.machine.trees import Base
from signoff.host.git.commits import NAMESPACE
from signoff.host.git.git_directories import Lender
from signoff.host.git.git_door import TIMEOUT_S, Git, GitTool, find_git, git_failed, text, words
from signoff.host.git.submodules import Homes
from signoff.host.git.tree_objects import GITLINK, read_entries, tree_of
from signoff.host.processes.process_door import HelperAnswer, ask

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.fsync=objects,reference",
    "core.fsyncMethod=batch",
    "gc.auto=0",
)

_UNPACK_LIMIT = 100
"""Up to this many objects are stored one by one, more as a pack. It is the limit of git's own fetch."""


class RepositoryPlace(NamedTuple):
    """The folders of a repository."""

    root: str
    git_dir: str
    common_dir: str
    """In a linked worktree, where the shared objects and branches are. Else the git directory."""
    object_format: str

    @property
    def lender(self) -> Lender:
        """What a borrowing git directory must know."""
        objects = os.path.join(self.common_dir, "objects")
        return Lender(objects, self.object_format, os.path.join(self.common_dir, "shallow"))

    @property
    def homes(self) -> Homes:
        """Where its submodules are kept. A linked worktree has its own."""
        return tuple(dict.fromkeys((self.git_dir, self.common_dir)))


def find_root(folder: str, env: Mapping[str, str]) -> str:
    """Return the top of the repository around `folder`."""
    return find_place(find_git(env), folder).root


def find_place(tool: GitTool, folder: str) -> RepositoryPlace:
    """Find the repository around `folder`, the way the person's own git would."""
    what = ("--is-bare-repository", "--show-object-format", "--absolute-git-dir", "--git-common-dir")
    answer = _ask_as_person(tool, folder, "rev-parse", "--path-format=absolute", *what, "--show-toplevel")
    if answer.exit_code != 0:
        raise _no_repository(folder, answer)
    _, object_format, git_dir, common_dir, root = text(answer.stdout).rstrip("\n").split("\n")
    return RepositoryPlace(root, git_dir, common_dir, object_format)


def _ask_as_person(tool: GitTool, folder: str, *args: str) -> HelperAnswer:
    """Run git with the person's configuration, the only one from which git accepts `safe.directory`."""
    env = {**tool.env, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    return ask((tool.program, *args), cwd=folder, env=env, timeout_s=TIMEOUT_S)


def _no_repository(folder: str, answer: HelperAnswer) -> SignoffError:
    why = words(answer)
    if "dubious ownership" in why:
        return ConfigError(
            f"git does not trust {folder}",
            slug="unsafe-repository",
            why=why.splitlines()[0],
            fix=f"if you trust it: git config --global --add safe.directory {folder}",
        )
    if answer.stdout.startswith(b"true\n"):
        return ConfigError(
            f"{folder} is a bare repository",
            slug="bare-repository",
            why="there are no files to work on",
            fix="clone it, and run this in the clone",
        )
    if "not a git repository" in why or "must be run in a work tree" in why:
        return ConfigError(
            f"{folder} is not in a git repository",
            slug="not-a-repository",
            why=why,
            fix="change into the repository, or make one: git init",
        )
    return git_failed(("rev-parse",), answer)


class Person:
    """Reads the base from the person's repository and publishes into it."""

    def __init__(self, tool: GitTool, place: RepositoryPlace) -> None:
        self.place = place
        self.git = Git(tool, place.git_dir, _SETTINGS)
        self._tool = tool

    def base(self, revision: str) -> Base:
        """Resolve a revision and write a ref that protects it from `git gc`."""
        commit = self.resolve(revision)
        tree = tree_of(self.git, commit)
        self.git.run("update-ref", f"{NAMESPACE}base/{commit}", commit)
        entries = read_entries(self.git, tree).items()
        return Base(
            commit=commit,
            tree=tree,
            branch=self._branch(revision),
            dirty=self._dirty(),
            submodules=tuple(text(path) for path, entry in entries if entry.mode == GITLINK),
        )

    def has_commits(self) -> bool:
        """Check whether the repository has a commit to start from."""
        return self._verify("HEAD").exit_code == 0

    def is_ancestor(self, ancestor: CommitId, commit: CommitId) -> bool:
        """Check whether `ancestor` is `commit` or in its history."""
        words = ("merge-base", "--is-ancestor", ancestor, commit)
        answer = self.git.ask(*words)
        if answer.exit_code not in (0, 1):
            raise git_failed(words, answer)
        return answer.exit_code == 0

    def resolve(self, revision: str) -> CommitId:
        """Return the commit that a revision names."""
        answer = self._verify(f"{revision}^{{commit}}")
        if answer.exit_code == 0:
            return CommitId(text(answer.stdout).strip())
        if not self.has_commits():
            root = self.place.root
            raise ConfigError(
                f"{root} has no commits",
                slug="no-commits",
                why="a run starts from a commit",
                fix=f'git -C "{root}" add -A && git -C "{root}" commit -m "First commit"',
            )
        raise ConfigError(
            f"no such revision: {revision}",
            slug="unknown-revision",
            why="git knows no commit by that name here",
            fix="see `git branch --all` and `git tag`",
        )

    def _verify(self, revision: str) -> HelperAnswer:
        return self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", revision)

    def _branch(self, revision: str) -> str | None:
        name = self.git.ask("rev-parse", "--symbolic-full-name", "--end-of-options", revision)
        found = text(name.stdout).split("\n")
        branches = [line.removeprefix("refs/heads/") for line in found if line.startswith("refs/heads/")]
        return branches[0] if branches else None

    def _dirty(self) -> tuple[str, ...]:
        # The person's own ignore file counts, so that `.DS_Store` is not called a change.
        asked = ("config", "--type=path", "--get", "core.excludesFile")
        ignored = text(_ask_as_person(self._tool, self.place.root, *asked).stdout).rstrip("\n")
        settings = (*_SETTINGS, f"core.excludesFile={ignored}") if ignored else _SETTINGS
        args = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        listing = Git(self._tool, self.place.git_dir, settings).run(*args, work_tree=self.place.root)
        paths = (text(line[3:]) for line in listing.split(b"\0")[:-1])
        return tuple(sorted(path for path in paths if not path.startswith(".signoff/")))

    def publish(self, engine: Git, name: str, commit: CommitId) -> str:
        """Copy what is missing from the engine's objects and point `refs/signoff/<name>` to it."""
        ref = NAMESPACE + name
        _send(engine, self.git, self._missing(engine, commit))
        self.git.run("update-ref", ref, commit)
        return ref

    def _missing(self, engine: Git, commit: CommitId) -> list[str]:
        """List the objects of `commit` that no ref of ours in the person's repository keeps already.

        It is not enough that they exist there: an object that no ref keeps may be pruned at any moment.
        """
        kept = self.git.run("for-each-ref", "--format=^%(objectname)", NAMESPACE)
        stdin = commit.encode() + b"\n" + kept
        listing = engine.run("rev-list", "--objects", "--no-object-names", "--stdin", stdin=stdin)
        return text(listing).split()


def _send(source: Git, target: Git, objects: list[str]) -> None:
    """Copy objects. What they refer to must be in `target` already or among them."""
    if objects:
        listing = "".join(f"{oid}\n" for oid in objects).encode()
        pack = source.run("pack-objects", "--stdout", "-q", stdin=listing)
        few = len(objects) <= _UNPACK_LIMIT
        target.run(*(("unpack-objects", "-q") if few else ("index-pack", "--stdin")), stdin=pack)
