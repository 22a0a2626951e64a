"""Which flow a run follows: asked by everything that looks at a run without driving it. Pure.

Flows are loaded when a run of theirs is looked at.
"""

from signoff.domain.run.surveys import DELIVER, WORK, Survey
from signoff.domain.work.ticket import Ticket
from signoff.engine.run_state import State
from signoff.engine.shared_view import Bodies

KNOWN = (DELIVER, WORK)


def is_hosted(state: State) -> bool:
    """Check whether a host drives this run with `signoff work`."""
    return state.start is not None and state.start.flow == WORK


def survey(state: State, bodies: Bodies) -> Survey:
    """Survey a state with the flow that its run follows."""
    if is_hosted(state):
        from signoff.hosted.flow import flow

        return flow.survey(state, bodies)
    from signoff.delivery.flow import deliver

    return deliver.survey(state, bodies)


def ticket(state: State, bodies: Bodies) -> Ticket:
    """Return what a run was asked for."""
    if is_hosted(state):
        from signoff.hosted.flow.hosted_view import HostedView

        return HostedView(state, bodies).want.ticket
    from signoff.delivery.context.run_view import View

    return View(state, bodies).ticket()
