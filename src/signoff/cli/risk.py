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

from signoff.cli.command import Options, Say
from signoff.cli.diffs import existing, read_diff, unseen, whole
from signoff.cli.files import readable
from signoff.core.diff_risk import FileRisk, rate
from signoff.core.diffs import Diff
from signoff.domain.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("diff", nargs="?", metavar="DIFF", help="a unified diff; - is standard input")
    parser.add_argument("--base", metavar="REV", help="compare the working tree with where it left REV")
    parser.add_argument("--top", type=int, metavar="N", help="only the N riskiest files")


def run(options: Options, say: Say) -> int:
    """Rate the files of the change."""
    if options.diff and options.base:
        raise UsageError("a diff and --base exclude each other", slug="usage", fix="leave one of them out")
    if options.top is not None and options.top < 1:
        raise UsageError("--top takes a number from 1 on", slug="usage", fix="signoff risk --top 5")
    diff = read_diff(options.diff) if options.diff else _against(options.root, options.base or "HEAD")
    rated = rate(diff.files)
    shown = rated[: options.top] if options.top else rated
    document = {"files": [_document(risk) for risk in shown], "total": len(rated)}
    say.result(document, "\n".join((f"risk: {len(rated)} changed files", *map(_risk_line, shown))))
    for sentence in unseen(diff):
        say.note(sentence)
    return 0


def _against(root: str, base: str) -> Diff:
    from signoff.wiring import base_view

    with base_view(existing(root), base) as view:
        return whole(f"the diff against {base}", view.diff())


def _document(risk: FileRisk) -> dict[str, object]:
    return {
        "path": readable(risk.path),
        "score": risk.score,
        "signals": [signal._asdict() for signal in risk.signals],
        "generated": risk.is_generated,
    }


def _risk_line(risk: FileRisk) -> str:
    signals = ", ".join(f"{s.name} {s.weight:g}×{s.value:g}" for s in risk.signals)
    return f"  {risk.score:6.2f}  {readable(risk.path)}" + (f"  ({signals})" if signals else "")
