"""The gates as JUnit XML: one suite for each gate, one case for each finding. Pure.

A gate without findings is one case that passes; one that could not be judged has a case in error. Findings
that fail nothing, and those the baseline has, are skipped with their message.
"""

from signoff.domain.evidence.gates import GateReport, GateResult
from signoff.text.formats.junit_writer import CaseLine, SuiteOfCases, junit_document


def gate_junit(report: GateReport) -> str:
    """Return the document."""
    return junit_document("signoff gate", [_suite(gate) for gate in report.gates])


def _suite(gate: GateResult) -> SuiteOfCases:
    name = f"signoff.{gate.name}"
    cases: list[CaseLine] = []
    for one in gate.findings:
        place = one.path + (f":{one.line}" if one.line else "")
        case_name = " ".join(part for part in (one.kind, place, one.symbol) if part)
        outcome = "failure" if one.fails else "skipped"
        cases.append(CaseLine(name, case_name, outcome, one.message, one.kind))
    if gate.unjudged:
        cases.append(CaseLine(name, "could be judged", "error", gate.unjudged, "unjudged"))
    return SuiteOfCases(name, cases or [CaseLine(name, "holds")])
