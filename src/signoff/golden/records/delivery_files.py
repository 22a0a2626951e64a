"""Pinned deliveries: their files, how a run ended, and how two ends differ. Pure."""

from collections.abc import Iterator
from typing import TypeVar

import msgspec

from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.golden import Difference
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Captured,
    Checked,
    Delegated,
    Interrupted,
    MergeConflicted,
    Merged,
    Outcome,
    Sealed,
    TestsLaid,
    WorkSeen,
)
from signoff.domain.run.pinned_deliveries import (
    DeliveryAbout,
    DeliveryEnd,
    DeliveryPack,
    EffectCame,
    OpenedHalt,
)
from signoff.domain.run.surveys import Survey
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.replay_clock import unusable_start
from signoff.engine.run_state import State
from signoff.engine.run_summary import exit_code, outcome_of
from signoff.golden.records.pack_files import Read, UnreadablePackError, as_json, decoded

T = TypeVar("T")

ABOUT = "delivery.json"
_CASSETTE, _TICKET, _SETTINGS = "cassette.json", "ticket.json", "settings.json"
_BUNDLE, EXPECTED, _CONTRACT = "base.bundle", "expected.json", "contract.json"


# --- files ---


def delivery_files(pack: DeliveryPack) -> dict[str, bytes]:
    """Return the files of a pack by their names."""
    given = {_CONTRACT: pack.contract} if pack.contract else {}
    return {
        **given,
        ABOUT: as_json(pack.about),
        _CASSETTE: msgspec.json.format(msgspec.json.encode(pack.cassette), indent=2) + b"\n",
        _TICKET: as_json(pack.ticket),
        _SETTINGS: as_json(pack.settings),
        _BUNDLE: pack.bundle,
        EXPECTED: as_json(pack.expected),
    }


def read_delivery(read: Read) -> DeliveryPack:
    """Return a pack from its files, or raise `UnreadablePackError` where one is missing or cannot be read."""
    bundle = read(_BUNDLE)
    if bundle is None:
        raise UnreadablePackError(f"there is no {_BUNDLE}")
    cassette = decoded(_CASSETTE, read, Cassette)
    if wrong := unusable_start(cassette.started_at):
        raise UnreadablePackError(f"{_CASSETTE}: started_at {wrong}")
    return DeliveryPack(
        about=decoded(ABOUT, read, DeliveryAbout),
        cassette=cassette,
        ticket=decoded(_TICKET, read, Ticket),
        settings=decoded(_SETTINGS, read, Settings),
        bundle=bundle,
        expected=decoded(EXPECTED, read, DeliveryEnd),
        contract=read(_CONTRACT) or b"",
    )


# --- how a run ended ---


def end_of(state: State, found: Survey) -> DeliveryEnd:
    """Return how a run ended, as far as a replay must reproduce it."""
    halts = found.halts if state.ended is None else ()
    outcome = outcome_of(state, halts)
    rows = found.verdict.clauses if found.verdict is not None and state.ended is not None else ()
    return DeliveryEnd(
        outcome=outcome,
        exit_code=exit_code(outcome, halts),
        final=state.ended.final if state.ended is not None else None,
        clauses={row.clause: str(row.standing) for row in rows},
        halts=tuple(sorted((OpenedHalt(id=h.id, code=str(h.code)) for h in halts), key=lambda h: h.id)),
        effects=tuple(
            EffectCame(key=key, do=state.intents[key].do, came=_came(state, key, state.done[key]))
            for key in sorted(state.done)
            if key in state.intents
        ),
    )


def _came(state: State, key: EffectKey, outcome: Outcome) -> str:
    """Describe the outcome of an effect: bodies and trees by their ids, without prose and times."""
    match outcome:
        case Checked(observation=seen):
            return f"{seen.result} on {seen.place} {seen.tree}"
        case AgentAnswered(kind=kind):
            return f"answered {kind}"
        case Delegated():
            claim = state.claims.get(key)  # a replay has no host: its answer comes at once
            return "delegated" if claim is None else f"answered {claim.kind}"
        case AgentFailed():
            return f"failed {outcome.failure_class or outcome.failure}"
        case Interrupted():
            return "interrupted"
        case Captured():
            found = sorted({finding.code for finding in outcome.findings})
            return " ".join((outcome.tree, *found, *(str(problem.kind) for problem in outcome.problems)))
        case Merged() | TestsLaid():
            return outcome.tree
        case MergeConflicted():
            return "conflicts in " + ", ".join(outcome.conflicts)
        case Sealed():
            return outcome.contract
        case WorkSeen():
            raise AssertionError("a delivery works in checkouts of its own")
        case _:
            return ""


# --- how two ends differ ---


def differences(name: str, before: DeliveryEnd, after: DeliveryEnd) -> tuple[Difference, ...]:
    """Return every difference between a replay and what was pinned, the most telling first."""
    found = [(f"/{field}", was, now) for field, was, now in _fields(before, after) if was != now]
    found += _maps("/clauses", dict(before.clauses), dict(after.clauses))
    found += _maps("/halts", {h.id: h.code for h in before.halts}, {h.id: h.code for h in after.halts})
    found += _maps("/effects", _effects(before), _effects(after))
    return tuple(
        Difference(scenario=name, cycle=0, pointer=pointer, before=was, after=now)
        for pointer, was, now in found
    )


def _fields(before: DeliveryEnd, after: DeliveryEnd) -> Iterator[tuple[str, str, str]]:
    yield "outcome", before.outcome, after.outcome
    yield "exit_code", str(before.exit_code), str(after.exit_code)
    yield "final", before.final or "none", after.final or "none"


def _effects(end: DeliveryEnd) -> dict[EffectKey, str]:
    return {each.key: f"{each.do} {each.came}".rstrip() for each in end.effects}


def _maps(pointer: str, before: "dict[T, str]", after: "dict[T, str]") -> "list[tuple[str, str, str]]":
    names = dict.fromkeys((*before, *after))
    return [
        (f"{pointer}/{name}", before.get(name, "none"), after.get(name, "none"))
        for name in names
        if before.get(name) != after.get(name)
    ]
