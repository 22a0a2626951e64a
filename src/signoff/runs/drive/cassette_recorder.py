"""Make a cassette of a run: what each dispatch answered and did to the files, and in which order.

Whatever happened is in it, failures and interruptions too, so that a replay takes the same path. Credentials
are not: those that were passed to the agent by name, and everything shaped like one.
"""

from functools import cache
from typing import TypedDict

import msgspec
from msgspec.structs import replace

from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.ports import RunFolder
from signoff.domain.run.cassettes import Cassette, CassetteAnswer, CassetteEntry, CassetteFailure
from signoff.domain.run.events import Answered, Done, How
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Captured,
    Delegated,
    Interrupted,
    Outcome,
    Usage,
)
from signoff.domain.work.settings import Settings
from signoff.engine.run.kit import Kit
from signoff.engine.run.mailbox import answer_to
from signoff.engine.run.run_log import records
from signoff.engine.run_state import State
from signoff.judges.secrets.recording_scrub import scrub_json, scrub_patch, scrub_text

_STATE_TOUCHED = "state-touched"
_NOT_KEPT = "what stood here was not recorded\n"


def record_cassette(kit: Kit, folder: RunFolder, state: State) -> Cassette:
    """Return the cassette of a run so far."""
    start = state.start
    assert start is not None
    if start.cassette is not None:  # it was played from one; that says more than what it came to
        return msgspec.json.decode(folder.blobs.get(start.cassette), type=Cassette)
    settings = msgspec.json.decode(folder.blobs.get(start.settings), type=Settings)
    recording = _Recording(kit, folder, state, kit.credentials(settings.agent.env))
    entries = tuple(
        entry for key, outcome in state.done.items() if (entry := recording.entry(key, outcome)) is not None
    )
    answers = tuple(
        CassetteAnswer(halt=a.halt, answer=recording.clean(a.answer), typed=a.how is How.TERMINAL)
        for a in state.answers.values()
    )
    return Cassette(
        version=1,
        name=f"recorded from run {folder.run_id}",
        entries=entries,
        answers=answers,
        order=_order(folder),
        agents={"": start.agent, **start.roles},
        notes=tuple(recording.notes),
    )


def encode_cassette(cassette: Cassette) -> bytes:
    """Encode a cassette as it is written to disk."""
    return msgspec.json.format(msgspec.json.encode(cassette), indent=2) + b"\n"


def _order(folder: RunFolder) -> tuple[str, ...]:
    order: list[str] = []
    for entry in records(folder):
        match entry.event:
            case Done():
                order.append(entry.event.key)
            case Answered():
                order.append(answer_to(entry.event.halt))
            case _:
                pass
    return tuple(order)


class _DispatchWork(TypedDict):
    """The part of an entry that answers and failures have in common."""

    patch: str
    files: dict[str, str | None]
    usage: Usage | None
    outside: tuple[Finding, ...]
    doubts: tuple[Finding, ...]


class _Recording:
    """Writes down the dispatches of one run."""

    def __init__(self, kit: Kit, folder: RunFolder, state: State, secrets: tuple[str, ...]) -> None:
        self.notes: list[str] = []
        self._kit = kit
        self._folder = folder
        self._state = state
        self._secrets = secrets
        assert state.start is not None
        base = state.start.base_tree
        self._base_file = cache(lambda path: kit.repository.read(base, path) or b"")

    def clean(self, text: str) -> str:
        """Return a text without credentials."""
        return scrub_text(text, self._secrets)

    def entry(self, key: EffectKey, outcome: Outcome) -> CassetteEntry | None:
        """Return the entry of one dispatch. None for another effect, or one that waits for its host."""
        match outcome:
            case AgentAnswered():
                return self._answered(key, outcome)
            case Delegated() if key in self._state.claims:
                return self._answered(key, AgentAnswered(answer=self._state.claims[key].answer, kind=""))
            case AgentFailed():
                failed = CassetteFailure(
                    failure=outcome.failure,
                    detail=self.clean(outcome.detail),
                    failure_class=outcome.failure_class,
                    retryable=outcome.retryable,
                    retry_after_s=outcome.retry_after_s,
                )
                return CassetteEntry(key=key, failed=failed, **self._work(key, outcome))
            case Interrupted():
                return CassetteEntry(key=key, interrupted=True)
            case _:
                return None

    def _answered(self, key: EffectKey, answered: AgentAnswered) -> CassetteEntry:
        answer = scrub_json(self._folder.blobs.get(answered.answer), self._secrets)
        return CassetteEntry(key=key, answer=msgspec.Raw(answer), **self._work(key, answered))

    def _work(self, key: EffectKey, ended: AgentAnswered | AgentFailed) -> _DispatchWork:
        """Return what the agent did, failed or not: the work of a garbled answer is built upon, too."""
        captured = self._state.done.get(EffectKey(f"{key}/capture"))
        # The state folder is part of no tree, so only that it was written to counts.
        findings = captured.findings if isinstance(captured, Captured) else ()
        touched = [finding.path for finding in findings if finding.code == _STATE_TOUCHED]
        return _DispatchWork(
            patch=self._patch(key, captured) if isinstance(captured, Captured) else "",
            files={path: _NOT_KEPT for path in touched if "…" not in path and "\\" not in path},
            usage=ended.usage,
            outside=self._cleaned(ended.outside),
            doubts=self._cleaned(ended.doubts),
        )

    def _cleaned(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(replace(f, path=self.clean(f.path), message=self.clean(f.message)) for f in findings)

    def _patch(self, key: EffectKey, captured: Captured) -> str:
        repository = self._kit.repository
        parent = repository.parent_of(captured.commit)
        whole = repository.patch(repository.tree_of(parent), captured.tree)
        scrubbed = scrub_patch(whole, self._secrets, lambda path, said: said in self._base_file(path))
        self.notes += [
            f"{key}: what looks like a credential was taken out of {path}" for path in scrubbed.paths
        ]
        return scrubbed.text
