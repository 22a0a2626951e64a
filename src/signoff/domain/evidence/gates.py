"""What the gates say about a change: findings, and whether each gate holds. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.evidence.receipts import Receipt


class GateName(StrEnum):
    """Every gate, in the order they are told."""

    SECRETS = "secrets"
    TEST_INTEGRITY = "test-integrity"
    TEST_GAP = "test-gap"
    PROTECTED_PATHS = "protected-paths"
    RISK = "risk"
    SCOPE = "scope"
    NON_GOALS = "non-goals"
    RED_GREEN = "red-green"
    BUILD = "build"
    LINT = "lint"
    TESTS = "tests"
    TYPECHECK = "typecheck"
    EXTRA = "extra"


class GateSeverity(StrEnum):
    """How much a finding matters. The first two fail their gate."""

    BLOCKING = "blocking"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"
    ADVICE = "advice"
    """Where to look first. It says nothing against the change."""


FAILING = (GateSeverity.BLOCKING, GateSeverity.IMPORTANT)


class GateFinding(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One thing a gate found. Every key is written: scripts rely on them."""

    gate: GateName
    kind: str
    path: str
    """Empty where it is about the change as a whole."""
    line: int | None
    """Counted from 1. Null if it is about the file as a whole."""
    symbol: str
    severity: GateSeverity
    message: str
    fingerprint: str
    """The same for the same finding on other lines (see `gates.gate_baseline`)."""
    known: bool = False
    """The baseline has it."""

    @property
    def fails(self) -> bool:
        """Whether it makes its gate fail."""
        return self.severity in FAILING and not self.known


class GateResult(Record, frozen=True, kw_only=True):
    """What one gate found."""

    name: GateName
    findings: tuple[GateFinding, ...] = ()
    unjudged: str = ""
    """Why it could not be judged. Empty if it could."""
    notes: tuple[str, ...] = ()
    """What it did not look at, and what a person has to look at."""
    receipts: tuple[Receipt, ...] = ()
    """Of the commands it ran."""

    @property
    def ok(self) -> bool | None:
        """Whether it holds, or None if that could not be judged. A failing finding settles it."""
        if any(finding.fails for finding in self.findings):
            return False
        return None if self.unjudged else True


class GateReport(Record, frozen=True, kw_only=True):
    """What all gates found."""

    base: str
    """The commit or tree that was compared with."""
    base_name: str
    """How that was found, for people."""
    files: int
    """How many files differ. With 0, nothing was judged but that."""
    gates: tuple[GateResult, ...]

    @property
    def ok(self) -> bool | None:
        """Whether every gate holds, or None if no gate fails and one could not be judged."""
        oks = [gate.ok for gate in self.gates]
        return False if False in oks else None if None in oks else True
