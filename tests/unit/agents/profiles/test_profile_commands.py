"""How the programs are started: the whole command line and environment, as they were measured to work."""

import tomllib

import pytest
from agent_recordings import PROFILES
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from signoff.agents.profiles.base import LaunchOrder

UUID = "00000000-0000-4000-8000-000000000001"
PLAIN = LaunchOrder(
    program=("/opt/agent",), prompt="Do it.", checkout="/work/here", home="/run/home", session=UUID
)
FULL = replace(
    PLAIN, system="You build.", model="big", effort="max", budget_usd=1.5, args=("--more", "words")
)


def test_claude_is_started_to_edit_and_to_run_commands() -> None:
    launch = PROFILES["claude"].command(PLAIN)

    assert launch.argv == (
        *("/opt/agent", "-p", "--output-format", "stream-json", "--verbose"),
        *("--session-id", UUID, "--strict-mcp-config"),
        *("--permission-mode", "acceptEdits", "--allowedTools", "Bash"),
    )
    assert launch.env == {
        "CLAUDE_CONFIG_DIR": "/run/home/.claude",
        "CLAUDE_CODE_MAX_RETRIES": "2",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    assert (launch.stdin, launch.files, launch.folders) == (b"Do it.", {}, (".claude",))


def test_claude_gets_model_effort_budget_and_system_prompt_where_they_are_set() -> None:
    launch = PROFILES["claude"].command(FULL)

    assert launch.argv[12:] == (
        *("--model", "big", "--effort", "max", "--max-budget-usd", "1.5000"),
        *("--append-system-prompt-file", "/run/home/system.md", "--more", "words"),
    )
    assert launch.files == {"system.md": b"You build."}


def test_a_claude_that_plans_has_tools_to_read_with_and_no_others() -> None:
    """A planner that can write or run commands can do what no gate will look at."""
    argv = PROFILES["claude"].command(replace(PLAIN, may_write=False)).argv

    assert argv[8:] == (
        *("--permission-mode", "dontAsk"),
        *("--tools", "Read,Glob,Grep", "--allowedTools", "Read,Glob,Grep"),
    )


def test_codex_is_started_in_its_sandbox_without_its_errands() -> None:
    launch = PROFILES["codex"].command(PLAIN)

    assert launch.argv == (
        *("/opt/agent", "exec", "--json", "--skip-git-repo-check"),
        *("-c", "analytics.enabled=false", "--disable", "plugins", "-s", "workspace-write"),
        *("-c", "sandbox_workspace_write.exclude_slash_tmp=true"),
        *("-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true", "-"),
    )
    assert launch.env == {"CODEX_HOME": "/run/home/.codex"}
    assert (launch.stdin, launch.folders) == (b"Do it.", (".codex",))


def test_codex_gets_model_and_effort_in_its_own_words() -> None:
    argv = PROFILES["codex"].command(FULL).argv

    assert argv[14:] == ("-m", "big", "-c", 'model_reasoning_effort="xhigh"', "--more", "words", "-")


def test_a_codex_that_plans_may_only_read() -> None:
    argv = PROFILES["codex"].command(replace(PLAIN, may_write=False)).argv

    assert argv[8:] == ("-s", "read-only", "-")


@given(st.text())
def test_what_codex_is_told_about_its_role_reads_back_as_it_was_said(system: str) -> None:
    """Text from tickets and guides stands in it: a quote must not end it and begin a setting."""
    launch = PROFILES["codex"].command(replace(PLAIN, system=system))

    told = tomllib.loads(launch.files[".codex/config.toml"].decode())
    assert told == ({"developer_instructions": system} if system else {})


@pytest.mark.parametrize("agent", sorted(PROFILES))
def test_no_word_of_the_prompt_is_on_the_command_line(agent: str) -> None:
    """There everybody on the machine can read it, and 128 KB is the end of it."""
    launch = PROFILES[agent].command(replace(FULL, prompt="PROMPT " * 50_000, system="SYSTEM " * 50_000))

    assert not any("PROMPT" in word or "SYSTEM" in word for word in launch.argv)
    assert len(launch.stdin) == 350_000
