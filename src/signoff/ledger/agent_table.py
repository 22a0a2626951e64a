"""The ledger as a table for people: one line for each dispatch. Pure."""

from collections.abc import Iterable

from signoff.domain.run.ledger import AgentStatus, LedgerRecord

_HEADINGS = ("TIME", "AGENT", "TASK", "STATUS", "DURATION", "TOKENS", "COST", "NOTE")
_LONGEST_NOTE = 60
_MINUTE_S = 60
_HOUR_S = 3600


def agent_table(records: Iterable[LedgerRecord]) -> str:
    """Return the table. Times are UTC, unknown figures are `-`."""
    rows = [_HEADINGS, *(_row(record) for record in records)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _row(record: LedgerRecord) -> tuple[str, ...]:
    who = record.agent_name or record.agent_type
    return (
        record.started_at[:16].replace("T", " "),
        f"{who} ({record.agent})" if record.agent else str(who),
        record.task_id or "-",
        record.status,
        duration(record.duration_ms),
        _tokens(record),
        "-" if record.cost_usd is None else f"${record.cost_usd:.4f}",
        _note(record),
    )


def duration(milliseconds: float) -> str:
    """Return a duration in the unit a person would use."""
    seconds = milliseconds / 1000
    if seconds < _MINUTE_S:
        return f"{seconds:.1f}s"
    if seconds < _HOUR_S:
        return f"{int(seconds) // _MINUTE_S}m{int(seconds) % _MINUTE_S:02}s"
    return f"{int(seconds) // _HOUR_S}h{int(seconds) % _HOUR_S // _MINUTE_S:02}m"


def _tokens(record: LedgerRecord) -> str:
    figures = (("in", record.input_tokens), ("out", record.output_tokens))
    return " ".join(f"{short_number(number)} {way}" for way, number in figures if number is not None) or "-"


def short_number(number: float) -> str:
    """Return a count of tokens in short form: `830`, `12.4k`, `3.1M`."""
    if number < 1000:
        return f"{number:g}"
    return f"{number / 1000:.1f}k" if number < 999_950 else f"{number / 1_000_000:.1f}M"


def _note(record: LedgerRecord) -> str:
    """Return the most telling fact in a few words: the failure, the verdict, or the changed files.

    A failure outweighs the verdict, and the verdict the files. That the dispatch was a retry is added to
    any of them.
    """
    parts = []
    if record.status is not AgentStatus.SUCCESS:
        parts.append(record.failure_class or record.failure_reason or record.failure_detail or "")
    elif record.verification_result is not None:
        parts.append(f"{record.verification_result}")
    elif record.files_changed:
        more = len(record.files_changed) - 1 + (record.files_left_out or 0)
        parts.append(record.files_changed[0] + (f" and {more} more" if more else ""))
    if record.retry_of:
        parts.append("(a retry)")
    note = " ".join(part for part in parts if part)
    return note if len(note) <= _LONGEST_NOTE else note[: _LONGEST_NOTE - 1] + "…"
