"""Write a pack as files and read it back. Pure, and the same pack makes the same bytes."""

import json
from collections.abc import Callable
from typing import TypeVar

import msgspec

from signoff.domain.run.golden import HaltMarker, Observations, Pack, Scenario, Summary, Transcript

T = TypeVar("T")

TRANSCRIPT = "transcript.json"
HALTS = "halt-markers.json"
EXIT_CODES = "exit-codes.json"
REPORT = "delivery-report.md"
SCENARIO = "fixture/scenario.json"
OBSERVATIONS = "fixture/observations.json"

Read = Callable[[str], bytes | None]


class UnreadablePackError(Exception):
    """A pack that cannot be read, so that nothing can be compared with it."""


def snapshot_name(cycle: int) -> str:
    """Return the name of the state file as it was after a cycle."""
    return f"state-snapshots/cycle-{cycle:02}.json"


def pack_files(pack: Pack) -> dict[str, bytes]:
    """Return the files of a pack by their names."""
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
    """Return a pack from its files, or raise `UnreadablePackError` where one is missing or cannot be read."""
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
    """Return the row of one pack in the summary."""
    cycles = pack.transcript.cycles
    return Summary(
        id=pack.scenario.id,
        description=pack.scenario.description,
        final_outcome=pack.transcript.final_outcome,
        exit_code=cycles[-1].exit_code,
        cycles=len(cycles),
    )


def as_json(value: object) -> bytes:
    """Return a record as indented JSON, so that people can compare two of them."""
    plain = msgspec.to_builtins(value)
    return (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode()


def decoded(path: str, read: Read, kind: type[T], pack: str = "") -> T:
    """Return a file of a pack as a record, or raise `UnreadablePackError`."""
    whose = f"{pack}: " if pack else ""
    data = read(path)
    if data is None:
        raise UnreadablePackError(f"{whose}there is no {path}")
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise UnreadablePackError(f"{whose}{path}: {error}") from None
