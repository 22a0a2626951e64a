"""What real agents sent over the protocol, and what is made of it.

Recorded with the versions that the profiles name, against a scripted model server, from the agent to its
client alone; ids, paths and ports are replaced, and what nobody reads (lists of commands, contents of
tools) is cut out.
"""

import json
from pathlib import Path
from typing import NamedTuple

import msgspec

from signoff.agents.acp.messages import InitializeAnswer, Translator, lenient
from signoff.agents.acp.permissions import PermissionRequest, is_allowed
from signoff.agents.acp.session_options import choose_model
from signoff.agents.profiles.acp import AcpProfile
from signoff.agents.profiles.acp_agents import (
    CopilotProfile,
    GeminiProfile,
    GooseProfile,
    OpenCodeProfile,
    QwenProfile,
)
from signoff.agents.profiles.acp_client_input import PromptOrder
from signoff.agents.profiles.activity_tally import tally
from signoff.agents.profiles.base import Classified, LaunchOrder, ReadContext
from signoff.domain.machine.activity import Activity, Tally
from signoff.domain.machine.process_records import Ending

DATA = Path(__file__).parents[1] / "unit/agents/acp/data"
PROFILES: dict[str, AcpProfile] = {
    profile.name: profile("/usr/bin/python3")
    for profile in (GooseProfile, OpenCodeProfile, CopilotProfile, GeminiProfile, QwenProfile)
}
ORDER = LaunchOrder(
    program=("/opt/agent",),
    prompt="Do it.",
    checkout="/work",
    home="/run/home",
    session="00000000-0000-4000-8000-000000000001",
)


class Reading(NamedTuple):
    seen: list[Activity]
    tally: Tally
    end: Classified


def messages(agent: str, case: str) -> list[dict[str, object]]:
    lines = (DATA / agent / f"{case}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def told(agent: str, order: LaunchOrder = ORDER) -> PromptOrder:
    """What the client is told for an agent."""
    return msgspec.json.decode(PROFILES[agent].command(order).stdin, type=PromptOrder)


def conversation(order: PromptOrder, given: list[dict[str, object]]) -> list[Activity]:
    """Take part as the client does, without a process: what would be printed."""
    translator = Translator(order.metering, order.notices)
    seen: list[Activity] = []
    opened = InitializeAnswer()
    for message in given:
        params = message.get("params")
        values = params if isinstance(params, dict) else {}
        match message.get("method"), message.get("id"):
            case "session/update", _:
                seen += translator.update(values.get("update"))
            case "session/request_permission", _:
                asked = msgspec.convert(params, PermissionRequest)
                seen += translator.asked(asked.tool_call)
                if not is_allowed(asked.tool_call, translator.name_of(asked.tool_call), order, "/work"):
                    seen += translator.refused(asked.tool_call)
            case None, 0:
                opened = lenient(message["result"], InitializeAnswer) or opened
            case None, 1:
                made = message["result"]
                seen += translator.began(opened, "session-1", choose_model(made, order).model)
            case None, 2 if "result" in message:
                seen += translator.ended(message["result"])
            case None, 2:
                error = message["error"]
                assert isinstance(error, dict)
                seen += translator.failed(error["code"], error["message"], error.get("data"))
            case _:
                pass
    return seen


def reading(
    agent: str,
    case: str,
    exit_code: int | None = 0,
    ending: Ending = Ending.EXITED,
    *,
    may_write: bool = True,
) -> Reading:
    """Give everything that is made of a recording, by way of the lines that the client prints."""
    profile = PROFILES[agent]
    order = told(agent, msgspec.structs.replace(ORDER, may_write=may_write))
    printed = [msgspec.json.encode(each) for each in conversation(order, messages(agent, case))]
    seen = [each for line in printed for each in profile.read(line, ReadContext())]
    counted = tally(seen)
    return Reading(seen, counted, profile.classify(exit_code, ending, counted, ""))
