"""Check what a reviewer handed in.

FILE is a JSON object: `approved`, and `findings` with severity (blocking, important, suggestion), file, line
and issue. Exit 0 valid, 1 invalid or unparsable, 2 contradiction: approved with blocking findings. A missing
file exits 2 as well, with an `error` in place of `violations`.

examples:
  signoff review check review.json
  signoff review check - --json < review.json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check",))
    parser.add_argument("file", metavar="FILE", help="the reviewer's output; - is standard input")
