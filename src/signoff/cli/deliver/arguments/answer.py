"""Answer a question that a run waits for. An option may be given by its number.

The answer is recorded. `signoff runs resume RUN` continues the run, or --resume does it at once. Only what is
typed at a terminal counts as a person's word. Everything else counts as relayed, and a plan approved that way
has no approver. The last part of a halt's id is enough to name it, such as Q1. --file answers several halts,
as a JSON object of answers by halt: all of them are recorded, or none.

examples:
  signoff answer latest 1
  signoff answer 01J9ZQ plan/attempt-1/approval approve --resume
  signoff answer latest --file answers.json --resume     {"Q1": "only EUR", "Q2": "no"}
  printf '%s\\n' 'A code takes 10 % off' 'An unknown code is refused' | signoff answer latest refine/ticket -
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of one, or latest")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="[HALT] ANSWER",
        help="the halt, if several are open, and the answer; - reads stdin",
    )
    parser.add_argument("--file", metavar="FILE", help="answers by halt, as JSON; - reads stdin")
    configure_resume(parser)
    parser.usage = "signoff answer [--json] [-C DIR] [--resume] RUN ([HALT] ANSWER | --file FILE)"


def configure_resume(parser: argparse.ArgumentParser) -> None:
    """Declare `--resume`."""
    parser.add_argument(
        "--resume", action="store_true", help="continue the run at once, and exit as `signoff run` does"
    )
