"""Agents by name: ours, other people's, and the mistakes a person can make."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from agentbench import AgentBench

import signoff
from signoff.agents.registry import BUILT_IN, AgentRegistry
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.ports import Agent
from signoff.domain.run.agents import AgentReply
from signoff.domain.run.cassettes import Cassette, CassetteEntry
from signoff.domain.work.settings import AgentSettings, Settings
from signoff.host.processes.process_door import ProcessDoor

CASSETTE = Cassette(version=1, name="empty", entries=())
SETTINGS = Settings(agent=AgentSettings(command=("/bin/true",), program=("/bin/true",)))

PLUGIN = """
class Echo:
    name = "echo"
    def __init__(self, tools, settings, cassette):
        self.seen = (tools.python, settings.agent.command, cassette.name)

def other(tools, settings, cassette):
    raise AssertionError("a plugin took the name of one of ours")
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> AgentBench:
    return AgentBench(tmp_path_factory.mktemp("registry"))


@pytest.fixture(scope="module")
def registry(bench: AgentBench) -> AgentRegistry:
    return AgentRegistry(ProcessDoor(), bench.repository, bench.env, "/usr/bin/python-of-the-project")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that registers agents, one of them under a name of ours."""
    (tmp_path / "echo_plugin.py").write_text(PLUGIN)
    about = tmp_path / "echo_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-plugin\nVersion: 1.0\n")
    entries = ("echo = echo_plugin:Echo", "hosted = echo_plugin:other", "broken = echo_plugin:absent")
    (about / "entry_points.txt").write_text("\n".join(("[signoff.agents]", *entries, "")))
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_built_in_opens_under_its_name(registry: AgentRegistry, name: str) -> None:
    agent: Agent = registry.open(name, SETTINGS, CASSETTE)

    assert agent.name == name


def test_the_hosted_agent_delegates_and_starts_nothing(registry: AgentRegistry, bench: AgentBench) -> None:
    agent, request = registry.open("hosted", Settings(), None), bench.request()

    assert agent.dispatch(request) == AgentReply(delegated=True)
    assert not agent.was_started(request)
    assert agent.recover(request) is None


@pytest.mark.parametrize("name", ["clod", "", "Recorded"])
def test_an_unknown_name_is_answered_with_the_known_ones(registry: AgentRegistry, name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        registry.open(name, SETTINGS, None)

    assert caught.value.slug == "agent-unknown"
    assert (
        "acp, claude, codex, command, copilot, gemini, goose, hosted, opencode, qwen, recorded"
        in caught.value.why
    )


def test_the_recorded_agent_needs_a_cassette(registry: AgentRegistry) -> None:
    with pytest.raises(UsageError) as caught:
        registry.open("recorded", SETTINGS, None)

    assert caught.value.slug == "cassette-missing"


def test_a_cassette_with_two_entries_for_one_key_is_not_played(registry: AgentRegistry) -> None:
    entry = CassetteEntry(key=EffectKey("plan/attempt-1/dispatch-1"), answer=msgspec.Raw(b"{}"))

    with pytest.raises(ConfigError) as caught:
        registry.open("recorded", SETTINGS, Cassette(version=1, name="twice", entries=(entry, entry)))

    assert caught.value.slug == "cassette-invalid"
    assert entry.key in caught.value.why


@pytest.mark.usefixtures("plugin")
def test_others_register_by_entry_point_and_get_what_ours_get(registry: AgentRegistry) -> None:
    agent = registry.open("echo", SETTINGS, CASSETTE)

    assert agent.name == "echo"
    assert vars(agent)["seen"] == ("/usr/bin/python-of-the-project", ("/bin/true",), "empty")


@pytest.mark.usefixtures("plugin")
def test_nobody_can_take_a_name_of_ours(registry: AgentRegistry) -> None:
    assert registry.open("hosted", SETTINGS, None).name == "hosted"


@pytest.mark.usefixtures("plugin")
def test_a_plugin_that_cannot_be_loaded_is_named(registry: AgentRegistry) -> None:
    with pytest.raises(ConfigError) as caught:
        registry.open("broken", SETTINGS, None)

    assert caught.value.slug == "agent-broken"
    assert "echo_plugin:absent" in caught.value.why


def test_a_backend_is_imported_only_when_it_is_opened() -> None:
    look = "import sys, signoff.agents.registry; print(*(m for m in sys.modules if 'signoff.agents.' in m))"
    env = {"PYTHONPATH": str(Path(signoff.__file__).parents[1])}
    seen = subprocess.run((sys.executable, "-c", look), env=env, capture_output=True, check=True, text=True)

    assert seen.stdout.split() == ["signoff.agents.backend_tools", "signoff.agents.registry"]
