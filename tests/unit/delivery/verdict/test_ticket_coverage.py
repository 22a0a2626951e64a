"""What was asked for and what the plan speaks of."""

from hypothesis import given
from hypothesis import strategies as st

from signoff.delivery.verdict.ticket_coverage import unspoken
from signoff.domain.base.typed_ids import ClauseId
from signoff.domain.work.clauses import Clause, ClauseKind


def clause(text: str, kind: ClauseKind = ClauseKind.CRITERION, *, required: bool = True) -> Clause:
    return Clause(id=ClauseId("c"), kind=kind, text=text, required=required)


ASKED = "`double(2)` returns `4`"


def test_a_plan_for_something_else_is_named() -> None:
    """It was signed off without a word: every clause of it was proven."""
    assert unspoken([ASKED], [clause("NOTES.md holds the word hello")]) == (ASKED,)


def test_the_same_in_much_the_same_words_is_spoken_of() -> None:
    assert unspoken([ASKED], [clause("calling double with 2 returns 4")]) == ()


def test_a_clause_that_need_not_hold_speaks_of_nothing() -> None:
    """Else a planner makes the one thing that matters optional."""
    assert unspoken([ASKED], [clause(ASKED, required=False)]) == (ASKED,)


def test_the_projects_own_gates_do_not_speak_of_a_ticket() -> None:
    assert unspoken(["the tests pass"], [clause("the tests pass", ClauseKind.GATE)]) == ("the tests pass",)


@given(st.lists(st.text(max_size=40), max_size=5))
def test_a_plan_that_repeats_the_ticket_speaks_of_all_of_it(criteria: list[str]) -> None:
    assert unspoken(criteria, [clause(each) for each in criteria]) == ()
