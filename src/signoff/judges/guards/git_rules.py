"""Judge a call of git: pushes, lost branches, lost work, lost history.

Each subcommand is a row of one of two tables. A subcommand without a row is allowed.
"""

from collections import namedtuple
from collections.abc import Callable

from signoff.judges.guards.branch_rules import (
    Situation,
    branch_findings,
    fetch_findings,
    push_findings,
    recreated_findings,
    subtree_findings,
    symbolic_ref_findings,
    update_ref_findings,
)
from signoff.judges.guards.git_commands import FALSE, GitCall, GitOptions, read_options
from signoff.judges.guards.guard_findings import UNREADABLE, GuardFinding
from signoff.text.shell.shell_parts import HOLE

_EVERYTHING = (".", "./", ":/", ":/.", ":/*", "*", "**", ":(top)", ":(top).", "./*", "./.")
_NOW = ("now", "all", "0")


def git_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    """Return the reasons to block this call."""
    if any(word.text in ("--help", "-h") for word in call.words[:1]):
        return []
    found = _BRANCH_RULES[call.name](call, situation) if call.name in _BRANCH_RULES else []
    rule = _RULES.get(call.name)
    if call.name == "clean":
        found = _clean_findings(call)
    elif rule is not None:
        options = read_options(call.words, rule.letters, rule.names, rule.valued)
        if rule.applies(call, options):
            message = f"{call.quoted} {rule.finding.message}"
            found = [*found, rule.finding._replace(message=message)]
    return found


def branch_after(call: GitCall) -> tuple[str | None, bool] | None:
    """Return the branch that is checked out after the call and whether it surely is, or None if it stays.

    `git checkout NAME` may name a file as well, so it is never sure. The branch is None if its name is not
    known.
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


# --- rules that depend on the branch ---


def _reset_findings(call: GitCall, situation: Situation) -> list[GuardFinding]:
    options = read_options(call.words, "", "hard soft mixed merge keep")
    # Without a commit, `--merge` and `--keep` leave the branch where it is.
    takes_commits = options.has("hard") or (options.has("merge", "keep") and bool(options.rest))
    if not takes_commits and not options.doubtful:
        return []
    if name := situation.current_protected:
        message = f"{call.quoted} throws away commits and changes on the protected branch {name}"
    elif situation.is_branch_unknown and takes_commits:
        message = f"{call.quoted} throws away commits and changes, and the current branch is not known"
    else:
        return []
    return [GuardFinding("reset-hard" if takes_commits else UNREADABLE, message)]


_BRANCH_RULES: dict[str, Callable[[GitCall, Situation], list[GuardFinding]]] = {
    "push": push_findings,
    "send-pack": push_findings,
    "subtree": subtree_findings,
    "branch": branch_findings,
    "reset": _reset_findings,
    "checkout": recreated_findings,
    "switch": recreated_findings,
    "worktree": recreated_findings,
    "fetch": fetch_findings,
    "update-ref": update_ref_findings,
    "symbolic-ref": symbolic_ref_findings,
}
"""Subcommands that are judged by the branch they touch."""


# --- rules that hold on every branch ---


class _Rule(namedtuple("_Rule", ("finding", "applies", "letters", "names", "valued"), defaults=("", "", ""))):
    """What a subcommand is blocked for, when, and the options that `read_options` has to know for it."""

    __slots__ = ()
    finding: GuardFinding
    """With the message behind the quoted call."""
    applies: Callable[[GitCall, GitOptions], bool]
    letters: str
    names: str
    valued: str


def _takes_everything(options: GitOptions) -> bool:
    """Check whether a path of the whole working tree is named, all at once instead of patch by patch."""
    return not options.has("p", "patch") and any(word.text in _EVERYTHING for word in options.all_rest)


def _expires(call: GitCall, options: GitOptions) -> bool:
    is_now = any(options.values.get(name) in _NOW for name in ("expire", "expire-unreachable"))
    is_expire = bool(call.words) and call.words[0].text == "expire"
    return is_expire and is_now and not options.has("n", "dry-run")


_DISCARDS = GuardFinding("work-discarded", "throws away every change that is not committed")
_REWRITES = _Rule(
    GuardFinding("history-rewritten", "rewrites the history of the repository"), lambda _call, _options: True
)
_PRUNED = GuardFinding("objects-pruned", "deletes commits that no branch holds, at once")
_RULES = {
    "checkout": _Rule(
        _DISCARDS,
        lambda _, options: _takes_everything(options) or options.has("f", "force"),
        letters="bB",
        names="force ours theirs merge detach patch",
        valued="orphan conflict",
    ),
    "restore": _Rule(
        _DISCARDS,
        # Unstaging alone leaves the files as they are.
        lambda _, options: (
            _takes_everything(options) and (options.has("W", "worktree") or not options.has("S", "staged"))
        ),
        letters="s",
        names="staged worktree patch",
        valued="source pathspec-from-file",
    ),
    "switch": _Rule(
        _DISCARDS,
        lambda _, options: options.has("f", "force", "discard-changes"),
        letters="cC",
        names="force discard-changes detach",
        valued="create force-create orphan",
    ),
    "filter-branch": _REWRITES,
    "filter-repo": _REWRITES,
    "reflog": _Rule(
        GuardFinding("reflog-expired", "forgets where branches were, the way back from mistakes"),
        _expires,
        names="all rewrite updateref stale-fix",
        valued="expire expire-unreachable",
    ),
    "gc": _Rule(
        _PRUNED,
        lambda call, options: (
            options.values.get("prune") in _NOW or call.config.get("gc.pruneexpire") in _NOW
        ),
        names="aggressive auto force prune no-prune quiet",
    ),
    "prune": _Rule(
        _PRUNED,
        lambda _, options: not options.has("n", "dry-run") and options.values.get("expire", "now") in _NOW,
        names="dry-run verbose progress",
        valued="expire",
    ),
    "stash": _Rule(
        GuardFinding("stash-cleared", "deletes everything that was stashed"),
        lambda call, _: bool(call.words) and call.words[0].text == "clear",
    ),
}


def _clean_findings(call: GitCall) -> list[GuardFinding]:
    options = read_options(call.words, "e", "force dry-run interactive quiet", "exclude")
    if options.has("n", "dry-run"):
        return []
    forced = options.has("f", "force") or call.config.get("clean.requireforce", "true").lower() in FALSE
    if options.doubtful and not forced:
        why = "it may delete files git does not know"
        return [GuardFinding(UNREADABLE, f"{call.quoted} could not be read: {why}")]
    if forced and (options.has("d", "x", "X") or not options.all_rest or options.doubtful):
        message = f"{call.quoted} deletes files that git does not know and cannot bring back"
        return [GuardFinding("clean-forced", message)]
    return []
