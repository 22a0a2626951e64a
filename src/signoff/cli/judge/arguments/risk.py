"""Rank the files of a change by how much they need a review. Advisory: exit 0, or 2 if it cannot be read.

A file's score is the sum of weight times value over its signals. Each value lies between 0 and 1.

  security_path       3.0  the path is about sign-in, permissions, secrets, cryptography, payments, CI
  migration           4.0  the path is a database migration or schema
  public_api          2.0  an added line declares something public
  no_test_change      2.5  source changed, and no test file named after it did
  test_lines_removed  3.0  a test file that loses more lines than it gains
  complexity_delta    1.5  added control flow, log2(1+n)/6
  ui_critical         1.5  the path is a screen or a view
  loc_changed         1.0  changed lines, log2(1+n)/10

Without DIFF or --base: the working tree against the last commit.

examples:
  signoff risk --base main --top 5
  git diff main | signoff risk - --json
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("diff", nargs="?", metavar="DIFF", help="a unified diff; - is standard input")
    parser.add_argument("--base", metavar="REV", help="compare the working tree with where it left REV")
    parser.add_argument("--top", type=int, metavar="N", help="only the N riskiest files")
