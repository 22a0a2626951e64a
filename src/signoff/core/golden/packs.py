"""A pack as files, and the files as a pack. Pure; the same pack gives the same bytes."""

import json
from collections.abc import Callable
from typing import TypeVar

import msgspec

from signoff.domain.golden import (
    HaltMarker,
    Observations,
    Pack,
    Scenario,
    Summary,
    Transcript,
)

T = TypeVar("T")

TRANSCRIPT = "transcript.json"
HALTS = "halt-markers.json"
EXIT_CODES = "exit-codes.json"
REPORT = "delivery-report.md"
SCENARIO = "fixture/scenario.json"
OBSERVATIONS = "fixture/observations.json"

Read = Callable[[str], bytes | None]


class UnreadablePackError(Exception):
    """A pack that cannot be read; nothing can be compared with it."""


def snapshot_name(cycle: int) -> str:
    """Name the state file as it was after a cycle."""
    return f"state-snapshots/cycle-{cycle:02}.json"


def pack_files(pack: Pack) -> dict[str, bytes]:
    """Give the files of a pack by their names."""
    files = {
        TRANSCRIPT: as_json(pack.transcript),
        HALTS: as_json(pack.halts),
        EXIT_CODES: as_json([cycle.exit_code for cycle in pack.transcript.cycles]),
        REPORT: pack.report.encode(),
        SCENARIO: as_json(pack.scenario),
        OBSERVATIONS: as_json(pack.seen),
    }
    for cycle, snapshot in enumerate(pack.snapshots, start=1):
        if snapshot is not None:
            files[snapshot_name(cycle)] = snapshot
    return files


def read_pack(name: str, read: Read) -> Pack:
    """Give a pack from its files; one that is missing or cannot be read is an `UnreadablePackError`."""
    transcript = decoded(TRANSCRIPT, read, Transcript, name)
    report = read(REPORT)
    codes = decoded(EXIT_CODES, read, tuple[int, ...], name)
    if report is None:
        raise UnreadablePackError(f"{name} has no {REPORT}")
    if codes != tuple(cycle.exit_code for cycle in transcript.cycles):
        raise UnreadablePackError(f"{name}: {EXIT_CODES} and {TRANSCRIPT} do not agree")
    return Pack(
        scenario=decoded(SCENARIO, read, Scenario, name),
        transcript=transcript,
        snapshots=tuple(read(snapshot_name(n)) for n in range(1, len(transcript.cycles) + 1)),
        halts=decoded(HALTS, read, tuple[HaltMarker, ...], name),
        report=report.decode("utf-8", "replace"),
        seen=decoded(OBSERVATIONS, read, Observations, name),
    )


def summary_of(pack: Pack) -> Summary:
    """Give the row of one pack."""
    cycles = pack.transcript.cycles
    return Summary(
        id=pack.scenario.id,
        description=pack.scenario.description,
        final_outcome=pack.transcript.final_outcome,
        exit_code=cycles[-1].exit_code,
        cycles=len(cycles),
    )


def as_json(value: object) -> bytes:
    """Give a record as a page that people can compare."""
    plain = msgspec.to_builtins(value)
    return (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode()


def decoded(path: str, read: Read, kind: type[T], pack: str = "") -> T:
    """Give a file of a pack as a record; what is missing or something else makes the pack unreadable."""
    whose = f"{pack}: " if pack else ""
    data = read(path)
    if data is None:
        raise UnreadablePackError(f"{whose}there is no {path}")
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise UnreadablePackError(f"{whose}{path}: {error}") from None
