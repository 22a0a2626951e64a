"""Check a ledger as a stream: one record per agent that ran, one JSON object per line.

Pure; chunks of bytes in, one `LedgerCheck` out. `signoff ledger check` calls it. Nothing is kept of a line
but the number of its run id, so that ids can be compared, and only for the first million records. A record
whose types are right is checked by the rules at the end; `text.json.decode` names what is wrong with any
other.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.evidence.receipts import FailureReason, Result
from signoff.domain.run.ledger import AgentStatus, AgentType, LedgerRecord
from signoff.engine.journal_format import MAX_LINE, BadLine, UnreadableLine, cut_lines, fast_decoder
from signoff.ledger.ledger_privacy import PRIVATE, private_content
from signoff.text.json.decode import convert
from signoff.text.json.json_text import DecodeCode
from signoff.text.json.violation_list import CodedRule, Findings, below, fault, shown
from signoff.text.timestamps import is_utc_moment

TOLERANCE_MS: Final = 1_000
"""How far `duration_ms` may be from the two moments: they are often cut to whole seconds."""

MAX_TRACKED: Final = 1_000_000
"""Records whose ids are remembered, some 100 bytes each."""

EXTRA_FIELDS: Final = frozenset(
    {"failure_class", "agent", "cost_usd", "usage_basis", "files_left_out", "effect_key"}
)
"""What we write beyond the format."""

_ULID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.ASCII | re.IGNORECASE)
_CROCKFORD: Final = str.maketrans("ABCDEFGHJKMNPQRSTVWXYZ", "abcdefghijklmnopqrstuv")
_COMMIT: Final = re.compile(r"[0-9a-fA-F]{7,64}")
_BAD_PATH: Final = re.compile(r"[\\/~]|[A-Za-z]:|.*[\x00-\x1f\x7f\\]|(?:.*/)?\.\.(?:/|\Z)", re.DOTALL)
_KNOWN: Final = frozenset(LedgerRecord.__struct_fields__)
_TEXTS: Final = (
    *("failure_detail", "agent_name", "model", "project", "task_id", "session_id", "skill_invocation_id"),
    *sorted(EXTRA_FIELDS),
)
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_COUNTS: Final = (
    *("duration_ms", "phase", "milestone", "wave"),
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"),
    *("tool_calls_count", "cost_usd", "files_left_out"),
)
_REASONS: Final = {
    Result.FAIL: (FailureReason.CRITERIA_UNMET, FailureReason.EVIDENCE_MISSING),
    Result.PARTIAL: (FailureReason.EXECUTION_ERROR,),
}
_WARN: Final = Severity.WARNING


class LedgerFault(CodedRule):
    """The rules of the ledger, beyond those of its lines and types."""

    LINE_TOO_LONG = "line-too-long", "a record holds no content"
    TORN_LINE = "torn-line", "remove it; the record of that run is lost"
    NO_NEWLINE = "no-newline", "end it with a newline", _WARN
    EMPTY_LEDGER = "empty-ledger", "name a ledger that has one"
    BAD_RUN_ID = "bad-run-id", "26 characters of Crockford's alphabet"
    DUPLICATE_RUN_ID = "duplicate-run-id", "each run has its own"
    BAD_REFERENCE = "bad-reference", "write the `run_id` it refers to", _WARN
    SELF_REFERENCE = "self-reference", "name the other run"
    UNKNOWN_REFERENCE = "unknown-reference", "it may have been pruned", _WARN
    REFERENCES_NOT_JUDGED = "references-not-judged", "`signoff agents prune` makes it smaller", _WARN
    BAD_TIMESTAMP = "bad-timestamp", "write 2026-01-31T09:00:00Z"
    FINISHED_BEFORE_STARTED = "finished-before-started", "correct the moments"
    DURATION_MISMATCH = (
        "duration-mismatch",
        f"correct one of them; up to {TOLERANCE_MS:,} ms apart is tolerated",
    )
    EMPTY_FIELD = "empty-field", "fill it in"
    NEGATIVE_NUMBER = "negative-number", "write 0 or more"
    REASON_WITH_SUCCESS = "reason-with-success", "remove it, or correct the status"
    REASON_WITH_PASS = "reason-with-pass", "remove one of them"
    REASON_MISSING = "reason-missing", "add it"
    REASON_MISMATCH = "reason-mismatch", "", _WARN
    VERIFIER_STATUS = "verifier-status", "write success, and keep the result", _WARN
    VERIFIER_FIELD = "verifier-field", "only a verifier has it"
    CUSTOM_WITHOUT_NAME = "custom-without-name", "name it", _WARN
    LOG_WITH_SUCCESS = "log-with-success", "remove it", _WARN
    LOG_OF_ANOTHER_RUN = (
        "log-of-another-run",
        "write the log of this run: its name holds the `run_id`",
        _WARN,
    )
    PATH_ESCAPE = "path-escape", "write it relative to the repository"
    DUPLICATE_FILE = "duplicate-file", "list each once", _WARN
    BAD_COMMIT = "bad-commit", "write 7 to 64 hexadecimal digits"


class LedgerCheck(NamedTuple):
    """Result of a check. `ok` means without errors, whatever the warnings."""

    ok: bool
    is_readable: bool
    """False if there is text and no line of it is a JSON object: then it is not a ledger at all."""
    records: int
    """Lines that are JSON objects."""
    violations: tuple[Violation, ...]


def check_ledger(chunks: Iterable[bytes]) -> LedgerCheck:
    """Check a whole ledger, in chunks of any size, without raising on any bytes."""
    checker = _LedgerChecker()
    for raw, is_whole in cut_lines(chunks):
        checker.see(raw, is_whole=is_whole)
    return checker.result()


class _LedgerChecker:
    """The state between lines: counts, ids, and references to records that have not come yet."""

    def __init__(self) -> None:
        self.line = 0
        self.records = 0
        self.blanks = 0
        self.found = Findings()
        self._decode = fast_decoder()
        self._ids: set[int] = set()
        self._open: dict[int, tuple[int, str, str]] = {}

    def see(self, raw: bytes, *, is_whole: bool) -> None:
        self.line += 1
        if self.line == 1 and raw.startswith(_BYTE_ORDER_MARK):
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
            message = "begins with a byte order mark"
            self._add([_warning(DecodeCode.BYTE_ORDER_MARK, message, "", "remove it")])
        if len(raw) > MAX_LINE:
            message = f"longer than {MAX_LINE:,} bytes, so it was not read"
            self._add([LedgerFault.LINE_TOO_LONG.found(message)])
            return
        try:
            document = self._decode(raw)
        except BadLine as error:
            self.blanks += error.kind is UnreadableLine.BLANK
            is_torn = not is_whole and not _is_complete(raw)
            self._add([_unreadable(error, is_torn=is_torn)])
            return
        self.records += 1
        if not is_whole:
            message = "the last line does not end, so the next record would be glued to it"
            self._add([LedgerFault.NO_NEWLINE.found(message)])
        self._add(self._judge(document))

    def _judge(self, document: dict[str, object]) -> Iterator[Violation]:
        yield from _fields(document)
        try:
            record = msgspec.convert(document, LedgerRecord, strict=True)
        except (ValueError, RecursionError):
            found = convert(document, LedgerRecord).violations
            yield from (one for one in found if one.code != DecodeCode.UNKNOWN_FIELD)
            return
        for rule in _ALL:
            yield from rule(record)
        yield from self._identity(record)

    def _identity(self, record: LedgerRecord) -> Iterator[Violation]:
        if not _ULID.fullmatch(record.run_id):
            yield LedgerFault.BAD_RUN_ID.found(f"{shown(record.run_id)} is not a ULID", "/run_id")
            return
        number = _number(record.run_id)
        if number in self._ids:
            message = f"{record.run_id} is the id of an earlier record"
            yield LedgerFault.DUPLICATE_RUN_ID.found(message, "/run_id")
        elif len(self._ids) < MAX_TRACKED:
            self._ids.add(number)
            self._open.pop(number, None)
        for name in ("parent_run_id", "retry_of"):
            yield from self._reference(name, getattr(record, name), number)

    def _reference(self, name: str, value: str | None, own: int) -> Iterator[Violation]:
        if value is None:
            return
        if not _ULID.fullmatch(value):
            message = f"{shown(value)} is not a ULID, so it names no record"
            yield LedgerFault.BAD_REFERENCE.found(message, "/" + name)
            return
        number = _number(value)
        if number == own:
            yield LedgerFault.SELF_REFERENCE.found("refers to itself", "/" + name)
        elif number not in self._ids and len(self._open) < MAX_TRACKED:
            # A parent ends after its children, so its record may follow.
            self._open.setdefault(number, (self.line, name, value))

    def _add(self, violations: Iterable[Violation]) -> None:
        for violation in violations:
            self.found.add(msgspec.structs.replace(violation, line=self.line))

    def result(self) -> LedgerCheck:
        if self.records > MAX_TRACKED:
            message = f"ids are compared in the first {MAX_TRACKED:,} records only"
            self.found.add(LedgerFault.REFERENCES_NOT_JUDGED.found(message))
        else:
            for line, name, value in self._open.values():
                message = f"no record here has the id {value}"
                unknown = LedgerFault.UNKNOWN_REFERENCE.found(message, "/" + name)
                self.found.add(msgspec.structs.replace(unknown, line=line))
        is_empty = self.blanks == self.line
        if is_empty:
            self.found.add(LedgerFault.EMPTY_LEDGER.found("there is no record"))
        is_readable = self.records > 0 or is_empty
        return LedgerCheck(not self.found.has_errors, is_readable, self.records, self.found.all())


def _is_complete(raw: bytes) -> bool:
    """Check whether a line is complete JSON, so that no crash cut it off, whatever else is wrong."""
    try:
        json.loads(raw.decode("utf-8", "replace"), parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def _unreadable(error: BadLine, *, is_torn: bool) -> Violation:
    if error.kind is UnreadableLine.BLANK:
        return _warning(error.kind, str(error), "", "remove the line")
    if is_torn:
        return LedgerFault.TORN_LINE.found(f"the last line was cut off: {error}")
    return fault(error.kind, str(error), fix="one JSON object per line")


def _warning(code: StrEnum, message: str, path: str, fix: str) -> Violation:
    return fault(code, message, path, fix=fix, severity=Severity.WARNING)


def _number(ulid: str) -> int:
    return int(ulid.upper().translate(_CROCKFORD), 32)


# --- the fields as they stand there ---


def _fields(document: dict[str, object]) -> Iterator[Violation]:
    """Check what types cannot: a missing version, unknown fields, and content in texts."""
    if "schema_version" not in document:
        message = "`schema_version` is missing"
        yield fault(DecodeCode.MISSING_FIELD, message, "/schema_version", fix="add it: 1")
    for name in [one for one in document if one not in _KNOWN]:
        path = below("", name)
        if why := private_content(name, document[name]):
            yield fault(PRIVATE, why, path, fix="a ledger holds no prompts, answers, output or diffs")
        else:
            message = f"{shown(name)} is not a field of a record"
            yield _warning(DecodeCode.UNKNOWN_FIELD, message, path, "remove it")
    for name in _TEXTS:
        if why := private_content(name, document.get(name), is_known=True):
            yield fault(PRIVATE, why, below("", name), fix="keep the reason, take the content out")


# --- a record whose types are right ---


def _values(record: LedgerRecord) -> Iterator[Violation]:
    for name in _COUNTS:
        if (getattr(record, name) or 0) < 0:
            yield LedgerFault.NEGATIVE_NUMBER.found(f"{shown(getattr(record, name))} is below 0", "/" + name)
    for name in ("skill_invocation_id", "model", "project"):
        if not getattr(record, name).strip():
            yield LedgerFault.EMPTY_FIELD.found(f"`{name}` is empty", "/" + name)


def _times(record: LedgerRecord) -> Iterator[Violation]:
    wrong = [name for name in ("started_at", "finished_at") if not is_utc_moment(getattr(record, name))]
    for name in wrong:
        message = f"{shown(getattr(record, name))} is not a moment in UTC"
        yield LedgerFault.BAD_TIMESTAMP.found(message, "/" + name)
    if wrong:
        return
    took = _microseconds(record.finished_at) - _microseconds(record.started_at)
    if took < 0:
        message = f"finished {-took / 1_000_000:g} s before it started"
        yield LedgerFault.FINISHED_BEFORE_STARTED.found(message, "/finished_at")
    elif abs(record.duration_ms * 1000 - took) > TOLERANCE_MS * 1000:
        message = f"{record.duration_ms:,} ms, and the moments are {took / 1000:,.0f} ms apart"
        yield LedgerFault.DURATION_MISMATCH.found(message, "/duration_ms")


def _microseconds(moment: str) -> int:
    """Return a moment in UTC as a number, without decimals below a microsecond."""
    since = datetime.fromisoformat(moment) - datetime.fromisoformat("0001-01-01T00:00:00Z")
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _reasons(record: LedgerRecord) -> Iterator[Violation]:
    """Compare status, result and reason. A verifier that ran cleanly succeeded, though the code failed.

    The status is about the agent, the result about the code: a failure needs a reason, and a success has one
    only beside a result that did not pass.
    """
    reason, result, status = record.failure_reason, record.verification_result, record.status
    path = "/failure_reason"
    if reason is None:
        if result in _REASONS or status is AgentStatus.FAILURE:
            cause = result if result in _REASONS else status
            is_failure = result is Result.FAIL or status is AgentStatus.FAILURE
            severity = Severity.ERROR if is_failure else Severity.WARNING
            message = f"{cause}, and no reason is given"
            yield LedgerFault.REASON_MISSING.found(message, path, severity=severity)
    elif result is Result.PASS:
        message = f"the code passed, and {reason} is given as a reason"
        yield LedgerFault.REASON_WITH_PASS.found(message, path)
    elif status is AgentStatus.SUCCESS and result is None:
        message = f"a success, and {reason} is given as a reason"
        yield LedgerFault.REASON_WITH_SUCCESS.found(message, path)
    elif status is AgentStatus.SUCCESS and result is not None and reason not in _REASONS[result]:
        fix = f"one of {', '.join(_REASONS[result])}"
        yield LedgerFault.REASON_MISMATCH.found(f"{result} does not come from {reason}", path, fix=fix)


def _relations(record: LedgerRecord) -> Iterator[Violation]:
    """Check the fields that only some agents have, and the commit.

    One independent `if` for each field, because a record can break several of these rules.
    """
    if record.agent_type is not AgentType.VERIFIER:
        for name in ("verifier_score", "verification_result"):
            if getattr(record, name) is not None:
                message = f"`{name}` of an agent of type {record.agent_type}"
                yield LedgerFault.VERIFIER_FIELD.found(message, "/" + name)
    elif record.status is AgentStatus.FAILURE and record.failure_reason in _REASONS[Result.FAIL]:
        message = "the verifier ran and the code failed, which is a success of the verifier"
        yield LedgerFault.VERIFIER_STATUS.found(message, "/status")
    if record.agent_type is AgentType.CUSTOM and not (record.agent_name or "").strip():
        yield LedgerFault.CUSTOM_WITHOUT_NAME.found("a custom agent without a name", "/agent_name")
    if record.log_file is not None and record.status is AgentStatus.SUCCESS:
        yield LedgerFault.LOG_WITH_SUCCESS.found("a success leaves no log", "/log_file")
    elif record.log_file is not None and record.run_id.casefold() not in record.log_file.casefold():
        message = f"{shown(record.log_file)} does not name this run"
        yield LedgerFault.LOG_OF_ANOTHER_RUN.found(message, "/log_file")
    if record.commit_sha is not None and not _COMMIT.fullmatch(record.commit_sha):
        yield LedgerFault.BAD_COMMIT.found(f"{shown(record.commit_sha)} is not a commit", "/commit_sha")


def _paths(record: LedgerRecord) -> Iterator[Violation]:
    places = [(f"/files_changed/{n}", path) for n, path in enumerate(record.files_changed)]
    places += [("/log_file", record.log_file)] if record.log_file is not None else []
    for place, path in places:
        if not path.strip() or _BAD_PATH.match(path):
            yield LedgerFault.PATH_ESCAPE.found(f"{shown(path)} is not a path below the root", place)
    if len(set(record.files_changed)) < len(record.files_changed):
        yield LedgerFault.DUPLICATE_FILE.found("a file is listed more than once", "/files_changed")


_Rule = Callable[[LedgerRecord], Iterator[Violation]]
_ALL: Final[tuple[_Rule, ...]] = (_values, _times, _reasons, _relations, _paths)
