"""The action of `signoff guard`."""

import os

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import open_regular, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.judges.guards.guard_findings import GuardDecision, GuardFinding

_ONLY = {"command": ("command", "branch", "role", "protected"), "sql": ("path", "before", "no_rls", "file")}
"""The options that belong to one action."""
_LONGEST_HEAD = 4_096


def run(options: Options, say: Output) -> int:
    """Print the decision and return its exit code, blocking on any error."""
    from signoff.domain.base.errors import SignoffError

    try:
        decision = _decide(options)
    except SignoffError as error:
        return _refuse(say, error.slug, error.what, error.why, error.fix)
    except Exception as error:  # noqa: BLE001 - a guard that crashes must block: its host would let 70 pass
        from signoff.cli.shared.crash import write_crash_file

        what = f"signoff has a bug: {type(error).__name__}: {error}"
        return _refuse(
            say, "crash", what, "", f"please report it with {write_crash_file(error, options.root)}"
        )
    findings = [_document(finding) for finding in decision.findings]
    document = {"decision": decision.decision, "reason": decision.reason, "findings": findings}
    say.result(document, f"{decision.decision}: {decision.reason}")
    if decision.is_blocked:
        # Hosts show an agent what a hook wrote to standard error.
        lines = (
            f"blocked: {f'line {one.line}: ' if one.line else ''}{one.message} [{one.code}]"
            for one in decision.findings
        )
        say.note("\n".join(lines))
    return 2 if decision.is_blocked else 0


def _refuse(say: Output, slug: str, what: str, why: str, fix: str) -> int:
    """Block because there is no decision, and print the error as every command does."""
    reason = f"{what} ({why})" if why else what
    error = {"slug": slug, "what": what, "why": why, "fix": fix}
    say.result({"decision": "block", "reason": reason, "findings": [], "error": error}, f"block: {reason}")
    say.error(slug, what, why, fix)
    return 2


def _document(finding: "GuardFinding") -> dict[str, object]:
    return {"code": finding.code, "line": finding.line or None, "message": finding.message}


def _decide(options: Options) -> "GuardDecision":
    mistake = getattr(options, "mistake", None)
    if mistake is not None:
        raise mistake
    _refuse_foreign_options(options)
    call: dict[str, object] = {}
    if options.hook:
        from signoff.cli.judge.guard_hooks import hook_call

        call = hook_call()
    return _decide_command(options, call) if options.action == "command" else _decide_sql(options, call)


def _refuse_foreign_options(options: Options) -> None:
    for action, names in _ONLY.items():
        for name in names:
            if options.action != action and getattr(options, name):
                said = "FILE" if name == "file" else "--" + name.replace("_", "-")
                raise _usage(f"{said} does not belong to `guard {options.action}`", "leave it out")
    if options.action == "command":
        from signoff.judges.guards.command_guard import CODES
    else:
        from signoff.judges.guards.sql_guard import CODES
    for code in options.allow or ():
        if code not in CODES:
            raise _usage(f"there is no finding {code!r}", f"one of {', '.join(CODES)}")


def _usage(what: str, fix: str) -> Exception:
    from signoff.domain.base.errors import UsageError

    return UsageError(what, slug="usage", fix=fix)


def _decide_command(options: Options, call: dict[str, object]) -> "GuardDecision":
    from signoff.judges.guards.command_guard import guard_command
    from signoff.judges.guards.guard_findings import decide

    if options.hook:
        from signoff.cli.judge.guard_hooks import hook_unreadable, of_hook

        if options.command is not None:
            raise _usage("--command and --hook both give the command", "leave one of them out")
        command = of_hook(call, "command")
        if command is None:
            if call.get("tool_name") in (None, "Bash"):
                raise hook_unreadable("it has no tool_input.command")
            return decide((), otherwise="the hook's call runs no command")
    elif options.command is None:
        raise _usage("no command was given", '--command "…", or --hook')
    else:
        command = options.command
    return guard_command(
        command,
        branch_in=_branches(options, call),
        role=options.role or "",
        protected=tuple(options.protected or ()),
        here=_here(options, call),
        allowed=tuple(options.allow or ()),
    )


def _here(options: Options, call: dict[str, object]) -> str:
    """Return the folder in which the command would start."""
    if not options.hook:
        return os.path.abspath(options.root)
    from signoff.cli.judge.guard_hooks import folder_of

    return os.path.abspath(folder_of(options, call))


def _branches(options: Options, call: dict[str, object]) -> "Callable[[str], str | None]":
    """Return the function that finds the branch of a folder.

    `--branch` holds for every folder. For a hook, the repository itself is read.
    """
    if options.branch is not None:
        branch = options.branch.strip().removeprefix("refs/heads/") or None
        return lambda _: branch
    if not options.hook:
        return lambda _: None
    from signoff.cli.judge.guard_hooks import folder_of

    base = folder_of(options, call)
    return lambda folder: _branch_in(os.path.abspath(os.path.join(base, os.path.expanduser(folder))))


def _branch_in(folder: str) -> str | None:
    """Return the branch that the repository around a folder has checked out, or None.

    Reads `.git/HEAD`, because git itself would take longer than the whole decision.
    """
    while True:
        place = os.path.join(folder, ".git")
        try:
            if os.path.isfile(place):  # a worktree, or a submodule
                place = os.path.join(folder, _head_of(place).removeprefix("gitdir:").strip())
            if os.path.isdir(place):
                said = _head_of(os.path.join(place, "HEAD")).strip()
                return said.removeprefix("ref: refs/heads/") if said.startswith("ref: refs/heads/") else None
        except (OSError, ValueError):
            return None
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _head_of(path: str) -> str:
    with open_regular(path) as file:
        return file.read(_LONGEST_HEAD).decode("utf-8", "surrogateescape")


def _decide_sql(options: Options, call: dict[str, object]) -> "GuardDecision":
    """Return the decision on a text from a file, or from the call that a hook was given.

    Whatever is missing is an error, which blocks. A hook's call that writes no file is let through.
    """
    from signoff.cli.judge.guard_hooks import edited, folder_of, hook_unreadable, of_hook, sql_text
    from signoff.judges.guards.guard_findings import decide
    from signoff.judges.guards.sql_guard import guard_sql, is_guarded

    if not options.hook:
        if options.file is None:
            raise _usage("no file was given", "signoff guard sql --path PATH FILE")
        if options.path is None and options.file == "-":
            raise _usage("where the text goes is not known", "--path PATH")
        path, after = options.path or options.file, sql_text(read_file(options.file))
        before = sql_text(read_file(options.before)) if options.before else None
    else:
        if options.file is not None:
            raise _usage("FILE and --hook both give the text", "leave one of them out")
        path = options.path or of_hook(call, "file_path")
        if path is None:
            if call.get("tool_name") in (None, "Write", "Edit", "MultiEdit"):
                raise hook_unreadable("it has no tool_input.file_path")
            return decide((), otherwise="the hook's call writes no file")
        before, after = (
            edited(call, os.path.join(folder_of(options, call), path)) if is_guarded(path) else ("", "")
        )
    return guard_sql(
        path, after, before, wants_row_security=not options.no_rls, allowed=tuple(options.allow or ())
    )
