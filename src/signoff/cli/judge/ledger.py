"""The action of `signoff ledger`."""

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import blocks, unreadable_file
from signoff.cli.shared.violations import listing
from signoff.ledger.ledger_rules import check_ledger


def run(options: Options, say: Output) -> int:
    """Judge the ledger, a block at a time."""
    try:
        found = check_ledger(blocks(options.file))
    except (OSError, ValueError) as error:  # the latter: a NUL in the path
        raise unreadable_file(options.file, error) from None
    document = {"ok": found.ok, "records": found.records, "violations": found.violations}
    word = "valid" if found.ok else "invalid"
    count = f"{found.records:,} record{'' if found.records == 1 else 's'}"
    say.result(document, listing(f"{options.file}: {word} ({count})", found.violations))
    if found.ok:
        return 0
    return 1 if found.is_readable else 2
