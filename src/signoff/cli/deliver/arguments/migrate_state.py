"""Bring the state file of a hosted run from version 0 into version 1.

SRC is .implement-ticket-state.json if not given. The new file is .work-state.json beside it, and never
overwrites another file. Then SRC is renamed to SRC.bak, or to SRC.bak.1 and so on if that is taken.
With --no-backup it keeps its name. A SRC that is in version 1 already is left alone.

examples:
  signoff migrate-state
  signoff migrate-state old/.implement-ticket-state.json --destination .work-state.json
  signoff migrate-state --no-backup --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "source", metavar="SRC", nargs="?", help="the state file; .implement-ticket-state.json if not given"
    )
    parser.add_argument(
        "--destination", metavar="FILE", help="the new file; .work-state.json beside SRC if not given"
    )
    parser.add_argument(
        "--no-backup", action="store_true", help="leave SRC where it is instead of renaming it to SRC.bak"
    )
