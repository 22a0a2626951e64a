"""The action of `signoff review`."""

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import read_file
from signoff.cli.shared.line_counts import counting_lines
from signoff.cli.shared.violations import listing
from signoff.reviews.review_rules import ReviewOutcome, judge_review

EXIT_CODES = {ReviewOutcome.VALID: 0, ReviewOutcome.INVALID: 1, ReviewOutcome.CONTRADICTION: 2}


def run(options: Options, say: Output) -> int:
    """Judge the file."""
    judged = judge_review(read_file(options.file), counting_lines(options.root))
    document = {
        "ok": judged.outcome is ReviewOutcome.VALID,
        "outcome": judged.outcome,
        "violations": judged.violations,
    }
    say.result(document, listing(f"{options.file}: {judged.outcome}", judged.violations))
    return EXIT_CODES[judged.outcome]
