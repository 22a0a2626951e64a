"""The state file as the engine writes it after a cycle. Pure.

Outcomes are computed, never taken over from the host. What the host wrote into its own slices stays as it
wrote it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.domain.run.halts import HaltCode
from signoff.domain.run.surveys import STEPS
from signoff.domain.work.work_state import WorkInput, WorkState
from signoff.hosted.flow.cycle_output import question_lines

if TYPE_CHECKING:
    from signoff.domain.machine.trees import PathChange
    from signoff.hosted.flow.flow import Walked
    from signoff.hosted.flow.hosted_view import HostedView


def export(view: HostedView, walked: Walked, report: str | None) -> WorkState:
    """Return the whole state as it stands."""
    return WorkState(
        input=_input(view),
        intent=view.route.intent,
        directive_set=view.route.directive_set,
        stack=view.claim("stack"),
        ui_audit=view.claim("ui_audit"),
        ui_design=view.claim("ui_design"),
        ui_review=view.claim("ui_review"),
        ui_polish=view.claim("ui_polish"),
        contract=view.claim("contract"),
        stitch=view.claim("stitch"),
        persona=view.persona,
        memory=_memory(view),
        plan=view.claim("plan"),
        changes=_changes(view),
        tests=view.claim("tests"),
        verify=_verify(view, walked),
        outcomes=_outcomes(walked),
        questions=[line for halt in walked.now.halts[:1] for line in question_lines(halt)],
        report=report,
    )


def _input(view: HostedView) -> WorkInput:
    """Return the input with what refining made of it. The list of criteria is a copy."""
    data = dict(view.input.data)
    found = view.refinement
    if found.confidence is not None:
        data["confidence"] = msgspec.to_builtins(found.confidence)
        data["acceptance_criteria"] = list(found.criteria)
    elif view.answer_restated:
        data["acceptance_criteria"] = list(found.criteria)
    return WorkInput(kind=view.input.kind, data=data)


def _memory(view: HostedView) -> list[object]:
    """Return the hits as they were found, with what the host noted on them."""
    noted = view.claim("memory")
    by_id = {
        str(hit["id"]): hit
        for hit in (noted if isinstance(noted, list) else ())
        if isinstance(hit, dict) and isinstance(hit.get("id"), str)
    }
    return [{**by_id.get(hit.id, {}), **msgspec.to_builtins(hit)} for hit in view.hits]


def _changes(view: HostedView) -> object:
    claimed = view.claim("changes")
    if claimed not in (None, [], {}, ""):
        return claimed
    seen = view.seen if view.says_done("implement") else None
    return [_change(change) for change in view.changes(seen)] if seen else []


def _verify(view: HostedView, walked: Walked) -> object:
    """Return the review, or null if another is asked for: the same words again must then count as new."""
    is_stale = any(halt.code is HaltCode.REVIEW_STALE for halt in walked.now.halts)
    return None if is_stale else view.claim("verify")


def _change(change: PathChange) -> dict[str, object]:
    return {"path": change.path, "kind": str(change.kind), "purpose": "seen by the engine"}


def _outcomes(walked: Walked) -> dict[str, object]:
    """Return success for every step that is done or skipped, and how the present step halted."""
    outcomes: dict[str, object] = {name: "success" for name in STEPS if name in walked.behind}
    if walked.now.complete:
        outcomes["report"] = "success"
    elif walked.now.halts:
        outcomes[walked.at] = "partial" if walked.now.halts[0].is_partial else "blocked"
    return outcomes
