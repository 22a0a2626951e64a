"""Judge a call of git: pushes, lost branches, lost work, lost history. Pure; called by `command_guard`."""

from collections.abc import Callable

from signoff.core.guards.branch_rules import (
    branch_findings,
    fetch_findings,
    recreated_findings,
    said,
    symbolic_ref_findings,
    update_ref_findings,
)
from signoff.core.guards.branches import Situation
from signoff.core.guards.findings import UNREADABLE, Finding
from signoff.core.guards.git_commands import GitCall, read_options
from signoff.core.guards.push_rules import push_findings
from signoff.core.guards.shell_parts import HOLE

_EVERYTHING = (".", "./", ":/", ":/.", ":/*", "*", "**", ":(top)", ":(top).", "./*", "./.")
_NOW = ("now", "all", "0")


def git_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Give what speaks against this call; a subcommand without a rule is free."""
    if any(word.text in ("--help", "-h") for word in call.words[:1]):
        return []
    found = _BRANCH_JUDGES[call.name](call, situation) if call.name in _BRANCH_JUDGES else []
    return [*found, *(_JUDGES[call.name](call) if call.name in _JUDGES else [])]


def branch_after(call: GitCall) -> tuple[str | None, bool] | None:
    """Give the branch that is checked out after the call, and whether it surely is; None if it stays.

    `git checkout NAME` may name a file as well, so it is never sure.
    """
    if call.name not in ("checkout", "switch"):
        return None
    options = read_options(call.words, "bBcC" if call.name == "switch" else "bB", "detach", "orphan create")
    made = next(
        (options.values[one] for one in ("b", "B", "c", "C", "create", "orphan") if one in options.values), ""
    )
    if made:
        return (made if HOLE not in made else None), True
    if options.behind or len(options.rest) != 1:
        return None
    name = options.rest[0].text
    is_plain = HOLE not in name and name != "-" and not name.startswith("@{")
    return (name if is_plain else None), call.name == "switch"


def _reset(call: GitCall, situation: Situation) -> list[Finding]:
    options = read_options(call.words, "", "hard soft mixed merge keep")
    # Without a commit, `--merge` and `--keep` leave the branch where it is.
    takes_commits = options.has("hard") or (options.has("merge", "keep") and bool(options.rest))
    if not takes_commits and not options.doubtful:
        return []
    if name := situation.current_protected:
        message = f"{said(call)} throws away commits and changes on the protected branch {name}"
    elif situation.is_branch_unknown and takes_commits:
        message = f"{said(call)} throws away commits and changes, and the current branch is not known"
    else:
        return []
    return [Finding("reset-hard" if takes_commits else UNREADABLE, message)]


def _clean(call: GitCall) -> list[Finding]:
    options = read_options(call.words, "e", "force dry-run interactive quiet", "exclude")
    if options.has("n", "dry-run"):
        return []
    needs_force = call.config.get("clean.requireforce", "true").lower() not in ("false", "no", "off", "0")
    forced = options.has("f", "force") or not needs_force
    if options.doubtful and not forced:
        return [Finding(UNREADABLE, f"{said(call)} could not be read: it may delete files git does not know")]
    if forced and (options.has("d", "x", "X") or not options.all_rest or options.doubtful):
        return [
            Finding(
                "clean-forced", f"{said(call)} deletes files that git does not know and cannot bring back"
            )
        ]
    return []


def _checkout(call: GitCall) -> list[Finding]:
    options = read_options(call.words, "bB", "force ours theirs merge detach patch", "orphan conflict")
    # With a path before `--`, or one alone, files of the working tree are overwritten.
    takes_all = any(word.text in _EVERYTHING for word in options.all_rest)
    if (takes_all and not options.has("p", "patch")) or options.has("f", "force"):
        return [_discarded(call)]
    return []


def _restore(call: GitCall) -> list[Finding]:
    options = read_options(call.words, "s", "staged worktree patch", "source pathspec-from-file")
    only_staged = options.has("S", "staged") and not options.has("W", "worktree")
    takes_all = any(word.text in _EVERYTHING for word in options.all_rest)
    return [_discarded(call)] if takes_all and not only_staged and not options.has("p", "patch") else []


def _switch(call: GitCall) -> list[Finding]:
    options = read_options(call.words, "cC", "force discard-changes detach", "create force-create orphan")
    return [_discarded(call)] if options.has("f", "force", "discard-changes") else []


def _discarded(call: GitCall) -> Finding:
    return Finding("work-discarded", f"{said(call)} throws away every change that is not committed")


def _rewrite(call: GitCall) -> list[Finding]:
    return [Finding("history-rewritten", f"{said(call)} rewrites the history of the repository")]


def _reflog(call: GitCall) -> list[Finding]:
    options = read_options(call.words[1:], "", "all rewrite updateref stale-fix", "expire expire-unreachable")
    is_now = any(options.values.get(name) in _NOW for name in ("expire", "expire-unreachable"))
    if call.words and call.words[0].text == "expire" and is_now and not options.has("n", "dry-run"):
        return [
            Finding("reflog-expired", f"{said(call)} forgets where branches were, the way back from mistakes")
        ]
    return []


def _gc(call: GitCall) -> list[Finding]:
    options = read_options(call.words, "", "aggressive auto force prune no-prune quiet")
    if options.values.get("prune") in _NOW or call.config.get("gc.pruneexpire") in _NOW:
        return [_pruned(call)]
    return []


def _prune(call: GitCall) -> list[Finding]:
    options = read_options(call.words, "", "dry-run verbose progress", "expire")
    if options.has("n", "dry-run") or options.values.get("expire", "now") not in _NOW:
        return []
    return [_pruned(call)]


def _pruned(call: GitCall) -> Finding:
    return Finding("objects-pruned", f"{said(call)} deletes commits that no branch holds, at once")


def _stash(call: GitCall) -> list[Finding]:
    if any(word.text == "clear" for word in call.words[:1]):
        return [Finding("stash-cleared", f"{said(call)} deletes everything that was stashed")]
    return []


def _subtree(call: GitCall, situation: Situation) -> list[Finding]:
    """Judge `git subtree push --prefix DIR REMOTE BRANCH` as the push that it is."""
    options = read_options(call.words, "P", "force squash rejoin", "prefix annotate branch onto message")
    if not options.rest or options.rest[0].text != "push":
        return []
    return push_findings(call._replace(name="push", words=options.all_rest[1:]), situation)


_BRANCH_JUDGES: dict[str, Callable[[GitCall, Situation], list[Finding]]] = {
    "push": push_findings,
    "send-pack": push_findings,
    "subtree": _subtree,
    "branch": branch_findings,
    "reset": _reset,
    "checkout": recreated_findings,
    "switch": recreated_findings,
    "worktree": recreated_findings,
    "fetch": fetch_findings,
    "update-ref": update_ref_findings,
    "symbolic-ref": symbolic_ref_findings,
}
"""Subcommands that are judged by the branch they touch."""

_JUDGES: dict[str, Callable[[GitCall], list[Finding]]] = {
    "clean": _clean,
    "checkout": _checkout,
    "restore": _restore,
    "switch": _switch,
    "filter-branch": _rewrite,
    "filter-repo": _rewrite,
    "reflog": _reflog,
    "gc": _gc,
    "prune": _prune,
    "stash": _stash,
}
"""Subcommands that are judged alike on every branch."""
