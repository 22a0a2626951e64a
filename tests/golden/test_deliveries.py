"""Deliveries that were pinned from real runs, played again: they end as they did, effect by effect.

`make accept` takes what they give now as expected; look at the difference first.
"""

import os
from pathlib import Path

import pytest

from signoff.golden.play.pinned_runs import accept, replay, verify
from signoff.testing.hosted.scenario_folder import DiskShelf
from signoff.testing.rehearsal import rehearsal

HERE = Path(__file__).parent / "deliveries"
PACKS = sorted(path.name for path in HERE.iterdir())


@pytest.mark.parametrize("name", PACKS)
def test_a_pinned_delivery_still_ends_as_it_did(name: str) -> None:
    shelf = DiskShelf(str(HERE))
    if os.environ.get("SIGNOFF_ACCEPT"):
        accept(shelf, (name,), rehearsal)

    (judged,) = replay(shelf, (name,), rehearsal)

    assert judged.differences == ()


def test_the_files_of_the_packs_are_those_of_their_manifests() -> None:
    assert all(one.ok for one in verify(DiskShelf(str(HERE))))
