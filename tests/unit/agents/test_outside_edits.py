"""An edit tool that is given a place outside the checkout tells on its agent."""

from pathlib import Path

import pytest

from signoff.agents.outside_edits import noting, outside
from signoff.domain.machine.activity import Activity, Spoke, ToolKind, ToolStarted


def edit(*paths: str, about: str = "") -> ToolStarted:
    return ToolStarted(id="1", tool="Edit", does=ToolKind.EDIT, about=about, paths=paths)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("repo/.signoff/work/src", "home"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "repo/.signoff/work/way-out").symlink_to(tmp_path / "repo")
    return tmp_path


def found(place: Path, *edits: ToolStarted) -> list[str]:
    paths = outside(edits, str(place / "repo/.signoff/work"), str(place / "home"))
    return [str(Path(path).relative_to(place)) for path in paths]


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("../other", "repo/.signoff/other"),
        ("src/../../../a.py", "repo/a.py"),
        ("{}/repo/a.py", "repo/a.py"),
        ("{}/repo/.signoff/work-of-another/a.py", "repo/.signoff/work-of-another/a.py"),
        ("way-out/a.py", "repo/a.py"),
        ("{}/elsewhere", "elsewhere"),
    ],
)
def test_a_place_outside_is_found(place: Path, path: str, real: str) -> None:
    """By its name or through a link; a neighbour whose name begins alike is a neighbour."""
    named = path.format(place)

    assert found(place, edit(named)) == [real]
    assert found(place, edit(about=named)) == [real]


@pytest.mark.parametrize(
    "path",
    [
        *("a.py", "src/a.py", "{}/repo/.signoff/work/a.py", "{}/home/.config/x", "~/notes", "/dev/null", ""),
        *("/tmp/nobody-has-this/x", "/var/tmp/x", "a\0b", "src/../b.py", "Edit src/a.py"),
    ],
)
def test_a_place_of_its_own_or_a_temporary_one_is_not(place: Path, path: str) -> None:
    assert found(place, edit(path.format(place))) == []


def test_each_place_is_told_once_and_only_edits_count(place: Path) -> None:
    read = ToolStarted(id="2", tool="Read", does=ToolKind.READ, about="../secret")
    stream: list[Activity] = [edit("../a", "src/b"), Spoke(text="../c"), read, edit("../a")]
    edits: list[ToolStarted] = []

    assert list(noting(stream, edits)) == stream
    assert found(place, *edits) == ["repo/.signoff/a"]
