"""Packs as files, manifests, and scenarios of strangers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pack_bench import pack

from signoff.domain.run.golden import Scenario
from signoff.golden.records.checksums import drifts, read_manifest, scenario_of, write_manifest
from signoff.golden.records.pack_comparison import compare
from signoff.golden.records.pack_files import UnreadablePackError, pack_files, read_pack
from signoff.golden.records.scenario_files import read_scenario

NAMES = st.from_regex(r"(packs|scenarios)/[a-z]{1,4}/[a-z]{1,4}\.json", fullmatch=True)


def test_a_pack_is_read_as_it_was_written() -> None:
    """What cannot be read back cannot be compared."""
    files = pack_files(pack())
    assert read_pack("one", files.get) == pack()
    assert compare(pack(), pack()) == ()


@pytest.mark.parametrize("name", sorted(set(pack_files(pack())) - {"state-snapshots/cycle-01.json"}))
def test_a_pack_without_one_of_its_files_is_unreadable(name: str) -> None:
    """Comparing with half a promise would find half of the differences."""
    files = {path: data for path, data in pack_files(pack()).items() if path != name}
    with pytest.raises(UnreadablePackError):
        read_pack("one", files.get)


def test_exit_codes_that_contradict_the_transcript_make_a_pack_unreadable() -> None:
    """One of the two was edited by hand."""
    files = {**pack_files(pack()), "exit-codes.json": b"[0]"}
    with pytest.raises(UnreadablePackError, match="do not agree"):
        read_pack("one", files.get)


@given(st.dictionaries(NAMES, st.binary(max_size=8), min_size=1, max_size=5), st.data())
def test_a_manifest_notices_every_changed_missing_and_extra_file(
    files: dict[str, bytes], data: st.DataObject
) -> None:
    """Both directions: what is listed, and what is there."""
    manifest = read_manifest(write_manifest(files))
    one = data.draw(st.sampled_from(sorted(files)))
    assert list(drifts(manifest, files)) == []
    assert [drift.name for drift in drifts(manifest, {**files, one: files[one] + b"!"})] == [one]
    assert [d.after for d in drifts(manifest, {k: v for k, v in files.items() if k != one})] == [""]
    assert [d.before for d in drifts(manifest, {**files, "packs/new": b""})] == [""]


@given(st.binary(max_size=60))
def test_any_bytes_are_a_manifest_or_refused(data: bytes) -> None:
    """A damaged manifest must not pass for an empty one."""
    try:
        found = read_manifest(data)
    except UnreadablePackError:
        return
    assert bool(found) == bool(data.splitlines())


def test_a_file_that_is_listed_twice_makes_a_manifest_unreadable() -> None:
    """The second line would decide, and the first would be read."""
    line = write_manifest({"summary.json": b""})
    with pytest.raises(UnreadablePackError):
        read_manifest(line + line)


def test_files_belong_to_their_scenario() -> None:
    """Differences are named by scenario."""
    assert scenario_of("packs/one/transcript.json") == "one"
    assert scenario_of("scenarios/one.json") == "one"
    assert scenario_of("summary.json") == ""


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (b'{"id": "two", "description": "", "state": {}}', "/id"),
        (b'{"id": "one", "description": ""}', "/input"),
        (b'{"id": "one", "description": "", "state": {}, "files": {"../x": ""}}', "/files"),
        (b'{"id": "one", "description": "", "state": {}, "files": {".git/config": ""}}', "/files"),
        (b'{"id": "one", "description": "", "state": {}, "files": {".signoff/runs/x": ""}}', "/files"),
        (
            b'{"id": "one", "description": "", "state": {}, "turns": [{"edit": {"/etc/x": ""}}]}',
            "/turns/0/edit",
        ),
        (b'{"id": "one", "description": "", "state": {}, "state_file": "../s.json"}', "/state_file"),
        (b'{"id": "one", "description": "", "state": {}, "cycle_cap": 1000}', "/cycle_cap"),
        (b'{"id": "one", "description": "", "state": {}, "turn": []}', "/"),
        (b'{"id": "one", "description": "", "input": {"kind": "prompt", "data": {}}}', "/input"),
        (b"nonsense", "/"),
    ],
)
def test_a_scenario_that_must_not_be_played_is_refused(document: bytes, pointer: str) -> None:
    """Its files are written to disk; a stranger's path must not lead out of the folder."""
    wrong = read_scenario(document, "one")
    assert isinstance(wrong, tuple)
    assert wrong[0].startswith(pointer)


def test_a_project_may_bring_its_memory() -> None:
    """The one thing below .signoff/ that people write."""
    document = b'{"id": "one", "description": "", "state": {}, "files": {".signoff/memory/a.md": ""}}'
    assert isinstance(read_scenario(document, "one"), Scenario)
