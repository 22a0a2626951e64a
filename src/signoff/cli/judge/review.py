"""The action of `signoff review`."""

from signoff.cli.shared.command import Options, Say
from signoff.cli.shared.files import read_file
from signoff.cli.shared.line_counts import counting_lines
from signoff.cli.shared.violations import listing
from signoff.reviews.review_rules import Outcome, judge_review

EXIT_CODES = {Outcome.VALID: 0, Outcome.INVALID: 1, Outcome.CONTRADICTION: 2}


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
