"""Make a cassette of a run: what each dispatch answered and did to the files, and in which order."""

import msgspec

from signoff.app.kit import Kit
from signoff.app.mailbox import answer_to
from signoff.app.runlog import records
from signoff.core.state import State
from signoff.domain.cassettes import Cassette, CassetteAnswer, CassetteEntry
from signoff.domain.events import Answered, Done
from signoff.domain.ids import Digest, EffectKey
from signoff.domain.outcomes import AgentAnswered, Captured, Delegated
from signoff.domain.ports import RunFolder


def record_cassette(kit: Kit, folder: RunFolder, state: State) -> Cassette:
    """Give the cassette of a run so far; dispatches that failed or were interrupted are left out."""
    order: list[str] = []
    for entry in records(folder):
        match entry.event:
            case Done():
                order.append(entry.event.key)
            case Answered():
                order.append(answer_to(entry.event.halt))
            case _:
                pass
    entries = tuple(
        CassetteEntry(key=key, answer=msgspec.Raw(folder.blobs.get(answer)), patch=_patch(kit, state, key))
        for key, answer in _answers(state)
    )
    return Cassette(
        version=1,
        name=f"recorded from run {folder.run_id}",
        entries=entries,
        answers=tuple(CassetteAnswer(halt=a.halt, answer=a.answer) for a in state.answers.values()),
        order=tuple(order),
    )


def encode_cassette(cassette: Cassette) -> bytes:
    """Give a cassette as it lies on disk."""
    return msgspec.json.format(msgspec.json.encode(cassette), indent=2) + b"\n"


def _answers(state: State) -> list[tuple[EffectKey, Digest]]:
    found: list[tuple[EffectKey, Digest]] = []
    for key, outcome in state.done.items():
        if isinstance(outcome, AgentAnswered):
            found.append((key, outcome.answer))
        elif isinstance(outcome, Delegated) and key in state.claims:
            found.append((key, state.claims[key].answer))
    return found


def _patch(kit: Kit, state: State, key: EffectKey) -> str:
    captured = state.done.get(EffectKey(f"{key}/capture"))
    if not isinstance(captured, Captured):
        return ""
    parent = kit.repository.parent_of(captured.commit)
    return kit.repository.patch(kit.repository.tree_of(parent), captured.tree)
