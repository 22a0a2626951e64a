"""Show each setting, its value and where it came from.

Reads signoff.toml, or [tool.signoff] in pyproject.toml, from the working tree, also outside a repository. A
run reads these files from its base commit.

examples:
  signoff config show
  signoff config show --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("show",))
