"""A verdict as JUnit XML: one test case for each clause. Pure.

Proven is a pass, not judged is an error, waived and optional ones are skipped with the reason.
"""

from signoff.domain.evidence.verdict import ClauseVerdict, Standing
from signoff.domain.run.surveys import Survey
from signoff.engine.run_state import State
from signoff.text.formats.junit_writer import CaseLine, SuiteOfCases, junit_document


def junit(state: State, found: Survey) -> str:
    """Return the document. A run that was never judged has one case, in error."""
    rows = found.verdict.clauses if found.verdict else ()
    texts = {clause.id: clause.text for clause in found.clauses}
    cases = [_case(row, texts.get(row.clause, "")) for row in rows]
    unjudged = CaseLine("signoff", "verdict", "error", "no clause has been judged", "unjudged")
    name = f"signoff {state.run_id}"
    return junit_document(name, [SuiteOfCases(name, cases or [unjudged])])


def _case(row: ClauseVerdict, text: str) -> CaseLine:
    head, slash, _ = row.clause.partition("/")
    tag, message = _outcome(row)
    return CaseLine(
        classname=f"signoff.{head}" if slash else "signoff",
        name=f"{row.clause}: {text}",
        tag=tag,
        message=message,
        type=str(row.standing),
    )


def _outcome(row: ClauseVerdict) -> tuple[str, str]:
    """Return the tag of a clause's element and its message. The tag is empty for a pass."""
    match row.standing:
        case Standing.PROVEN:
            return "", ""
        case Standing.WAIVED:
            return "skipped", row.why
        case _ if not row.required:
            return "skipped", f"optional, and {row.standing}: {row.why}"
        case Standing.NOT_JUDGED:
            return "error", row.why or str(row.standing)
        case _:
            return "failure", row.why or str(row.standing)
