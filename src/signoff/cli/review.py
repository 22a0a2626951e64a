"""Check what a reviewer handed in.

FILE is a JSON object: `approved`, and `findings` with severity (blocking, important, suggestion), file, line
and issue. Exit 0 valid, 1 invalid or unparsable, 2 contradiction: approved with blocking findings. A missing
file exits 2 as well, with an `error` in place of `violations`.

examples:
  signoff review check review.json
  signoff review check - --json < review.json
"""

import argparse

from signoff.cli.command import Options, Say
from signoff.cli.files import read_file
from signoff.cli.line_counts import counting_lines
from signoff.cli.violations import listing
from signoff.core.review_rules import Outcome, judge_review

EXIT_CODES = {Outcome.VALID: 0, Outcome.INVALID: 1, Outcome.CONTRADICTION: 2}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check",))
    parser.add_argument("file", metavar="FILE", help="the reviewer's output; - is standard input")


def run(options: Options, say: Say) -> int:
    """Judge the file."""
    judged = judge_review(read_file(options.file), counting_lines(options.root))
    document = {
        "ok": judged.outcome is Outcome.VALID,
        "outcome": judged.outcome,
        "violations": judged.violations,
    }
    say.result(document, listing(f"{options.file}: {judged.outcome}", judged.violations))
    return EXIT_CODES[judged.outcome]
