"""The figures on hosted runs, from their journals."""

from collections.abc import Iterator

from signoff.app.kit import Kit
from signoff.app.runlog import records
from signoff.core.metrics import Metrics, RunFacts, metrics
from signoff.domain.errors import SignoffError
from signoff.flows.hosted.measuring import run_facts


def measure(kit: Kit) -> tuple[Metrics, int, tuple[str, ...]]:
    """Give the figures, of how many runs they are, and which runs could not be read."""
    unreadable: list[str] = []
    facts = tuple(_facts(kit, unreadable))
    return metrics(facts), len(facts), tuple(unreadable)


def _facts(kit: Kit, unreadable: list[str]) -> Iterator[RunFacts]:
    for run_id in kit.store.list():
        folder = kit.store.open(run_id)
        try:
            found = run_facts(records(folder), folder.blobs.get)
        except SignoffError as error:
            unreadable.append(f"{run_id}: {error.what}")
            continue
        if found is not None:
            yield found
