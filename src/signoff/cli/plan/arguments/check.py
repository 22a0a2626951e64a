"""Run one check here and now, without a contract around it.

CHECK.json holds one check as it stands in `verification` of a contract: file-exists, grep-match,
command-exit, behavioral or tests. Exit 0 it passed, 1 it failed, 5 it could not be run.

examples:
  signoff check run check.json
  echo '{"type": "file-exists", "path": "README.md"}' | signoff check run - --json
  signoff check run behavioral.json --citations citations.json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("run",))
    parser.add_argument("file", metavar="CHECK.json", help="the check; - is standard input")
    parser.add_argument("--citations", metavar="FILE", help="for behavioral: [{path, line, snippet}]")
