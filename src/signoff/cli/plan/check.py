"""The action of `signoff check`."""

import msgspec

from signoff.cli.plan.contract_verify import EXIT_CODES, read_citations
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.contract_files import unusable
from signoff.cli.shared.files import read_file
from signoff.contracts.files.contract_file_check import read_check
from signoff.contracts.verification.check_run import run_check
from signoff.wiring import site


def run(options: Options, say: Output) -> int:
    """Run the check."""
    check, violations = read_check(read_file(options.file))
    if check is None:
        raise unusable(options.file, violations, "check-invalid", "is not a check that can be run")
    citations = read_citations(options.citations)
    with site(options.root) as here:
        seen = run_check(here, check, citations)
    document = {"verification_result": seen.result, **msgspec.to_builtins(seen)}
    for name in ("id", "task", "text"):  # of a contract; this check stands alone
        del document[name]
    reason = f" [{seen.failure_reason}]" if seen.failure_reason else ""
    said = [part for part in (seen.output.stdout, seen.output.stderr) if part] if seen.output else []
    say.result(document, f"{seen.result}: {seen.detail}{reason}")
    for part in said:
        say.note(part.rstrip("\n"))
    return EXIT_CODES[seen.result]
