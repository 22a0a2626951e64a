"""Use cases of pinned deliveries: pin a run as a pack that can be played anywhere, and play such packs."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

import msgspec

from signoff.domain.base.errors import ConfigError, ConflictError, UsageError
from signoff.domain.ports import RunFolder
from signoff.domain.run.directives import RawPlanProposed
from signoff.domain.run.golden import Difference
from signoff.domain.run.pinned_deliveries import DeliveryAbout, DeliveryEnd, DeliveryPack
from signoff.domain.run.surveys import Survey
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.domain.work.work_state import Persona
from signoff.engine.run.kit import Kit
from signoff.engine.run_state import State
from signoff.golden.play.pack_replay import ScenarioJudged, drift_difference, judged_by, refuse_unknown
from signoff.golden.play.stage import Shelf
from signoff.golden.records.checksums import NAME, drifts, read_manifest, write_manifest
from signoff.golden.records.delivery_files import ABOUT, delivery_files, differences, end_of, read_delivery
from signoff.golden.records.pack_files import UnreadablePackError
from signoff.judges.secrets.recording_scrub import scrub_json
from signoff.runs.drive.cassette_recorder import record_cassette
from signoff.runs.drive.run_drive import resume
from signoff.runs.drive.run_start import Rehearsed, RunRequest, start

Rehearsal = Callable[[DeliveryPack], AbstractContextManager[Kit]]
"""Lays the base of a pack out in a throwaway repository, and yields its ports."""

_PLAYABLE = ("signed-off", "refused", "could-not-be-judged", "planned", "waiting")


class PinnedPack(NamedTuple):
    """A pack that was written, and whether it can be played."""

    end: DeliveryEnd
    differences: tuple[Difference, ...]
    """Between the run and a replay of it, made at once."""
    notes: tuple[str, ...]


def pin(
    kit: Kit, folder: RunFolder, state: State, found: Survey, shelf: Shelf, stage: Rehearsal
) -> PinnedPack:
    """Write the pack of a run that ended or waits, and compare it with one replay."""
    end = end_of(state, found)
    if end.outcome not in _PLAYABLE or state.start is None:
        raise ConflictError(
            f"run {folder.run_id} is {end.outcome}",
            slug="pin-unfinished",
            why="only what came to its end, or waits for an answer, can be played to the same place",
            fix=f"signoff runs resume {folder.run_id}, then pin it",
        )
    if shelf.names():
        raise UsageError(
            "the folder for the pack is not empty", slug="pin-not-empty", fix="name a new folder"
        )
    cassette = record_cassette(kit, folder, state)
    settings = msgspec.json.decode(folder.blobs.get(state.start.settings), type=Settings)
    secrets = kit.credentials(settings.agent.env)
    ticket = scrub_json(folder.blobs.get(state.start.ticket), secrets)
    given = b""  # a planner was asked for the contract
    if state.start.proposal is not None:
        proposal = folder.blobs.get(state.start.proposal)
        given = bytes(msgspec.json.decode(proposal, type=RawPlanProposed).contract)
    pack = DeliveryPack(
        about=DeliveryAbout(
            version=1,
            run_id=folder.run_id,
            engine_version=state.start.engine_version,
            base_tree=state.start.base_tree,
            approve_plan=state.start.approve_plan,
            budget=state.start.budget,
            persona=Persona(state.start.persona),
            only_plan=state.start.only_plan,
            approved_by=state.start.approved_by,
            notes=cassette.notes,
        ),
        cassette=cassette,
        ticket=msgspec.json.decode(ticket, type=Ticket),
        settings=settings,
        bundle=kit.repository.bundle(state.start.base_tree),
        expected=end,
        contract=scrub_json(given, secrets),
    )
    played = _play(pack, stage)
    if cassette.notes:  # other files, so other trees: what is pinned is what the scrubbed recording gives
        pack = pack._replace(expected=played)
    _write(shelf, "", pack)
    return PinnedPack(pack.expected, differences(folder.run_id, pack.expected, played), cassette.notes)


def is_delivery(shelf: Shelf) -> bool:
    """Check whether a folder holds pinned deliveries rather than scenarios of hosts."""
    return bool(_places(shelf))


def replay(shelf: Shelf, ids: tuple[str, ...], stage: Rehearsal) -> tuple[ScenarioJudged, ...]:
    """Play packs in throwaway repositories and return every difference that counts."""
    return tuple(judged_by(_id(place), _replayed(shelf, place, stage)) for place in _chosen(shelf, ids))


def accept(shelf: Shelf, ids: tuple[str, ...], stage: Rehearsal) -> tuple[ScenarioJudged, ...]:
    """Play packs, record their end as the expected one, and return what differs from before."""
    judged = []
    for place in _chosen(shelf, ids):
        pack = _read(shelf, place)
        played = _play(pack, stage)
        _write(shelf, place, pack._replace(expected=played))
        found = differences(_id(place), pack.expected, played)
        judged.append(ScenarioJudged(id=_id(place), ok=True, differences=found))
    return tuple(judged)


def verify(shelf: Shelf) -> tuple[ScenarioJudged, ...]:
    """Compare the files of each pack with its manifest. Nothing is played."""
    return tuple(judged_by(_id(place), _drifts(shelf, place)) for place in _places(shelf))


def _play(pack: DeliveryPack, stage: Rehearsal) -> DeliveryEnd:
    with stage(pack) as kit:
        wanted = RunRequest(
            ticket=pack.ticket,
            cassette=pack.cassette,
            approve_plan=pack.about.approve_plan,
            rehearsed=Rehearsed(pack.settings, pack.about.budget, pack.about.approved_by),
            persona=pack.about.persona,
            only_plan=pack.about.only_plan,
            contract=pack.contract,
        )
        state, found = resume(kit, start(kit, wanted).folder)
        return end_of(state, found)


def _replayed(shelf: Shelf, place: str, stage: Rehearsal) -> tuple[Difference, ...]:
    pack = _read(shelf, place)
    return differences(_id(place), pack.expected, _play(pack, stage))


def _read(shelf: Shelf, place: str) -> DeliveryPack:
    try:
        return read_delivery(lambda name: shelf.read(place + name))
    except UnreadablePackError as error:
        raise _unreadable(f"{_id(place)}: {error}") from None


def _write(shelf: Shelf, place: str, pack: DeliveryPack) -> None:
    files = delivery_files(pack)
    for name, data in files.items():
        shelf.write(place + name, data)
    shelf.write(place + NAME, write_manifest(files))


def _places(shelf: Shelf) -> list[str]:
    """Return the folder of each pack with its slash, empty for a pack that is the folder itself."""
    return [name.removesuffix(ABOUT) for name in shelf.names() if name == ABOUT or name.endswith(f"/{ABOUT}")]


def _id(place: str) -> str:
    return place.rstrip("/") or "the pack"


def _chosen(shelf: Shelf, ids: tuple[str, ...]) -> list[str]:
    places = _places(shelf)
    refuse_unknown(ids, [_id(place) for place in places if place], "pack")
    return [place for place in places if not ids or _id(place) in ids]


def _drifts(shelf: Shelf, place: str) -> Iterator[Difference]:
    try:
        manifest = read_manifest(shelf.read(place + NAME))
    except UnreadablePackError as error:
        raise _unreadable(f"{_id(place)}: {error}") from None
    inside = (name for name in shelf.names() if name.startswith(place) and name != place + NAME)
    files = {name.removeprefix(place): shelf.read(name) or b"" for name in inside}
    yield from (drift_difference(_id(place), drift) for drift in drifts(manifest, files))


def _unreadable(why: str) -> ConfigError:
    return ConfigError(
        "the pinned delivery cannot be read",
        slug="golden-unreadable",
        why=why,
        fix="restore the file, or pin the run again: signoff runs pin RUN DIR",
    )
