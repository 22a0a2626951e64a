"""Show where a run stands, what it waits for and what it cost.

Without RUN, the newest. Always exits 0. `signoff runs` lists all runs.

examples:
  signoff status
  signoff status 01J9ZQ --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "run",
        nargs="?",
        default="latest",
        metavar="RUN",
        help="id of the run, the beginning of one, or latest",
    )
