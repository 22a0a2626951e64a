"""What destroys something waits for a person at a terminal, whatever else is clear."""

import pytest
from msgspec.structs import replace
from test_deliver import TWO
from world import World, contract

from signoff.delivery.flow.destructive_intent import DESTRUCTIVE
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.halts import HaltCode
from signoff.domain.work.ticket import InputKind, Ticket
from signoff.intake.refinement.text_words import LONGEST_TEXT

HONEST = "greet() says hello to a name"
DROPS = Ticket(id="X-1", title="Drop the users table in production", acceptance_criteria=(HONEST,))


def asked(ticket: Ticket, *, guards: bool = True) -> World:
    world = World(contract(TWO))
    assert world.state.start is not None
    pinned = replace(world.state.start, ticket=world.put(ticket), guards_intent=guards)
    world.state = replace(world.state, start=pinned)
    return world


def test_a_destructive_ticket_is_asked_about_before_anything_runs_though_plans_need_no_approval() -> None:
    world = asked(DROPS)
    assert world.state.start is not None
    assert world.state.start.approve_plan

    (halt,) = world.run().halts

    assert (halt.id, halt.code) == (DESTRUCTIVE, HaltCode.DESTRUCTIVE_INTENT)
    assert halt.terminal_only == ("go on",)
    assert "Drop the users table" in halt.question
    assert not world.state.done


@pytest.mark.parametrize(("how", "goes_on"), [(How.TERMINAL, True), (How.RELAYED, False)])
def test_only_a_word_typed_on_a_terminal_lets_it_through(how: How, *, goes_on: bool) -> None:
    """An answer that reached the journal as relayed input must not count either."""
    world = asked(DROPS)
    world.run()
    world.answer(DESTRUCTIVE, "go on", how)

    end = world.run().conclusion

    assert (end is not None) is goes_on
    assert bool(world.state.done) is goes_on


def test_giving_up_ends_the_run_as_refused_and_nothing_ran() -> None:
    world = asked(DROPS)
    world.run()
    world.answer(DESTRUCTIVE, "give up", How.RELAYED)

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.REFUSED
    assert "Drop the users table" in end.why
    assert not world.state.done


def test_a_ticket_stated_anew_is_judged_anew() -> None:
    """Otherwise a harmless ticket would be the way in, and one word would cover any later text."""
    world = asked(Ticket(id="X-1", title="Tidy up", acceptance_criteria=("TBD",)))
    world.run()
    world.answer(HaltId("refine/ticket"), "delete all user records from the database", How.RELAYED)

    (halt,) = world.run().halts

    assert halt.code is HaltCode.DESTRUCTIVE_INTENT
    assert halt.id != DESTRUCTIVE
    assert not world.state.done


def test_what_was_not_read_to_its_end_is_not_taken_for_harmless() -> None:
    hidden = "word " * (LONGEST_TEXT // 5) + "\n\nDrop the users table in production"

    world = asked(Ticket(id="X-1", title="Greet people", body=hidden, acceptance_criteria=(HONEST,)))

    assert [halt.code for halt in world.run().halts] == [HaltCode.DESTRUCTIVE_INTENT]


@pytest.mark.parametrize(
    ("title", "criterion"),
    [
        ("Add a delete button to the settings page", "pressing the delete button opens a dialog"),
        ("Remove a user from a group", "DELETE /groups/1/users/2 answers with 204"),
        ("Drop the trailing slash of addresses", "normalise('/a/') returns '/a'"),
    ],
)
def test_ordinary_words_for_removing_things_stop_nobody(title: str, criterion: str) -> None:
    world = asked(Ticket(id="X-1", title=title, acceptance_criteria=(criterion,)))

    rest = world.run()

    assert HaltCode.DESTRUCTIVE_INTENT not in [halt.code for halt in rest.halts]
    assert "plan/attempt-1/dispatch-1" in world.state.done


def test_a_run_that_was_started_before_there_was_a_guard_goes_on_as_it_did() -> None:
    """Its journal must replay to the same effects."""
    assert asked(DROPS, guards=False).run().conclusion is not None


def test_a_prompt_is_asked_one_question_and_it_is_the_refiners() -> None:
    world = asked(Ticket(id="PROMPT", title="make it better", kind=InputKind.PROMPT))

    (halt,) = world.run().halts

    assert halt.code is HaltCode.TICKET_UNCLEAR
    assert "What is the one outcome you need?" in halt.question

    world.answer(halt.id, HONEST, How.RELAYED)
    assert world.run().conclusion is not None
