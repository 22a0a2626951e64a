"""A verdict as SARIF 2.1.0: one result for each clause that is not proven. Pure.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html — a waived clause is a result with a
suppression, so that it stays visible where it was overruled.
"""

from typing import Any

from signoff.core.check_kinds import examined_file
from signoff.core.state import State
from signoff.domain.clauses import Clause
from signoff.domain.ids import ClauseId
from signoff.domain.surveys import Survey
from signoff.domain.verdict import ClauseVerdict, Standing, VerdictOutcome

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_GLOB = frozenset("*?[{")


def sarif(state: State, found: Survey, version: str) -> dict[str, Any]:
    """Give the log; a run that was never judged has no results and did not end well."""
    verdict = found.verdict
    rows = [row for row in verdict.clauses if row.standing is not Standing.PROVEN] if verdict else []
    clauses = {clause.id: clause for clause in found.clauses}
    judged = verdict is not None and verdict.outcome is not VerdictOutcome.NOT_JUDGED
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "signoff",
                        "version": version,
                        "rules": [_rule(row, clauses) for row in rows],
                    }
                },
                "automationDetails": {"id": f"signoff/{state.run_id}"},
                "invocations": [{"executionSuccessful": judged and state.ended is not None}],
                "results": [_result(n, row, clauses) for n, row in enumerate(rows)],
            }
        ],
    }


def _rule(row: ClauseVerdict, clauses: dict[ClauseId, Clause]) -> dict[str, Any]:
    return {"id": row.clause, "shortDescription": {"text": _text(row, clauses)}}


def _result(number: int, row: ClauseVerdict, clauses: dict[ClauseId, Clause]) -> dict[str, Any]:
    return {
        "ruleId": row.clause,
        "ruleIndex": number,
        "level": _level(row, clauses.get(row.clause)),
        "message": {"text": f"{_text(row, clauses)}: {row.standing}" + (f" ({row.why})" if row.why else "")},
        "locations": [_location(row.clause, clauses.get(row.clause))],
        "partialFingerprints": {"clause/v1": row.clause},
        "suppressions": _suppressions(row),
    }


def _level(row: ClauseVerdict, clause: Clause | None) -> str:
    if row.required:
        return "error"
    is_for_the_reviewer = clause is not None and clause.check is None and not clause.proven_by
    return "note" if is_for_the_reviewer else "warning"


def _suppressions(row: ClauseVerdict) -> list[dict[str, Any]]:
    if row.standing is not Standing.WAIVED:
        return []
    return [{"kind": "external", "status": "accepted", "justification": row.why}]


def _location(name: ClauseId, clause: Clause | None) -> dict[str, Any]:
    """Point at the file a clause is about where it names one, and at the clause itself everywhere."""
    place: dict[str, Any] = {"logicalLocations": [{"name": name, "kind": "clause"}]}
    path = examined_file(clause.check) if clause and clause.check else None
    if path is not None and not _GLOB & set(path):
        place["physicalLocation"] = {"artifactLocation": {"uri": _uri(path), "uriBaseId": "%SRCROOT%"}}
    return place


def _uri(path: str) -> str:
    """Give a path as a relative URI reference."""
    safe = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
    return "".join(chr(b) if b in safe else f"%{b:02X}" for b in path.encode("utf-8", "surrogateescape"))


def _text(row: ClauseVerdict, clauses: dict[ClauseId, Clause]) -> str:
    clause = clauses.get(row.clause)
    return (clause.text if clause else "") or row.clause
