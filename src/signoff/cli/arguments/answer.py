"""Answer a halt that waits for a person; an option may be given by its number.

The answer is recorded; the run goes on with `signoff runs resume RUN`, or at once with --resume. What is
typed on a terminal is a person's word; anything else is relayed, and a plan approved that way is approved
by nobody. A halt may be named by the last part of its id, such as Q1. --file answers several at once: a JSON
object of answers by halt, taken whole or not at all.

examples:
  signoff answer latest 1
  signoff answer 01J9ZQ plan/attempt-1/approval approve --resume
  signoff answer latest --file answers.json --resume     {"Q1": "only EUR", "Q2": "no"}
  printf '%s\\n' 'A code takes 10 % off' 'An unknown code is refused' | signoff answer latest refine/ticket -
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of it, or latest")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="[HALT] ANSWER",
        help="the halt where several are open; - is standard input",
    )
    parser.add_argument("--file", metavar="FILE", help="answers by halt, as JSON; - is standard input")
    configure_resume(parser)
    parser.usage = "signoff answer [--json] [-C DIR] [--resume] RUN ([HALT] ANSWER | --file FILE)"


def configure_resume(parser: argparse.ArgumentParser) -> None:
    """Declare `--resume`."""
    parser.add_argument("--resume", action="store_true", help="go on at once, and exit as `signoff run` does")
