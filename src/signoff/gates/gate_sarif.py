"""The gates as SARIF 2.1.0: one result for each finding, one notification for each gate not judged. Pure."""

from typing import Any

from signoff.domain.evidence.gates import GateFinding, GateReport, GateSeverity
from signoff.text.formats.sarif_writer import location, sarif_log, suppression

_LEVELS = {
    GateSeverity.BLOCKING: "error",
    GateSeverity.IMPORTANT: "error",
    GateSeverity.SUGGESTION: "warning",
    GateSeverity.ADVICE: "note",
}
_EXIT_CODES = {True: 0, False: 1, None: 5}


def gate_sarif(report: GateReport, version: str) -> dict[str, Any]:
    """Return the log. A finding that the baseline has is a result with a suppression and an old state."""
    findings = [finding for gate in report.gates for finding in gate.findings]
    rules = sorted({_rule_id(finding) for finding in findings})
    parted = [(rule, rule.partition("/")) for rule in rules]
    return sarif_log(
        {"semanticVersion": version},
        [(rule, f"{kind.replace('-', ' ')} (gate {gate})") for rule, (gate, _, kind) in parted],
        "signoff/gate/",
        {
            "columnKind": "unicodeCodePoints",
            "invocations": [_invocation(report)],
            "results": [_result(finding, rules) for finding in findings],
        },
    )


def _rule_id(finding: GateFinding) -> str:
    return f"{finding.gate}/{finding.kind}"


def _invocation(report: GateReport) -> dict[str, Any]:
    """Return what could not be judged: a log without results must not pass for a change without findings."""
    unjudged = [
        {
            "level": "error",
            "message": {"text": f"the gate {gate.name} could not be judged: {gate.unjudged}"},
            "descriptor": {"id": gate.name},
        }
        for gate in report.gates
        if gate.unjudged
    ]
    return {
        "executionSuccessful": not unjudged,
        "exitCode": _EXIT_CODES[report.ok],
        "toolExecutionNotifications": unjudged,
    }


def _result(finding: GateFinding, rules: list[str]) -> dict[str, Any]:
    rule = _rule_id(finding)
    found: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "baselineState": "unchanged" if finding.known else "new",
        "partialFingerprints": {"signoff/v1": finding.fingerprint},
        "locations": [_location(finding)],
    }
    if finding.known:
        found["suppressions"] = [suppression("baseline")]
    return found


def _location(finding: GateFinding) -> dict[str, Any]:
    name, kind = (finding.symbol, "member") if finding.symbol else (finding.gate, "gate")
    return location(name, kind, finding.path, max(1, finding.line or 1))
