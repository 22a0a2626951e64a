"""How the agents of the protocol are started: words, variables, files, and what the client is told."""

import json

import pytest
from acp_conversations import ORDER, PROFILES, told
from msgspec.structs import replace

from signoff.agents.profiles.acp import AcpProfile
from signoff.agents.profiles.base import Launch, LaunchOrder

FULL = replace(ORDER, model="big", effort="high", system="You build.", args=("--more",))
PLANS = replace(ORDER, may_write=False)


def launched(agent: str, order: LaunchOrder = ORDER) -> Launch:
    return PROFILES[agent].command(order)


def words(agent: str, order: LaunchOrder = ORDER) -> tuple[str, ...]:
    """What follows the client's own words."""
    argv = launched(agent, order).argv
    assert argv[:5] == ("/usr/bin/python3", "-P", "-m", "signoff.agents.acp.client", "/opt/agent")
    return argv[5:]


@pytest.mark.parametrize(
    ("agent", "builder", "planner"),
    [
        ("goose", ("acp", "--with-builtin", "developer"), ("acp", "--with-builtin", "developer")),
        ("opencode", ("acp", "--pure"), ("acp", "--pure")),
        (
            "copilot",
            ("--acp", "--no-auto-update", "--disable-builtin-mcps", "--allow-all-tools"),
            ("--acp", "--no-auto-update", "--disable-builtin-mcps"),
        ),
        ("gemini", ("--acp", "--approval-mode", "yolo"), ("--acp", "--approval-mode", "plan")),
        (
            "qwen",
            ("--acp", "--auth-type", "openai", "--approval-mode", "yolo"),
            ("--acp", "--auth-type", "openai", "--approval-mode", "plan"),
        ),
    ],
)
def test_an_agent_is_started_with_its_words(
    agent: str, builder: tuple[str, ...], planner: tuple[str, ...]
) -> None:
    assert (words(agent), words(agent, PLANS)) == (builder, planner)
    assert words(agent, FULL)[-1] == "--more"


@pytest.mark.parametrize(
    ("agent", "name", "builder", "planner"),
    [
        ("goose", "GOOSE_MODE", "auto", "approve"),
        ("copilot", "COPILOT_ALLOW_ALL", "false", "false"),
    ],
)
def test_what_keeps_a_planner_from_writing_is_nobody_elses_to_set(
    agent: str, name: str, builder: str, planner: str
) -> None:
    """Variables that the settings name win over ours; these do not."""
    assert (launched(agent).held, launched(agent, PLANS).held) == ({name: builder}, {name: planner})


def test_opencode_has_neither_editor_nor_shell_for_a_planner() -> None:
    allowed = json.loads(launched("opencode").held["OPENCODE_PERMISSION"])
    planning = json.loads(launched("opencode", PLANS).held["OPENCODE_PERMISSION"])

    assert allowed == {"edit": "allow", "bash": "allow", "external_directory": "deny", "webfetch": "deny"}
    assert planning == {"edit": "deny", "bash": "deny", "external_directory": "deny", "webfetch": "deny"}


def test_model_and_effort_go_to_each_in_its_own_way() -> None:
    assert words("copilot", FULL)[4:] == ("--model", "big", "--reasoning-effort", "high", "--more")
    assert words("gemini", FULL)[3:] == ("-m", "big", "--more")
    assert launched("qwen", FULL).env == {"OPENAI_MODEL": "big"}
    assert json.loads(launched("opencode", FULL).env["OPENCODE_CONFIG_CONTENT"])["model"] == "big"
    goose = launched("goose", FULL).env
    assert (goose["GOOSE_MODEL"], goose["GOOSE_THINKING_EFFORT"]) == ("big", "high")


def test_files_and_folders_lie_below_the_private_home() -> None:
    """What an agent remembers or allows itself must not reach the next run."""
    assert launched("copilot").env["COPILOT_HOME"] == "/run/home/.copilot"
    assert launched("gemini").env["GEMINI_CLI_HOME"] == "/run/home"
    settings = json.loads(launched("gemini").files[".gemini/settings.json"])
    assert settings["security"]["auth"]["selectedType"] == "gemini-api-key"
    assert settings["general"]["maxAttempts"] == 3
    assert list(launched("qwen").files) == [".qwen/settings.json"]


@pytest.mark.parametrize("agent", sorted(PROFILES))
def test_the_client_is_told_the_prompt_the_rights_and_no_model(agent: str) -> None:
    """A model that is chosen in two ways is chosen in neither for sure."""
    order = told(agent, replace(FULL, may_write=False))

    assert order.prompt == "You build.\n\nDo it."
    assert (order.may_write, order.model, order.effort, order.mode) == (False, "", "", "")
    assert not any("Do it." in word for word in launched(agent, FULL).argv)


def test_any_agent_gets_its_model_by_the_protocol_and_no_words_of_ours() -> None:
    launch = AcpProfile("/usr/bin/python3").command(FULL)

    assert launch.argv[4:] == ("/opt/agent", "--more")
    assert b'"model":"big"' in launch.stdin
    assert b'"effort":"high"' in launch.stdin


def test_a_prompt_with_broken_characters_can_be_told() -> None:
    """Text from files and tickets may hold halves of characters, which JSON cannot."""
    assert "a?b" in told("goose", replace(ORDER, prompt="a\udc80b")).prompt
