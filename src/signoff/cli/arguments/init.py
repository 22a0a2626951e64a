"""Make this repository ready: write signoff.toml and .signoff/, and say what was detected.

Detects the stack, its build, test and lint commands and its further checks (types, API, browser) from the
files as they lie there, so a repository without commits will do. Changes nothing that exists;
running it again writes what is missing.

examples:
  signoff init
  signoff init -C ../shop --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none of its own."""
    del parser
