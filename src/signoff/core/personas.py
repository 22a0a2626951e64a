"""How far each persona goes. Pure data."""

from typing import NamedTuple

from signoff.domain.work_state import Persona


class Policy(NamedTuple):
    """What a persona may do in a hosted run."""

    implements: bool = True
    tests: bool = True
    verifies: bool = True
    widens_tests: bool = False
    suggests_next: bool = True
    summary: str = ""


POLICIES = {
    Persona.SENIOR_ENGINEER: Policy(summary="every step, tests of what was changed"),
    Persona.QA: Policy(widens_tests=True, summary="every step, all tests"),
    Persona.ADVISORY: Policy(
        implements=False,
        tests=False,
        verifies=False,
        suggests_next=False,
        summary="a plan, and nothing is changed",
    ),
}
