"""Read a host's state file against the last one the engine gave out: what is new is a claim.

Whatever is not explained by that is a conflict. An older copy, another input, a persona that changed: going
on would mean to guess which of two truths is meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.events import Claimed
from signoff.domain.run.surveys import StepStatus
from signoff.domain.work.work_state import StateFile, StateFormat, WorkState
from signoff.hosted.flow.flow import survey
from signoff.hosted.state_file.state_file_format import SLICE_KEYS, read_state
from signoff.text.json.canonical import digest
from signoff.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.ports import Blobs, RunFolder
    from signoff.domain.work.work_state import WorkInput
    from signoff.engine.run_state import State

_BY_HOST = ("plan", "changes", "tests", "verify", "memory", "outcomes")
"""What a host writes in every version of the file."""


class WrittenSlice(msgspec.Struct, frozen=True):
    """One part of a state file that a host wrote."""

    name: str
    value: object


def parse(data: bytes, path: str) -> StateFile:
    """Parse a state file. One that cannot be read stops the cycle, and nothing is lost."""
    decoded = read_state(data)
    if decoded.value is None:
        raise ConfigError(
            f"{path} is no state file this version can use",
            slug="state-invalid",
            why="; ".join(f"{v.code} at {v.path or '/'}: {v.message}" for v in decoded.violations[:5]),
            fix="see docs/reference/work-state.md; move the file away to start anew",
        )
    return decoded.value


def news(
    folder: RunFolder, state: State, file: StateFile, data: bytes, path: str
) -> tuple[WrittenSlice, ...]:
    """Return what the host wrote since the engine gave the file out. A conflict is an error."""
    given_out = digest(data)
    if not state.exports or given_out == state.exports[-1]:
        return ()
    if given_out == state.last_read:
        return ()  # the last cycle recorded what it says, and died before it wrote the file anew
    if given_out in state.exports:
        raise _older(path)
    last = parse(folder.blobs.get(state.exports[-1]), path)
    _refuse_foreign(folder, state, file, last, path)
    return tuple(_differences(file, last))


def everything(file: StateFile) -> tuple[WrittenSlice, ...]:
    """Return all parts of a state file that no run is known to have written. All of them are claims."""
    fresh = StateFile(wire=file.wire, state=WorkState(input=file.state.input))
    return tuple(_differences(file, fresh))


def claims(blobs: Blobs, slices: tuple[WrittenSlice, ...], by: str) -> tuple[Claimed, ...]:
    """Make claims of what a host wrote. What looks like a credential is removed first."""
    return tuple(
        Claimed(
            key=EffectKey(item.name),
            answer=blobs.put(redact(msgspec.json.encode(item.value))),
            kind="slice",
            by=by,
        )
        for item in slices
    )


def _differences(file: StateFile, last: StateFile) -> Iterator[WrittenSlice]:
    new, old = file.state, last.state
    if new.input.data != old.input.data:
        yield WrittenSlice("input", new.input.data)
    for name in _BY_HOST:
        if getattr(new, name) != getattr(old, name):
            yield WrittenSlice(name, getattr(new, name))
    if file.wire is StateFormat.V0:
        return
    if new.directive_set is not old.directive_set:
        yield WrittenSlice("directive_set", new.directive_set)
    for name in SLICE_KEYS:
        if getattr(new, name) != getattr(old, name):
            yield WrittenSlice(name, getattr(new, name))


def _refuse_foreign(folder: RunFolder, state: State, file: StateFile, last: StateFile, path: str) -> None:
    new, old = file.state, last.state
    asked = new.questions
    exported = (parse(folder.blobs.get(each), path).state.questions for each in state.exports[:-1])
    if asked != old.questions and asked and asked in exported:
        raise _older(path)
    if new.input.kind is not old.input.kind:
        raise _foreign(path, f"it holds a {new.input.kind}, and the run began with a {old.input.kind}")
    if new.persona is not old.persona:
        raise _foreign(path, f"its persona is {new.persona}, and the run began as {old.persona}")
    refined = survey(state, folder.blobs.get).steps["refine"] is StepStatus.SUCCESS
    if refined and new.input != old.input and _wants(new.input) != _wants(old.input):
        raise _foreign(path, "what is asked for was changed after it was settled")


def _wants(given: WorkInput) -> object:
    from signoff.intake.refinement.envelopes import read_input  # loaded only if the input was edited

    return read_input(given.kind, given.data)


def _older(path: str) -> ConflictError:
    return ConflictError(
        f"{path} is an older copy",
        slug="state-older",
        why="the run went on since it was written; its journal is the truth",
        fix="signoff status shows where the run stands; move the file away to start anew",
    )


def _foreign(path: str, why: str) -> ConflictError:
    return ConflictError(
        f"{path} does not belong to the run it is linked to",
        slug="state-foreign",
        why=why,
        fix="undo that edit, or move the file away to start a new run",
    )


def refuse_other_input(given: WorkInput, had: WorkInput, path: str) -> None:
    """Raise if something new is asked for while a state file still holds something else."""
    from signoff.hosted.exchange.hosted_start import is_same

    if not is_same(given, had):
        raise ConflictError(
            f"{path} holds another {had.kind} already",
            slug="input-conflict",
            why="one state file is one piece of work",
            fix="leave the input out to go on with it, or give another --state-file",
        )
