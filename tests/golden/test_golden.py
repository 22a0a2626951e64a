"""What the demo leaves behind, byte for byte, and journals of every release, which must still fold.

A difference is left in `actual/` beside the expected files; `make accept` takes it as the new expectation.
Journals below `journals/` are never accepted anew: a release has written them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.delivery.flow.deliver import survey
from signoff.domain.base.typed_ids import RunId
from signoff.engine.run.run_log import records
from signoff.engine.run_state import fold
from signoff.host.files.clock import SystemClock
from signoff.host.files.random_ids import Ulids
from signoff.judges.journal.journal_check import check_journal
from signoff.storage.runs import Folder
from signoff.testing.samples import demo_cassette, lay_out_sample, ticket

HERE = Path(__file__).parent
EXPECTED = HERE / "demo"
ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
FILES = ("journal.jsonl", "report.md", "PROGRESS.md", "handoff.md", "verification.json", "agent-runs.jsonl")
RELEASES = sorted(path.name for path in (HERE / "journals").iterdir())


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the demo's delivery."""
    folder = tmp_path_factory.mktemp("golden")
    lay_out_sample(str(folder / "shop"), ENV)
    (folder / "ticket.md").write_bytes(ticket())
    (folder / "demo.json").write_bytes(demo_cassette())
    words = ["run", str(folder / "ticket.md"), "--cassette", str(folder / "demo.json"), "--yes"]
    subprocess.run(
        [sys.executable, "-m", "signoff", *words, "-C", str(folder / "shop")],
        env=ENV,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    (run,) = (folder / "shop" / ".signoff" / "runs").glob("0*")
    return run


@pytest.mark.parametrize("name", FILES)
def test_the_demo_leaves_what_it_always_left(name: str, delivered: Path) -> None:
    home = delivered.parent.parent if name == "agent-runs.jsonl" else delivered
    actual, expected = home / name, EXPECTED / name
    if os.environ.get("SIGNOFF_ACCEPT"):
        shutil.copy(actual, expected)
    same = expected.exists() and actual.read_bytes() == expected.read_bytes()
    if not same:
        (HERE / "actual").mkdir(exist_ok=True)
        shutil.copy(actual, HERE / "actual" / name)

    assert same, f"compare {HERE / 'actual' / name} with {expected}; `make accept` if it is right"


@pytest.mark.parametrize("release", RELEASES)
def test_the_journal_of_a_release_is_sound_and_still_folds_to_its_end(release: str) -> None:
    folder = Folder(str(HERE / "journals" / release), RunId("R"), Ulids(), SystemClock())
    checked = check_journal([(HERE / "journals" / release / "journal.jsonl").read_bytes()])

    state = fold(records(folder))
    found = survey(state, folder.blobs.get)

    assert checked.ok
    assert state.ended is not None
    assert found.verdict is not None
    assert str(found.verdict.outcome) == str(state.ended.status)
