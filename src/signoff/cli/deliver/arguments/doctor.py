"""Check that this machine and this repository are ready: git, agents, sandbox, settings and their sources.

Nothing is changed. Exit 0 if nothing required is missing, 1 otherwise. Agents and the sandbox are optional.

examples:
  signoff doctor
  signoff doctor --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments of its own."""
    del parser
