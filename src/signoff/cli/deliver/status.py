"""The action of `signoff status`."""

import msgspec

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.halt_text import halts_text
from signoff.domain.run.status import Status
from signoff.runs.inspect.run_list import find, status
from signoff.runs.state.open_halts import OpenHalt, open_halts
from signoff.wiring import build


def run(options: Options, say: Output) -> int:
    """Show one run."""
    kit = build(options.root)
    folder = find(kit, options.run)
    found = status(kit, folder.run_id)
    halts = open_halts(kit, folder, found.halts)
    driven = folder.is_locked()
    document = {
        **msgspec.structs.asdict(found),
        "halt": next(iter(halts), None),
        "halts": halts,
        "driven": driven,
    }
    say.result(document, status_text(found, halts, driven=driven))
    return 0


def status_text(found: Status, halts: tuple[OpenHalt, ...], *, driven: bool) -> str:
    """Return the text of `signoff status`."""
    lines = [
        f"run {found.run_id}: {found.ticket} {found.title}".rstrip(),
        f"{found.outcome} at step {found.step}" + (f": {found.why}" if found.why else ""),
        f"dispatches: {found.dispatches}, checks: {found.checks}, {_cost(found)}; as of {found.ts}",
    ]
    if halts:
        lines.append(halts_text(halts))
    if found.outcome == "stopped" or (found.outcome == "running" and not driven):
        lines.append(f"no driver is running; continue with: signoff runs resume {found.run_id}")
    return "\n".join(lines)


def _cost(found: Status) -> str:
    least = "at least " if found.cost_at_least else ""
    return "cost unknown" if found.cost_usd is None else f"{least}{found.cost_usd:.4f} USD"
