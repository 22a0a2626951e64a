"""Whatever is changed beside a finished journal is noticed: every leaf of the certificate, every file."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench

from signoff.runs.inspect.certificate_check import verify
from signoff.runs.inspect.run_list import find
from signoff.wiring import build


@pytest.fixture(scope="module")
def copied(delivered: Bench, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A signed-off run that may be touched, as long as it is put back."""
    root = tmp_path_factory.mktemp("touched") / "repo"
    shutil.copytree(delivered.root, root, symlinks=True)
    return Bench(root, delivered.home)


def only_run(bench: Bench) -> Path:
    (run,) = (bench.root / ".signoff" / "runs").glob("0*")
    return run


def found(bench: Bench) -> list[str]:
    kit = build(str(bench.root))
    return [violation.code for violation in verify(kit, find(kit))]


def named(run: Path) -> list[Path]:
    """Give the blobs that the journal names."""
    journal = (run / "journal.jsonl").read_text()
    return [file for file in run.glob("blobs/*") if f"sha256:{file.name}" in journal]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from leaves(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from leaves(child, (*path, index))
    else:
        yield path


def changed(document: Any, path: tuple[Any, ...]) -> Any:
    """Give a copy of the document with one leaf changed."""
    copy = json.loads(json.dumps(document))
    *parents, last = path
    place = copy
    for step in parents:
        place = place[step]
    old = place[last]
    place[last] = not old if isinstance(old, bool) else old + 1 if isinstance(old, int) else f"{old}x"
    return copy


def test_untouched_it_verifies(copied: Bench) -> None:
    assert found(copied) == []


def test_every_changed_leaf_of_the_certificate_is_noticed(copied: Bench) -> None:
    file = only_run(copied) / "certificate.json"
    whole = file.read_bytes()
    document = json.loads(whole)
    unnoticed = []
    for path in leaves(document):
        file.write_text(json.dumps(changed(document, path), indent=2) + "\n")
        if not found(copied):
            unnoticed.append(path)
    file.write_bytes(whole)

    assert unnoticed == []


@pytest.mark.parametrize(
    "forged",
    [
        lambda whole: whole + b"\n",
        lambda whole: whole.replace(b'"_type"', b'"approved_by": "everybody", "_type"', 1),
        lambda whole: whole.replace(b'"predicate": {', b'"predicate": {}, "predicate": {', 1),
        lambda _whole: b"{}",
        lambda _whole: b"",
    ],
)
def test_a_certificate_with_other_bytes_is_noticed(forged: Any, copied: Bench) -> None:
    file = only_run(copied) / "certificate.json"
    whole = file.read_bytes()
    file.write_bytes(forged(whole))

    violations = found(copied)

    file.write_bytes(whole)
    assert violations


def test_every_receipt_and_every_blob_is_missed_and_known_by_its_bytes(copied: Bench) -> None:
    run = only_run(copied)
    unnoticed = []
    # What `--rerun` of another test left is no part of the sign-off.
    receipts = [file for file in run.glob("receipts/*.json") if not file.name.startswith("rerun.")]
    for file in sorted((*receipts, *named(run), run / "contract.json")):
        whole = file.read_bytes()
        file.write_bytes(whole.replace(b"pass", b"fail") if b"pass" in whole else whole + b" ")
        noticed = bool(found(copied))
        file.unlink()
        noticed = noticed and bool(found(copied))
        file.write_bytes(whole)
        if not noticed:
            unnoticed.append(file.name)

    assert unnoticed == []


def test_a_run_under_another_name_is_noticed(copied: Bench) -> None:
    run = only_run(copied)
    other = run.with_name(run.name[:-1] + ("0" if run.name[-1] != "0" else "1"))
    run.rename(other)

    violations = found(copied)

    other.rename(run)
    assert violations == ["run-renamed"]


def test_a_journal_that_lost_its_end_is_noticed_without_any_view(copied: Bench) -> None:
    run = only_run(copied)
    journal, view = run / "journal.jsonl", run / "state.json"
    lines, state = journal.read_bytes().splitlines(keepends=True), view.read_bytes()
    view.unlink()
    unnoticed = []
    for cut in range(1, 6):
        journal.write_bytes(b"".join(lines[:-cut]))
        if not found(copied):
            unnoticed.append(cut)
    journal.write_bytes(b"".join(lines))
    view.write_bytes(state)

    assert unnoticed == []
