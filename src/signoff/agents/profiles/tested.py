"""The programs that were tested, and with which version. Pure."""

from collections.abc import Mapping

from signoff.agents.profiles.acp_agents import (
    CopilotProfile,
    GeminiProfile,
    GooseProfile,
    OpenCodeProfile,
    QwenProfile,
)
from signoff.agents.profiles.base import Profile
from signoff.agents.profiles.claude import ClaudeProfile
from signoff.agents.profiles.codex import CodexProfile

_PROFILES: tuple[type[Profile], ...] = (
    ClaudeProfile,
    CodexProfile,
    CopilotProfile,
    GeminiProfile,
    GooseProfile,
    OpenCodeProfile,
    QwenProfile,
)

TESTED: Mapping[str, str] = {profile.name: profile.tested for profile in _PROFILES}
"""By the name of the agent."""
