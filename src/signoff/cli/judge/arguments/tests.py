"""Check what a change does to tests.

  gap   new public names that no test mentions, in Python, Swift, Kotlin, JavaScript, TypeScript, Go, Rust,
        Java and C#. Views and composables are important, everything else is a suggestion. Exit 0 without
        important findings, 1 with (--threshold N: with more than N), 2 if the change cannot be read.
  integrity
        what the change did to existing tests: deleted, renamed, skipped, expected to fail, assertions
        removed or loosened, tolerances and exceptions widened, cases fewer, the subject mocked, retries,
        collection or coverage narrowed by configuration. Python always, JavaScript, TypeScript and Go
        with the extra `judges`, other test files by size. Exit 0 without findings, 1 with, 2 if the
        change cannot be read, 5 if a test file took too long, with --strict if one could not be judged.

The change is a DIFF (- is standard input), the working tree against --base REV, or two folders. Without any
of them it is the working tree against the last commit. With a DIFF, files below -C DIR complete it: gap takes
existing tests from there, integrity what the diff does not show of a test file.

examples:
  signoff tests gap --base main
  git diff main | signoff tests gap - --json
  signoff tests gap --before old/ --after new/ --threshold 3
  signoff tests integrity --base main --permit tests/test_cart.py::test_total
  signoff tests integrity --before old/ --after new/ --json
  signoff tests redgreen --base main
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

CHOICES = ("gap", "integrity", "redgreen")


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=CHOICES)
    parser.add_argument("diff", nargs="?", metavar="DIFF", help="a unified diff; - is standard input")
    parser.add_argument("--base", metavar="REV", help="compare the working tree with where it left REV")
    parser.add_argument("--before", metavar="DIR", help="a folder with the files before the change")
    parser.add_argument("--after", metavar="DIR", help="a folder with the files after the change")
    parser.add_argument("--threshold", type=int, metavar="N", help="gap: allow N important findings; 0")
    parser.add_argument(
        "--permit",
        action="append",
        default=[],
        metavar="ID",
        help="a test that may change, or (redgreen) be green already; repeatable",
    )
    parser.add_argument("--strict", action="store_true", help="integrity: what is not judged is not good")
