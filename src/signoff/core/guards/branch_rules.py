"""Judge calls of git that move, rename, overwrite or delete a branch here. Pure; called by `git_rules`."""

from collections.abc import Iterable

from signoff.core.guards.branches import CURRENT, Situation
from signoff.core.guards.findings import UNREADABLE, Finding, quoted
from signoff.core.guards.git_commands import GitCall, Options, read_options
from signoff.core.guards.shell_parts import HOLE


def said(call: GitCall) -> str:
    """Quote the call for a message."""
    return quoted(" ".join(("git", call.name, *(word.text for word in call.words))))


def branch_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Judge `git branch`."""
    options = read_options(call.words, "u", "delete force remotes copy move", "set-upstream-to")
    if options.has("d", "D", "delete"):
        return _of_deletion(call, options, situation)
    names = [word.text for word in options.all_rest]
    forced = options.has("f", "force", "M", "C")
    if options.has("m", "M", "move"):
        return _of_rename(call, names, situation, forced=forced)
    if options.has("c", "C", "copy"):
        return _moved(call, names[-1:], situation, is_sure_only=not forced)
    return _moved(call, names[:1], situation) if forced else []


def _of_deletion(call: GitCall, options: Options, situation: Situation) -> list[Finding]:
    forced = options.has("f", "force", "D")
    for word in options.all_rest:
        text = word.text
        if options.has("r", "remotes"):
            text = text.partition("/")[2] or text
        name = _meant(text, situation)
        if name and (word.is_known or forced):
            return [_deleted(call, name, word.text)]
    return []


def _of_rename(call: GitCall, names: list[str], situation: Situation, *, forced: bool) -> list[Finding]:
    """Judge a rename: the new name may overwrite a branch, and the old one is gone afterwards."""
    if found := _moved(call, names[-1:], situation, is_sure_only=not forced):
        return found
    old = situation.current_protected if len(names) == 1 else _sure(names[:1], situation)
    return [Finding("branch-moved", f"{said(call)} renames the protected branch {old}")] if old else []


def _sure(names: list[str], situation: Situation) -> str | None:
    return next((_meant(name, situation) for name in names if HOLE not in name), None)


def _meant(name: str, situation: Situation) -> str | None:
    return situation.current_protected if name in CURRENT else situation.meant(name)


def _deleted(call: GitCall, name: str, text: str) -> Finding:
    if HOLE not in text:
        return Finding("branch-deleted", f"{said(call)} deletes the protected branch {name}")
    return Finding(UNREADABLE, f"{said(call)} could not be read: it may delete the protected branch {name}")


def _moved(
    call: GitCall, names: Iterable[str], situation: Situation, *, is_sure_only: bool = False
) -> list[Finding]:
    """Give the finding for the first name that is, or with a hole may be, a protected branch."""
    for text in names:
        name = _meant(text, situation)
        if name and HOLE not in text:
            return [Finding("branch-moved", f"{said(call)} moves the protected branch {name} by force")]
        if name and not is_sure_only:
            why = f"it may move the protected branch {name}"
            return [Finding(UNREADABLE, f"{said(call)} could not be read: {why}")]
    return []


def recreated_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Judge the branch that `checkout -B`, `switch -C` or `worktree add -B` makes over an old one."""
    letters = "cC" if call.name == "switch" else "bB"
    options = read_options(call.words, letters, "", "create force-create orphan conflict")
    made = [options.values[one] for one in (letters[1], "force-create") if one in options.values]
    return _moved(call, made, situation)


def update_ref_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Judge `git update-ref`, which asks nothing before it moves or deletes a branch."""
    options = read_options(call.words, "m", "stdin no-deref create-reflog")
    if options.has("stdin"):
        return [
            Finding(UNREADABLE, f"{said(call)} could not be read: what it does comes from standard input")
        ]
    names = [word.text for word in options.all_rest[:1]]
    if not options.has("d", "delete"):
        return _moved(call, names, situation)
    return [_deleted(call, name, text) for text in names if (name := _meant(text, situation))]


def symbolic_ref_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Judge `git symbolic-ref`: of two names, the first becomes the second without a look at the files."""
    options = read_options(call.words, "m", "delete short quiet no-recurse")
    names = [word.text for word in options.all_rest]
    if options.has("d", "delete"):
        return [_deleted(call, name, text) for text in names[:1] if (name := situation.meant(text))]
    if len(names) < 2:
        return []
    # HEAD is written, not followed: the branch that is checked out stays where it is.
    return _moved(call, (name for name in names if name not in CURRENT), situation)


def fetch_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Judge a fetch that overwrites a branch here: `+x:main`, or `x:main` with force."""
    options = read_options(call.words, "jo", "force all tags prune", "depth refmap upload-pack")
    forced = options.has("f", "force")
    refspecs = [word.text for word in options.all_rest[1:]]
    targets = [text.partition(":")[2] for text in refspecs if forced or text.startswith("+")]
    return _moved(call, (target for target in targets if target), situation, is_sure_only=True)
