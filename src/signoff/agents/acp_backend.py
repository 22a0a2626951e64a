"""Agents by the Agent Client Protocol: the same adapter as for programs with a stream of their own.

What they need beside it is the optional library that our client program speaks the protocol with.
"""

import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from signoff.agents.backend_tools import AgentTools, Factory
from signoff.agents.cli_backend import CliAgent, open_cli
from signoff.agents.profiles.acp import AcpProfile
from signoff.agents.profiles.acp_agents import (
    CopilotProfile,
    GeminiProfile,
    GooseProfile,
    OpenCodeProfile,
    QwenProfile,
)
from signoff.domain.base.errors import ConfigError, InfrastructureError
from signoff.domain.run.cassettes import Cassette
from signoff.domain.work.settings import Settings

LIBRARY = "agent-client-protocol"


def open_acp(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> CliAgent:
    """Make the backend for any program that speaks the protocol, as the settings name it."""
    if not settings.agent.program:
        raise ConfigError(
            "the agent `acp` is no program by itself",
            slug="agent-program-missing",
            why="[agent] program is not set",
            fix='name the words that start a server of the protocol, such as program = ["goose", "acp"]',
        )
    return _open(AcpProfile, tools, settings, cassette)


def _open(
    profile: type[AcpProfile], tools: AgentTools, settings: Settings, cassette: Cassette | None
) -> CliAgent:
    del cassette
    try:
        version(LIBRARY)
    except PackageNotFoundError as error:
        raise InfrastructureError(
            f"the agent {profile.name} needs the package {LIBRARY}",
            slug="agent-library-missing",
            why=f"it is not installed for {sys.executable}",
            fix="pip install 'signoff[acp]'",
        ) from error
    return open_cli(profile(sys.executable), tools, settings)


open_goose: Factory = partial(_open, GooseProfile)
open_opencode: Factory = partial(_open, OpenCodeProfile)
open_copilot: Factory = partial(_open, CopilotProfile)
open_gemini: Factory = partial(_open, GeminiProfile)
open_qwen: Factory = partial(_open, QwenProfile)
