"""Find an agent on this machine if none is named, and say which program it is."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, runtime_checkable

from signoff.domain.base.errors import ConfigError
from signoff.domain.ports import Agent
from signoff.domain.work.settings import Settings
from signoff.engine.run.kit import Kit
from signoff.text.version_text import untested, version_in

AGENTS = ("claude", "codex", "copilot", "gemini", "opencode", "goose", "qwen")
"""Coding agents in the order in which they are looked for. Each is also the name of its program."""


@runtime_checkable
class Programmed(Protocol):
    """A backend that runs a coding agent's own program."""

    program: tuple[str, ...]
    """The words that start it, the first a path."""
    title: str
    tested: str
    """The version it was tested with, or ""."""


class AgentFound(NamedTuple):
    """The agent that does the work, and whether it was chosen for the person."""

    name: str
    by_us: bool = False


def find_agent(kit: Kit, settings: Settings) -> AgentFound:
    """Return the first agent whose program is on PATH. Raises if there is none."""
    agent = settings.agent
    if agent.command or agent.program:
        raise _missing("[agent] says how an agent is started, but not its name")
    known = kit.agents.names()
    looked_for = tuple(name for name in AGENTS if name in known)
    found = next((name for name in looked_for if kit.machine.find(name)), None)
    if found is None:
        raise _missing(
            "neither --agent nor [agent] name in signoff.toml of the base commit says who does the work, "
            f"and none of these is on PATH: {', '.join(looked_for)}"
        )
    return AgentFound(found, by_us=True)


def _missing(why: str) -> ConfigError:
    return ConfigError(
        "no agent is configured",
        slug="agent-missing",
        why=why,
        fix="--agent hosted (you or your coding agent submit answers), --agent command, --cassette FILE, "
        "or install a coding agent",
    )


def program_notes(kit: Kit, found: AgentFound, agents: Iterable[Agent]) -> tuple[str, ...]:
    """Name the program that was found, and the programs whose version was not tested. Never an error.

    Only programs of coding agents are asked for their version, each once.
    """
    notes: list[str] = []
    asked: set[tuple[str, ...]] = set()
    for agent in agents:
        if not isinstance(agent, Programmed) or agent.program in asked:
            continue
        asked.add(agent.program)
        version = version_in(kit.machine.version_said(agent.program))
        if found.by_us and agent.name == found.name:
            named = f"{found.name} {version}".rstrip()
            notes.append(f"using {named}, found on PATH; --agent to choose")
        if note := untested(agent.title, version, agent.tested):
            notes.append(f"note: {note}")
    return tuple(notes)
