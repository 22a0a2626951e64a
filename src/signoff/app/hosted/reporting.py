"""The report of a hosted run, as it follows from the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.flows.hosted.flow import walk
from signoff.flows.hosted.reporting import report_of
from signoff.flows.hosted.view import HostedView
from signoff.render.work_report import work_report

if TYPE_CHECKING:
    from signoff.core.state import State
    from signoff.domain.ports import RunFolder


def hosted_page(folder: RunFolder, state: State) -> str:
    """Give the report of a run that ended, or what there is of one that halts."""
    view = HostedView(state, folder.blobs.get)
    return work_report(report_of(view, walk(view)))
