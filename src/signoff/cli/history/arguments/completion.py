"""Print a completion script for your shell: commands, options, fixed words, and run ids.

The script is generated from the commands. Print it again after an update.

examples:
  signoff completion bash > ~/.local/share/bash-completion/completions/signoff
  signoff completion zsh > ~/.zfunc/_signoff
  signoff completion fish > ~/.config/fish/completions/signoff.fish
"""

import argparse

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
