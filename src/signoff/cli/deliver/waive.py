"""The action of `signoff waive`."""

import msgspec

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import readable
from signoff.cli.shared.run_driver import spoken
from signoff.domain.evidence.verdict import VerdictOutcome
from signoff.runs.inspect.run_list import find
from signoff.runs.state.waiver import waive
from signoff.wiring import build, person


def run(options: Options, say: Output) -> int:
    """Record the waiver."""
    kit = build(options.root)
    folder = find(kit, options.run)
    by = readable(options.by) or person()
    given = waive(kit, folder, readable(options.clause), readable(options.reason), by, spoken())
    signed = given.outcome is VerdictOutcome.SIGNED_OFF
    document = {
        "waiver": {**msgspec.structs.asdict(given.waiver), "at": given.at, "run_id": given.run_id},
        "run_id": folder.run_id,
        "outcome": given.outcome,
        "certificate": folder.path("certificate.json") if signed else None,
    }
    say.result(
        document, f"{given.waiver.clause} is waived by {given.waiver.by}; the run is {given.outcome} now"
    )
    if signed:
        say.note(f"certificate: {folder.path('certificate.json')}")
    return 0
