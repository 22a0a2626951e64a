"""Check the files of a quality audit, or show what resuming it would do.

  check --phase N   the files in quality/ against the conditions of that phase (1 to 6). Exit 0 they hold,
                    1 they do not.
  next              what comes next, from quality/run_state.jsonl and the files. It writes nothing. Exit 0, or
                    1 when the log is not valid.

The files outrank the log: a phase that ended in the log and lacks a file is due again.

examples:
  signoff audit check --phase 2
  signoff audit check --phase 5 --json -C ../service
  signoff audit next --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check", "next"))
    parser.add_argument("--phase", type=int, choices=range(1, 7), metavar="N", help="check: 1 to 6")
