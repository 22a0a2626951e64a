"""Look whether this machine and this repository are ready: git, agents, sandbox, settings and their sources.

Nothing is changed. Exit 0 when nothing that is needed is missing, 1 otherwise; an agent or a sandbox that is
not there is told and does not count as missing, because there are ways to work without.

examples:
  signoff doctor
  signoff doctor --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: none of its own."""
    del parser
