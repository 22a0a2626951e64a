"""Judge `git push`: what it would do to a protected branch. Pure; called by `git_rules`."""

from collections import namedtuple
from collections.abc import Iterator

from signoff.core.guards.branches import CURRENT, Situation
from signoff.core.guards.findings import UNREADABLE, Finding, quoted
from signoff.core.guards.git_commands import GitCall, Options, read_options
from signoff.core.guards.shell_parts import HOLE, Word

_FLAGS = (
    "force force-with-lease force-if-includes all branches mirror delete tags follow-tags prune dry-run "
    "set-upstream quiet verbose porcelain atomic progress signed thin verify no-verify ipv4 ipv6"
)
_VALUED = "repo receive-pack exec push-option recurse-submodules"
_NAME_IT = "write the branch out, as in `git push origin HEAD:feature`"


class _Target(
    namedtuple("_Target", ("branch", "is_forced", "is_deleted", "is_unknown"), defaults=(False, False, False))
):
    """What one refspec does to a protected branch; `branch` is empty if it is not known to meet one."""

    __slots__ = ()
    branch: str
    is_forced: bool
    is_deleted: bool
    is_unknown: bool


def push_findings(call: GitCall, situation: Situation) -> list[Finding]:
    """Give what speaks against a push; one that only says what it would do is free."""
    options = read_options(call.words, "o", _FLAGS, _VALUED)
    if options.has("n", "dry-run") and not options.has("no-dry-run"):
        return []
    said = quoted("git push " + " ".join(word.text for word in call.words))
    if hidden := _hidden(options):
        message = f"{said} could not be read: {quoted(hidden.text)} is known only when it runs; {_NAME_IT}"
        return [Finding(UNREADABLE, message)]
    return [
        finding
        for target in _targets(call, options, situation)
        for finding in _judged(target, said, situation)
    ]


def _hidden(options: Options) -> Word | None:
    """Give a word that may turn out to be an option or another branch; a URL may hold a token."""
    rest = options.all_rest
    for word in options.doubtful:
        if not (word is rest[0] and "://" in word.text.partition(HOLE)[0]):
            return word
    for word in rest[1:]:
        source, colon, _ = word.text.partition(":")
        if HOLE in source and not colon:
            return word
    return None


def _judged(target: _Target, said: str, situation: Situation) -> Iterator[Finding]:
    name = target.branch
    if name and target.is_deleted:
        yield Finding("push-deletes", f"{said} deletes the protected branch {name} on the remote")
    elif name and target.is_forced:
        yield Finding("push-forced", f"{said} overwrites the protected branch {name} by force")
    elif name and not situation.is_owner:
        yield Finding("push-protected", f"{said} pushes to the protected branch {name}; only an owner may")
    elif target.is_unknown and (target.is_forced or target.is_deleted or not situation.is_owner):
        message = f"{said} pushes the current branch, and that branch is not known; {_NAME_IT}"
        yield Finding("push-branch-unknown", message)


# --- what a push means ---


def _targets(call: GitCall, options: Options, situation: Situation) -> Iterator[_Target]:
    forced = options.has("f", "force", "force-with-lease")
    everything = situation.protected[0] if situation.protected else ""
    if options.has("mirror") or _is_set(call, "remote.", ".mirror"):
        yield _Target(everything, is_forced=True)
        return
    if options.has("all", "branches", "prune") or call.config.get("push.default") == "matching":
        yield _Target(everything, forced)
    refspecs = list(_refspecs(options.all_rest[1:]))
    configured = [Word(v, "q" * len(v)) for k, v in call.config.items() if _is_refspec_setting(k)]
    for word in refspecs or configured:
        yield _target(word.text, forced=forced, deleted=options.has("d", "delete"), situation=situation)
    if not refspecs and not configured and not options.has("all", "branches", "tags"):
        leads_away = call.config.get("push.default") in ("upstream", "tracking")
        yield _current(situation, forced=forced, deleted=False, is_unknown=leads_away)


def _is_set(call: GitCall, start: str, end: str) -> bool:
    return any(
        name.startswith(start) and name.endswith(end) and value.lower() not in ("false", "no", "off", "0")
        for name, value in call.config.items()
    )


def _is_refspec_setting(name: str) -> bool:
    return name.startswith("remote.") and name.endswith(".push")


def _refspecs(words: tuple[Word, ...]) -> Iterator[Word]:
    """Give the refspecs; `tag NAME` is the old spelling of a tag."""
    queue = iter(words)
    for word in queue:
        if word.text == "tag":
            yield Word("refs/tags/" + next(queue, Word("")).text)
        elif not word.text.startswith("^"):
            yield word


def _target(text: str, *, forced: bool, deleted: bool, situation: Situation) -> _Target:
    forced |= text.startswith("+")
    source, colon, target = text.removeprefix("+").partition(":")
    if colon and not source and not target:  # `:` alone is every branch that both sides have
        return _Target(situation.protected[0] if situation.protected else "", forced)
    deleted |= bool(colon and not source)
    place = target or source
    if place in CURRENT:
        return _current(situation, forced=forced, deleted=deleted)
    return _Target(situation.meant(place) or "", forced, deleted)


def _current(situation: Situation, *, forced: bool, deleted: bool, is_unknown: bool = False) -> _Target:
    unknown = is_unknown or situation.is_branch_unknown
    return _Target(situation.current_protected or "", forced, deleted, unknown)
