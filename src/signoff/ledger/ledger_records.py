"""The ledger as a projection of a journal: one record for each dispatch that ended. Pure.

The journal is read record by record. A dispatch becomes a record once, when everything that belongs to it is
known, and never changes, so the ledger of a part of a journal is the beginning of the ledger of the whole. A
builder's dispatch is complete when its files were captured, an evaluator's when its findings were weighed, a
delegated one when the host handed in, any other when it ended.

No field comes from an agent's prose: names must look like names, causes are put into our own words.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeVar

import msgspec

from signoff.domain.base.findings import shown
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, RunId
from signoff.domain.evidence.receipts import FailureReason, Result
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.events import (
    Claimed,
    Done,
    Driver,
    Index,
    Intended,
    Recorded,
    Resumed,
    RunEnd,
    RunStart,
    TailRepaired,
)
from signoff.domain.run.ledger import AgentStatus, AgentType, Effort, LedgerRecord
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Captured,
    Delegated,
    FindingsWeighed,
    Interrupted,
    Outcome,
    Sealed,
    Usage,
)
from signoff.domain.work.contract import Contract
from signoff.domain.work.settings import RoleSettings, Settings
from signoff.engine.dispatch_keys import role_in, task_in
from signoff.engine.run.replay_clock import replayed_id
from signoff.ledger.ledger_failures import interrupted, tell
from signoff.ledger.run_costs import agent_of
from signoff.text.redaction import redact

Bodies = Callable[[Digest], bytes]
Changed = Callable[[CommitId], tuple[str, ...] | None]
"""Returns the paths that a capture changed, None when they are no longer known."""

UNKNOWN: Final = "unknown"
LOG_FOLDER: Final = ".signoff/agent-runs"
MOST_FILES: Final = 200
_LONGEST_PATHS: Final = 16_000
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]{0,79}")
_BAD_PATH: Final = re.compile(r"\s*\Z|[/~]|[A-Za-z]:|.*[\x00-\x1f\x7f\\]|(?:.*/)?\.\.(?:/|\Z)", re.DOTALL)
_TYPES: Final = {"planner": AgentType.PLANNER, "builder": AgentType.BUILDER, "evaluator": AgentType.VERIFIER}
_WITHOUT_MODEL: Final = ("hosted", "recorded", "command")
"""Agents that are not told which model to use."""

_Ending = AgentAnswered | AgentFailed | Interrupted | Claimed
_Settled = Captured | FindingsWeighed


class _Begun(NamedTuple):
    """A dispatch that began, and whether the ledger was on then."""

    at: str
    is_wanted: bool


class _DispatchEnd(NamedTuple):
    """A dispatch that ended, with whatever outcome."""

    key: EffectKey
    outcome: _Ending
    at: str
    is_wanted: bool


class LedgerProjection:
    """The state of one journal's projection, which turns its records into records of the ledger."""

    def __init__(self, project: str, bodies: Bodies, changed: Changed) -> None:
        self._project = project
        self._bodies = bodies
        self._changed = changed
        self._run_id = RunId("")
        self._start: RunStart | None = None
        self._waves: dict[str, int] = {}
        self._is_wanted = True
        self._ts = ""
        self._begun: dict[EffectKey, _Begun] = {}
        self._left: dict[EffectKey, str] = {}
        self._delegated: set[EffectKey] = set()
        self._unsettled: dict[EffectKey, _DispatchEnd] = {}
        """By the effect that will settle it."""
        self._unsuccessful: dict[EffectKey, str] = {}

    def take(self, entry: Recorded) -> tuple[LedgerRecord, ...]:
        """Return the ledger records that one more record of the journal completes.

        Each event either begins a dispatch, ends one, or settles one that waits for its capture or review.
        The end of the run completes whatever still waits.
        """
        event = entry.event
        ended: list[LedgerRecord] = []
        match event:
            case Index():
                self._run_id = event.run_id
            case RunStart():
                self._start, self._is_wanted = event, event.telemetry
            case Resumed():
                self._abandon()
                self._is_wanted = event.telemetry
            case TailRepaired():
                self._abandon()
            case Intended(do="dispatch"):
                self._begun.setdefault(event.key, _Begun(entry.ts, self._is_wanted))
            case Done():
                ended = self._done(event.key, event.outcome, entry.ts)
            case Claimed() if event.key in self._delegated:
                self._delegated.discard(event.key)
                ended = self._ended(event.key, event, entry.ts)
            case RunEnd():
                ended = [one for left in self._unsettled.values() for one in self._finished(left, None)]
                self._unsettled.clear()
            case _:
                pass
        self._ts = entry.ts
        return tuple(ended)

    def _abandon(self) -> None:
        """Note when the last driver was seen alive: what it had begun did not go on for longer."""
        for key in self._begun:
            self._left.setdefault(key, self._ts)

    def _done(self, key: EffectKey, outcome: Outcome, at: str) -> list[LedgerRecord]:
        match outcome:
            case Sealed():
                contract = msgspec.json.decode(self._bodies(outcome.contract), type=Contract)
                self._waves = {task.id: task.wave for task in contract.tasks}
            case Captured() | FindingsWeighed():
                ended = self._unsettled.pop(key, None)
                return self._finished(ended, outcome) if ended else []
            case Delegated() if key in self._begun:
                self._delegated.add(key)
            case AgentAnswered() | AgentFailed() if key in self._begun:
                return self._ended(key, outcome, at)
            case Interrupted() if key in self._begun:
                return self._ended(key, outcome, self._left.get(key, at))
            case _:
                pass
        return []

    def _ended(self, key: EffectKey, outcome: _Ending, at: str) -> list[LedgerRecord]:
        ended = _DispatchEnd(key, outcome, at, self._is_wanted)
        if (settling := _settling(key, outcome)) is not None:
            self._unsettled[settling] = ended
            return []
        return self._finished(ended, None)

    def _finished(self, ended: _DispatchEnd, settled: _Settled | None) -> list[LedgerRecord]:
        """Return the record of a dispatch, or none if the ledger was off when it began or ended."""
        begun = self._begun.pop(ended.key)
        if not (begun.is_wanted and ended.is_wanted):
            return []
        record = self._record(ended, begun.at, settled)
        if isinstance(ended.outcome, AgentFailed | Interrupted):
            self._unsuccessful[ended.key] = record.run_id
        return [record]

    def _record(self, ended: _DispatchEnd, started: str, settled: _Settled | None) -> LedgerRecord:
        """Return the ledger record of an ended dispatch. A figure or name that is not known stays None.

        Figures that count a whole session are left out, because the same session's earlier dispatches are
        in them too. What a dispatch did not report leaves only its own fields at None.
        """
        key, outcome = ended.key, ended.outcome
        captured = settled if isinstance(settled, Captured) else None
        finished = max(started, ended.at)
        run_id = dispatch_id(self._run_id, key, started)
        told = _standing_of_review(settled) if isinstance(settled, FindingsWeighed) else _standing_of(outcome)
        role, agent = role_in(key), self._agent(key, outcome)
        asked = self._asked(role, agent, outcome)
        usage = (None if isinstance(outcome, Interrupted | Claimed) else outcome.usage) or Usage()
        figures = usage if usage.basis is not UsageBasis.SESSION else Usage()
        files = _listed(captured, self._changed) if captured else _SideFiles()
        task = task_in(key)
        return LedgerRecord(
            run_id=run_id,
            skill_invocation_id=self._run_id,
            session_id=_name(usage.session),
            agent_type=_TYPES.get(role, AgentType.CUSTOM),
            agent_name=None if role in _TYPES else role,
            model=_name(usage.model) or _name(asked.model) or UNKNOWN,
            effort=Effort(asked.effort) if asked.effort in set(Effort) else None,
            project=self._project,
            task_id=task,
            wave=self._waves.get(task) if task else None,
            retry_of=self._retried(key),
            status=told.status,
            started_at=started,
            finished_at=finished,
            duration_ms=(datetime.fromisoformat(finished) - datetime.fromisoformat(started))
            // timedelta(milliseconds=1),
            input_tokens=_count(figures.input_tokens),
            output_tokens=_count(figures.output_tokens),
            cache_read_tokens=_count(figures.cached_tokens),
            cache_creation_tokens=_count(figures.cache_write_tokens),
            tool_calls_count=_count(usage.tool_calls),
            files_changed=files.paths,
            files_left_out=files.left_out or None,
            commit_sha=captured.commit if captured else None,
            verification_result=told.result,
            failure_reason=told.reason,
            failure_class=told.failure_class,
            failure_detail=told.detail,
            log_file=None if told.status is AgentStatus.SUCCESS else log_name(run_id),
            agent=agent,
            cost_usd=_count(figures.cost_usd),
            usage_basis=None if usage.basis is UsageBasis.RUN else str(usage.basis),
            effect_key=key,
        )

    def _retried(self, key: EffectKey) -> str | None:
        """Return the previous dispatch of the same conversation, if that one brought no answer."""
        head, _, turn = key.rpartition("dispatch-")
        return (
            self._unsuccessful.get(EffectKey(f"{head}dispatch-{int(turn) - 1}")) if turn.isdigit() else None
        )

    def _agent(self, key: EffectKey, outcome: _Ending) -> str:
        assert self._start is not None, "dispatches come after run_start"
        return str(Driver.HOSTED) if isinstance(outcome, Claimed) else agent_of(key, outcome, self._start)

    def _asked(self, role: str, agent: str, outcome: _Ending) -> RoleSettings:
        """Return the model and effort that this agent was asked for, empty for one that takes neither."""
        assert self._start is not None, "dispatches come after run_start"
        is_stand_in = isinstance(outcome, AgentAnswered | AgentFailed) and bool(outcome.agent)
        if agent in _WITHOUT_MODEL or is_stand_in:
            return RoleSettings()
        all_roles = msgspec.json.decode(self._bodies(self._start.settings), type=Settings).agent
        roles = {"planner": all_roles.planner, "evaluator": all_roles.evaluator}
        own = roles.get(role, all_roles.builder)
        return RoleSettings(model=own.model or all_roles.model, effort=own.effort or all_roles.effort)


def dispatch_id(run_id: RunId, key: EffectKey, started: str) -> str:
    """Return the id of a dispatch in the ledger: a ULID that is the same whenever it is computed."""
    return replayed_id(f"{run_id}\0{key}\0{started}", started)


def log_name(run_id: str) -> str:
    """Return the path of the log of a dispatch, relative to the root."""
    return f"{LOG_FOLDER}/{run_id}.log"


def as_data(record: LedgerRecord) -> dict[str, object]:
    """Return a record as plain data with its version, which readers require."""
    data: dict[str, object] = msgspec.to_builtins(record)
    return {"schema_version": record.schema_version, **data}


def encode_record(record: LedgerRecord) -> bytes:
    """Return the line of a record, with its newline. Text that looks like a credential is replaced."""
    return redact(msgspec.json.encode(as_data(record))) + b"\n"


class _Standing(NamedTuple):
    status: AgentStatus
    reason: FailureReason | None = None
    failure_class: str | None = None
    detail: str | None = None
    result: Result | None = None


def _settling(key: EffectKey, outcome: _Ending) -> EffectKey | None:
    """Return the effect after which everything about a dispatch is known, None if it is known already."""
    if not isinstance(outcome, AgentAnswered | Claimed):
        return None
    if role_in(key) == "builder":
        return EffectKey(f"{key}/capture")
    if outcome.kind == "evaluation":
        return EffectKey(f"{key.rpartition('/')[0]}/weigh")
    return None


def _standing_of_review(weighed: FindingsWeighed) -> _Standing:
    """Return success whatever the evaluator found: its result is the verdict on the work."""
    if not weighed.standing:
        return _Standing(AgentStatus.SUCCESS, result=Result.PASS)
    detail = f"{weighed.standing} of its findings stand"
    return _Standing(AgentStatus.SUCCESS, FailureReason.CRITERIA_UNMET, detail=detail, result=Result.FAIL)


def _standing_of(outcome: _Ending) -> _Standing:
    match outcome:
        case AgentFailed():
            return _Standing(*tell(outcome))
        case Interrupted():
            return _Standing(*interrupted())
        case _ if outcome.kind == "blocked":
            why = "the agent says that it cannot go on"
            return _Standing(AgentStatus.BLOCKED, FailureReason.PRECONDITION_UNMET, None, why)
        case _ if outcome.kind == "question":
            return _Standing(AgentStatus.PARTIAL, None, None, "the agent asks a person something")
        case _:
            return _Standing(AgentStatus.SUCCESS)


class _SideFiles(NamedTuple):
    paths: tuple[str, ...] = ()
    left_out: int = 0


def _listed(captured: Captured, changed: Changed) -> _SideFiles:
    """List changed files up to the limits of a line and of its readers."""
    paths = changed(captured.commit)
    if paths is None:
        return _SideFiles(left_out=captured.files)
    kept: list[str] = []
    room = _LONGEST_PATHS
    for path in map(shown, paths):
        room -= len(path.encode())
        if len(kept) < MOST_FILES and room >= 0 and not _BAD_PATH.match(path):
            kept.append(path)
    return _SideFiles(tuple(kept), len(paths) - len(kept))


def _name(text: str) -> str | None:
    """Return a text that looks like the name of a model or a session, None for prose."""
    return text if _NAME.fullmatch(text) else None


_Number = TypeVar("_Number", int, float)


def _count(number: _Number | None) -> _Number | None:
    """Return a figure, None for one below zero, which counts as not stated."""
    return number if number is not None and number >= 0 else None
