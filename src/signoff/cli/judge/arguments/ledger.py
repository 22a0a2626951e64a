"""Check a ledger: one record per agent that ran, one JSON object per line.

Fields, types, ids, moments, how status, result and reason go together, and that no record holds prompts,
answers, output, files or diffs. Exit 0 valid, 1 invalid, 2 missing, or no line of it is a JSON object.

examples:
  signoff ledger check .signoff/agent-runs.jsonl
  signoff ledger check .planning/agent-runs.jsonl --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check",))
    parser.add_argument("file", metavar="FILE", help="the ledger; - is standard input")
