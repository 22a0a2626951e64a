"""Agent backends by name: an explicit list of our own, and entry points for those of others.

A backend is imported when it is opened, so a run pays for the one it uses. Others register a factory
(see `agents.backend_tools`) under the entry point group `signoff.agents`, under a name that is not ours.
"""

from importlib.metadata import EntryPoint, entry_points

from signoff.agents.backend_tools import AgentTools, Factory
from signoff.domain.base.errors import ConfigError
from signoff.domain.ports import Agent, Processes, Repository
from signoff.domain.run.cassettes import Cassette
from signoff.domain.work.settings import Settings

GROUP = "signoff.agents"

BUILT_IN: dict[str, str] = {
    "acp": "signoff.agents.acp_backend:open_acp",
    "claude": "signoff.agents.cli_backend:open_claude",
    "codex": "signoff.agents.cli_backend:open_codex",
    "command": "signoff.agents.command:open_command",
    "copilot": "signoff.agents.acp_backend:open_copilot",
    "gemini": "signoff.agents.acp_backend:open_gemini",
    "goose": "signoff.agents.acp_backend:open_goose",
    "hosted": "signoff.agents.hosted:open_hosted",
    "opencode": "signoff.agents.acp_backend:open_opencode",
    "qwen": "signoff.agents.acp_backend:open_qwen",
    "recorded": "signoff.agents.recorded:open_recorded",
}


class AgentRegistry:
    """Opens backends for one repository."""

    def __init__(
        self, processes: Processes, repository: Repository, env: dict[str, str], python: str
    ) -> None:
        self._tools = AgentTools(processes, repository, env, python)

    def names(self) -> frozenset[str]:
        """Return the names of our own backends."""
        return frozenset(BUILT_IN)

    def open(self, name: str, settings: Settings, cassette: Cassette | None) -> Agent:
        """Return the backend. An unknown name or a missing program is an error a person can mend."""
        return _load(_find(name))(self._tools, settings, cassette)


def _find(name: str) -> EntryPoint:
    if path := BUILT_IN.get(name):
        return EntryPoint(name, path, GROUP)
    others = entry_points(group=GROUP)
    found = next((entry for entry in others if entry.name == name), None)
    if found is None:
        raise ConfigError(
            f"there is no agent {name!r}",
            slug="agent-unknown",
            why="known are " + ", ".join(sorted({*BUILT_IN, *others.names})),
            fix="name one of these with --agent or as [agent] name, or install the package that brings it",
        )
    return found


def _load(entry: EntryPoint) -> Factory:
    try:
        factory: Factory = entry.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"the agent {entry.name!r} cannot be loaded",
            slug="agent-broken",
            why=f"{entry.value}: {error}",
            fix="mend or remove the package that brings it",
        ) from error
    return factory
