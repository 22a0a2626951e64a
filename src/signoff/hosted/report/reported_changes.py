"""Which files a hosted run changed, beside what the host says of them, and what is left to look at. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.machine.trees import ChangeKind
from signoff.domain.state_file.work_report import ReportedChange, ReportFollowUp
from signoff.hosted.flow.hosted_slices import changes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from signoff.domain.machine.trees import PathChange
    from signoff.hosted.flow.hosted_slices import ClaimedChange
    from signoff.hosted.flow.hosted_view import HostedView

_WITH_FOLLOW_UPS = ("plan", "tests", "verify")


def changed_files(view: HostedView) -> tuple[ReportedChange, ...]:
    """Return the files that the engine saw to differ, or those that the host names if it saw no tree."""
    found = view.slice("changes")
    claimed = changes_of(found.value) if found.is_fit else ()
    seen = view.seen
    if seen is None or seen.tree is None:
        return tuple(ReportedChange(path=one.path, lines=one.lines, purpose=one.purpose) for one in claimed)
    by_path = {one.path.rstrip("/"): one for one in reversed(claimed)}
    return tuple(_seen(change, _naming(change.path, by_path)) for change in view.changes(seen))


def _seen(change: PathChange, named: ClaimedChange | None) -> ReportedChange:
    return ReportedChange(
        path=change.path,
        kind=change.kind,
        added=change.added,
        removed=change.removed,
        is_binary=change.binary,
        is_named=named is not None,
        lines=named.lines if named else "",
        purpose=named.purpose if named else "",
    )


def _naming(path: str, claimed: Mapping[str, ClaimedChange]) -> ClaimedChange | None:
    """Return the claim that names a file, or else the nearest folder it is in."""
    place = path
    while place:
        if (found := claimed.get(place)) is not None:
            return found
        place = place.rpartition("/")[0]
    return None


def follow_ups(view: HostedView, files: tuple[ReportedChange, ...]) -> tuple[ReportFollowUp, ...]:
    """Return what the host left for later, and what a person should look at."""
    noted = (item for name in _WITH_FOLLOW_UPS for item in _host_notes(view.claim(name)))
    before = "it began from a state file that was there; what came before is not known"
    unnamed = (
        ReportFollowUp(note=f"{file.kind}, and the host does not name it", anchor=file.path)
        for file in files
        if not file.is_named
    )
    begun = (ReportFollowUp(note=before),) if view.start.adopted else ()
    return (*begun, *noted, *unnamed, *_existing_tests(files))


def _host_notes(claimed: object) -> Iterator[ReportFollowUp]:
    items = claimed.get("followups") if isinstance(claimed, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, str) and item.strip():
            yield ReportFollowUp(note=item)
        if isinstance(item, dict):
            note, anchor = _first_text(item, "note", "title"), _first_text(item, "anchor")
            if note or anchor:
                yield ReportFollowUp(note=note, anchor=anchor)


def _first_text(item: dict[str, object], *names: str) -> str:
    found = (item.get(name) for name in names)
    return next((text for text in found if isinstance(text, str) and text.strip()), "")


def _existing_tests(files: Iterable[ReportedChange]) -> Iterator[ReportFollowUp]:
    touched = [file for file in files if file.kind not in (None, ChangeKind.ADDED)]
    if not touched:
        return
    from signoff.judges.test_results.report_comparison import is_test_path

    for file in touched:
        if is_test_path(file.path):
            yield ReportFollowUp(
                note=f"an existing test was {file.kind}: see what it asked before", anchor=file.path
            )
