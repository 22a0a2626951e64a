"""Goose, OpenCode, Copilot, Gemini and Qwen by the Agent Client Protocol. Pure, and all of it was measured.

Each lives in the private home. Those who plan are kept from writing by the program's own rules as well as
by our answers to its questions. Shapes as of the versions in `tested`.
"""

import json

from signoff.agents.profiles.acp import AcpProfile, AcpServer
from signoff.agents.profiles.acp_client_input import Metering, UsageSource
from signoff.agents.profiles.base import LaunchOrder
from signoff.domain.machine.activity import UsageBasis


class GooseProfile(AcpProfile):
    """How Goose is started and read."""

    name = "goose"
    title = "Goose"
    tested = "1.52.0"
    config_folder = ".config/goose"
    login = "name GOOSE_PROVIDER, GOOSE_MODEL and your provider's key, such as OPENAI_API_KEY, in [agent] env"
    metering = Metering(basis=UsageBasis.LAST_CALL, includes_cached=True)
    errors = ("Ran into this error", "Network error: ")
    # Its only tool to read with is a shell, which those who plan do not get.
    lends_files = True
    reading = ("read", "tree")

    def server(self, order: LaunchOrder) -> AcpServer:
        """Return how it is started."""
        env = {
            "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_TELEMETRY_OFF": "1",
            # It would ask the model for a title, which costs.
            "GOOSE_DISABLE_SESSION_NAMING": "true",
        }
        for name, value in (("GOOSE_MODEL", order.model), ("GOOSE_THINKING_EFFORT", order.effort)):
            env |= {name: value} if value else {}
        return AcpServer(
            words=("acp", "--with-builtin", "developer"),
            env=env,
            held={"GOOSE_MODE": "auto" if order.may_write else "approve"},
        )


class OpenCodeProfile(AcpProfile):
    """How OpenCode is started and read."""

    name = "opencode"
    title = "OpenCode"
    tested = "1.18.33"
    config_folder = ".local/share/opencode"
    login = (
        "name your provider's key, such as ANTHROPIC_API_KEY, in [agent] env, "
        'or set [agent] credentials = ["~/.local/share/opencode/auth.json"]'
    )
    metering = Metering(basis=UsageBasis.LAST_CALL)

    def server(self, order: LaunchOrder) -> AcpServer:
        """Return how it is started. A model is written `provider/model`."""
        may = "allow" if order.may_write else "deny"
        allowed = {"edit": may, "bash": may, "external_directory": "deny", "webfetch": "deny"}
        settings = {"autoupdate": False, "share": "disabled"}
        chosen = {"model": order.model, "small_model": order.model} if order.model else {}
        return AcpServer(
            words=("acp", "--pure"),
            env={
                "OPENCODE_CONFIG_CONTENT": json.dumps(settings | chosen),
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            },
            held={"OPENCODE_PERMISSION": json.dumps(allowed)},
        )


class CopilotProfile(AcpProfile):
    """How Copilot CLI is started and read."""

    name = "copilot"
    title = "Copilot CLI"
    tested = "1.0.102"
    config_folder = ".copilot"
    login = "name GH_TOKEN or COPILOT_GITHUB_TOKEN, or the COPILOT_PROVIDER_ variables, in [agent] env"
    metering = Metering(basis=UsageBasis.RUN, includes_cached=True)
    errors = ("Error: ",)
    notices = ("Info: ",)

    def server(self, order: LaunchOrder) -> AcpServer:
        """Return how it is started."""
        words = ["--acp", "--no-auto-update", "--disable-builtin-mcps"]
        words += ["--allow-all-tools"] if order.may_write else []
        for flag, value in (("--model", order.model), ("--reasoning-effort", order.effort)):
            words += [flag, value] if value else []
        return AcpServer(
            words=tuple(words),
            env={"COPILOT_HOME": f"{order.home}/{self.config_folder}", "COPILOT_AUTO_UPDATE": "false"},
            held={"COPILOT_ALLOW_ALL": "false"},
        )


_GEMINI_SETTINGS = {
    "privacy": {"usageStatisticsEnabled": False},
    # By itself it tries ten times, for minutes.
    "general": {"enableAutoUpdate": False, "maxAttempts": 3},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
}


class GeminiProfile(AcpProfile):
    """How Gemini CLI is started and read."""

    name = "gemini"
    title = "Gemini CLI"
    tested = "0.61.0"
    config_folder = ".gemini"
    login = "name GEMINI_API_KEY in [agent] env"
    metering = Metering(counts=UsageSource.QUOTA, basis=UsageBasis.RUN)

    def server(self, order: LaunchOrder) -> AcpServer:
        """Return how it is started."""
        words = ("--acp", "--approval-mode", "yolo" if order.may_write else "plan")
        return AcpServer(
            words=(*words, "-m", order.model) if order.model else words,
            env={
                "GEMINI_CLI_HOME": order.home,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                # Its launcher does not end when it is told to.
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
            files={f"{self.config_folder}/settings.json": json.dumps(_GEMINI_SETTINGS).encode()},
        )


_QWEN_SETTINGS = {
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"disableAutoUpdate": True},
    # Its library would try each of its own seven tries four times.
    "model": {"generationConfig": {"maxRetries": 0}},
}


class QwenProfile(AcpProfile):
    """How Qwen Code is started and read."""

    name = "qwen"
    title = "Qwen Code"
    tested = "0.24.4"
    config_folder = ".qwen"
    login = "name OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL in [agent] env"

    def server(self, order: LaunchOrder) -> AcpServer:
        """Return how it is started."""
        words = ("--acp", "--auth-type", "openai", "--approval-mode", "yolo" if order.may_write else "plan")
        return AcpServer(
            words=words,
            env={"OPENAI_MODEL": order.model} if order.model else {},
            files={f"{self.config_folder}/settings.json": json.dumps(_QWEN_SETTINGS).encode()},
        )
