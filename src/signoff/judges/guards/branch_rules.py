"""Judge calls of git by the protected branch they touch: pushes, and moves, renames and deletions here."""

from collections import namedtuple
from collections.abc import Iterable, Iterator

from signoff.judges.guards.git_commands import FALSE, GitCall, GitOptions, read_options
from signoff.judges.guards.guard_findings import UNREADABLE, GuardFinding, quoted
from signoff.text.shell.expansions import may_match
from signoff.text.shell.shell_parts import HOLE, CommandWord

PROTECTED = ("main", "master")
OWNER = "owner"
_CURRENT = ("HEAD", "@")
_PUSH_FLAGS = (
    "force force-with-lease force-if-includes all branches mirror delete tags follow-tags prune dry-run "
    "set-upstream quiet verbose porcelain atomic progress signed thin verify no-verify ipv4 ipv6"
)
_PUSH_VALUED = "repo receive-pack exec push-option recurse-submodules"
_NAME_IT = "write the branch out, as in `git push origin HEAD:feature`"


class Situation(namedtuple("Situation", ("branches", "is_owner", "protected"))):
    """Where and for whom a command would run."""

    __slots__ = ()
    branches: tuple[str | None, ...]
    """The branches that may be checked out by then, with None for one that is not known."""
    is_owner: bool
    protected: tuple[str, ...]

    @property
    def current_protected(self) -> str | None:
        """The protected branch that may be checked out, or None."""
        return next((name for name in self.branches if name in self.protected), None)

    @property
    def is_branch_unknown(self) -> bool:
        """Whether the branch that is checked out may be one that is not known."""
        return None in self.branches

    def named(self, ref: str) -> str | None:
        """Return the protected branch that a name, pattern or name with a hole may mean, or None.

        `HEAD` is a name like any other here: see `meant`.
        """
        for name in self.protected:
            for spelling in (name, f"heads/{name}", f"refs/heads/{name}"):
                if may_match(ref, spelling):
                    return name
        return None

    def meant(self, ref: str) -> str | None:
        """Return the protected branch that a name may mean. `HEAD` means the one checked out."""
        return self.current_protected if ref in _CURRENT else self.named(ref)


# --- branches here ---


def branch_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge `git branch`."""
    options = read_options(call.words, "u", "delete force remotes copy move", "set-upstream-to")
    if options.has("d", "D", "delete"):
        return _deletion_findings(call, options, situation)
    names = [word.text for word in options.all_rest]
    forced = options.has("f", "force", "M", "C")
    if options.has("m", "M", "move"):
        return _rename_findings(call, names, situation, forced=forced)
    if options.has("c", "C", "copy"):
        return _moved(call, names[-1:], situation, is_sure_only=not forced)
    return _moved(call, names[:1], situation) if forced else []


def _deletion_findings(call: GitCall, options: GitOptions, situation: Situation) -> list[GuardFinding]:
    forced = options.has("f", "force", "D")
    for word in options.all_rest:
        text = word.text
        if options.has("r", "remotes"):
            text = text.partition("/")[2] or text
        name = situation.meant(text)
        if name and (word.is_known or forced):
            return [_deleted(call, name, word.text)]
    return []


def _rename_findings(
    call: GitCall, names: list[str], situation: Situation, *, forced: bool
) -> list[GuardFinding]:
    """Judge a rename: the new name may overwrite a branch, and the old one is gone afterwards."""
    if found := _moved(call, names[-1:], situation, is_sure_only=not forced):
        return found
    if len(names) == 1:
        old = situation.current_protected
    else:
        old = next((situation.meant(name) for name in names[:1] if HOLE not in name), None)
    return [GuardFinding("branch-moved", f"{call.quoted} renames the protected branch {old}")] if old else []


def _deleted(call: GitCall, name: str, text: str) -> GuardFinding:
    if HOLE not in text:
        return GuardFinding("branch-deleted", f"{call.quoted} deletes the protected branch {name}")
    why = f"it may delete the protected branch {name}"
    return GuardFinding(UNREADABLE, f"{call.quoted} could not be read: {why}")


def _moved(
    call: GitCall, names: Iterable[str], situation: Situation, *, is_sure_only: bool = False
) -> list[GuardFinding]:
    """Return the finding for the first name that is, or with a hole may be, a protected branch."""
    for text in names:
        name = situation.meant(text)
        if name and HOLE not in text:
            return [GuardFinding("branch-moved", f"{call.quoted} moves the protected branch {name} by force")]
        if name and not is_sure_only:
            why = f"it may move the protected branch {name}"
            return [GuardFinding(UNREADABLE, f"{call.quoted} could not be read: {why}")]
    return []


def recreated_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge the branch that `checkout -B`, `switch -C` or `worktree add -B` makes over an old one."""
    letters = "cC" if call.name == "switch" else "bB"
    options = read_options(call.words, letters, "", "create force-create orphan conflict")
    made = [options.values[one] for one in (letters[1], "force-create") if one in options.values]
    return _moved(call, made, situation)


def update_ref_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge `git update-ref`, which moves or deletes a branch without asking."""
    options = read_options(call.words, "m", "stdin no-deref create-reflog")
    if options.has("stdin"):
        why = "what it does comes from standard input"
        return [GuardFinding(UNREADABLE, f"{call.quoted} could not be read: {why}")]
    names = [word.text for word in options.all_rest[:1]]
    if not options.has("d", "delete"):
        return _moved(call, names, situation)
    return [_deleted(call, name, text) for text in names if (name := situation.meant(text))]


def symbolic_ref_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge `git symbolic-ref`: of two names, the first becomes the second without a look at the files."""
    options = read_options(call.words, "m", "delete short quiet no-recurse")
    names = [word.text for word in options.all_rest]
    if options.has("d", "delete"):
        return [_deleted(call, name, text) for text in names[:1] if (name := situation.named(text))]
    if len(names) < 2:
        return []
    # HEAD is written, not followed: the branch that is checked out stays where it is.
    return _moved(call, (name for name in names if name not in _CURRENT), situation)


def fetch_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge a fetch that overwrites a branch here: `+x:main`, or `x:main` with force."""
    options = read_options(call.words, "jo", "force all tags prune", "depth refmap upload-pack")
    forced = options.has("f", "force")
    refspecs = [word.text for word in options.all_rest[1:]]
    targets = [text.partition(":")[2] for text in refspecs if forced or text.startswith("+")]
    return _moved(call, (target for target in targets if target), situation, is_sure_only=True)


# --- pushes ---


class _Target(
    namedtuple("_Target", ("branch", "is_forced", "is_deleted", "is_unknown"), defaults=(False, False, False))
):
    """What one refspec does to a protected branch, or to an unnamed one if `branch` is empty."""

    __slots__ = ()
    branch: str
    is_forced: bool
    is_deleted: bool
    is_unknown: bool


def push_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge `git push`, of which only a dry run is always allowed."""
    options = read_options(call.words, "o", _PUSH_FLAGS, _PUSH_VALUED)
    if options.has("n", "dry-run") and not options.has("no-dry-run"):
        return []
    push = call._replace(name="push").quoted
    if hidden := _hidden(options):
        message = f"{push} could not be read: {quoted(hidden.text)} is known only when it runs; {_NAME_IT}"
        return [GuardFinding(UNREADABLE, message)]
    targets = _targets(call, options, situation)
    return [finding for target in targets for finding in _judged(target, push, situation)]


def subtree_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Judge `git subtree push --prefix DIR REMOTE BRANCH` as the push that it is."""
    options = read_options(call.words, "P", "force squash rejoin", "prefix annotate branch onto message")
    if not options.rest or options.rest[0].text != "push":
        return []
    return push_findings(call._replace(name="push", words=options.all_rest[1:]), situation)


def _hidden(options: GitOptions) -> CommandWord | None:
    """Return a word that may turn out to be an option or another branch.

    A remote that is a URL may hold a hole, as URLs hold tokens.
    """
    rest = options.all_rest
    for word in options.doubtful:
        if not (word is rest[0] and "://" in word.text.partition(HOLE)[0]):
            return word
    for word in rest[1:]:
        source, colon, _ = word.text.partition(":")
        if HOLE in source and not colon:
            return word
    return None


def _judged(target: _Target, push: str, situation: Situation) -> Iterator[GuardFinding]:
    """Yield the finding for one target, the worst that applies: deleted, overwritten, pushed, unknown.

    One target has several faults at once, such as a forced push to a protected branch. Only the gravest is
    reported: a deletion outweighs force, and force outweighs the push itself.
    """
    name = target.branch
    if name and target.is_deleted:
        yield GuardFinding("push-deletes", f"{push} deletes the protected branch {name} on the remote")
    elif name and target.is_forced:
        yield GuardFinding("push-forced", f"{push} overwrites the protected branch {name} by force")
    elif name and not situation.is_owner:
        message = f"{push} pushes to the protected branch {name}; only an owner may"
        yield GuardFinding("push-protected", message)
    elif target.is_unknown and (target.is_forced or target.is_deleted or not situation.is_owner):
        message = f"{push} pushes the current branch, and that branch is not known; {_NAME_IT}"
        yield GuardFinding("push-branch-unknown", message)


def _targets(call: GitCall, options: GitOptions, situation: Situation) -> Iterator[_Target]:
    """Yield what the push does to each branch.

    Options that push everything come first, then the refspecs of the line, else those of the settings given
    with `-c`, else the current branch.
    """
    forced = options.has("f", "force", "force-with-lease")
    everything = situation.protected[0] if situation.protected else ""
    if options.has("mirror") or any(
        name.startswith("remote.") and name.endswith(".mirror") and value.lower() not in FALSE
        for name, value in call.config.items()
    ):
        yield _Target(everything, is_forced=True)
        return
    if options.has("all", "branches", "prune") or call.config.get("push.default") == "matching":
        yield _Target(everything, forced)
    refspecs = list(_refspecs(options.all_rest[1:])) or [
        value for name, value in call.config.items() if name.startswith("remote.") and name.endswith(".push")
    ]
    for text in refspecs:
        yield _target(text, forced=forced, deleted=options.has("d", "delete"), situation=situation)
    if not refspecs and not options.has("all", "branches", "tags"):
        leads_away = call.config.get("push.default") in ("upstream", "tracking")
        yield _current(situation, forced=forced, deleted=False, is_unknown=leads_away)


def _refspecs(words: tuple[CommandWord, ...]) -> Iterator[str]:
    """Yield the refspecs, with `tag NAME`, the old spelling of a tag, written out."""
    queue = iter(words)
    for word in queue:
        if word.text == "tag":
            yield "refs/tags/" + next(queue, CommandWord("")).text
        elif not word.text.startswith("^"):
            yield word.text


def _target(text: str, *, forced: bool, deleted: bool, situation: Situation) -> _Target:
    forced |= text.startswith("+")
    source, colon, target = text.removeprefix("+").partition(":")
    if colon and not source and not target:  # `:` alone is every branch that both sides have
        return _Target(situation.protected[0] if situation.protected else "", forced)
    deleted |= bool(colon and not source)
    place = target or source
    if place in _CURRENT:
        return _current(situation, forced=forced, deleted=deleted)
    return _Target(situation.named(place) or "", forced, deleted)


def _current(situation: Situation, *, forced: bool, deleted: bool, is_unknown: bool = False) -> _Target:
    unknown = is_unknown or situation.is_branch_unknown
    return _Target(situation.current_protected or "", forced, deleted, unknown)
