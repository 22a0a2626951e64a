"""Overrule a clause that was not proven, on the record: who, when, why, and for which tree.

Only a person typing at a terminal can do this. Anywhere else it exits 3 and changes nothing. When the last
open clause is waived, the run counts as signed off, and its certificate names every waiver.

examples:
  signoff waive latest gate/lint --reason "the linter crashes on this file, see #123"
  signoff waive 01J9ZQ T2/no-floats --reason "agreed with Ada" --by "Grace Hopper"
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of one, or latest")
    parser.add_argument("clause", metavar="CLAUSE", help="id of the clause, as in the report")
    parser.add_argument(
        "--reason", required=True, metavar="TEXT", help="the reason; it goes into the certificate"
    )
    parser.add_argument("--by", default="", metavar="NAME", help="who waives it; default: your user name")
