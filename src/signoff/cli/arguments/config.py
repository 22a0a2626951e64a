"""Show each setting, its value and where it came from.

Reads signoff.toml, or [tool.signoff] in pyproject.toml, as they lie in the working tree; works outside a
repository too. A run uses these files as its base commit has them.

examples:
  signoff config show
  signoff config show --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("show",))
