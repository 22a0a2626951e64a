"""Capture packs, replay them, verify their manifest: what `signoff golden` does."""

from collections.abc import Iterable, Iterator

from signoff.app.golden.playing import play
from signoff.app.golden.stage import LiveStage, RecordedStage, Shelf
from signoff.core.golden.comparing import compare
from signoff.core.golden.manifest import (
    NAME,
    UnreadableManifestError,
    drifts,
    known,
    read_manifest,
    scenario_of,
    write_manifest,
)
from signoff.core.golden.packs import UnreadablePackError, as_json, pack_files, read_pack, summary_of
from signoff.core.golden.scenarios import read_scenario
from signoff.domain.errors import ConfigError, UsageError
from signoff.domain.golden import Difference, Pack, Scenario
from signoff.domain.record import Record

SUMMARY = "summary.json"
_SCENARIOS, _PACKS = "scenarios/", "packs/"


class Judged(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What became of one scenario."""

    id: str
    ok: bool
    differences: tuple[Difference, ...] = ()


def capture(shelf: Shelf, ids: tuple[str, ...], stage: LiveStage) -> tuple[Judged, ...]:
    """Play scenarios for real and write their packs; give what differs from the packs that were there."""
    judged = []
    for scenario in _chosen(shelf, ids):
        with stage(scenario) as live:
            pack = play(live, scenario)
        before = _former(shelf, scenario.id)
        _write_pack(shelf, pack)
        judged.append(Judged(id=scenario.id, ok=True, differences=compare(before, pack) if before else ()))
    _write_index(shelf)
    return tuple(judged)


def replay(shelf: Shelf, ids: tuple[str, ...], stage: RecordedStage) -> tuple[Judged, ...]:
    """Play packs again from what was observed; give every difference that counts."""
    judged = [_replayed(shelf, scenario, stage) for scenario in _chosen(shelf, ids)]
    strays = () if ids else tuple(_without_scenario(shelf))
    return (*judged, *(_judged(name, [_note(name, "/scenario", "a scenario", "none")]) for name in strays))


def verify(shelf: Shelf) -> tuple[Judged, ...]:
    """Hold every file against the manifest, in both directions; nothing is played."""
    data = shelf.read(NAME)
    if data is None:
        raise _unreadable(f"there is no {NAME}")
    try:
        manifest = read_manifest(data)
    except UnreadableManifestError as error:
        raise _unreadable(str(error)) from None
    found: dict[str, list[Difference]] = {scenario_of(name): [] for name in manifest}
    for drift in drifts(manifest, _covered(shelf)):
        scenario = scenario_of(drift.name)
        difference = _note(scenario, f"/{drift.name}", drift.before or "not listed", drift.after or "missing")
        found.setdefault(scenario, []).append(difference)
    return tuple(_judged(name, found[name]) for name in sorted(found))


def _replayed(shelf: Shelf, scenario: Scenario, stage: RecordedStage) -> Judged:
    name = scenario.id
    if shelf.read(f"{_PACKS}{name}/transcript.json") is None:
        return _judged(name, [_note(name, "/pack", "a pack", "never captured")])
    before = _pack(shelf, name)
    if before.scenario != scenario:
        return _judged(name, [_note(name, "/scenario", "as captured", "changed since")])
    return _judged(name, compare(before, play(stage(scenario, before.seen), scenario)))


def _judged(name: str, differences: Iterable[Difference]) -> Judged:
    found = tuple(differences)
    return Judged(id=name, ok=not found, differences=found)


def _note(name: str, pointer: str, before: str, after: str) -> Difference:
    return Difference(scenario=name, cycle=0, pointer=pointer, before=before, after=after)


def _chosen(shelf: Shelf, ids: tuple[str, ...]) -> tuple[Scenario, ...]:
    """Give the scenarios that are named, or all; one that cannot be read stops everything."""
    names = [name.removeprefix(_SCENARIOS).removesuffix(".json") for name in _scenario_files(shelf)]
    if not names:
        raise UsageError(
            "there are no scenarios",
            slug="golden-missing",
            why=f"{_SCENARIOS} holds no .json file",
            fix="see docs/reference/golden.md",
        )
    if unknown := [name for name in ids if name not in names]:
        raise UsageError(
            f"there is no scenario {unknown[0]!r}",
            slug="golden-unknown",
            why=f"known: {', '.join(names)}",
            fix="name one of these",
        )
    return tuple(_scenario(shelf, name) for name in names if not ids or name in ids)


def _scenario_files(shelf: Shelf) -> Iterator[str]:
    for name in shelf.names():
        if name.startswith(_SCENARIOS) and name.endswith(".json") and name.count("/") == 1:
            yield name


def _scenario(shelf: Shelf, name: str) -> Scenario:
    read = read_scenario(shelf.read(f"{_SCENARIOS}{name}.json") or b"", name)
    if isinstance(read, Scenario):
        return read
    raise _unreadable(f"{_SCENARIOS}{name}.json: {'; '.join(read[:5])}")


def _without_scenario(shelf: Shelf) -> Iterator[str]:
    known_names = {name.removeprefix(_SCENARIOS).removesuffix(".json") for name in _scenario_files(shelf)}
    found = {name.split("/")[1] for name in shelf.names() if name.startswith(_PACKS) and name.count("/") > 1}
    yield from sorted(found - known_names)


def _pack(shelf: Shelf, name: str) -> Pack:
    try:
        return read_pack(name, lambda path: shelf.read(f"{_PACKS}{name}/{path}"))
    except UnreadablePackError as error:
        raise _unreadable(str(error)) from None


def _former(shelf: Shelf, name: str) -> Pack | None:
    """Give the pack that is there; one that cannot be read is replaced, that is what a capture is for."""
    try:
        return read_pack(name, lambda path: shelf.read(f"{_PACKS}{name}/{path}"))
    except UnreadablePackError:
        return None


def _write_pack(shelf: Shelf, pack: Pack) -> None:
    place = f"{_PACKS}{pack.scenario.id}/"
    files = pack_files(pack)
    for name in shelf.names():
        if name.startswith(place) and name.removeprefix(place) not in files:
            shelf.remove(name)
    for name, data in files.items():
        shelf.write(place + name, data)


def _write_index(shelf: Shelf) -> None:
    """Write the summary and the manifest of everything that is there."""
    rows = [
        summary_of(_pack(shelf, scenario.id))
        for scenario in _chosen(shelf, ())
        if shelf.read(f"{_PACKS}{scenario.id}/transcript.json") is not None
    ]
    shelf.write(SUMMARY, as_json(rows))
    shelf.write(NAME, write_manifest(_covered(shelf)))


def _covered(shelf: Shelf) -> dict[str, bytes]:
    return {name: shelf.read(name) or b"" for name in known(shelf.names())}


def _unreadable(why: str) -> ConfigError:
    return ConfigError(
        "the golden transcripts cannot be read",
        slug="golden-unreadable",
        why=why,
        fix="restore the file, or capture again: signoff golden capture DIR",
    )
