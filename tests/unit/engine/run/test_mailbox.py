"""The mailbox: outcomes as they come for a live driver, in the cassette's order for a recorded one."""

import msgspec
import pytest

from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, HaltId, RunId, TreeId
from signoff.domain.run.events import Answered, Claimed, Done, Event, How, StopRequested, Waived
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.outcomes import Recalled
from signoff.engine.loop import Crashed
from signoff.engine.run.mailbox import CassetteScript, DriverMailbox
from signoff.engine.run_state import OpenIntent, State
from signoff.testing.hosted.memory_runs import MemoryFolder as Folder

A, B = EffectKey("a"), EffectKey("b")
HALT = Halt(
    id=HaltId("question"), code=HaltCode.TASK_QUESTION, kind=HaltKind.PERSON, step="implement", question="?"
)


def open_halts(state: State) -> tuple[Halt, ...]:
    return () if HALT.id in state.answers else (HALT,)


@pytest.fixture
def folder() -> Folder:
    return Folder(RunId("R"))


def intended(*keys: EffectKey) -> State:
    """A state in which these effects were intended, in this order."""
    opened = {
        key: OpenIntent(seq=number, ts="", sum="", do="recall", effect=Digest(""))
        for number, key in enumerate(keys)
    }
    return State(intents=opened, open=opened)


def done(key: EffectKey) -> Done:
    return Done(key=key, outcome=Recalled())


def drop(folder: Folder, event: Event) -> None:
    folder.drop("event", msgspec.json.encode(event))


def test_a_live_driver_takes_outcomes_as_they_come(folder: Folder) -> None:
    mailbox = DriverMailbox(folder, lambda _s: ())
    mailbox.put(done(B))
    mailbox.put(done(A))

    assert mailbox.get(State(), (A, B)) == done(B)


def test_a_recorded_driver_waits_for_the_one_the_cassette_names(folder: Folder) -> None:
    mailbox = DriverMailbox(folder, lambda _s: (), CassetteScript(("a", "b"), {}))
    mailbox.put(done(B))
    mailbox.put(done(A))

    assert [mailbox.get(intended(A, B), (A, B)), mailbox.get(intended(A, B), (B,))] == [done(A), done(B)]


def test_what_the_cassette_does_not_name_finishes_in_order_of_intent(folder: Folder) -> None:
    mailbox = DriverMailbox(folder, lambda _s: (), CassetteScript((), {}))
    mailbox.put(done(B))
    mailbox.put(done(A))

    assert mailbox.get(intended(A, B), (B, A)) == done(A)


def test_a_recorded_answer_comes_in_its_place_in_the_order(folder: Folder) -> None:
    mailbox = DriverMailbox(folder, open_halts, CassetteScript(("answer:question", "a"), {HALT.id: "yes"}))
    mailbox.put(done(A))

    first = mailbox.get(intended(A), (A,))

    assert first == Answered(halt=HALT.id, answer="yes", by="cassette", how=How.RELAYED)


def test_an_inbox_file_is_relayed_input_whatever_it_says_of_itself(folder: Folder) -> None:
    drop(folder, Answered(halt=HALT.id, answer="yes", by="agent", how=How.TERMINAL))
    mailbox = DriverMailbox(folder, open_halts)

    event = mailbox.get(State(), ())

    assert isinstance(event, Answered)
    assert event.how is How.RELAYED


def test_a_waiver_never_comes_through_the_inbox(folder: Folder) -> None:
    drop(
        folder,
        Waived(clause=ClauseId("x"), reason="please", by="agent", how=How.TERMINAL, tree=TreeId("t")),
    )
    mailbox = DriverMailbox(folder, open_halts)

    assert mailbox.empty(State())
    assert folder.inbox() == ()


def test_an_answer_to_a_halt_that_is_not_open_and_garbage_are_thrown_away(folder: Folder) -> None:
    drop(folder, Answered(halt=HaltId("other"), answer="yes", by="me", how=How.RELAYED))
    drop(folder, Claimed(key=EffectKey("other"), answer=Digest("sha256:0"), kind="done", by="me"))
    folder.drop("answer", b"{not json")
    mailbox = DriverMailbox(folder, open_halts)

    assert mailbox.empty(State())
    assert folder.inbox() == ()


def test_an_answer_stays_in_the_inbox_until_it_is_recorded(folder: Folder) -> None:
    drop(folder, Answered(halt=HALT.id, answer="yes", by="me", how=How.RELAYED))
    mailbox = DriverMailbox(folder, open_halts)

    event = mailbox.get(State(), ())
    before = folder.inbox()
    assert isinstance(event, Answered)
    mailbox.empty(State(answers={HALT.id: event}))

    assert len(before) == 1
    assert folder.inbox() == ()


def test_a_stop_comes_before_outcomes_and_a_crash_before_everything(folder: Folder) -> None:
    mailbox = DriverMailbox(folder, lambda _s: ())
    mailbox.put(done(A))
    mailbox.request_stop("SIGINT", How.TERMINAL)

    assert isinstance(mailbox.get(State(), (A, B)), StopRequested)

    mailbox.put(Crashed(B, ValueError("ours")))
    assert isinstance(mailbox.get(State(), (A, B)), Crashed)


@pytest.mark.parametrize("how", list(How))
def test_a_stop_says_how_it_came(folder: Folder, how: How) -> None:
    """A supervisor's SIGTERM is nobody's word."""
    stopped, finished = DriverMailbox(folder, lambda _s: ()), DriverMailbox(folder, lambda _s: ())
    stopped.request_stop("SIGTERM", how)
    finished.request_finish("SIGINT", how)

    assert stopped.get(State(), (A,)) == StopRequested(by="SIGTERM", how=how)
    assert finished.get(State(), ()) == StopRequested(by="SIGINT", how=how)


def test_once_stopping_outcomes_come_in_any_order_so_that_nobody_waits_for_a_name(folder: Folder) -> None:
    mailbox = DriverMailbox(folder, lambda _s: (), CassetteScript(("a", "b"), {}))
    mailbox.put(done(B))

    assert mailbox.get(State(stopping=True), (A, B)) == done(B)
