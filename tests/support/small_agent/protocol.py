"""The small agent as a server of the Agent Client Protocol: one session, one prompt."""

import json
import sys

from small_agent.asking import Refusal
from small_agent.tools import Came
from small_agent.voices import print_line
from small_agent.wires import Call
from small_agent.working import Ended

SESSION = "small-session"
_KINDS = {"read": "read", "write": "edit", "edit": "edit", "shell": "execute"}


def await_prompt() -> tuple[object, str]:
    """Answer until the prompt comes; give the id of the request and what it says."""
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                info = {"name": "small", "version": "small"}
                _answer(message["id"], {"protocolVersion": 1, "agentInfo": info})
            case "session/new":
                _answer(message["id"], {"sessionId": SESSION})
            case "session/prompt":
                return message["id"], "".join(block["text"] for block in message["params"]["prompt"])
            case _:
                pass
    raise SystemExit(0)


class AcpVoice:
    """Tells of everything by `session/update`, and ends with the answer to the prompt."""

    def __init__(self, prompt: object) -> None:
        self._prompt = prompt

    def begin(self) -> None:
        """The session is open already."""

    def retries(self, refusal: Refusal, wait_s: float) -> None:
        """The protocol has no word for it."""
        sys.stderr.write(f"{refusal.message}; again in {wait_s:g} s\n")

    def uses(self, call: Call) -> None:
        """Tell of a tool."""
        kind = _KINDS.get(call.tool, "other")
        _update({"sessionUpdate": "tool_call", "toolCallId": call.id, "title": call.tool, "kind": kind})

    def used(self, call: Call, came: Came) -> None:
        """Tell what came of it."""
        status = "failed" if came.is_error else "completed"
        _update({"sessionUpdate": "tool_call_update", "toolCallId": call.id, "status": status})

    def says(self, text: str) -> None:
        """Say it in two pieces, as streams do."""
        half = len(text) // 2
        for piece in (text[:half], text[half:]):
            content = {"type": "text", "text": piece}
            _update({"sessionUpdate": "agent_message_chunk", "content": content})

    def ends(self, ended: Ended) -> int:
        """Answer the prompt, or say why not."""
        if ended.failure is not None:
            told = {"statusCode": ended.failure.status, "errorKind": ended.failure.kind}
            data = {name: value for name, value in told.items() if value is not None}
            error = {"code": -32603, "message": ended.failure.message, "data": data}
            print_line({"jsonrpc": "2.0", "id": self._prompt, "error": error})
            return 0
        used = {
            "inputTokens": ended.used.input,
            "cachedReadTokens": ended.used.cached,
            "outputTokens": ended.used.output,
        }
        reason = "refusal" if ended.refused else "end_turn"
        _answer(self._prompt, {"stopReason": reason, "usage": {**used, "totalTokens": sum(used.values())}})
        return 0


def _answer(request: object, result: dict[str, object]) -> None:
    print_line({"jsonrpc": "2.0", "id": request, "result": result})


def _update(update: dict[str, object]) -> None:
    params = {"sessionId": SESSION, "update": update}
    print_line({"jsonrpc": "2.0", "method": "session/update", "params": params})
