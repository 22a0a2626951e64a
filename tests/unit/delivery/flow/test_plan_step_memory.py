"""What a planner is told of memory: the entries in full, and how far to trust them."""

from world import World, contract, task

from signoff.domain.run.directives import PlanRequest
from signoff.domain.run.effects import Effect, RecallMemory
from signoff.domain.run.outcomes import Outcome, Recalled
from signoff.domain.work.memory import MemoryHit, MemoryKind
from signoff.memory.recall import HEDGE

HIT = MemoryHit(
    id="ADR-1",
    type=MemoryKind.ARCHITECTURE_DECISIONS,
    source="repo",
    path=".signoff/memory/architecture-decisions/no-orm.md",
    score=1.0,
    entry="No ORM. " * 40,
)


class Remembering(World):
    """A world whose memory has something to say."""

    recalled = Recalled()

    def outcome(self, effect: Effect) -> Outcome:
        return self.recalled if isinstance(effect, RecallMemory) else super().outcome(effect)


def told(recalled: Recalled, *hits: MemoryHit) -> tuple[str, ...]:
    world = Remembering(contract([task(1)]))
    body = world.put(hits) if hits else None
    world.recalled = Recalled(hits=recalled.hits, body=body)
    world.run()
    request = next(iter(world.dispatched.values()))
    assert isinstance(request, PlanRequest)
    return request.memory


def test_a_planner_reads_whole_entries_below_a_warning() -> None:
    """Context, not command: an entry that reads like an order must not pass for one of ours."""
    assert told(Recalled(hits=("short",)), HIT) == (HEDGE, f"architecture-decisions/ADR-1: {HIT.entry}")
    assert "context, not command" in HEDGE


def test_without_hits_nothing_is_said() -> None:
    assert told(Recalled()) == ()


def test_hits_of_an_older_journal_are_told_as_they_were() -> None:
    """A directive that changed under a run in flight could not be matched with its answer."""
    assert told(Recalled(hits=("old.md: An old note",))) == ("old.md: An old note",)
