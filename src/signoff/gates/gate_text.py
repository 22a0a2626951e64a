"""The gates for people, and as the one JSON document of `signoff gate`. Pure."""

from typing import Any

import msgspec

from signoff.domain.evidence.gates import FAILING, GateFinding, GateReport, GateResult

_WORDS = {True: "ok", False: "FAILED", None: "not judged"}
_MOST_SHOWN = 50


def gate_document(report: GateReport) -> dict[str, Any]:
    """Return the document. `ok` is null if nothing fails and something could not be judged."""
    return {
        "ok": report.ok,
        "base": report.base,
        "base_name": report.base_name,
        "files": report.files,
        "gates": [_gate(gate) for gate in report.gates],
    }


def _gate(gate: GateResult) -> dict[str, Any]:
    return {
        "name": gate.name,
        "ok": gate.ok,
        "findings": [msgspec.to_builtins(finding) for finding in gate.findings],
        "unjudged": gate.unjudged,
        "notes": list(gate.notes),
        **({"receipts": msgspec.to_builtins(gate.receipts)} if gate.receipts else {}),
    }


def gate_text(report: GateReport) -> str:
    """Return a line for each gate, and beneath it what it found. Known findings are only counted."""
    files = f"{report.files} file{'' if report.files == 1 else 's'} changed"
    lines = [f"gate: {_WORDS[report.ok]}, {files} since {report.base[:12]} ({report.base_name})"]
    for gate in report.gates:
        lines += _lines(gate)
    return "\n".join(lines)


def _lines(gate: GateResult) -> list[str]:
    known = sum(f.known and f.severity in FAILING for f in gate.findings)
    aside = f"  ({known} known)" if known else ""
    told = [finding for finding in gate.findings if not finding.known]
    more = len(told) - _MOST_SHOWN
    return [
        f"  {_WORDS[gate.ok]:<10} {gate.name}{aside}",
        *(f"    {_finding(finding)}" for finding in told[:_MOST_SHOWN]),
        *([f"    and {more} more; --json has them all"] if more > 0 else []),
        *([f"    not judged: {_flat(gate.unjudged)}"] if gate.unjudged else []),
        *(f"    note: {_flat(note)}" for note in gate.notes),
    ]


def _finding(finding: GateFinding) -> str:
    place = finding.path + (f":{finding.line}" if finding.line else "")
    parts = (finding.severity, place, f"{finding.kind}:", finding.message)
    return _flat(" ".join(part for part in parts if part))


def _flat(text: str) -> str:
    """Put a text on one line: names and messages come from outside, and how a line begins has a meaning."""
    return " ".join(text.splitlines())
