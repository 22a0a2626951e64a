"""Parse the words of a command with argparse. Its mistakes become errors like any other."""

import argparse
from types import ModuleType
from typing import NoReturn, TypeVar

T = TypeVar("T")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` in place of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise a mistake in the words, with the usage of the command as its fix."""
        from signoff.domain.base.errors import UsageError  # `--help` needs none of our records

        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise UsageError(message, slug="usage", fix=usage)


def parse(module: ModuleType, name: str, words: list[str], options: T) -> T:
    """Parse the words into `options`. Options may stand before, between and behind the other words."""
    parser = Parser(
        prog=f"signoff {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    parser.add_argument(
        "-C",
        "--root",
        default=".",
        metavar="DIR",
        help="the repository to act on; default: the current folder",
    )
    module.configure(parser)
    return parser.parse_intermixed_args(words, options)
