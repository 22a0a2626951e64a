"""Print the delivery report of a run from its journal, or verify what was signed off.

--verify compares certificate, receipts, contract, journal and tree with one another, offline. Exit 0 if all
agree, 1 if not. --rerun also runs every check behind the verdict again, each on a freshly laid out tree.

examples:
  signoff report latest
  signoff report 01J9ZQ --format sarif > signoff.sarif
  signoff report latest --verify --rerun --json
"""

import argparse

FORMATS = ("md", "json", "sarif", "junit")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of one, or latest")
    parser.add_argument("--format", choices=FORMATS, help="default: md, or json with --json")
    parser.add_argument("--verify", action="store_true", help="verify what was signed off, offline")
    parser.add_argument("--rerun", action="store_true", help="with --verify: run the checks again as well")
