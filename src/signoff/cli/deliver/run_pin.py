"""`signoff runs pin RUN DIR`: keep a run as a regression test."""

import os

from signoff.cli.history.golden import difference_lines
from signoff.cli.shared.command import Output
from signoff.domain.base.errors import InfrastructureError, UsageError
from signoff.domain.ports import RunFolder
from signoff.engine.run.kit import Kit
from signoff.golden.play.pinned_runs import PinnedPack, pin
from signoff.runs.inspect.run_list import look
from signoff.testing.hosted.scenario_folder import DiskShelf
from signoff.testing.rehearsal import rehearsal


def pin_run(kit: Kit, folder: RunFolder, place: str | None, say: Output) -> int:
    """Write the pack of a run into a new folder, and return 1 if a replay of it differs."""
    if not place:
        raise UsageError(
            "there is no folder for the pack", slug="pin-no-folder", fix="signoff runs pin RUN NEW_FOLDER"
        )
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise InfrastructureError(
            f"{place} cannot be made",
            slug="machine-refused",
            why=str(error.strerror),
            fix="name another folder",
        ) from None
    _, state, found = look(kit, folder.run_id)
    pinned = pin(kit, folder, state, found, DiskShelf(place), rehearsal)
    document = {
        "run_id": folder.run_id,
        "folder": place,
        "outcome": pinned.end.outcome,
        "identical": not pinned.differences,
        "differences": pinned.differences,
        "notes": pinned.notes,
    }
    say.result(document, _text(folder.run_id, place, pinned))
    for note in pinned.notes:
        say.note(f"note: {note}")
    return 1 if pinned.differences else 0


def _text(run_id: str, place: str, pinned: PinnedPack) -> str:
    said = f"run {run_id} ({pinned.end.outcome}) is pinned in {place}"
    if pinned.differences:
        lines = difference_lines(pinned.differences)
        return "\n".join((*lines, f"{said}, but a replay of it differs from it"))
    return f"{said}; play it with: signoff golden replay {place}"
