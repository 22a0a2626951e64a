"""Make this repository ready: write signoff.toml and .signoff/, and show what was detected.

Detects the stack, its build, test and lint commands and its further checks (types, API, browser) from the
files of the working tree, so commits are not needed. Nothing that exists is changed. Running it again
writes what is missing.

examples:
  signoff init
  signoff init -C ../shop --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments of its own."""
    del parser
