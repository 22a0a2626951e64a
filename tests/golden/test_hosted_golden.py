"""What `signoff work` answered to scripted hosts, it still answers.

When a change of behaviour is meant: `signoff golden capture tests/golden/hosted`, and look at the difference.
"""

from pathlib import Path

import pytest

from signoff.golden.play.pack_replay import ScenarioJudged, replay, verify
from signoff.testing.hosted.recorded import RecordedStage
from signoff.testing.hosted.scenario_folder import DiskShelf

SET = Path(__file__).parent / "hosted"
IDS = sorted(path.stem for path in (SET / "scenarios").glob("*.json"))


@pytest.fixture(scope="module")
def replayed() -> dict[str, ScenarioJudged]:
    return {judged.id: judged for judged in replay(DiskShelf(str(SET)), (), RecordedStage)}


@pytest.mark.parametrize("name", IDS)
def test_a_scenario_is_answered_as_it_was(name: str, replayed: dict[str, ScenarioJudged]) -> None:
    """A host that relied on an exit code, a directive or a standing would meet another one."""
    assert replayed[name].differences == ()


def test_every_pack_has_its_scenario(replayed: dict[str, ScenarioJudged]) -> None:
    """A pack nobody plays is a promise nobody keeps."""
    assert sorted(replayed) == IDS


def test_no_file_of_the_set_was_changed_by_hand() -> None:
    """An edited pack would move the promise instead of keeping it."""
    assert [judged for judged in verify(DiskShelf(str(SET))) if not judged.ok] == []


def test_no_pack_names_the_machine_it_was_captured_on() -> None:
    """Such a path would differ in the next capture, and tell strangers about us."""
    for path in (SET / "packs").rglob("*"):
        if path.is_file():
            assert b"signoff-golden-" not in path.read_bytes(), path
