"""Starting a run writes what it is pinned to, or refuses before anything is made."""

from typing import cast

import msgspec
import pytest
from memory_kit import FakeAgents, events_of, memory_kit
from world import BASE, BASE_TREE, TICKET

from signoff.domain.base.errors import UsageError
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.events import Driver, Index, RunStart
from signoff.domain.work.ticket import Ticket
from signoff.runs.drive.run_start import RunRequest, prompt_ticket, start


def test_a_new_run_is_pinned_to_base_ticket_and_agent_in_its_first_two_records() -> None:
    kit = memory_kit()

    started = start(kit, RunRequest(TICKET, agent="codex"))

    index, begun = events_of(started.folder)  # type: ignore[arg-type]
    assert isinstance(index, Index)
    assert isinstance(begun, RunStart)
    assert (begun.base, begun.base_tree) == (BASE, BASE_TREE)
    assert (begun.agent, begun.driver) == ("codex", Driver.AUTOPILOT)
    assert msgspec.json.decode(started.folder.blobs.get(begun.ticket), type=Ticket) == TICKET
    assert "codex" in cast("FakeAgents", kit.agents).opened


def test_a_cassette_is_not_played_by_another_agent_and_no_run_is_made() -> None:
    kit = memory_kit()
    cassette = Cassette(version=1, name="demo", entries=())

    with pytest.raises(UsageError) as refused:
        start(kit, RunRequest(TICKET, agent="codex", cassette=cassette))

    assert refused.value.slug == "agent-conflict"
    assert kit.store.list() == ()


def test_a_prompt_that_only_asks_something_starts_no_run() -> None:
    """A question gets an answer, not a change."""
    with pytest.raises(UsageError) as refused:
        prompt_ticket("What does the invoice export do?", "P-1")

    assert refused.value.slug == "prompt-is-question"
