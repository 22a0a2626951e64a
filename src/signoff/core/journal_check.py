"""Check an event log as a stream: envelope, order, hash chain, and the heads others remember of it.

Pure; chunks of bytes in, one `JournalCheck` out, in memory that does not grow with the log. Serves our own
journals and quality-audit logs, which have the same envelope and no chain. Every violation is a
value and all of them are collected; after a broken link the checker takes up the chain from what the line
says of itself, so one changed line is one or two violations and not all that follow.

`signoff journal check` must start fast: nothing here imports typing or msgspec (see `journal_format`).
"""

from collections import namedtuple
from collections.abc import Iterable, Iterator

from signoff.core.journal_format import (
    MAX_LINE,
    NO_SUM,
    BadLine,
    Decode,
    Unreadable,
    computed_sum,
    cut_lines,
    decode_line,
    fast_decoder,
    is_timestamp,
    stored_sum,
)
from signoff.core.journal_rules import CHAIN_BREAKS, RULES, Fault, JournalCode

MAX_VIOLATIONS = 1_000
"""How many are listed; a last one says how many more there are."""

LARGE = 4 << 20
"""Bytes after which loading msgspec (some 25 ms) has paid for itself."""

TAIL_REPAIRED = "tail_repaired"
"""Our own event that need not be declared: `repair` cannot change the `_index` of the log it mends."""


_NOT_JUDGED = frozenset({"audit", "cycle"})
_LARGEST_SEQ = 1 << 53
_RESUME_OR_RESTORE = "signoff runs resume RUN; if it had ended, the log was cut: restore it from a copy"


class Anchor(namedtuple("Anchor", ("seq", "sum", "source", "finished", "must_end"), defaults=(False, False))):
    """What somebody else remembers of the log: the record `seq` had this `sum`."""

    __slots__ = ()
    seq: int
    sum: str
    source: str
    """Where it was remembered, for the message: `state.json`, `certificate.json`."""
    finished: bool
    """It was remembered as the run's last record."""
    must_end: bool
    """It was written when all but the end was done, as a certificate is: the log must have its `run_end`."""


class JournalCheck(namedtuple("JournalCheck", ("ok", "profile", "events", "chain", "violations"))):
    """What the checker found; `ok` when there is no error, whatever the warnings."""

    __slots__ = ()
    ok: bool
    profile: str
    """The flow, or `audit`, `cycle`, `unknown`."""
    events: int
    """Readable records."""
    chain: str
    """`ok`, `broken`, or `absent` where the log has none."""
    violations: tuple[Fault, ...]


def check_journal(chunks: Iterable[bytes], anchors: Iterable[Anchor] = ()) -> JournalCheck:
    """Check a whole log, given as chunks of any size.

    Without anchors, a log that lost whole records at its end looks like one that is still open.
    """
    checker = _Checker(anchors)
    for raw, whole in cut_lines(checker.watch(chunks)):
        checker.see(raw, whole)
    return checker.result()


class _Faults:
    """Collects violations up to the cap, and remembers what the rest amounted to."""

    def __init__(self) -> None:
        self.listed: list[Fault] = []
        self.line: int | None = 0
        self.errors = 0
        self.more = 0
        self.chain_broken = False

    def add(self, code: JournalCode, message: str, path: str = "", fix: str = "") -> None:
        """Note a violation of the present line; `fix` where there is a better one than the rule's."""
        rule = RULES[code]
        self.errors += rule.severity == "error"
        self.chain_broken |= code in CHAIN_BREAKS
        if len(self.listed) >= MAX_VIOLATIONS:
            self.more += 1
        else:
            fault = Fault(code, rule.severity, rule.number, path, self.line, message, fix or rule.fix)
            self.listed.append(fault)

    def all(self) -> tuple[Fault, ...]:
        """Give them in the order of the log, with a note in place of what is over the cap."""
        if not self.more:
            return tuple(self.listed)
        code = JournalCode.MORE_VIOLATIONS
        severity = "error" if self.errors else "warning"
        return (*self.listed, Fault(code, severity, None, "", None, f"and {self.more} more", RULES[code].fix))


class _Order:
    """The envelope of each record and the order of the few that mark the run."""

    def __init__(self, faults: _Faults) -> None:
        self.faults = faults
        self.profile = "unknown"
        self.indexed = False
        self.awaits_start = False
        self.ended = False
        self.runs_on = False
        self.last_ts = ""
        self.declared: frozenset[object] | None = None
        self.starts = self.ends = frozenset[str]()

    def begin(self, record: dict[str, object]) -> None:
        """Judge the first readable record: it must be the index."""
        if record.get("event") == "_index":
            self.awaits_start = True
        else:
            self.faults.add(JournalCode.INDEX_MISSING, "the first record is not `_index`", "/event")

    def see(self, record: dict[str, object]) -> None:
        """Judge `ts` and `event`."""
        self._see_time(record.get("ts"))
        event = record.get("event")
        if not isinstance(event, str) or not event:
            self.awaits_start = False
            self.faults.add(JournalCode.EVENT_INVALID, "`event` is missing or not a name", "/event")
            return
        if self.declared is not None and event not in self.declared:
            self.faults.add(JournalCode.EVENT_UNDECLARED, f"{event[:60]!r} is not in `event_types`", "/event")
        if self.ended:
            self._see_beyond_the_end()
        if event == "_index":
            self._see_index(record)
        elif self.awaits_start and event != TAIL_REPAIRED:
            self._see_start(event)
        elif event in self.ends:
            self.ended = True

    def _see_time(self, ts: object) -> None:
        if not isinstance(ts, str) or not is_timestamp(ts):
            self.faults.add(JournalCode.TS_INVALID, "`ts` is missing or no ISO 8601 UTC time with `Z`", "/ts")
            return
        if (ts < self.last_ts or len(ts) != len(self.last_ts)) and _instant(ts) < _instant(self.last_ts):
            self.faults.add(JournalCode.TS_BACKWARDS, f"{ts} is earlier than {self.last_ts} before it", "/ts")
        self.last_ts = ts

    def _see_beyond_the_end(self) -> None:
        if not self.runs_on:
            self.faults.add(JournalCode.AFTER_RUN_END, "this record follows the end of the run")
        self.runs_on = True

    def _see_start(self, event: str) -> None:
        self.awaits_start = False
        if event not in self.starts:
            self.faults.add(
                JournalCode.RUN_START_MISSING, f"{event[:60]!r} stands where the run must start", "/event"
            )

    def _see_index(self, index: dict[str, object]) -> None:
        if self.indexed:
            self.faults.add(JournalCode.INDEX_REPEATED, "`_index` stands here again", "/event")
            return
        self.indexed = True
        self.profile = _profile_of(index)
        self.starts = frozenset({"run_start", "cycle_start"} if self.profile == "cycle" else {"run_start"})
        self.ends = frozenset({"run_end", "cycle_end"} if self.profile == "cycle" else {"run_end"})
        if self.profile == "unknown":
            self.faults.add(JournalCode.UNKNOWN_PROFILE, RULES[JournalCode.UNKNOWN_PROFILE].meaning)
        names = index.get("event_types")
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            self.declared = frozenset({*names, TAIL_REPAIRED})
        else:
            self.faults.add(
                JournalCode.EVENT_TYPES_INVALID, "`event_types` is not a list of names", "/event_types"
            )


def _profile_of(index: dict[str, object]) -> str:
    if "flow" in index:
        flow = index["flow"]
        return flow if isinstance(flow, str) and flow else "unknown"
    if "cycle_name" in index:
        return "cycle"
    return "audit" if "benchmark" in index else "unknown"


def _instant(ts: str) -> tuple[str, str]:
    """Make times of different precision comparable: `…41Z` is `…41.000Z`."""
    second, _, fraction = ts[:-1].partition(".")
    return second, fraction.rstrip("0")


class _Chain:
    """The sequence, the sums, and what others remember of them."""

    def __init__(self, faults: _Faults, anchors: Iterable[Anchor]) -> None:
        self.faults = faults
        self.next_seq = 0
        self.last_sum: str | None = NO_SUM
        """What the next `prev` must be; None where the line before does not say."""
        self.anchors = tuple(anchor for anchor in anchors if anchor.seq >= 0)
        self.unseen: dict[int, list[Anchor]] = {}
        for anchor in self.anchors:
            self.unseen.setdefault(anchor.seq, []).append(anchor)

    def see(self, record: dict[str, object], raw: bytes) -> None:
        """Judge one link and take up the chain from what it says of itself."""
        seq, stored, total = record.get("seq"), record.get("sum"), computed_sum(raw)
        if type(seq) is not int or seq != self.next_seq:
            self.faults.add(JournalCode.SEQ_WRONG, f"seq is {seq!r:.60}, not {self.next_seq}", "/seq")
        if self.last_sum is not None and record.get("prev") != self.last_sum:
            self.faults.add(JournalCode.PREV_WRONG, "`prev` is not the sum of the record before", "/prev")
        if total is None:
            self.faults.add(JournalCode.SUM_MISSING, "the line does not end in its `sum`", "/sum")
        elif stored != total:
            self.faults.add(JournalCode.SUM_WRONG, "the line was changed after it was written", "/sum")
        if type(seq) is int and 0 <= seq < _LARGEST_SEQ:
            self.next_seq = seq
            if seq in self.unseen:
                self._see_anchors(self.unseen.pop(seq), total)
        self.next_seq += 1
        self.last_sum = stored if isinstance(stored, str) else None

    def skip(self, raw: bytes) -> None:
        """Step over a line that is no record; its sum may be legible still."""
        self.next_seq += 1
        self.last_sum = stored_sum(raw)

    def _see_anchors(self, anchors: list[Anchor], total: str | None) -> None:
        for anchor in anchors:
            if anchor.sum != total:
                message = f"{anchor.source} remembers another record {anchor.seq}"
                self.faults.add(JournalCode.ANCHOR_MISMATCH, message, "/sum")

    def end(self, *, ended: bool) -> None:
        """Judge, behind the last line, what others remember against what was there."""
        for anchor in self.anchors:
            if anchor.seq in self.unseen:
                message = f"{anchor.source} remembers record {anchor.seq}, the log has none"
                self.faults.add(JournalCode.ANCHOR_MISSING, message)
            elif anchor.finished and anchor.seq != self.next_seq - 1:
                message = f"{anchor.source} remembers record {anchor.seq} as the last"
                self.faults.add(JournalCode.ANCHOR_NOT_LAST, message)
            if anchor.finished and not ended:
                message = f"{anchor.source} remembers the run as finished"
                self.faults.add(JournalCode.RUN_END_MISSING, message)
            elif anchor.must_end and not ended:
                message = f"{anchor.source} was written for a run that has not ended"
                self.faults.add(JournalCode.RUN_END_MISSING, message, fix=_RESUME_OR_RESTORE)


class _Checker:
    """One check: leads each line past the judges above."""

    def __init__(self, anchors: Iterable[Anchor]) -> None:
        self.faults = _Faults()
        self.order = _Order(self.faults)
        self.chain = _Chain(self.faults, anchors)
        self.chained: bool | None = None
        self.decode: Decode = decode_line
        self.size = self.line = self.events = 0

    def watch(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Pass the chunks on; once they are many, decode with msgspec."""
        for chunk in chunks:
            self.size += len(chunk)
            if self.size > LARGE and self.decode is decode_line:
                self.decode = fast_decoder()
            yield chunk

    def see(self, raw: bytes, whole: bool) -> None:
        """Judge one line."""
        self.line += 1
        self.faults.line = self.line
        if not whole:
            self._see_broken_off(raw)
            return
        try:
            record = self.decode(raw)
        except BadLine as bad:
            self._see_unreadable(raw, bad)
        else:
            self._see_record(record, raw)

    def _see_record(self, record: dict[str, object], raw: bytes) -> None:
        self.events += 1
        if self.chained is None:
            self.chained = not record.keys().isdisjoint(("sum", "prev", "flow"))
            self.order.begin(record)
        self.order.see(record)
        if self.chained:
            self.chain.see(record, raw)

    def _see_unreadable(self, raw: bytes, bad: BadLine) -> None:
        self.faults.add(JournalCode(bad.kind), str(bad))
        if bad.kind is not Unreadable.BLANK:
            self.order.awaits_start = False
            self.chain.skip(raw)

    def _see_broken_off(self, raw: bytes) -> None:
        """Judge a line without an end; if only its newline is gone, what it says still counts."""
        if len(raw) > MAX_LINE:
            self.faults.add(JournalCode.LINE_TOO_LONG, f"longer than {MAX_LINE} bytes, not read")
            self.order.awaits_start = False
            self.chain.skip(b"")
            return
        self.faults.add(JournalCode.NEWLINE_MISSING, f"{len(raw)} bytes behind the last newline")
        try:
            record = decode_line(raw)
        except BadLine:
            return
        self._see_record(record, raw)

    def result(self) -> JournalCheck:
        """Judge the log as a whole and say what was found."""
        self.faults.line = None
        if not self.line:
            self.faults.add(JournalCode.JOURNAL_EMPTY, "there is no record in the file")
        if self.order.awaits_start:
            self.faults.add(JournalCode.RUN_START_MISSING, "the log stops before the run starts")
        self.chain.end(ended=self.order.ended)
        if self.events and not self.order.ended and not self.chain.anchors:
            self.faults.add(JournalCode.JOURNAL_OPEN, RULES[JournalCode.JOURNAL_OPEN].meaning)
        if self.order.indexed and (not self.chained or self.order.profile in _NOT_JUDGED):
            message = f"the fields of `{self.order.profile:.60}` events are not judged by this version"
            self.faults.add(JournalCode.PROFILE_NOT_JUDGED, message)
        ok = not self.faults.errors
        return JournalCheck(ok, self.order.profile, self.events, self._chain_state(), self.faults.all())

    def _chain_state(self) -> str:
        if not self.chained and not self.chain.anchors:
            return "absent"
        return "broken" if self.faults.chain_broken else "ok"
