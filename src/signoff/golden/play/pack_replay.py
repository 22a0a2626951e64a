"""Use cases of `signoff golden` on scripted hosts: capture packs, replay them, verify their manifest."""

from collections.abc import Collection, Iterable, Iterator

from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.base.record import Record
from signoff.domain.run.golden import Difference, Pack, Scenario
from signoff.golden.play.playback import play
from signoff.golden.play.stage import LiveStage, RecordedStage, Shelf
from signoff.golden.records.checksums import (
    NAME,
    Drift,
    drifts,
    known,
    read_manifest,
    scenario_of,
    write_manifest,
)
from signoff.golden.records.pack_comparison import compare
from signoff.golden.records.pack_files import UnreadablePackError, as_json, pack_files, read_pack, summary_of
from signoff.golden.records.scenario_files import read_scenario

SUMMARY = "summary.json"
_SCENARIOS, _PACKS = "scenarios/", "packs/"


class ScenarioJudged(Record, frozen=True, kw_only=True, omit_defaults=False):
    """Result of capturing, replaying or verifying one scenario or pinned delivery."""

    id: str
    ok: bool
    differences: tuple[Difference, ...] = ()


def judged_by(name: str, differences: Iterable[Difference]) -> ScenarioJudged:
    """Return the result that is good exactly if there are no differences."""
    found = tuple(differences)
    return ScenarioJudged(id=name, ok=not found, differences=found)


def drift_difference(name: str, drift: Drift) -> Difference:
    """Return a file that is not as the manifest lists it as a difference of `name`."""
    return _difference(name, f"/{drift.name}", drift.before or "not listed", drift.after or "missing")


def refuse_unknown(ids: Iterable[str], known_ids: Collection[str], kind: str) -> None:
    """Raise `golden-unknown` for the first id that is not among the known ones."""
    if unknown := next((name for name in ids if name not in known_ids), None):
        raise UsageError(
            f"there is no {kind} {unknown!r}",
            slug="golden-unknown",
            why=f"known: {', '.join(known_ids)}",
            fix="name one of these",
        )


def capture(shelf: Shelf, ids: tuple[str, ...], stage: LiveStage) -> tuple[ScenarioJudged, ...]:
    """Play scenarios for real, write their packs, and return what differs from the former packs."""
    judged = []
    for scenario in _chosen(shelf, ids):
        with stage(scenario) as live:
            pack = play(live, scenario)
        try:
            before = _pack(shelf, scenario.id)
        except ConfigError:  # a pack that is missing or cannot be read is what a capture replaces
            before = None
        _write_pack(shelf, pack)
        judged.append(
            ScenarioJudged(id=scenario.id, ok=True, differences=compare(before, pack) if before else ())
        )
    _write_index(shelf)
    return tuple(judged)


def replay(shelf: Shelf, ids: tuple[str, ...], stage: RecordedStage) -> tuple[ScenarioJudged, ...]:
    """Play packs again from what was observed, and return every difference that counts."""
    judged = [_replayed(shelf, scenario, stage) for scenario in _chosen(shelf, ids)]
    strays: list[str] = []
    if not ids:
        known = {name.removeprefix(_SCENARIOS).removesuffix(".json") for name in _scenario_files(shelf)}
        packs = (name for name in shelf.names() if name.startswith(_PACKS) and name.count("/") > 1)
        strays = sorted({name.split("/")[1] for name in packs} - known)
    return (
        *judged,
        *(judged_by(name, [_difference(name, "/scenario", "a scenario", "none")]) for name in strays),
    )


def verify(shelf: Shelf) -> tuple[ScenarioJudged, ...]:
    """Compare every file with the manifest, in both directions. Nothing is played."""
    try:
        manifest = read_manifest(shelf.read(NAME))
    except UnreadablePackError as error:
        raise _unreadable(str(error)) from None
    found: dict[str, list[Difference]] = {scenario_of(name): [] for name in manifest}
    for drift in drifts(manifest, _covered(shelf)):
        scenario = scenario_of(drift.name)
        found.setdefault(scenario, []).append(drift_difference(scenario, drift))
    return tuple(judged_by(name, found[name]) for name in sorted(found))


def _replayed(shelf: Shelf, scenario: Scenario, stage: RecordedStage) -> ScenarioJudged:
    name = scenario.id
    if shelf.read(f"{_PACKS}{name}/transcript.json") is None:
        return judged_by(name, [_difference(name, "/pack", "a pack", "never captured")])
    before = _pack(shelf, name)
    if before.scenario != scenario:
        return judged_by(name, [_difference(name, "/scenario", "as captured", "changed since")])
    return judged_by(name, compare(before, play(stage(scenario, before.seen), scenario)))


def _difference(name: str, pointer: str, before: str, after: str) -> Difference:
    return Difference(scenario=name, cycle=0, pointer=pointer, before=before, after=after)


def _chosen(shelf: Shelf, ids: tuple[str, ...]) -> tuple[Scenario, ...]:
    """Return the scenarios that are named, or all. One that cannot be read stops everything."""
    names = [name.removeprefix(_SCENARIOS).removesuffix(".json") for name in _scenario_files(shelf)]
    if not names:
        raise UsageError(
            "there are no scenarios",
            slug="golden-missing",
            why=f"{_SCENARIOS} holds no .json file",
            fix="see docs/reference/golden.md",
        )
    refuse_unknown(ids, names, "scenario")
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


def _pack(shelf: Shelf, name: str) -> Pack:
    try:
        return read_pack(name, lambda path: shelf.read(f"{_PACKS}{name}/{path}"))
    except UnreadablePackError as error:
        raise _unreadable(str(error)) from None


def _write_pack(shelf: Shelf, pack: Pack) -> None:
    place = f"{_PACKS}{pack.scenario.id}/"
    files = pack_files(pack)
    for name in shelf.names():
        if name.startswith(place) and name.removeprefix(place) not in files:
            shelf.remove(name)
    for name, data in files.items():
        shelf.write(place + name, data)


def _write_index(shelf: Shelf) -> None:
    """Write the summary and the manifest of all packs, captured now or before."""
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
