"""Check an event log as a stream: envelope, order, hash chain, and anchors in files beside it.

Pure; chunks of bytes in, one `JournalCheck` out, in memory that does not grow with the log. Serves our own
journals, and the logs of quality audits and calibration cycles, which have the same envelope, no chain, and
their own fields (`audit_order`, `cycle_events`). Every violation is a value and all of them are collected.
After a broken link the checker continues the chain from what the line itself states, so one changed line is
one or two violations and not all that follow.

`signoff journal check` must start fast: nothing here imports typing or msgspec (see `journal_format`).
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator

from signoff.engine.journal_format import (
    MAX_LINE,
    NO_SUM,
    BadLine,
    Decode,
    UnreadableLine,
    computed_sum,
    cut_lines,
    decode_line,
    fast_decoder,
    stored_sum,
)
from signoff.judges.journal.journal_order import Order
from signoff.judges.journal.journal_rules import Fault, Faults, JournalCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.judges.journal.audit_order import AuditLog

LARGE = 1 << 20
"""Bytes after which loading msgspec (some 25 ms) has paid for itself."""

_LARGEST_SEQ = 1 << 53
_CODES = {str(code): code for code in JournalCode}
_RESUME_OR_RESTORE = "signoff runs resume RUN; if it had ended, the log was cut: restore it from a copy"


class Anchor(namedtuple("Anchor", ("seq", "sum", "source", "finished", "must_end"), defaults=(False, False))):
    """What another file remembers of the log: the record `seq` had this `sum`."""

    __slots__ = ()
    seq: int
    sum: str
    source: str
    """Where it was remembered, for the message: `state.json`, `certificate.json`."""
    finished: bool
    """It was recorded as the last record of the run."""
    must_end: bool
    """It was written when all but the end was done, as a certificate is: the log must have its `run_end`."""


class JournalCheck(namedtuple("JournalCheck", ("ok", "profile", "events", "chain", "violations"))):
    """Result of a check. `ok` means without errors, whatever the warnings."""

    __slots__ = ()
    ok: bool
    profile: str
    """The flow, or `audit`, `cycle`, `unknown`."""
    events: int
    """Readable records."""
    chain: str
    """`ok`, `broken`, or `absent` in a log without one."""
    violations: tuple[Fault, ...]


CountBugs = Callable[[], int | None]
"""Counts the bugs that the BUGS.md beside the log lists. None means there is nothing to compare with."""

UNREADABLE_BUGS = -1
"""What `CountBugs` returns for a BUGS.md that cannot be read: no log counts as many."""


def check_journal(
    chunks: Iterable[bytes], anchors: Iterable[Anchor] = (), count_bugs: CountBugs | None = None
) -> JournalCheck:
    """Check a whole log, in chunks of any size. `count_bugs` is only called when an audit log states a count.

    Without anchors, a log that lost whole records at its end looks like one that is still open.
    """
    return _checked(chunks, anchors, count_bugs).result()


def check_audit(
    chunks: Iterable[bytes], count_bugs: CountBugs | None = None
) -> "tuple[JournalCheck, AuditLog | None]":
    """Check a log and return what it records about its run, None if it is not an audit log."""
    checker = _checked(chunks, (), count_bugs)
    return checker.result(), checker.audit_log()


def _checked(
    chunks: Iterable[bytes], anchors: Iterable[Anchor], count_bugs: CountBugs | None
) -> "_JournalChecker":
    checker = _JournalChecker(anchors, count_bugs)
    for raw, whole in cut_lines(checker.watch(chunks)):
        checker.see(raw, whole)
    return checker


class _Chain:
    """The sequence, the sums, and the anchors to compare them with."""

    def __init__(self, faults: Faults, anchors: Iterable[Anchor]) -> None:
        self.faults = faults
        self.next_seq = 0
        self.last_sum: str | None = NO_SUM
        """What the next `prev` must be, None if the line before does not state it."""
        self.anchors = tuple(anchor for anchor in anchors if anchor.seq >= 0)
        self.unseen: dict[int, list[Anchor]] = {}
        for anchor in self.anchors:
            self.unseen.setdefault(anchor.seq, []).append(anchor)

    def see(self, record: dict[str, object], raw: bytes) -> None:
        """Check one link and continue the chain from what it states itself.

        The chain continues even from a wrong `seq` or `sum`, so one changed line does not break all others.
        """
        seq, stored, total = record.get("seq"), record.get("sum"), computed_sum(raw)
        if type(seq) is not int or seq != self.next_seq:
            self.faults.add(JournalCode.SEQ_WRONG, f"seq is {seq!r:.60}, not {self.next_seq}", "/seq")
        if self.last_sum is not None and record.get("prev") != self.last_sum:
            self.faults.add(JournalCode.PREV_WRONG, path="/prev")
        if total is None:
            self.faults.add(JournalCode.SUM_MISSING, "the line does not end in its `sum`", "/sum")
        elif stored != total:
            self.faults.add(JournalCode.SUM_WRONG, path="/sum")
        if type(seq) is int and 0 <= seq < _LARGEST_SEQ:
            self.next_seq = seq
            for anchor in self.unseen.pop(seq, ()):
                if anchor.sum != total:
                    message = f"{anchor.source} remembers another record {seq}"
                    self.faults.add(JournalCode.ANCHOR_MISMATCH, message, "/sum")
        self.next_seq += 1
        self.last_sum = stored if isinstance(stored, str) else None

    def skip(self, raw: bytes) -> None:
        """Step over a line that is not a record. Its sum may still be legible."""
        self.next_seq += 1
        self.last_sum = stored_sum(raw)

    def end(self, *, ended: bool) -> None:
        """Compare the anchors with the end of the log."""
        for anchor in self.anchors:
            if anchor.seq in self.unseen:
                message = f"{anchor.source} remembers record {anchor.seq}, which is not in the log"
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


def _is_chained(first: dict[str, object]) -> bool:
    """Check by its first record whether a log is one of ours, with sums."""
    return not first.keys().isdisjoint(("sum", "prev", "flow"))


class _JournalChecker:
    """One check of one log, a line at a time."""

    def __init__(self, anchors: Iterable[Anchor], count_bugs: CountBugs | None) -> None:
        self.faults = Faults()
        self.count_bugs = count_bugs
        self.order = Order(self.faults)
        self.chain = _Chain(self.faults, anchors)
        self.chained: bool | None = None
        self.decode: Decode = decode_line
        self.size = self.line = self.events = 0

    def watch(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Pass the chunks on, and decode with msgspec once they are large."""
        for chunk in chunks:
            self.size += len(chunk)
            if self.size > LARGE and self.decode is decode_line:
                self.decode = fast_decoder()
            yield chunk

    def see(self, raw: bytes, whole: bool) -> None:
        """Check one line."""
        self.line += 1
        self.faults.line = self.line
        if not whole:
            self._see_broken_off(raw)
            return
        try:
            record = self.decode(raw)
        except BadLine as bad:
            self.faults.add(_CODES[bad.kind], str(bad))
            if bad.kind is not UnreadableLine.BLANK:
                self.order.awaits_start = False
                self.chain.skip(raw)
        else:
            self._see_record(record, raw)

    def _see_record(self, record: dict[str, object], raw: bytes) -> None:
        self.events += 1
        if self.chained is None:
            self.chained = _is_chained(record)
            self.order.begin(record)
        self.order.see(record)
        if self.chained:
            self.chain.see(record, raw)

    def _see_broken_off(self, raw: bytes) -> None:
        """Check a line without an end. If only its newline is missing, its record still counts."""
        if len(raw) > MAX_LINE:
            self.faults.add(JournalCode.LINE_TOO_LONG, f"longer than {MAX_LINE} bytes, not read")
            self.order.awaits_start = False
            self.chain.skip(b"")
            return
        message = f"{len(raw)} bytes after the last newline"
        try:
            record = decode_line(raw)
        except BadLine:
            self.faults.add(JournalCode.NEWLINE_MISSING, message)
            return
        # Our own writer ends every record with a newline, so a missing one was cut off. Other logs have many
        # writers, and some of them end a file without a newline.
        is_chained = _is_chained(record) if self.chained is None else self.chained
        code = JournalCode.NEWLINE_MISSING if is_chained else JournalCode.NEWLINE_LEFT_OUT
        self.faults.add(code, message)
        self._see_record(record, raw)

    def result(self) -> JournalCheck:
        """Check the log as a whole and return the result."""
        self.faults.line = None
        if not self.line:
            self.faults.add(JournalCode.JOURNAL_EMPTY)
        if self.order.awaits_start:
            self.faults.add(JournalCode.RUN_START_MISSING, "the log stops before the run starts")
        self.chain.end(ended=self.order.ended)
        if self.events and not self.order.ended and not self.chain.anchors:
            self.faults.add(JournalCode.JOURNAL_OPEN)
        self._compare_bugs()
        ok = not self.faults.errors
        state = "broken" if self.faults.chain_broken else "ok"
        chain = state if self.chained or self.chain.anchors else "absent"
        return JournalCheck(ok, self.order.profile, self.events, chain, self.faults.all())

    def audit_log(self) -> "AuditLog | None":
        """Return what an audit log records about its run, None for another log."""
        if self.order.profile != "audit":
            return None
        from signoff.judges.journal.audit_order import AuditJudge  # loaded by now

        judge = self.order.judge
        return judge.log() if isinstance(judge, AuditJudge) else None

    def _compare_bugs(self) -> None:
        """Compare the count of an audit log with the file it counted. The file is right."""
        log = self.audit_log()
        if log is None or log.bugs is None or self.count_bugs is None:
            return
        listed = self.count_bugs()
        if listed is not None and listed != log.bugs:
            state = "cannot be read" if listed == UNREADABLE_BUGS else f"lists {listed}"
            message = f"BUGS.md {state}, phase 6 counted {log.bugs!r:.30}"
            self.faults.add(JournalCode.BUGS_COUNT_DIFFERS, message)
