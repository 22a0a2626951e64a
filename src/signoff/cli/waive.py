"""Overrule a clause that was not proven, on the record: who, when, why, for which tree.

Only a person typing on a terminal can; anywhere else this exits 3 and changes nothing. When the last open
clause is waived the run counts as signed off, and its certificate names every waiver.

examples:
  signoff waive latest gate/lint --reason "the linter crashes on this file, see #123"
  signoff waive 01J9ZQ T2/no-floats --reason "agreed with Ada" --by "Grace Hopper"
"""

import argparse

import msgspec

from signoff.app.looking import find
from signoff.app.waiving import waive
from signoff.cli.command import Options, Say
from signoff.cli.driving import spoken
from signoff.cli.files import readable
from signoff.domain.verdict import VerdictOutcome
from signoff.wiring import build, person


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of it, or latest")
    parser.add_argument("clause", metavar="CLAUSE", help="id of the clause, as in the report")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; it goes into the certificate")
    parser.add_argument("--by", default="", metavar="NAME", help="who; the user's name if not given")


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
