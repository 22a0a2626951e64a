"""The action of `signoff waive`."""

import msgspec

from signoff.app.looking import find
from signoff.app.waiving import waive
from signoff.cli.command import Options, Say
from signoff.cli.driving import spoken
from signoff.cli.files import readable
from signoff.domain.verdict import VerdictOutcome
from signoff.wiring import build, person


def run(options: Options, say: Say) -> int:
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
