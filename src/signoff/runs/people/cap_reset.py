"""Reset a cap of an open run, by a person and on the record."""

from typing import NamedTuple

import msgspec

from signoff.domain.base.caps import Cap
from signoff.domain.base.errors import ConflictError, UsageError, WaitingError
from signoff.domain.base.typed_ids import ClauseId
from signoff.domain.ports import RunFolder
from signoff.domain.run.events import CapReset, How, Index, OverruleRefused
from signoff.engine.run.kit import Kit
from signoff.engine.run.run_log import load, records
from signoff.engine.run_state import State
from signoff.runs.state.flow_choice import is_hosted
from signoff.runs.state.run_views import record_event
from signoff.text.truncation import short

_LONGEST_NAME = 200
_LONGEST_REASON = 2000


class ResetGiven(NamedTuple):
    """A recorded reset and its time."""

    reset: CapReset
    at: str


def reset_cap(kit: Kit, folder: RunFolder, name: str, reason: str, by: str, how: How) -> ResetGiven:
    """Reset one cap of a run that has not ended. Only a person on a terminal can."""
    cap = _named(name)
    if not reason.strip():
        raise UsageError("a reset needs a reason", slug="waiver-no-reason", fix="--reason TEXT")
    _must_be_open(folder, load(folder))
    if how is not How.TERMINAL:
        _refuse(kit, folder, cap, by, how)
    with folder.lock():  # a driver at work has it: what lies in its inbox is relayed, and would not count
        state = load(folder)
        _must_be_open(folder, state)
        event = CapReset(
            name=cap, reason=short(reason.strip(), _LONGEST_REASON), by=short(by, _LONGEST_NAME), how=how
        )
        after = record_event(kit, folder, state, event)
    return ResetGiven(event, after.ts)


def _named(name: str) -> Cap:
    try:
        return Cap(name)
    except ValueError:
        raise UsageError(
            f"there is no cap {name!r}", slug="cap-unknown", why=f"caps: {', '.join(Cap)}", fix="name one"
        ) from None


def _must_be_open(folder: RunFolder, state: State) -> None:
    if is_hosted(state):
        raise ConflictError(
            f"run {folder.run_id} has no cap that could be reset",
            slug="not-a-delivery",
            why="a host drives it with `signoff work`, which repeats nothing by itself",
            fix="where a person may overrule something, the run halts and offers it",
        )
    if state.ended is not None:
        raise ConflictError(
            f"run {folder.run_id} has ended",
            slug="run-ended",
            why=f"it is {state.ended.status}; a cap counts in a run that goes on",
            fix="start a new run: `signoff run TICKET`, or `signoff run --contract FILE` with its contract",
        )
    declared = next((e.event.event_types for e in records(folder) if isinstance(e.event, Index)), ())
    if CapReset.__struct_config__.tag not in declared:
        raise ConflictError(
            f"run {folder.run_id} was begun by a version that knew no resets",
            slug="flow-version",
            why="its journal does not declare such a record",
            fix="start a new run from its contract.json",
        )


def _refuse(kit: Kit, folder: RunFolder, cap: Cap, by: str, how: How) -> None:
    """Keep the attempt on record, as that of a waiver is kept."""
    event = OverruleRefused(clause=ClauseId(f"cap/{cap}"), by=short(by, _LONGEST_NAME), how=how)
    try:
        with folder.lock():
            state = load(folder)
            if state.ended is None:
                record_event(kit, folder, state, event)
    except ConflictError as error:
        if error.slug != "run-locked":
            raise
        folder.drop("overrule", msgspec.json.encode(event))
    raise WaitingError(
        f"the cap {cap} was not reset",
        slug="reset-needs-terminal",
        why="only a person typing on a terminal can reset a cap",
        fix=f"signoff runs reset-cap {folder.run_id} {cap} --reason TEXT, in a terminal",
    )
