"""Verify a citation of a document: print the excerpt at a line or in a section, and compare it.

DOC is a .md or .txt file below the root. The excerpt runs from the line, or from the section's heading, to
the next blank line, ten lines at most. With --sha256 and --excerpt the document and the excerpt must be
those. An excerpt of - is read from standard input. If both are given, the line wins over the section.
Exit 0 verified, 1 not: the code names the reason.

examples:
  signoff cite docs/limits.md --line 12
  signoff cite docs/limits.md --section "4.2 Retries" --excerpt "## 4.2 Retries" --json
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("document", metavar="DOC", help="relative to the root")
    parser.add_argument("--line", type=int, metavar="N", help="counted from 1")
    parser.add_argument("--section", metavar="S", help="a heading, or how a heading or line begins")
    parser.add_argument("--sha256", metavar="H", help="of the whole document")
    parser.add_argument("--excerpt", metavar="TEXT", help="the expected text; - is standard input")
