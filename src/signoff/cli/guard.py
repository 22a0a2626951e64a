"""Decide whether a command or a SQL file may be let through, before it does what cannot be undone.

  command   pushes to protected branches, lost branches, lost work, lost history. --branch is the branch that
            is checked out. Without it only a hook looks for itself, and a push that depends on it is blocked.
  sql       drops, unfiltered deletes and updates, open grants, tables without row level security. Other
            paths than those of SQL are let through. - is standard input.

Exit 0 allow, 2 block. Any error is 2 as well, with a reason. With --hook the words come as the JSON that an
agent's host gives its hooks on standard input, and of an edit only what it adds counts.

examples:
  signoff guard command --command "git push origin HEAD" --branch feature --role developer
  signoff guard command --hook --protected release < call.json
  signoff guard sql --path supabase/migrations/7.sql 7.sql --json
  signoff guard sql --hook --allow drop-column < call.json
"""

import os
import sys

from signoff.cli.command import Options, Say
from signoff.cli.files import open_regular, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from signoff.core.guards.findings import Decision, Finding

ACTIONS = ("command", "sql")
_VALUES = {
    "--command": "command",
    "--branch": "branch",
    "--role": "role",
    "--path": "path",
    "--before": "before",
    "--root": "root",
    "-C": "root",
}
_LISTS = {"--protected": "protected", "--allow": "allow"}
_FLAGS = {"--hook": "hook", "--no-rls": "no_rls", "--json": "json"}
_ONLY = {
    "command": ("command", "branch", "role", "protected"),
    "sql": ("path", "before", "no_rls", "file"),
}
"""The options that belong to one action."""
_LONGEST_HEAD = 4_096


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("file", metavar="FILE", nargs="?", help="sql: the text that would be written")
    parser.add_argument("--command", metavar="TEXT", help="command: the command line")
    parser.add_argument("--branch", metavar="NAME", help="command: the branch that is checked out")
    parser.add_argument("--role", metavar="ROLE", help="command: owner may push to protected branches")
    parser.add_argument(
        "--protected", metavar="NAME", action="append", help="command: one more beside main and master"
    )
    parser.add_argument("--path", metavar="PATH", help="sql: where the text goes; FILE if not given")
    parser.add_argument(
        "--before", metavar="FILE", help="sql: what stands there now; only what is added counts"
    )
    parser.add_argument("--no-rls", action="store_true", help="sql: tables need no row level security")
    parser.add_argument(
        "--allow", metavar="CODE", action="append", help="let this finding through; repeatable"
    )
    parser.add_argument("--hook", action="store_true", help="read a hook's JSON from standard input")


def plain(words: list[str]) -> Options:
    """Read the words without argparse, which would cost more than the decision.

    Words that cannot be read so are left to argparse. Its complaint is kept for `run`, which blocks because
    of it.
    """
    options = _read_plain(words)
    if options is not None:
        return options
    from signoff.cli.parsing import parse
    from signoff.domain.errors import SignoffError

    options = Options()
    try:
        return parse(sys.modules[__name__], "guard", words, options)
    except SignoffError as error:
        options.mistake = error
        return options


def _read_plain(words: list[str]) -> Options | None:
    """Return the options, or None if argparse has to read or refuse the words.

    Options are looked up in three tables: with a value, repeatable, and flags. The first other word is the
    action.
    """
    options = Options()
    for name in (*_VALUES.values(), "action", "file"):
        setattr(options, name, None)
    for name in _LISTS.values():
        setattr(options, name, [])
    for name in _FLAGS.values():
        setattr(options, name, False)
    options.root = "."
    queue = iter(words)
    for word in queue:
        option, equals, value = word.partition("=")
        if option in _VALUES or option in _LISTS:
            given = value if equals else next(queue, None)
            name = (given or "").partition("=")[0]
            if given is None or (not equals and (name in _VALUES or name in _LISTS or given in _FLAGS)):
                return None  # as after an empty "$VALUE" unquoted
            if option in _LISTS:
                getattr(options, _LISTS[option]).append(given)
            else:
                setattr(options, _VALUES[option], given)
        elif word in _FLAGS:
            setattr(options, _FLAGS[word], True)
        elif word.startswith("-") and word != "-":
            return None
        elif options.action is None and word in ACTIONS:
            options.action = word
        elif options.file is None and options.action is not None:
            options.file = word
        else:
            return None
    return options if options.action is not None else None


def run(options: Options, say: Say) -> int:
    """Print the decision and return its exit code, blocking on any error."""
    from signoff.domain.errors import SignoffError

    try:
        decision = _decide(options)
    except SignoffError as error:
        return _refuse(say, error.slug, error.what, error.why, error.fix)
    except Exception as error:  # noqa: BLE001 - a guard that crashes must block: its host would let 70 pass
        from signoff.cli.crash import write_crash_file

        what = f"signoff has a bug: {type(error).__name__}: {error}"
        return _refuse(
            say, "crash", what, "", f"please report it with {write_crash_file(error, options.root)}"
        )
    findings = [_document(finding) for finding in decision.findings]
    document = {"decision": decision.decision, "reason": decision.reason, "findings": findings}
    say.result(document, f"{decision.decision}: {decision.reason}")
    if decision.is_blocked:
        # Hosts show an agent what a hook wrote to standard error.
        say.note("\n".join(f"blocked: {_report_line(finding)}" for finding in findings))
    return 2 if decision.is_blocked else 0


def _refuse(say: Say, slug: str, what: str, why: str, fix: str) -> int:
    """Block because there is no decision, and print the error as every command does."""
    reason = f"{what} ({why})" if why else what
    error = {"slug": slug, "what": what, "why": why, "fix": fix}
    say.result({"decision": "block", "reason": reason, "findings": [], "error": error}, f"block: {reason}")
    say.error(slug, what, why, fix)
    return 2


def _document(finding: "Finding") -> dict[str, object]:
    return {"code": finding.code, "line": finding.line or None, "message": finding.message}


def _report_line(finding: dict[str, object]) -> str:
    where = f"line {finding['line']}: " if finding["line"] else ""
    return f"{where}{finding['message']} [{finding['code']}]"


def _decide(options: Options) -> "Decision":
    mistake = getattr(options, "mistake", None)
    if mistake is not None:
        raise mistake
    _refuse_foreign_options(options)
    call: dict[str, object] = {}
    if options.hook:
        from signoff.cli.guard_hooks import hook_call

        call = hook_call()
    return _decide_command(options, call) if options.action == "command" else _decide_sql(options, call)


def _refuse_foreign_options(options: Options) -> None:
    for action, names in _ONLY.items():
        for name in names:
            if options.action != action and getattr(options, name):
                said = "FILE" if name == "file" else "--" + name.replace("_", "-")
                raise _usage(f"{said} does not belong to `guard {options.action}`", "leave it out")
    if options.action == "command":
        from signoff.core.guards.command_guard import CODES
    else:
        from signoff.core.guards.sql_guard import CODES
    for code in options.allow or ():
        if code not in CODES:
            raise _usage(f"there is no finding {code!r}", f"one of {', '.join(CODES)}")


def _usage(what: str, fix: str) -> Exception:
    from signoff.domain.errors import UsageError

    return UsageError(what, slug="usage", fix=fix)


# --- commands ---


def _decide_command(options: Options, call: dict[str, object]) -> "Decision":
    from signoff.core.guards.command_guard import guard_command
    from signoff.core.guards.findings import decide

    if options.hook:
        from signoff.cli.guard_hooks import hook_unreadable, of_hook

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
    from signoff.cli.guard_hooks import folder_of

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
    from signoff.cli.guard_hooks import folder_of

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


# --- SQL ---


def _decide_sql(options: Options, call: dict[str, object]) -> "Decision":
    """Return the decision on a text from a file, or from the call that a hook was given."""
    from signoff.cli.guard_hooks import edited, folder_of, hook_unreadable, of_hook, sql_text
    from signoff.core.guards.findings import decide
    from signoff.core.guards.sql_guard import guard_sql, is_guarded

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
        path,
        after,
        before,
        wants_row_security=not options.no_rls,
        allowed=tuple(options.allow or ()),
    )
