"""One cycle of a run that your coding agent drives: call, do what it says, call again.

The first call takes an input, later ones go on from the state file. Exit 0: the report is on stdout. Exit 1:
the run halts. The first line is `[halt] outcome=… step=…`, then comes the directive for the agent, if there
is one, and the question. Exit 2: nothing was done. What is written into the state file is a claim: changed
files and test results are looked at by the engine itself.

examples:
  signoff work --ticket-file ticket.json
  signoff work                                  go on, after the state file was filled in
  signoff work --prompt-file prompt.txt --state-file .work/a.json --json
  signoff submit latest plan.json && signoff work
"""

from signoff.cli.shared.command import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


DEFAULT = ".work-state.json"
INPUTS = ("ticket_file", "prompt_file", "diff_file", "file_file")
_TEXTS = (*INPUTS, "state_file", "persona", "directive_set", "root")


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("--ticket-file", metavar="F", help="a ticket, JSON or Markdown; - is standard input")
    parser.add_argument("--prompt-file", metavar="F", help="free text")
    parser.add_argument("--diff-file", metavar="F", help="a diff to work on")
    parser.add_argument("--file-file", metavar="F", help="a file whose first line names the file to work on")
    parser.add_argument(
        "--state-file", metavar="S", help=f"what host and engine exchange; {DEFAULT} if not given"
    )
    parser.add_argument(
        "--persona", metavar="P", help="senior-engineer, qa or advisory; only when a run begins"
    )
    parser.add_argument(
        "--directive-set", metavar="D", help="backend, ui, ui-trivial or mixed; only when a run begins"
    )
    parser.add_argument("--no-hooks", action="store_true", help="run no hooks in this cycle")


def plain(words: list[str]) -> Options | None:
    """Parse ordinary words without argparse, which would cost as much as the cycle.

    Return None for everything that is not a known flag with its value: argparse then decides, and explains.
    """
    options = Options()
    options.json = options.no_hooks = False
    for name in _TEXTS:
        setattr(options, name, None)
    rest = iter(words)
    for word in rest:
        name = "root" if word == "-C" else word.removeprefix("--").replace("-", "_")
        if word in ("--json", "--no-hooks"):
            setattr(options, name, True)
        elif word.startswith("-") and name in _TEXTS and word != f"-{name}":
            value = next(rest, None)
            if value is None or (value.startswith("-") and value != "-"):
                return None
            setattr(options, name, value)
        else:
            return None
    options.root = options.root or "."
    return options
