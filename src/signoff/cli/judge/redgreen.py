"""`signoff tests redgreen`: run new and changed tests without the change and with it."""

from contextlib import AbstractContextManager

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.diffs import existing
from signoff.cli.shared.files import readable
from signoff.domain.base.errors import UsageError
from signoff.gates.compared_trees import ChangeTrees, GateRunner
from signoff.gates.gate_baseline import Draft
from signoff.gates.red_green import RedGreenShown, show_red_green
from signoff.wiring import change_between, change_here, site, test_readers


def redgreen(options: Options, say: Output) -> int:
    """Run the tests on the trees and print which of them show nothing."""
    if options.diff:
        raise UsageError(
            "a diff alone cannot be run", slug="usage", fix="give --base REV, or --before DIR --after DIR"
        )
    with _change(options) as trees, site(trees.root) as here:
        runner = GateRunner(here.checks, here.clock)
        shown = show_red_green(trees, runner, tuple(options.permit), test_readers())
        problems = trees.problems
    unjudged = shown.unjudged or (f"not every file could be read: {problems[0]}" if problems else "")
    say.result(_document(shown, unjudged), _text(shown, unjudged))
    return 1 if shown.findings else 5 if unjudged else 0


def _change(options: Options) -> AbstractContextManager[ChangeTrees]:
    if options.before:
        return change_between(existing(options.before), existing(options.after))
    return change_here(options.root, options.base or "HEAD")


def _document(shown: RedGreenShown, unjudged: str) -> dict[str, object]:
    return {
        "ok": False if shown.findings else None if unjudged else True,
        "findings": [_finding(draft) for draft in shown.findings],
        "new": shown.new,
        "changed": shown.changed,
        "unjudged": unjudged,
        "notes": [readable(note) for note in shown.notes],
        "receipts": shown.receipts,
    }


def _finding(draft: Draft) -> dict[str, object]:
    return {
        "path": readable(draft.path),
        "line": draft.line,
        "kind": draft.kind,
        "symbol": readable(draft.symbol),
        "severity": draft.severity,
        "message": readable(draft.message),
    }


def _text(shown: RedGreenShown, unjudged: str) -> str:
    head = (
        f"tests redgreen: {len(shown.findings)} found among {shown.new} new and {shown.changed} changed tests"
    )
    lines = [f"  {d.severity} {readable(d.path)}:{d.line} {d.kind}: {d.message}" for d in shown.findings]
    lines += [f"  not judged: {unjudged}"] if unjudged else []
    lines += [f"  note: {note}" for note in shown.notes]
    for receipt in shown.receipts:
        seen = receipt.observation
        lines.append(f"  ran on {seen.place} ({seen.tree[:12]}): {seen.detail}")
    return "\n".join((head, *lines))
