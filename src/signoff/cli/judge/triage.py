"""The action of `signoff triage`."""

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import read_file, replace_file
from signoff.cli.shared.line_counts import counting_lines
from signoff.cli.shared.violations import listing
from signoff.domain.base.errors import UsageError
from signoff.reviews.triage_rules import TriageOutcome, judge_triage

EXIT_CODES = {
    TriageOutcome.VALID: 0,
    TriageOutcome.INVALID: 1,
    TriageOutcome.OVER_REJECTION: 2,
    TriageOutcome.CORRECTED: 3,
}


def run(options: Options, say: Output) -> int:
    """Judge the file, and correct it if that was asked for."""
    if options.file == "-" and (options.write or options.diff_files == "-"):
        raise UsageError(
            "standard input can be neither written nor read twice",
            slug="usage",
            fix="name the file: signoff triage check FILE",
        )
    data = read_file(options.file)
    judged = judge_triage(data, counting_lines(options.root), _scope(options.diff_files))
    is_corrected = judged.outcome is TriageOutcome.CORRECTED
    if is_corrected and options.write:
        replace_file(options.file, judged.text.encode())
        say.note(f"wrote {options.file}")
    document = {
        "ok": judged.outcome is TriageOutcome.VALID,
        "outcome": judged.outcome,
        "corrected": is_corrected,
        "written": is_corrected and options.write,
        "output": judged.output,
        "violations": judged.violations,
    }
    say.result(document, listing(f"{options.file}: {judged.outcome}", judged.violations))
    return EXIT_CODES[judged.outcome]


def _scope(path: str | None) -> frozenset[str] | None:
    if path is None:
        return None
    lines = read_file(path).decode("utf-8", "surrogateescape").split("\n")
    return frozenset(line.rstrip("\r") for line in lines if line.strip())
