"""A report of gates with everything in it, for the tests of its renderings."""

from signoff.domain.evidence.gates import GateName, GateReport, GateResult, GateSeverity
from signoff.gates.gate_baseline import Draft, finished, with_known

HOSTILE = "50% a,b:c\n::error::made up"


def report() -> GateReport:
    secrets = finished(
        GateName.SECRETS,
        [
            Draft("github-token", "a b/ü.py", 3, GateSeverity.BLOCKING, "looks like a credential"),
            Draft("github-token", "old.py", 1, GateSeverity.BLOCKING, "known one"),
        ],
    )
    gap = finished(
        GateName.TEST_GAP, [Draft("untested-function", "b.py", 9, GateSeverity.SUGGESTION, HOSTILE, "f")]
    )
    risk = finished(GateName.RISK, [Draft("risk", "b.py", None, GateSeverity.ADVICE, "score 7")])
    whole = GateReport(
        base="0123456789abcdef",
        base_name="main",
        files=3,
        gates=(
            GateResult(name=GateName.SECRETS, findings=secrets),
            GateResult(name=GateName.TEST_INTEGRITY, notes=("x.rs was not judged",)),
            GateResult(name=GateName.TEST_GAP, findings=gap),
            GateResult(name=GateName.PROTECTED_PATHS, unjudged="settings are unreadable"),
            GateResult(name=GateName.RISK, findings=risk),
        ),
    )
    return with_known(whole, {secrets[1].fingerprint})
