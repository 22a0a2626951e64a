"""Judge a ledger as a stream: one record per agent that ran, one JSON object per line.

Pure; chunks of bytes in, one `LedgerCheck` out. `signoff ledger check` calls it. Nothing is kept of a line
but the number of its run id, so that ids can be compared, and only for the first million records. A record
whose types are right is judged by `_rules`; any other goes through `core.decode`, which names everything.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from signoff.core.decode import convert
from signoff.core.journal_format import MAX_LINE, BadLine, Unreadable, cut_lines, fast_decoder
from signoff.core.json_text import DecodeCode
from signoff.core.ledger_privacy import PRIVATE, private_content
from signoff.core.moments import is_utc_moment
from signoff.core.violations import Findings, below, fault, shown
from signoff.domain.ledger import AgentStatus, AgentType, LedgerRecord
from signoff.domain.receipts import FailureReason, Result
from signoff.domain.violations import Severity, Violation

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
_FILLED: Final = ("skill_invocation_id", "model", "project")
_COUNTS: Final = (
    "duration_ms",
    "phase",
    "milestone",
    "wave",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "tool_calls_count",
    "cost_usd",
    "files_left_out",
)
_REASONS: Final = {
    Result.FAIL: (FailureReason.CRITERIA_UNMET, FailureReason.EVIDENCE_MISSING),
    Result.PARTIAL: (FailureReason.EXECUTION_ERROR,),
}


class LedgerFault(StrEnum):
    """What the rules of the ledger find, beyond what is wrong with a line or a type."""

    LINE_TOO_LONG = "line-too-long"
    TORN_LINE = "torn-line"
    NO_NEWLINE = "no-newline"
    EMPTY_LEDGER = "empty-ledger"
    BAD_RUN_ID = "bad-run-id"
    DUPLICATE_RUN_ID = "duplicate-run-id"
    BAD_REFERENCE = "bad-reference"
    SELF_REFERENCE = "self-reference"
    UNKNOWN_REFERENCE = "unknown-reference"
    REFERENCES_NOT_JUDGED = "references-not-judged"
    BAD_TIMESTAMP = "bad-timestamp"
    FINISHED_BEFORE_STARTED = "finished-before-started"
    DURATION_MISMATCH = "duration-mismatch"
    EMPTY_FIELD = "empty-field"
    NEGATIVE_NUMBER = "negative-number"
    REASON_WITH_SUCCESS = "reason-with-success"
    REASON_WITH_PASS = "reason-with-pass"  # noqa: S105 - a code, not a password
    REASON_MISSING = "reason-missing"
    REASON_MISMATCH = "reason-mismatch"
    VERIFIER_STATUS = "verifier-status"
    VERIFIER_FIELD = "verifier-field"
    CUSTOM_WITHOUT_NAME = "custom-without-name"
    LOG_WITH_SUCCESS = "log-with-success"
    LOG_OF_ANOTHER_RUN = "log-of-another-run"
    PATH_ESCAPE = "path-escape"
    DUPLICATE_FILE = "duplicate-file"
    BAD_COMMIT = "bad-commit"


class LedgerCheck(NamedTuple):
    """What was found; `ok` when there is no error, whatever the warnings."""

    ok: bool
    is_readable: bool
    """False where something stands there and no line of it is a JSON object: then it is no ledger at all."""
    records: int
    """Lines that are JSON objects."""
    violations: tuple[Violation, ...]


def check_ledger(chunks: Iterable[bytes]) -> LedgerCheck:
    """Check a whole ledger, given as chunks of any size; never raises on any bytes."""
    checker = _Checker()
    for raw, is_whole in cut_lines(chunks):
        checker.see(raw, is_whole=is_whole)
    return checker.result()


class _Checker:
    """What is remembered between lines: counts, ids, and references that nobody has answered yet."""

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
            self._add([fault(LedgerFault.LINE_TOO_LONG, message, fix="a record holds no content")])
            return
        try:
            document = self._decode(raw)
        except BadLine as error:
            self.blanks += error.kind is Unreadable.BLANK
            is_torn = not is_whole and not _is_complete(raw)
            self._add([_unreadable(error, is_torn=is_torn)])
            return
        self.records += 1
        if not is_whole:
            message = "the last line does not end, so the next record would be glued to it"
            self._add([_warning(LedgerFault.NO_NEWLINE, message, "", "end it with a newline")])
        self._add(self._judge(document))

    def _judge(self, document: dict[str, object]) -> Iterator[Violation]:
        yield from _fields(document)
        try:
            record = msgspec.convert(document, LedgerRecord, strict=True)
        except (ValueError, RecursionError):
            found = convert(document, LedgerRecord).violations
            yield from (one for one in found if one.code != DecodeCode.UNKNOWN_FIELD)
            return
        yield from _rules(record)
        yield from self._identity(record)

    def _identity(self, record: LedgerRecord) -> Iterator[Violation]:
        if not _ULID.fullmatch(record.run_id):
            message = f"{shown(record.run_id)} is no ULID"
            yield fault(
                LedgerFault.BAD_RUN_ID, message, "/run_id", fix="26 characters of Crockford's alphabet"
            )
            return
        number = _number(record.run_id)
        if number in self._ids:
            message = f"{record.run_id} is the id of an earlier record"
            yield fault(LedgerFault.DUPLICATE_RUN_ID, message, "/run_id", fix="each run has its own")
        elif len(self._ids) < MAX_TRACKED:
            self._ids.add(number)
            self._open.pop(number, None)
        for name in ("parent_run_id", "retry_of"):
            yield from self._reference(name, getattr(record, name), number)

    def _reference(self, name: str, value: str | None, own: int) -> Iterator[Violation]:
        if value is None:
            return
        if not _ULID.fullmatch(value):
            message = f"{shown(value)} is no ULID, so it names no record"
            yield _warning(LedgerFault.BAD_REFERENCE, message, "/" + name, "write the `run_id` it refers to")
            return
        number = _number(value)
        if number == own:
            yield fault(LedgerFault.SELF_REFERENCE, "refers to itself", "/" + name, fix="name the other run")
        elif number not in self._ids and len(self._open) < MAX_TRACKED:
            # A parent ends after its children, so its record may follow.
            self._open.setdefault(number, (self.line, name, value))

    def _add(self, violations: Iterable[Violation]) -> None:
        for violation in violations:
            self.found.add(msgspec.structs.replace(violation, line=self.line))

    def result(self) -> LedgerCheck:
        if self.records > MAX_TRACKED:
            message = f"ids are compared in the first {MAX_TRACKED:,} records only"
            self.found.add(
                _warning(
                    LedgerFault.REFERENCES_NOT_JUDGED, message, "", "`signoff agents prune` makes it smaller"
                )
            )
        else:
            for line, name, value in self._open.values():
                message = f"no record here has the id {value}"
                one = _warning(LedgerFault.UNKNOWN_REFERENCE, message, "/" + name, "it may have been pruned")
                self.found.add(msgspec.structs.replace(one, line=line))
        is_empty = self.blanks == self.line
        if is_empty:
            self.found.add(
                fault(LedgerFault.EMPTY_LEDGER, "there is no record", fix="name a ledger that has one")
            )
        is_readable = self.records > 0 or is_empty
        return LedgerCheck(not self.found.has_errors, is_readable, self.records, self.found.all())


def _is_complete(raw: bytes) -> bool:
    """Say whether a line could be JSON to its end, so that no crash cut it off, whatever else is wrong."""
    try:
        json.loads(raw.decode("utf-8", "replace"), parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def _unreadable(error: BadLine, *, is_torn: bool) -> Violation:
    if error.kind is Unreadable.BLANK:
        return _warning(error.kind, str(error), "", "remove the line")
    if is_torn:
        message = f"the last line was cut off: {error}"
        return fault(LedgerFault.TORN_LINE, message, fix="remove it; the run it told of is lost")
    return fault(error.kind, str(error), fix="one JSON object per line")


def _warning(code: StrEnum, message: str, path: str, fix: str) -> Violation:
    return fault(code, message, path, fix=fix, severity=Severity.WARNING)


def _number(ulid: str) -> int:
    return int(ulid.upper().translate(_CROCKFORD), 32)


# --- the fields as they stand there ---


def _fields(document: dict[str, object]) -> Iterator[Violation]:
    """Say what the types cannot: a version that is not given, and fields nobody asked for."""
    if "schema_version" not in document:
        yield fault(
            DecodeCode.MISSING_FIELD, "`schema_version` is missing", "/schema_version", fix="add it: 1"
        )
    for name in [one for one in document if one not in _KNOWN]:
        path = below("", name)
        if why := private_content(name, document[name]):
            yield fault(PRIVATE, why, path, fix="a ledger holds no prompts, answers, output or diffs")
        else:
            yield _warning(
                DecodeCode.UNKNOWN_FIELD, f"{shown(name)} is no field of a record", path, "remove it"
            )
    for name in _TEXTS:
        if why := private_content(name, document.get(name), is_known=True):
            yield fault(PRIVATE, why, below("", name), fix="keep the reason, take the content out")


# --- a record whose types are right ---


def _rules(record: LedgerRecord) -> Iterator[Violation]:
    for rule in _ALL:
        yield from rule(record)


def _numbers(record: LedgerRecord) -> Iterator[Violation]:
    for name in _COUNTS:
        value = getattr(record, name)
        if value is not None and value < 0:
            yield fault(
                LedgerFault.NEGATIVE_NUMBER, f"{shown(value)} is below 0", "/" + name, fix="write 0 or more"
            )
    for name in _FILLED:
        if not getattr(record, name).strip():
            yield fault(LedgerFault.EMPTY_FIELD, f"`{name}` is empty", "/" + name, fix="fill it in")


def _times(record: LedgerRecord) -> Iterator[Violation]:
    wrong = [name for name in ("started_at", "finished_at") if not is_utc_moment(getattr(record, name))]
    for name in wrong:
        message = f"{shown(getattr(record, name))} is no moment in UTC"
        yield fault(LedgerFault.BAD_TIMESTAMP, message, "/" + name, fix="write 2026-01-31T09:00:00Z")
    if wrong:
        return
    took = _microseconds(record.finished_at) - _microseconds(record.started_at)
    if took < 0:
        message = f"finished {-took / 1_000_000:g} s before it started"
        yield fault(LedgerFault.FINISHED_BEFORE_STARTED, message, "/finished_at", fix="correct the moments")
    elif abs(record.duration_ms * 1000 - took) > TOLERANCE_MS * 1000:
        message = f"{record.duration_ms:,} ms, and the moments are {took / 1000:,.0f} ms apart"
        fix = f"correct one of them; up to {TOLERANCE_MS:,} ms apart is tolerated"
        yield fault(LedgerFault.DURATION_MISMATCH, message, "/duration_ms", fix=fix)


def _microseconds(moment: str) -> int:
    """Give a moment in UTC as a number; decimals below a microsecond are dropped."""
    since = datetime.fromisoformat(moment) - datetime.fromisoformat("0001-01-01T00:00:00Z")
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _reasons(record: LedgerRecord) -> Iterator[Violation]:
    """Compare status, result and reason. A verifier that ran cleanly succeeded, though the code failed."""
    reason, result, status = record.failure_reason, record.verification_result, record.status
    at = "/failure_reason"
    if reason is None:
        if result in _REASONS or status is AgentStatus.FAILURE:
            said = result if result in _REASONS else status
            is_failure = result is Result.FAIL or status is AgentStatus.FAILURE
            severity = Severity.ERROR if is_failure else Severity.WARNING
            message = f"{said}, and no reason is given"
            yield fault(LedgerFault.REASON_MISSING, message, at, fix="add it", severity=severity)
        return
    if result is Result.PASS:
        message = f"the code passed, and {reason} is given as a reason"
        yield fault(LedgerFault.REASON_WITH_PASS, message, at, fix="remove one of them")
    elif status is AgentStatus.SUCCESS and result is None:
        message = f"a success, and {reason} is given as a reason"
        yield fault(LedgerFault.REASON_WITH_SUCCESS, message, at, fix="remove it, or correct the status")
    elif status is AgentStatus.SUCCESS and result is not None and reason not in _REASONS[result]:
        message = f"{result} does not come from {reason}"
        fix = f"one of {', '.join(_REASONS[result])}"
        yield _warning(LedgerFault.REASON_MISMATCH, message, at, fix)


def _verifier(record: LedgerRecord) -> Iterator[Violation]:
    if record.agent_type is not AgentType.VERIFIER:
        for name in ("verifier_score", "verification_result"):
            if getattr(record, name) is not None:
                message = f"`{name}` of an agent of type {record.agent_type}"
                yield fault(LedgerFault.VERIFIER_FIELD, message, "/" + name, fix="only a verifier has it")
    elif record.status is AgentStatus.FAILURE and record.failure_reason in _REASONS[Result.FAIL]:
        message = "the verifier ran and the code failed, which is a success of the verifier"
        yield _warning(LedgerFault.VERIFIER_STATUS, message, "/status", "write success, and keep the result")


def _rest(record: LedgerRecord) -> Iterator[Violation]:
    if record.agent_type is AgentType.CUSTOM and not (record.agent_name or "").strip():
        message = "a custom agent without a name"
        yield _warning(LedgerFault.CUSTOM_WITHOUT_NAME, message, "/agent_name", "name it")
    if record.log_file is not None and record.status is AgentStatus.SUCCESS:
        message = "a success leaves no log"
        yield _warning(LedgerFault.LOG_WITH_SUCCESS, message, "/log_file", "remove it")
    elif record.log_file is not None and record.run_id.casefold() not in record.log_file.casefold():
        message = f"{shown(record.log_file)} does not name this run"
        fix = "write the log of this run: its name holds the `run_id`"
        yield _warning(LedgerFault.LOG_OF_ANOTHER_RUN, message, "/log_file", fix)
    if record.commit_sha is not None and not _COMMIT.fullmatch(record.commit_sha):
        message = f"{shown(record.commit_sha)} is no commit"
        yield fault(LedgerFault.BAD_COMMIT, message, "/commit_sha", fix="write 7 to 64 hexadecimal digits")


def _paths(record: LedgerRecord) -> Iterator[Violation]:
    named: list[tuple[str | int, str]] = list(enumerate(record.files_changed))
    named += [("log_file", record.log_file)] if record.log_file is not None else []
    for at, path in named:
        if not path.strip() or _BAD_PATH.match(path):
            where = below("", at) if isinstance(at, str) else below("/files_changed", at)
            message = f"{shown(path)} is no path below the root"
            yield fault(LedgerFault.PATH_ESCAPE, message, where, fix="write it relative to the repository")
    if len(set(record.files_changed)) < len(record.files_changed):
        message = "a file is listed more than once"
        yield _warning(LedgerFault.DUPLICATE_FILE, message, "/files_changed", "list each once")


_Rule = Callable[[LedgerRecord], Iterator[Violation]]
_ALL: Final[tuple[_Rule, ...]] = (_numbers, _times, _reasons, _verifier, _rest, _paths)
