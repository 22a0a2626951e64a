"""The gates as SARIF 2.1.0: one result for each finding, one notification for each gate not judged. Pure.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from typing import Any

from signoff.domain.gates import GateFinding, GateReport, GateSeverity
from signoff.render.sarif import SCHEMA

_LEVELS = {
    GateSeverity.BLOCKING: "error",
    GateSeverity.IMPORTANT: "error",
    GateSeverity.SUGGESTION: "warning",
    GateSeverity.ADVICE: "note",
}
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_EXIT_CODES = {True: 0, False: 1, None: 5}


def gate_sarif(report: GateReport, version: str) -> dict[str, Any]:
    """Give the log; a finding that the baseline has is a result with a suppression and an old state."""
    findings = [finding for gate in report.gates for finding in gate.findings]
    rules = sorted({_rule_id(finding) for finding in findings})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "signoff",
                        "semanticVersion": version,
                        "rules": [{"id": rule, "shortDescription": {"text": _said(rule)}} for rule in rules],
                    }
                },
                "automationDetails": {"id": "signoff/gate/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(report)],
                "results": [_result(finding, rules) for finding in findings],
            }
        ],
    }


def _rule_id(finding: GateFinding) -> str:
    return f"{finding.gate}/{finding.kind}"


def _said(rule: str) -> str:
    gate, _, kind = rule.partition("/")
    return f"{kind.replace('-', ' ')} (gate {gate})"


def _invocation(report: GateReport) -> dict[str, Any]:
    """Say what could not be judged: a log without results must not pass for a change without findings."""
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
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": "baseline"}]
    return found


def _location(finding: GateFinding) -> dict[str, Any]:
    place: dict[str, Any] = {
        "logicalLocations": [
            {"name": finding.symbol or finding.gate, "kind": "member" if finding.symbol else "gate"}
        ]
    }
    if finding.path:
        physical: dict[str, Any] = {
            "artifactLocation": {"uri": _uri(finding.path), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(1, finding.line or 1)},
        }
        place["physicalLocation"] = physical
    return place


def _uri(path: str) -> str:
    return "".join(chr(b) if b in _SAFE else f"%{b:02X}" for b in path.encode("utf-8", "replace"))
