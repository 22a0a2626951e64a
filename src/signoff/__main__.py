"""The entry point: find the command by its name and load only that.

Every hook waits for this file, so it dispatches by hand. `--version` and the list of commands import nothing
but the list. `signoff NAME --help` imports the command's arguments, not its action: see
`cli/shared/command.py`.
"""

import gc
import os
import sys

from signoff import __version__
from signoff.commands import COMMANDS, GROUPS

USAGE = """usage: signoff COMMAND [ARGUMENTS]

Signoff takes a ticket, has a coding agent do the work, and signs off only what it has itself seen proven.

{commands}

Every command takes --help, --json and -C/--root DIR.
exit codes: 0 done and proven · 1 judged, and not good · 2 could not start · 3 waits for a person ·
4 waits for an agent · 5 could not be judged · 70 a bug in Signoff · 130 stopped by Ctrl-C

try: signoff demo"""


def usage() -> str:
    """Return the text of `signoff --help`."""
    groups = (
        "\n".join((f"{group}:", *(f"  {name:<13} {text}" for name, text in names.items())))
        for group, names in GROUPS.items()
    )
    return USAGE.format(commands="\n".join(groups))


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    Only the command that was named is imported; what can be said without one is said here.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] in (["--version"], ["-V"]):
        print(f'{{"version": "{__version__}"}}' if "--json" in words else f"signoff {__version__}")
        return 0
    if not words or words[0] in ("--help", "-h", "help"):
        print(usage(), file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    leading = _leading_options(words)
    name, rest = words[leading] if leading < len(words) else "", words[leading + 1 :]
    if name not in COMMANDS:
        return _unknown(name, words)
    try:
        from signoff.cli.shared.command import run_command

        return run_command(name, [*rest, *words[:leading]])
    except KeyboardInterrupt:  # while the command was still being loaded
        print("stopped", file=sys.stderr)
        return 130


def _leading_options(words: list[str]) -> int:
    """Count the words of `--json` and `-C DIR` before the command, where people like to put them."""
    count = 0
    while count < len(words) and words[count].startswith("-"):
        count += 2 if words[count] in ("-C", "--root") else 1
    return count


def _unknown(name: str, words: list[str]) -> int:
    from signoff.cli.shared.command import Output

    what = f"there is no command {name!r}" if name else "no command was given"
    Output(as_json="--json" in words).error("command-unknown", what, fix=f"one of {', '.join(COMMANDS)}")
    return 2


def entry() -> None:
    """Run as a program. A host waits for each `signoff work`, so that one leaves its memory to the kernel."""
    words = sys.argv[1:]
    if words[_leading_options(words) :][:1] != ["work"]:
        sys.exit(main())
    gc.disable()  # a cycle keeps little and is over soon; looking for garbage costs a twentieth of it
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)  # no thread and no exit handler is left; undoing the imports costs another twentieth


if __name__ == "__main__":
    entry()
