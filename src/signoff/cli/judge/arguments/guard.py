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

import sys

from signoff.cli.shared.command import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


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
    from signoff.cli.shared.argument_parser import parse

    options = Options()
    if "--help" in words or "-h" in words:  # help loads no record, and an error is one
        return parse(sys.modules[__name__], "guard", words, options)
    from signoff.domain.base.errors import SignoffError

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
