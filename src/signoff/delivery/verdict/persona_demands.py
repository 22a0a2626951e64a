"""What a persona asks beyond the contract and the project's gates. Pure.

`senior-engineer` asks for what is there. `qa` asks for the full test scope: every gate counts, also one that
is optional for others, and a project without a test command has not been tested.
"""

from msgspec.structs import replace

from signoff.domain.base.typed_ids import ClauseId
from signoff.domain.work.clauses import GATE_TESTS, Clause, ClauseKind
from signoff.domain.work.work_state import Persona

_TEST_SCOPE = Clause(
    id=ClauseId("gate/test-scope"),
    kind=ClauseKind.GATE,
    text="the whole test suite of the project can be run; no test command is known",
)


def demanded(clauses: tuple[Clause, ...], persona: str) -> tuple[Clause, ...]:
    """Return the clauses as this persona asks for them."""
    if persona != Persona.QA:
        return clauses
    asked = tuple(replace(c, required=True) if c.kind is ClauseKind.GATE else c for c in clauses)
    return asked if any(clause.id == GATE_TESTS for clause in asked) else (_TEST_SCOPE, *asked)
