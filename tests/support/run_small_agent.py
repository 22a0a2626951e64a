"""Start the small agent: `python tests/support/run_small_agent.py command|acp|claude|codex …`.

command    directive on stdin; OPENAI_BASE_URL, OPENAI_MODEL and MODEL_WIRE (`chat`) say where its model is
acp        the Agent Client Protocol; its model is found as for `command`
claude     prompt on stdin; ANTHROPIC_BASE_URL; knows --model, --tools, --session-id, --max-budget-usd
codex      prompt on stdin; knows -m, -s and -c model_providers…={base_url="…"}
"""

import os
import re
import sys
from collections.abc import Mapping

from small_agent.asking import Model
from small_agent.protocol import AcpVoice, await_prompt
from small_agent.tools import ALL, READING
from small_agent.voices import PRICE_USD, ClaudeVoice, CodexVoice, CommandVoice
from small_agent.wires import WIRES
from small_agent.working import work

_PLANNING = re.compile(r'"verb" ?: ?"create-plan"')
_ADDRESS = re.compile(r'base_url="([^"]+)"')


def main(argv: list[str], env: Mapping[str, str]) -> int:
    """Work in the present folder and give the exit code."""
    voice = argv[0] if argv else ""
    if voice == "acp":
        request, prompt = await_prompt()
        offered = READING if _PLANNING.search(prompt) else ALL
        return work(_command_model(env), prompt, offered, AcpVoice(request))
    prompt = sys.stdin.read()
    match voice:
        case "command":
            offered = READING if _PLANNING.search(prompt) else ALL
            return work(_command_model(env), prompt, offered, CommandVoice())
        case "claude":
            name = _after(argv, "--model") or "small"
            model = Model(WIRES["messages"], env.get("ANTHROPIC_BASE_URL", ""), name)
            budget = _after(argv, "--max-budget-usd")
            most = int(float(budget) / PRICE_USD) if budget else None
            offered = READING if _after(argv, "--tools") else ALL
            return work(model, prompt, offered, ClaudeVoice(name, _after(argv, "--session-id")), most)
        case "codex":
            found = _ADDRESS.search(" ".join(argv))
            base = found[1].removesuffix("/v1") if found else ""
            model = Model(WIRES["responses"], base, _after(argv, "-m") or "small")
            offered = READING if _after(argv, "-s") == "read-only" else ALL
            return work(model, prompt, offered, CodexVoice())
        case _:
            sys.stderr.write("usage: python run_small_agent.py command|acp|claude|codex\n")
            return 2


def _command_model(env: Mapping[str, str]) -> Model:
    wire = WIRES[env.get("MODEL_WIRE", "chat")]
    return Model(wire, env.get("OPENAI_BASE_URL", "").removesuffix("/v1"), env.get("OPENAI_MODEL", "small"))


def _after(argv: list[str], flag: str) -> str:
    """Give the word that follows a flag."""
    return argv[argv.index(flag) + 1] if flag in argv[:-1] else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
