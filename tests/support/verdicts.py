"""A verdict with one clause of each standing."""

from signoff.domain.base.typed_ids import ClauseId, RunId, TreeId
from signoff.domain.evidence.verdict import ClauseVerdict, Standing, Trees, Verdict, VerdictOutcome
from signoff.domain.run.events import RunEnd, RunStatus
from signoff.domain.run.surveys import STEPS, StepStatus, Survey
from signoff.domain.work.checks import FileExists, GrepMatch
from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.engine.run_state import State

STATE = State(run_id=RunId("RUN"), ended=RunEnd(status=RunStatus.REFUSED))


def row(name: str, standing: Standing, why: str = "", *, required: bool = True) -> ClauseVerdict:
    return ClauseVerdict(clause=ClauseId(name), standing=standing, why=why, required=required)


ROWS = (
    row("T1/good", Standing.PROVEN),
    row("T1/bad", Standing.FAILED, "it is red\x00"),
    row("T1/blind", Standing.NOT_JUDGED, "timed out"),
    row("waived", Standing.WAIVED, "waived by ada: so be it"),
    row("nice", Standing.UNPROVEN, "nothing shows it", required=False),
)
CLAUSES = (
    Clause(
        id=ClauseId("T1/bad"),
        kind=ClauseKind.CHECK,
        text="a & b <c>",
        check=FileExists(path="docs/ä b.md"),
    ),
    Clause(
        id=ClauseId("T1/blind"),
        kind=ClauseKind.CHECK,
        text="blind",
        check=GrepMatch(path="src/**", pattern="x", expect="absent"),  # type: ignore[arg-type]
    ),
)


def survey(rows: tuple[ClauseVerdict, ...] | None = ROWS) -> Survey:
    trees = Trees(base=TreeId("b"), final=TreeId("f"))
    verdict = Verdict(outcome=VerdictOutcome.REFUSED, trees=trees, clauses=rows) if rows is not None else None
    return Survey(dict.fromkeys(STEPS, StepStatus.SUCCESS), verdict=verdict, clauses=CLAUSES)
