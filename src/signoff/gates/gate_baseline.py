"""Baselines of `signoff gate`: a file of known findings, so that only new ones fail. Pure.

A fingerprint covers the gate, the kind, the path, the evidence, and, if a file has the same finding more than
once, its number. It covers no line number, so a finding that moves within its file stays known. The same
finding in another file is a new one.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from msgspec.structs import replace

from signoff.domain.base.findings import shown
from signoff.domain.base.record import Record
from signoff.domain.evidence.gates import FAILING, GateFinding, GateName, GateReport, GateSeverity
from signoff.text.json.decode import decode

_DIGITS = 32


class Draft(NamedTuple):
    """A finding before it has its fingerprint."""

    kind: str
    path: str
    """As git knows it, exact."""
    line: int | None
    severity: GateSeverity
    message: str
    symbol: str = ""
    evidence: str = ""
    """What makes it this finding and no other. If empty, the message does."""


class KnownFinding(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One entry. Everything but the fingerprint is for the people who read the file."""

    fingerprint: str
    gate: str
    kind: str
    path: str
    message: str


class Baseline(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The baseline file."""

    version: Literal[1]
    findings: tuple[KnownFinding, ...]


class ReadBaseline(NamedTuple):
    """The fingerprints of a baseline file, or why it cannot be used."""

    fingerprints: frozenset[str]
    problem: str = ""


def finished(gate: GateName, drafts: Iterable[Draft]) -> tuple[GateFinding, ...]:
    """Return the findings of one gate with fingerprints, sorted by path and line. Advice keeps its order."""
    seen: Counter[str] = Counter()
    found: list[GateFinding] = []
    for draft in sorted(drafts, key=_place):
        first = fingerprint(gate, draft, 0)
        print_ = fingerprint(gate, draft, seen[first]) if seen[first] else first
        seen[first] += 1
        found.append(
            GateFinding(
                gate=gate,
                kind=draft.kind,
                path=shown(draft.path),
                line=draft.line,
                symbol=shown(draft.symbol),
                severity=draft.severity,
                message=shown(draft.message),
                fingerprint=print_,
            )
        )
    return tuple(found)


def _place(draft: Draft) -> tuple[str | int, ...]:
    if draft.severity is GateSeverity.ADVICE:
        return ()
    return draft.path, draft.line or 0, draft.kind, draft.symbol, draft.message


def fingerprint(gate: GateName, draft: Draft, number: int) -> str:
    """Return the fingerprint of a finding, the `number`-th of its kind in its file."""
    parts = (gate, draft.kind, draft.path, draft.symbol, draft.evidence or draft.message, str(number))
    # Lengths first: no two lists of parts may run together to the same bytes.
    data = b"".join(
        b"%d:%b" % (len(raw), raw) for raw in (part.encode("utf-8", "surrogatepass") for part in parts)
    )
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def read_baseline(data: bytes) -> ReadBaseline:
    """Read a baseline file. Anything wrong with it makes all of it unusable."""
    found = decode(data, Baseline)
    if found.value is not None:
        return ReadBaseline(frozenset(one.fingerprint for one in found.value.findings))
    first = found.violations[0]
    return ReadBaseline(frozenset(), f"{first.path or '/'}: {first.message}")


def as_baseline(report: GateReport) -> Baseline:
    """Return what fails now, known or not, as a baseline. It is sorted, so that its diffs are small."""
    found = [
        KnownFinding(fingerprint=f.fingerprint, gate=f.gate, kind=f.kind, path=f.path, message=f.message)
        for gate in report.gates
        for f in gate.findings
        if f.severity in FAILING
    ]
    return Baseline(
        version=1, findings=tuple(sorted(found, key=lambda k: (k.gate, k.path, k.kind, k.fingerprint)))
    )


def with_known(report: GateReport, fingerprints: Collection[str]) -> GateReport:
    """Return the report with every finding marked that the baseline holds."""
    gates = tuple(
        replace(gate, findings=tuple(replace(f, known=f.fingerprint in fingerprints) for f in gate.findings))
        for gate in report.gates
    )
    return replace(report, gates=gates)
