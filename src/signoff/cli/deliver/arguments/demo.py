"""Show a whole delivery on a bundled repository, with a recorded agent: no key, no model, no network.

A small shop gets discount codes. The recorded agent plans, asks a question, writes code and tests, has one
attempt sent back, and is signed off. Then another recorded agent lies, and is refused.

examples:
  signoff demo
  signoff demo --keep /tmp/shop      look around afterwards
  signoff demo --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--keep", metavar="DIR", help="lay out the repository in DIR and keep it")
