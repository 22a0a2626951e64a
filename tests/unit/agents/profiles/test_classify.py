"""How ends are read: recorded output, exit code and ending in, a class out."""

from typing import NamedTuple

import pytest
from agent_recordings import DATA, PROFILES, lines, reading
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.profiles.base import ReadContext
from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.machine.activity import Finished, Tally
from signoff.domain.machine.process_records import Ending

DONE = '{"kind": "done", "summary": "as scripted"}'
REJECTED = "ERROR codex_core::tools::router: error=patch rejected: writing outside of the project"


class Row(NamedTuple):
    case: str
    exit_code: int | None
    failure: F | None
    status: int | None = None
    text: str | None = None
    denials: int = 0
    ending: Ending = Ending.EXITED
    stderr: str = ""
    retry_after_s: float | None = None


CLAUDE = (
    Row("edit", 0, None, text=DONE),
    Row("parallel", 0, None, text=DONE),
    Row("text", 0, None, text=DONE),
    Row("flaky429", 0, None, text=DONE),
    Row("decline", 0, None, text="I can't help with that."),
    Row("empty", 0, None, text=""),
    Row("denied", 0, None, text=DONE, denials=1),
    Row("outside", 0, None, text=DONE, denials=1),
    # The result says `success` in every one of these.
    Row("err400", 1, F.BAD_REQUEST, 400),
    Row("err401", 1, F.AUTH, 401),
    Row("err403", 1, F.AUTH, 403),
    Row("err404", 1, F.BAD_REQUEST, 404),
    Row("err429", 1, F.RATE_LIMITED, 429),
    Row("err500", 1, F.SERVER_ERROR, 500),
    Row("late500", 1, F.SERVER_ERROR, 500),
    Row("err503", 1, F.OVERLOADED, 503),
    Row("err529", 1, F.OVERLOADED, 529),
    Row("stream-error", 1, F.OVERLOADED, 529),
    Row("quota", 1, F.QUOTA_EXCEEDED, 429),
    Row("usage-limit", 1, F.QUOTA_EXCEEDED, 429),
    Row("context", 1, F.CONTEXT_OVERFLOW, 400),
    Row("not-logged-in", 1, F.AUTH),
    Row("refusal", 1, F.REFUSED),
    Row("no-server", 1, F.NETWORK),
    Row("cut", 1, F.NETWORK),
    Row("drop", 1, F.NETWORK),
    Row("garbage", 1, F.SERVER_ERROR),
    Row("cut-short", 1, F.TOO_MUCH_OUTPUT),
    Row("budget", 1, F.BUDGET_USED_UP),
    Row("max-turns", 1, F.TURNS_USED_UP),
    # Interrupted by somebody else: with 0, and with a last event or without one.
    Row("aborted-streaming", 0, F.INTERRUPTED),
    Row("sigint-tool", 0, F.INTERRUPTED),
    Row("sigint-api", 0, F.NO_END),
    Row("sigterm-api", 143, F.INTERRUPTED),
    Row("late-hang", 137, F.CRASHED),
    # Ended by us.
    Row("hang", None, F.TIMED_OUT, ending=Ending.TIMED_OUT),
    Row("late-hang", None, F.SILENT, ending=Ending.SILENT),
    Row("sigint-api", None, F.CANCELLED, ending=Ending.STOPPED),
    Row("hang", None, F.INTERRUPTED, ending=Ending.DRIVER_DIED),
    Row("hang", None, F.NOT_STARTED, ending=Ending.NOT_STARTED),
    # Whatever it wrote, it did not come to its end by itself.
    Row("edit", None, F.TIMED_OUT, ending=Ending.TIMED_OUT),
    Row("edit", 1, F.CRASHED),
    Row("hang", 1, F.BAD_REQUEST, stderr="error: unknown option '--no-such-flag'"),
)

CODEX = (
    Row("edit", 0, None, text=DONE),
    Row("parallel", 0, None, text=DONE),
    Row("text", 0, None, text=DONE),
    Row("flaky429-wait", 0, None, text=DONE),
    Row("decline", 0, None, text="I can't help with that."),
    Row("empty", 0, None, text=""),
    Row("refusal", 0, None, text=""),  # its events are those of an empty answer
    Row("denied", 0, None, text=DONE),  # a shell that its sandbox stopped is a command that failed
    Row("declined", 0, F.DENIED, denials=1),
    Row("outside", 0, None, text=DONE, denials=1, stderr=REJECTED),
    Row("empty", 0, F.DENIED, denials=1, stderr=REJECTED),
    Row("err400", 1, F.BAD_REQUEST, 400),
    Row("err401", 1, F.AUTH, 401),
    Row("err403", 1, F.AUTH, 403),
    Row("err404", 1, F.BAD_REQUEST),
    Row("err429", 1, F.RATE_LIMITED, 429),
    Row("err500", 1, F.OVERLOADED),  # it says no more than that there is high demand
    Row("late500", 1, F.OVERLOADED),
    Row("err503", 1, F.OVERLOADED),
    Row("err529", 1, F.OVERLOADED, 529),
    Row("quota", 1, F.QUOTA_EXCEEDED),
    Row("usage-limit", 1, F.QUOTA_EXCEEDED, retry_after_s=7500),
    Row("context", 1, F.CONTEXT_OVERFLOW),
    Row("missing-key", 1, F.AUTH),
    Row("cut", 1, F.NETWORK),
    Row("drop", 1, F.NETWORK),
    Row("garbage", 1, F.NETWORK),
    Row("cut-short", 1, F.TOO_MUCH_OUTPUT),
    Row("wrong-folder", 1, F.WRONG_FOLDER, stderr="Not inside a trusted directory and --skip-git-repo-check"),
    Row("hang", 2, F.BAD_REQUEST, stderr="error: invalid value 'x' for '--sandbox <SANDBOX_MODE>'"),
    Row("sigint-api", 1, F.CRASHED),
    Row("sigterm-api", 143, F.INTERRUPTED),
    Row("late-hang", 0, F.NO_END),
    Row("hang", None, F.SILENT, ending=Ending.SILENT),
    Row("late-hang", None, F.TIMED_OUT, ending=Ending.TIMED_OUT),
    Row("no-server", None, F.TIMED_OUT, ending=Ending.TIMED_OUT),
    Row("edit", 139, F.CRASHED),
)

TABLE = [("claude", row) for row in CLAUDE] + [("codex", row) for row in CODEX]


@pytest.mark.parametrize(
    ("agent", "row"), TABLE, ids=[f"{agent}-{row.case}-{row.exit_code}-{row.ending}" for agent, row in TABLE]
)
def test_what_a_program_left_is_read_as_the_table_says(agent: str, row: Row) -> None:
    """A row that changes changes who is asked again, who falls back and what a person is told."""
    end = reading(agent, lines(agent, row.case), row.exit_code, row.ending, row.stderr).end

    assert end.failure is row.failure, end.detail
    assert (end.http_status, end.denials, end.retry_after_s) == (row.status, row.denials, row.retry_after_s)
    if row.text is not None:
        assert end.text == row.text
    else:
        assert end.text == ""


def test_every_recording_is_in_the_table() -> None:
    """A recording that nobody reads guards nothing."""
    recorded = {(path.parent.name, path.stem) for path in DATA.glob("*/*.jsonl")}

    read = {(agent, row.case) for agent, row in TABLE}
    assert recorded - read == {("claude", "huge")}


@pytest.mark.parametrize("agent", sorted(PROFILES))
@pytest.mark.parametrize("case", ["edit", "parallel", "text"])
def test_without_its_last_line_a_good_run_is_none(agent: str, case: str) -> None:
    """The exit code is 0 and all the work was done; only the last event says that it was."""
    end = reading(agent, lines(agent, case)[:-1]).end

    assert end.failure is F.NO_END
    assert end.text == ""


@pytest.mark.parametrize("agent", sorted(PROFILES))
@given(data=st.data())
def test_output_cut_off_anywhere_before_its_end_is_never_success(agent: str, data: st.DataObject) -> None:
    """A torn line must neither raise nor pass for the last event."""
    whole = b"".join(lines(agent, "edit")).rstrip(b"\n")
    cut = data.draw(st.integers(0, len(whole) - 1))

    end = reading(agent, whole[:cut].splitlines(keepends=True)).end

    assert end.failure is not None


def test_a_program_that_says_it_works_elsewhere_has_failed() -> None:
    """Work in another folder is not the work asked for, however well it ended."""
    end = reading("claude", lines("claude", "edit"), context=ReadContext(checkout="/another/checkout")).end

    assert end.failure is F.WRONG_FOLDER
    assert "$WORK" in end.detail
    assert "/another/checkout" in end.detail


@pytest.mark.parametrize("changes", ['"is_error":null', '"is_error":true', '"subtype":"error_new"'])
def test_a_claude_result_that_is_not_plainly_good_is_not_good(changes: str) -> None:
    """A flag that is missing or new must not pass for success."""
    *before, last = lines("claude", "edit")
    name = changes.partition(":")[0]
    text = last.decode()
    start = text.index(name)
    stop = text.index(",", start)

    end = reading("claude", [*before, (text[:start] + changes + text[stop:]).encode()]).end

    assert end.failure is not None


@pytest.mark.parametrize("agent", sorted(PROFILES))
@given(
    exit_code=st.none() | st.integers(-5, 300),
    ending=st.sampled_from(Ending),
    finished=st.none() | st.builds(Finished, ok=st.booleans(), text=st.text(max_size=5)),
    stderr=st.text(max_size=30),
)
def test_success_needs_an_end_of_its_own_a_last_event_and_no_error(
    agent: str, exit_code: int | None, ending: Ending, finished: Finished | None, stderr: str
) -> None:
    """Of all combinations there is one that is success."""
    counted = Tally(finished=finished, text=finished.text if finished else "")
    end = PROFILES[agent].classify(exit_code, ending, counted, stderr)

    is_good = exit_code == 0 and ending is Ending.EXITED and finished is not None and finished.ok
    assert (end.failure is None) == is_good


def test_what_a_hanging_program_waits_for_is_in_the_detail() -> None:
    """Codex waits for a network for ever; a time-out that does not say so sends a person the wrong way."""
    end = reading("codex", lines("codex", "no-server"), None, Ending.TIMED_OUT).end

    assert "waiting for network" in end.detail
