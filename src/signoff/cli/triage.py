"""Check what triage made of the findings, and put `approved` right where it contradicts them.

FILE is a JSON object: `accepted`, `deferred`, `rejected` and `approved`. An accepted finding must cite a line
that exists below the root. Exit 0 valid, 1 invalid or unparsable, 2 over-rejection (five findings or more and
80 % of them rejected, or two blocking ones or more and all rejected), 3 corrected: go on with `output`. A
missing file exits 2 as well, with an `error` in place of `output`.

examples:
  signoff triage check triage.json
  signoff triage check triage.json --write --json
  git diff --name-only main | signoff triage check triage.json --diff-files -
"""

import argparse

from signoff.cli.command import Options, Say
from signoff.cli.files import read_file, replace_file
from signoff.cli.line_counts import counting_lines
from signoff.cli.violations import listing
from signoff.core.triage_rules import Outcome, judge_triage
from signoff.domain.errors import UsageError

EXIT_CODES = {Outcome.VALID: 0, Outcome.INVALID: 1, Outcome.OVER_REJECTION: 2, Outcome.CORRECTED: 3}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check",))
    parser.add_argument("file", metavar="FILE", help="the output of triage; - is standard input")
    parser.add_argument("--write", action="store_true", help="write the correction into the file")
    parser.add_argument(
        "--diff-files",
        metavar="LIST",
        help="the files of the change, one a line; an accepted finding about another file is an error",
    )


def run(options: Options, say: Say) -> int:
    """Judge the file, and correct it if that was asked for."""
    if options.file == "-" and (options.write or options.diff_files == "-"):
        raise UsageError(
            "standard input can be neither written nor read twice",
            slug="usage",
            fix="name the file: signoff triage check FILE",
        )
    data = read_file(options.file)
    judged = judge_triage(data, counting_lines(options.root), _scope(options.diff_files))
    is_corrected = judged.outcome is Outcome.CORRECTED
    if is_corrected and options.write:
        replace_file(options.file, judged.text.encode())
        say.note(f"wrote {options.file}")
    document = {
        "ok": judged.outcome is Outcome.VALID,
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
