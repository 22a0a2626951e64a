"""`signoff migrate-state` on real files: nothing is written over, nothing gets lost, and it can be killed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench, Ran

OLD = ".implement-ticket-state.json"
NEW = ".work-state.json"
STATE = {"ticket": {"id": "SHOP-7", "title": "Grüße"}, "outcomes": {"refine": "success"}, "report": ""}


def keep(bench: Bench, document: object = None, name: str = OLD) -> Path:
    path = bench.root / name
    path.write_text(json.dumps(STATE if document is None else document), encoding="utf-8")
    return path


def files(bench: Bench) -> dict[str, str]:
    """Give every file of the folder but the repository's own, with its content."""
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(bench.root.iterdir())
        if path.is_file() and path.name != "README"
    }


def refused(said: Ran, slug: str) -> dict[str, Any]:
    """Give the error of a call that changed nothing."""
    assert said.code == 2, said.err
    error: dict[str, Any] = said.document["error"]
    assert error["slug"] == slug
    assert error["fix"]
    return error


def test_the_state_is_in_version_1_and_the_old_file_is_kept_under_another_name(bench: Bench) -> None:
    before = keep(bench).read_text(encoding="utf-8")

    said = bench("migrate-state", "--json")

    assert said.code == 0
    assert said.document == {"source": OLD, "destination": NEW, "backup": f"{OLD}.bak"}
    found = files(bench)
    assert list(found) == [f"{OLD}.bak", NEW]
    assert found[f"{OLD}.bak"] == before
    new = json.loads(found[NEW])
    assert (new["version"], new["input"]) == (1, {"kind": "ticket", "data": STATE["ticket"]})
    assert "Grüße" in found[NEW]


def test_without_a_backup_the_old_file_stays_where_it_is(bench: Bench) -> None:
    before = keep(bench).read_text(encoding="utf-8")

    said = bench("migrate-state", "--no-backup", "--json")

    assert said.document == {"source": OLD, "destination": NEW, "backup": None}
    assert list(files(bench)) == [OLD, NEW]
    assert files(bench)[OLD] == before


def test_source_destination_and_root_can_be_named(bench: Bench) -> None:
    (bench.root / "old").mkdir()
    keep(bench, name=f"old/{OLD}")
    keep(bench, name="other.json")

    named = bench("migrate-state", "other.json", "--destination", "old/v1.json", "--json")
    rooted = bench("migrate-state", "-C", "old", "--json")

    assert named.document == {
        "source": "other.json",
        "destination": "old/v1.json",
        "backup": "other.json.bak",
    }
    assert rooted.document["destination"] == f"old/{NEW}"
    assert sorted(path.name for path in (bench.root / "old").iterdir()) == [f"{OLD}.bak", NEW, "v1.json"]


def test_the_new_file_can_be_read_by_whom_the_old_one_could(bench: Bench) -> None:
    """A state file holds tickets; making it readable for all would give them away."""
    keep(bench).chmod(0o600)

    bench("migrate-state")

    assert (bench.root / NEW).stat().st_mode & 0o777 == 0o600


def test_backups_count_up_and_none_is_written_over(bench: Bench) -> None:
    for n in range(3):
        keep(bench, {"ticket": {"n": n}})
        assert bench("migrate-state").code == 0
        (bench.root / NEW).unlink()

    kept = {name: json.loads(text)["ticket"]["n"] for name, text in files(bench).items()}
    assert kept == {f"{OLD}.bak": 0, f"{OLD}.bak.1": 1, f"{OLD}.bak.2": 2}


def test_when_every_name_for_a_backup_is_taken_nothing_is_written(bench: Bench) -> None:
    keep(bench)
    for name in (f"{OLD}.bak", *(f"{OLD}.bak.{n}" for n in range(1, 1000))):
        (bench.root / name).touch()

    refused(bench("migrate-state", "--json"), "state-backups-full")

    assert not (bench.root / NEW).exists()
    assert (bench.root / OLD).exists()
    assert bench("migrate-state", "--no-backup").code == 0


def test_another_state_at_the_destination_is_never_written_over(bench: Bench) -> None:
    keep(bench)
    keep(bench, {"version": 1, "input": {"kind": "ticket", "data": {}}}, NEW)
    before = files(bench)

    error = refused(bench("migrate-state", "--json"), "state-exists")

    assert "another state" in error["why"]
    assert files(bench) == before


def test_a_second_call_says_that_it_was_done_before(bench: Bench) -> None:
    keep(bench)
    bench("migrate-state")
    before = files(bench)

    error = refused(bench("migrate-state", "--json"), "state-missing")

    assert f"use {NEW}" in error["fix"]
    assert files(bench) == before


def test_a_state_in_version_1_is_left_alone(bench: Bench) -> None:
    keep(bench)
    bench("migrate-state")
    before = files(bench)

    again = bench("migrate-state", NEW, "--json")
    plain = bench("migrate-state", NEW)

    assert (again.code, plain.code) == (0, 0)
    assert again.document == {"source": NEW, "destination": NEW, "backup": None}
    assert "nothing to do" in plain.out
    assert files(bench) == before


def test_version_0_under_the_new_name_is_told_the_commands_that_work(bench: Bench) -> None:
    """Older engines wrote version 0 into the new name too."""
    keep(bench, name=NEW)

    error = refused(bench("migrate-state", NEW, "--json"), "state-exists")

    subprocess.run(error["fix"].partition(" && ")[0], shell=True, cwd=bench.root, check=True)
    assert bench(*error["fix"].partition(" && signoff ")[2].split()).code == 0
    assert list(files(bench)) == [f"{OLD}.bak", NEW]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b'{"ticket": ', "not JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"ticket": {}, "ticket": {}}', "more than once"),
        (b"[]", "no state file"),
        (b'{"version": 2, "ticket": {}}', "version 2"),
        (b'{"ticket": []}', "/ticket"),
        (b'{"ticket": {}, "persona": "boss", "memory": 1}', "(and 1 more)"),
    ],
)
def test_what_is_no_state_is_left_as_it_is(bench: Bench, content: bytes, why: str) -> None:
    (bench.root / OLD).write_bytes(content)

    error = refused(bench("migrate-state", "--json"), "state-invalid")

    assert why in error["why"]
    assert (bench.root / OLD).read_bytes() == content
    assert not (bench.root / NEW).exists()


def test_links_are_not_followed_and_not_replaced(bench: Bench) -> None:
    real = keep(bench, name="real.json")
    (bench.root / OLD).symlink_to("real.json")

    error = refused(bench("migrate-state", "--json"), "file-unreadable")
    assert "symbolic link" in error["why"]

    (bench.root / OLD).unlink()
    keep(bench)
    for target in ("real.json", "nowhere.json"):
        (bench.root / NEW).symlink_to(target)
        error = refused(bench("migrate-state", "--json"), "state-exists")
        assert "symbolic link" in error["why"]
        (bench.root / NEW).unlink()
    assert json.loads(real.read_text(encoding="utf-8")) == STATE
    assert (bench.root / OLD).exists()


def test_what_is_no_file_is_named_as_what_it_is(bench: Bench) -> None:
    (bench.root / "folder").mkdir()
    os.mkfifo(bench.root / "pipe")
    keep(bench)

    refused(bench("migrate-state", "folder", "--json"), "file-unreadable")
    refused(bench("migrate-state", "pipe", "--json"), "file-unreadable")
    refused(bench("migrate-state", "nowhere.json", "--json"), "state-missing")
    refused(bench("migrate-state", "nowhere/x.json", "--json"), "state-missing")
    assert (
        "a folder"
        in refused(bench("migrate-state", "--destination", "folder", "--json"), "state-exists")["why"]
    )
    refused(bench("migrate-state", "--destination", "nowhere/v1.json", "--json"), "file-unwritable")
    assert (bench.root / OLD).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_left_alone(bench: Bench) -> None:
    keep(bench).chmod(0)

    refused(bench("migrate-state", "--json"), "file-unreadable")


def cut_off(bench: Bench, link: int) -> None:
    """Run the command and have it die, as by a power cut, before its n-th change of a name."""
    code = (
        "import os, sys\n"
        "link, calls = os.link, []\n"
        "def cut(*words, **more):\n"
        "    calls.append(words)\n"
        f"    if len(calls) == {link}:\n"
        "        os._exit(9)\n"
        "    link(*words, **more)\n"
        "os.link = cut\n"
        "from signoff.__main__ import main\n"
        "main(['migrate-state'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=bench.root, env=bench.env, capture_output=True, check=False
    )
    assert done.returncode == 9, done.stderr


def test_killed_before_the_new_file_has_its_name_nothing_has_happened(bench: Bench) -> None:
    before = keep(bench).read_text(encoding="utf-8")

    cut_off(bench, 1)

    assert not (bench.root / NEW).exists()
    assert files(bench)[OLD] == before
    assert bench("migrate-state").code == 0


def test_killed_before_the_old_file_is_renamed_the_next_call_says_how_to_finish(bench: Bench) -> None:
    before = keep(bench).read_text(encoding="utf-8")

    cut_off(bench, 2)
    error = refused(bench("migrate-state", "--json"), "state-exists")

    assert json.loads(files(bench)[NEW])["version"] == 1
    assert files(bench)[OLD] == before
    subprocess.run(error["fix"].partition(";")[0], shell=True, cwd=bench.root, check=True)
    assert files(bench)[f"{OLD}.bak"] == before
    assert list(files(bench)) == [f"{OLD}.bak", NEW]


def test_of_several_at_once_one_migrates_and_the_others_are_told(bench: Bench) -> None:
    keep(bench)
    words = [sys.executable, "-m", "signoff", "migrate-state", "--json"]
    started = [
        subprocess.Popen(words, cwd=bench.root, env=bench.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]

    ended = [(process.communicate(timeout=60)[0], process.returncode) for process in started]

    assert sorted(code for _, code in ended) == [0, 2, 2]
    slugs = {json.loads(out)["error"]["slug"] for out, code in ended if code}
    assert slugs == {"state-missing"}
    assert list(files(bench)) == [f"{OLD}.bak", NEW]
