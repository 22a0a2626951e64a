"""A verdict as SARIF 2.1.0: one result for each clause that is not proven. Pure.

A waived clause is a result with a suppression, so that it stays visible where it was overruled.
"""

from typing import Any

from signoff.domain.base.typed_ids import ClauseId
from signoff.domain.evidence.verdict import ClauseVerdict, Standing, VerdictOutcome
from signoff.domain.run.surveys import Survey
from signoff.domain.work.check_kinds import examined_file
from signoff.domain.work.clauses import Clause
from signoff.engine.run_state import State
from signoff.text.formats.sarif_writer import location, sarif_log, suppression

_GLOB = frozenset("*?[{")


def sarif(state: State, found: Survey, version: str) -> dict[str, Any]:
    """Return the log. A run that was never judged has no results and did not end well."""
    verdict = found.verdict
    rows = [row for row in verdict.clauses if row.standing is not Standing.PROVEN] if verdict else []
    clauses = {clause.id: clause for clause in found.clauses}
    is_judged = verdict is not None and verdict.outcome is not VerdictOutcome.NOT_JUDGED
    return sarif_log(
        {"version": version},
        [(row.clause, _text(row, clauses)) for row in rows],
        f"signoff/{state.run_id}",
        {
            "invocations": [{"executionSuccessful": is_judged and state.ended is not None}],
            "results": [_result(n, row, clauses) for n, row in enumerate(rows)],
        },
    )


def _result(number: int, row: ClauseVerdict, clauses: dict[ClauseId, Clause]) -> dict[str, Any]:
    clause = clauses.get(row.clause)
    return {
        "ruleId": row.clause,
        "ruleIndex": number,
        "level": _level(row, clause),
        "message": {"text": f"{_text(row, clauses)}: {row.standing}" + (f" ({row.why})" if row.why else "")},
        "locations": [_location(row.clause, clause)],
        "partialFingerprints": {"clause/v1": row.clause},
        "suppressions": [suppression(row.why)] if row.standing is Standing.WAIVED else [],
    }


def _level(row: ClauseVerdict, clause: Clause | None) -> str:
    if row.required:
        return "error"
    is_for_the_reviewer = clause is not None and clause.check is None and not clause.proven_by
    return "note" if is_for_the_reviewer else "warning"


def _location(name: ClauseId, clause: Clause | None) -> dict[str, Any]:
    """Point at the file a clause is about where it names one, and at the clause itself everywhere."""
    path = examined_file(clause.check) if clause and clause.check else None
    return location(name, "clause", path if path is not None and not _GLOB & set(path) else "")


def _text(row: ClauseVerdict, clauses: dict[ClauseId, Clause]) -> str:
    clause = clauses.get(row.clause)
    return (clause.text if clause else "") or row.clause
