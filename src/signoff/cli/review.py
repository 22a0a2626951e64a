"""The action of `signoff review`."""

from signoff.cli.command import Options, Say
from signoff.cli.files import read_file
from signoff.cli.line_counts import counting_lines
from signoff.cli.violations import listing
from signoff.core.review_rules import Outcome, judge_review

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
