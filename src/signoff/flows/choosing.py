"""Which flow a run follows: asked by everything that looks at a run without driving it. Pure.

Flows are loaded when a run of theirs is looked at.
"""

from signoff.core.state import State
from signoff.domain.surveys import DELIVER, WORK, Survey
from signoff.domain.ticket import Ticket
from signoff.flows.run_view import Bodies

KNOWN = (DELIVER, WORK)


def is_hosted(state: State) -> bool:
    """Check whether a host drives this run with `signoff work`."""
    return state.start is not None and state.start.flow == WORK


def survey(state: State, bodies: Bodies) -> Survey:
    """Survey a state with the flow that its run follows."""
    if is_hosted(state):
        from signoff.flows.hosted import flow

        return flow.survey(state, bodies)
    from signoff.flows import deliver

    return deliver.survey(state, bodies)


def ticket(state: State, bodies: Bodies) -> Ticket:
    """Return what a run was asked for."""
    if is_hosted(state):
        from signoff.flows.hosted.view import HostedView

        return HostedView(state, bodies).want.ticket
    from signoff.flows.view import View

    return View(state, bodies).ticket()
