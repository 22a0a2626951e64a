"""Check the envelope of each record and the order of the few that mark the run.

Pure; `journal_check` passes every record to an `Order`, which hands those of audits and cycles on to the
judge of their profile. Light to import, like the checker: no typing, no msgspec.
"""

from signoff.engine.journal_format import instant, is_timestamp
from signoff.judges.journal.journal_rules import Faults, JournalCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.judges.journal.journal_fields import Judge

TAIL_REPAIRED = "tail_repaired"
"""Our own event that need not be declared: `repair` cannot change the `_index` of the log it repairs."""

_SEEN_BY_NO_JUDGE = frozenset({"_index", TAIL_REPAIRED})
_CYCLE_KEYS = ("cycle_name", "lever_under_test", "benchmarks")
_AUDIT_KEYS = ("benchmark", "lever_state", "started_at")


class Order:
    """The state that all profiles share: profile, declared events, start and end of the run."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.profile = "unknown"
        self.indexed = False
        self.awaits_start = False
        self.ended = False
        self.runs_on = False
        self.last_ts = ""
        self.declared: frozenset[object] | None = None
        self.starts = self.ends = ""
        self.judge: Judge | None = None

    def begin(self, record: dict[str, object]) -> None:
        """Check the first readable record, which must be the index."""
        if record.get("event") == "_index":
            self.awaits_start = True
        else:
            self.faults.add(JournalCode.INDEX_MISSING, path="/event")

    def see(self, record: dict[str, object]) -> None:
        """Check `ts` and `event`, then what the judge of the profile checks.

        The first `_index` sets profile, declared events and the names of start and end, which apply to all
        later records.
        """
        self._see_time(record.get("ts"))
        event = record.get("event")
        if not isinstance(event, str) or not event:
            self.awaits_start = False
            self.faults.add(JournalCode.EVENT_INVALID, path="/event")
            return
        if self.declared is not None and event not in self.declared:
            self.faults.add(JournalCode.EVENT_UNDECLARED, f"{event[:60]!r} is not in `event_types`", "/event")
        if self.ended and not self.runs_on:
            self.runs_on = True
            self.faults.add(JournalCode.AFTER_RUN_END, "this record follows the end of the run")
        if event == "_index":
            self._see_index(record)
        elif self.awaits_start and event != TAIL_REPAIRED:
            self.awaits_start = False
            if event != self.starts:
                message = f"{event[:60]!r} is where the run must start"
                self.faults.add(JournalCode.RUN_START_MISSING, message, "/event")
        elif event == self.ends:
            self.ended = True
        if self.judge is not None and event not in _SEEN_BY_NO_JUDGE:
            self.judge.see(event, record)

    def _see_time(self, ts: object) -> None:
        if not isinstance(ts, str) or not is_timestamp(ts):
            self.faults.add(JournalCode.TS_INVALID, path="/ts")
            return
        if (ts < self.last_ts or len(ts) != len(self.last_ts)) and instant(ts) < instant(self.last_ts):
            self.faults.add(JournalCode.TS_BACKWARDS, f"{ts} is earlier than {self.last_ts} before it", "/ts")
        self.last_ts = ts

    def _see_index(self, index: dict[str, object]) -> None:
        if self.indexed:
            self.faults.add(JournalCode.INDEX_REPEATED, "`_index` is repeated here", "/event")
            return
        self.indexed = True
        self.profile = _profile_of(index)
        kind = "cycle" if self.profile == "cycle" else "run"
        self.starts, self.ends = f"{kind}_start", f"{kind}_end"
        if self.profile == "unknown":
            self.faults.add(JournalCode.UNKNOWN_PROFILE)
        names = index.get("event_types")
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            self.declared = frozenset({*names, TAIL_REPAIRED})
        else:
            self.faults.add(JournalCode.EVENT_TYPES_INVALID, path="/event_types")
        self.judge = _judge_of(self.profile, self.faults)
        if self.judge is not None:
            if self.declared is not None and "_index" not in self.declared:
                self.faults.add(JournalCode.INDEX_UNDECLARED, path="/event_types")
            self.judge.see("_index", index)


def _profile_of(index: dict[str, object]) -> str:
    if "flow" in index:
        flow = index["flow"]
        return flow if isinstance(flow, str) and flow else "unknown"
    if any(key in index for key in _CYCLE_KEYS):
        return "cycle"
    return "audit" if any(key in index for key in _AUDIT_KEYS) else "unknown"


def _judge_of(profile: str, faults: Faults) -> "Judge | None":
    """Load the judge of this profile, if it has one. The journals of our own runs have none."""
    if profile == "audit":
        from signoff.judges.journal.audit_order import AuditJudge

        return AuditJudge(faults)
    if profile == "cycle":
        from signoff.judges.journal.cycle_events import CycleJudge

        return CycleJudge(faults)
    return None
