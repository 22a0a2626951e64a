"""The agent that lives elsewhere: a person's coding agent works in the checkout and submits its answer.

Nothing is started here. The engine turns the delegation into a halt of kind `agent`, and the answer
comes in as a claim (`signoff submit`, MCP).
"""

from signoff.agents.backend_tools import AgentTools
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.cassettes import Cassette
from signoff.domain.work.settings import Settings


class HostedAgent:
    """Delegates every directive."""

    name = "hosted"
    works_in_a_box = None

    def dispatch(self, request: AgentRequest) -> AgentReply:
        """Leave the directive to the host, with the checkout ready."""
        del request
        return AgentReply(delegated=True)

    def recover(self, request: AgentRequest) -> AgentReply | None:
        """Nothing was left behind: delegating again is harmless."""
        del request
        return None

    def was_started(self, request: AgentRequest) -> bool:
        """No program of ours ran."""
        del request
        return False


def open_hosted(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> HostedAgent:
    """Make the backend."""
    del tools, settings, cassette
    return HostedAgent()
