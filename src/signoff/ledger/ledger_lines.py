"""The lines of a ledger as records, and the choice among them. Pure."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

import msgspec

from signoff.domain.evidence.receipts import Result
from signoff.domain.port_records import LedgerLine
from signoff.domain.run.ledger import AgentStatus, LedgerRecord
from signoff.engine.journal_format import MAX_LINE
from signoff.text.timestamps import is_utc_moment

_RECORDS = msgspec.json.Decoder(LedgerRecord)


class LedgerFilter(NamedTuple):
    """The filter for records to show."""

    failed: bool = False
    task: str = ""
    last: int | None = None


class Chosen(NamedTuple):
    """Records, oldest first, and a message for each line that is not a record."""

    records: tuple[LedgerRecord, ...]
    unreadable: tuple[str, ...]


def choose(lines: Iterable[LedgerLine], wanted: LedgerFilter) -> Chosen:
    """Return the matching records. One that is there twice counts once, as it was written first."""
    unreadable: list[str] = []
    records = list(_fitting(lines, wanted, unreadable))
    records.sort(key=lambda record: record.started_at)
    return Chosen(tuple(records if wanted.last is None else records[-wanted.last :]), tuple(unreadable))


def _fitting(
    lines: Iterable[LedgerLine], wanted: LedgerFilter, unreadable: list[str]
) -> Iterator[LedgerRecord]:
    seen: set[str] = set()
    for line in lines:
        found = read_record(line.raw)
        if isinstance(found, str):
            unreadable.append(f"{line.file}:{line.number}: {found}")
        elif found.run_id not in seen:
            seen.add(found.run_id)
            if (not wanted.failed or is_failed(found)) and wanted.task in ("", found.task_id):
                yield found


def read_record(raw: bytes) -> LedgerRecord | str:
    """Return the record of a line, or a message on what is wrong with it."""
    if len(raw) > MAX_LINE:
        return f"longer than {MAX_LINE:,} bytes"
    try:
        record = _RECORDS.decode(raw)
    except (ValueError, RecursionError) as error:
        return f"no record: {error}"
    return record if is_utc_moment(record.started_at) else "no record: `started_at` is not a moment in UTC"


def is_failed(record: LedgerRecord) -> bool:
    """Check whether a dispatch did not succeed, or what it verified did not pass."""
    result = record.verification_result
    return record.status is not AgentStatus.SUCCESS or result not in (None, Result.PASS)


def is_before(record: LedgerRecord, day: str) -> bool:
    """Check whether a dispatch began before a day, in UTC."""
    return record.started_at[:10] < day


def is_day(text: str) -> bool:
    """Check whether this is a day that exists, as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
