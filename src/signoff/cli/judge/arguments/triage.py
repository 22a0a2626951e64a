"""Check what triage made of the findings, and put `approved` right where it contradicts them.

FILE is a JSON object: `accepted`, `deferred`, `rejected` and `approved`. An accepted finding must cite a line
that exists below the root. Exit 0 valid, 1 invalid or unparsable, 2 over-rejection (five findings or more and
80 % of them rejected, or two blocking ones or more and all rejected), 3 corrected: go on with `output`. A
missing file exits 2 as well, with an `error` in place of `output`.

examples:
  signoff triage check triage.json
  signoff triage check triage.json --write --json
  git diff --name-only main | signoff triage check triage.json --diff-files -
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check",))
    parser.add_argument("file", metavar="FILE", help="the output of triage; - is standard input")
    parser.add_argument("--write", action="store_true", help="write the correction into the file")
    parser.add_argument(
        "--diff-files",
        metavar="LIST",
        help="the files of the change, one a line; an accepted finding about another file is an error",
    )
