"""The action of `signoff agents`."""

from signoff.cli.shared.command import Options, Output
from signoff.domain.base.errors import UsageError
from signoff.domain.ports import Ledger
from signoff.engine.run.kit import Kit
from signoff.ledger.agent_table import agent_table
from signoff.ledger.ledger_lines import Chosen, LedgerFilter
from signoff.ledger.ledger_records import as_data
from signoff.runs.drive.ledger_keeper import chosen, rebuild
from signoff.wiring import build

SHOWN = 50
"""How many lines a person gets without asking for more."""


def run(options: Options, say: Output) -> int:
    """Show the ledger, or do what was asked with it."""
    _refuse_stray(options)
    kit = build(options.root)
    ledger = kit.ledger
    assert ledger is not None, "every repository has a ledger"
    match options.action:
        case "prune":
            return _prune(ledger, options.before, say)
        case "rebuild":
            return _rebuild(kit, ledger, say)
        case _:
            return _list(ledger, LedgerFilter(options.failed, options.task, options.last), say)


def _list(ledger: Ledger, wanted: LedgerFilter, say: Output) -> int:
    found = chosen(ledger, wanted)
    document = {"records": [as_data(record) for record in found.records], "unreadable": found.unreadable}
    say.result(document, _list_text(found, wanted))
    return _note_unreadable(found.unreadable, say)


def _list_text(found: Chosen, wanted: LedgerFilter) -> str:
    if not found.records:
        return "no dispatch matches" if wanted.failed or wanted.task else "the ledger has no records"
    left_out = 0 if wanted.last is not None else max(0, len(found.records) - SHOWN)
    text = agent_table(found.records[left_out:])
    if not left_out:
        return text
    return f"{text}\n{left_out} earlier ones are not shown; --last {len(found.records)} shows all"


def _prune(ledger: Ledger, before: str, say: Output) -> int:
    pruned = ledger.prune(before)
    document = {
        "pruned": pruned.records,
        "logs": pruned.logs,
        "kept": pruned.kept,
        "unreadable": pruned.unreadable,
    }
    text = f"{_count(pruned.records, 'record')} and {_count(pruned.logs, 'log')} removed; {pruned.kept} kept"
    say.result(document, text)
    return _note_unreadable(pruned.unreadable, say)


def _rebuild(kit: Kit, ledger: Ledger, say: Output) -> int:
    if not ledger.is_on:
        raise UsageError(
            "the ledger is not written", slug="ledger-off", why="SIGNOFF_TELEMETRY is off", fix="unset it"
        )
    rebuilt = rebuild(kit, ledger)
    text = f"{_count(rebuilt.appended, 'record')} of {_count(rebuilt.runs, 'run')} appended"
    say.result({"appended": rebuilt.appended, "runs": rebuilt.runs, "skipped": rebuilt.skipped}, text)
    for each in rebuilt.skipped:
        say.note(f"left out: {each}")
    return 1 if rebuilt.skipped else 0


def _note_unreadable(unreadable: tuple[str, ...], say: Output) -> int:
    """Name every line that could not be read, and return the exit code."""
    for each in unreadable:
        say.note(f"unreadable: {each}")
    return 1 if unreadable else 0


def _refuse_stray(options: Options) -> None:
    is_pruning = options.action == "prune"
    if is_pruning and options.before is None:
        raise UsageError(
            "prune needs --before DATE", slug="usage", fix="signoff agents prune --before 2026-01-31"
        )
    asked = [name for name in ("failed", "task", "last") if getattr(options, name)]
    stray = asked if options.action != "list" else []
    if options.before is not None and not is_pruning:
        stray = [*stray, "before"]
    if stray:
        raise UsageError(f"--{stray[0]} does not go with {options.action}", slug="usage", fix="leave it out")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
