"""Reports of hosted runs made by hand, one of each kind."""

from signoff.domain.base.typed_ids import EffectKey, RunId, TreeId
from signoff.domain.evidence.receipts import Counts, Result
from signoff.domain.machine.trees import ChangeKind
from signoff.domain.state_file.work_report import (
    AskedFor,
    ReportedChange,
    ReportedChanges,
    ReportedClause,
    ReportedReview,
    ReportedTests,
    ReportFollowUp,
    ReportKind,
    Said,
    WitnessedTests,
    WorkReport,
    WorkStanding,
)
from signoff.domain.work.memory import MemoryHit, MemoryKind
from signoff.domain.work.refinement import Band, Confidence, Dimension
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import Persona

RUN = RunId("01JQ0000000000000000000000")
LOOK = EffectKey("cycle-5/look")
RECEIPT = EffectKey("test/claim-21/4b825dc6")
TICKET = AskedFor(kind=InputKind.TICKET, id="SHOP-7", title="Round totals to cents in the invoice export")
POLICY = "every step, tests of what was changed"
PLAN = ("Round in `export_invoice`", "Add tests for both cases")
CRITERIA = ("C1: `export_invoice()` writes 10.005 as 10.01", "C2: export_invoice() writes 0 as 0.00")
BY_REVIEW = "the host's review"
REVIEW = ReportedReview(
    standing=WorkStanding.CLAIMED,
    why="the host's agent reviewed it; no command can witness a review",
    said=(Said(name="verdict", text="success"), Said(name="confidence", text="high")),
    findings=("minor: src/export.py: a comment is out of date",),
)
SEEN = ReportedChanges(
    standing=WorkStanding.PROVEN,
    why="3 changed files seen",
    key=LOOK,
    tree=TreeId("4b825dc6"),
    files=(
        ReportedChange(
            path="src/export.py",
            kind=ChangeKind.MODIFIED,
            added=4,
            removed=1,
            lines="10-14",
            purpose="round half up",
        ),
        ReportedChange(path="ci.yml", kind=ChangeKind.MODIFIED, added=1, removed=9, is_named=False),
        ReportedChange(path="logo.png", kind=ChangeKind.ADDED, is_binary=True),
    ),
)
NAMED_ONLY = ReportedChanges(
    standing=WorkStanding.CLAIMED,
    why="there is no repository to compare with",
    files=(ReportedChange(path="src/export.py", lines="10-14", purpose="round half up"),),
)
PASSED = WitnessedTests(
    key=RECEIPT,
    command=("pytest", "-q"),
    result=Result.PASS,
    counts=Counts(collected=13, passed=12, skipped=1),
    duration_ms=1840,
)
HOST_TESTS = (
    Said(name="verdict", text="success"),
    Said(name="command", text="pytest -q tests/test_export.py"),
)


def clauses(
    review: WorkStanding, changes: WorkStanding, tests: WorkStanding, look: str = LOOK, run: str = RECEIPT
) -> tuple[ReportedClause, ...]:
    word = BY_REVIEW if review in (WorkStanding.CLAIMED, WorkStanding.OVERRULED) else ""
    return (
        *(ReportedClause(text=text, standing=review, evidence=word) for text in CRITERIA),
        ReportedClause(text="files differ from the base", standing=changes, evidence=look),
        ReportedClause(text="the tests pass", standing=tests, evidence=run),
    )


OBSERVED = WorkReport(
    kind=ReportKind.OBSERVED,
    headline="3 changed files seen; the engine ran the tests: 12 passed (test/claim-21/4b825dc6)",
    run=RUN,
    asked=TICKET,
    persona=Persona.SENIOR_ENGINEER,
    policy=POLICY,
    plan=PLAN,
    changes=SEEN,
    tests=ReportedTests(
        standing=WorkStanding.PROVEN, why="the engine ran the tests: 12 passed", run=PASSED, said=HOST_TESTS
    ),
    review=REVIEW,
    clauses=clauses(WorkStanding.CLAIMED, WorkStanding.PROVEN, WorkStanding.PROVEN),
    memory=(
        MemoryHit(
            id="ADR-12",
            type=MemoryKind.ARCHITECTURE_DECISIONS,
            source="repo",
            path=".signoff/memory/architecture-decisions/rounding.md",
            score=1.0,
            entry="Money is rounded half up.",
        ),
    ),
    follow_ups=(
        ReportFollowUp(note="other currencies", anchor="src/rates.py:3"),
        ReportFollowUp(note="modified, and the host does not name it", anchor="ci.yml"),
    ),
    next_commands=("/commit", "/create-pr"),
)
CLAIMED = WorkReport(
    kind=ReportKind.CLAIMED,
    headline=(
        "the changes rest on the host's word alone (there is no repository to compare with); "
        "the tests rest on the host's word alone (no test command was found)"
    ),
    run=RUN,
    asked=AskedFor(kind=InputKind.PROMPT, title="Add a --json flag to src/report.py"),
    persona=Persona.QA,
    policy="every step, all tests",
    confidence=Confidence(
        band=Band.MEDIUM,
        score=0.7,
        dimensions={
            Dimension.GOAL_CLARITY: 2,
            Dimension.SCOPE_BOUNDARY: 2,
            Dimension.AC_EVIDENCE: 1,
            Dimension.STACK_DATA: 1,
            Dimension.REVERSIBILITY: 1,
        },
        reasons=(
            "goal_clarity: 2 - one goal: add",
            "scope_boundary: 2 - names src/report.py",
            "ac_evidence: 1 - two criteria",
            "stack_data: 1 - nothing said",
        ),
        ui_intent=False,
    ),
    assumptions=("stdout only",),
    plan=PLAN,
    changes=NAMED_ONLY,
    tests=ReportedTests(standing=WorkStanding.CLAIMED, why="no test command was found", said=HOST_TESTS),
    review=REVIEW,
    clauses=clauses(
        WorkStanding.CLAIMED,
        WorkStanding.CLAIMED,
        WorkStanding.CLAIMED,
        "the host's list",
        "the host's word",
    ),
    decisions=("ada (relayed) answered refine/confirm-3: confirm",),
    next_commands=("/commit", "/create-pr"),
)
OVERRULED = WorkReport(
    kind=ReportKind.OVERRULED,
    headline="the tests: ada let it through; the engine saw: 1 of 13 tests failed; 3 changed files seen",
    run=RUN,
    asked=TICKET,
    persona=Persona.SENIOR_ENGINEER,
    policy=POLICY,
    plan=PLAN,
    changes=SEEN,
    tests=ReportedTests(
        standing=WorkStanding.OVERRULED,
        why="ada let it through; the engine saw: 1 of 13 tests failed",
        run=WitnessedTests(
            key=RECEIPT,
            command=("pytest", "-q"),
            result=Result.FAIL,
            detail="1 of 13 tests failed",
            counts=Counts(collected=13, passed=11, failed=1, skipped=1),
            duration_ms=1840,
        ),
        said=HOST_TESTS,
    ),
    review=REVIEW,
    clauses=clauses(
        WorkStanding.CLAIMED, WorkStanding.PROVEN, WorkStanding.OVERRULED, LOOK, f"{RECEIPT} (fail)"
    ),
    decisions=("ada (terminal) answered test/overrule-21/4b825dc6: overrule it",),
    next_commands=("/commit", "/create-pr"),
)
_SKIPPED = "the persona does not go that far"
PLAN_ONLY = WorkReport(
    kind=ReportKind.PLAN_ONLY,
    headline="nothing was changed, tested or reviewed",
    run=RUN,
    asked=TICKET,
    persona=Persona.ADVISORY,
    policy="a plan, and nothing is changed",
    plan=PLAN,
    changes=ReportedChanges(standing=WorkStanding.SKIPPED, why=_SKIPPED),
    tests=ReportedTests(standing=WorkStanding.SKIPPED, why=_SKIPPED),
    review=ReportedReview(standing=WorkStanding.SKIPPED, why=_SKIPPED),
    clauses=clauses(WorkStanding.SKIPPED, WorkStanding.SKIPPED, WorkStanding.SKIPPED, "", ""),
)
HALTED = WorkReport(
    kind=ReportKind.PARTIAL,
    headline="halts at implement (changes_contradicted): These files are said to be changed: src/other.py.",
    run=RUN,
    asked=TICKET,
    persona=Persona.SENIOR_ENGINEER,
    policy=POLICY,
    plan=PLAN,
    changes=ReportedChanges(
        standing=WorkStanding.OPEN,
        why="These files are said to be changed: src/other.py.",
        key=LOOK,
        tree=TreeId("4b825dc6"),
        files=SEEN.files[:1],
    ),
    tests=ReportedTests(standing=WorkStanding.OPEN, why="not reached yet"),
    review=ReportedReview(standing=WorkStanding.OPEN, why="not reached yet"),
    clauses=clauses(WorkStanding.OPEN, WorkStanding.OPEN, WorkStanding.OPEN, LOOK, ""),
)
BARE = WorkReport(
    kind=ReportKind.PARTIAL,
    headline="halts at refine (malformed_input): The input cannot be read.",
    run=RUN,
    asked=AskedFor(kind=InputKind.FILE),
    persona=Persona.SENIOR_ENGINEER,
    policy=POLICY,
    changes=ReportedChanges(standing=WorkStanding.OPEN),
    tests=ReportedTests(standing=WorkStanding.OPEN),
    review=ReportedReview(standing=WorkStanding.OPEN),
)
REPORTS = {
    "observed": OBSERVED,
    "claimed-prompt": CLAIMED,
    "overruled": OVERRULED,
    "plan-only": PLAN_ONLY,
    "halted": HALTED,
    "bare": BARE,
}
