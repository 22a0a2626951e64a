"""How the small agent tells of itself: by the protocol of the `command` backend, or as other programs do."""

import json
import os
import sys

from small_agent.asking import Refusal
from small_agent.tools import Came
from small_agent.wires import Call
from small_agent.working import Ended

PRICE_USD = 0.000003
"""For a token of any kind, so that sums can be checked."""


def print_line(document: object) -> None:
    """Print one line of JSON at once: somebody watches."""
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


class CommandVoice:
    """The protocol of the `command` backend: one answer, or one failure, as the last line."""

    def begin(self) -> None:
        """Nothing is to be said."""

    def retries(self, refusal: Refusal, wait_s: float) -> None:
        """A person may read it on stderr."""
        sys.stderr.write(f"{refusal.message}; again in {wait_s:g} s\n")

    def uses(self, call: Call) -> None:
        """A person may read it on stderr."""
        sys.stderr.write(f"{call.tool} {call.arguments[:200]}\n")
        sys.stderr.flush()

    def used(self, call: Call, came: Came) -> None:
        """Nothing is to be said."""

    def says(self, text: str) -> None:
        """Nothing is to be said: what it ends with is the answer."""

    def ends(self, ended: Ended) -> int:
        """Print the answer with what it used, or the failure with its class."""
        used = {
            "input_tokens": ended.used.input,
            "cached_tokens": ended.used.cached,
            "output_tokens": ended.used.output,
        }
        if ended.failure is not None or ended.refused:
            failure = ended.failure or Refusal(None, "the model declined", "refusal")
            print_line(
                {
                    "kind": "failed",
                    "class": _class_of(failure),
                    "detail": failure.message,
                    "retry_after_s": failure.retry_after_s,
                    "usage": used,
                }
            )
            return 1
        try:
            answer = json.loads(ended.text)
        except ValueError:
            answer = None
        if isinstance(answer, dict):
            print_line({**answer, "usage": used})
        else:
            sys.stdout.write(ended.text + "\n")
        return 0


def _class_of(failure: Refusal) -> str:
    by_kind = {
        "refusal": "refused",
        "insufficient_quota": "quota-exceeded",
        "context_length_exceeded": "context-overflow",
    }
    by_status = {
        400: "bad-request",
        401: "auth",
        403: "auth",
        404: "bad-request",
        429: "rate-limited",
        503: "overloaded",
        529: "overloaded",
    }
    if failure.kind in by_kind:
        return by_kind[failure.kind]
    if failure.status is None:
        return "network"
    return by_status.get(failure.status, "server-error")


class ClaudeVoice:
    """The lines of `claude -p --output-format stream-json`."""

    def __init__(self, model: str, session: str) -> None:
        self._model = model
        self._session = session
        self._denied: list[dict[str, str]] = []

    def begin(self) -> None:
        """Open the session."""
        where = {"session_id": self._session, "model": self._model, "cwd": os.getcwd()}
        print_line({"type": "system", "subtype": "init", "claude_code_version": "small", **where})

    def retries(self, refusal: Refusal, wait_s: float) -> None:
        """Tell of a retry."""
        why = {"error_status": refusal.status, "error": refusal.message, "retry_delay_ms": wait_s * 1000}
        print_line({"type": "system", "subtype": "api_retry", **why})

    def uses(self, call: Call) -> None:
        """Tell of a tool."""
        block = {"type": "tool_use", "id": call.id, "name": call.tool.title(), "input": _given(call)}
        print_line({"type": "assistant", "message": {"content": [block]}})

    def used(self, call: Call, came: Came) -> None:
        """Tell what came of it."""
        if came.is_denied:
            self._denied.append({"tool_use_id": call.id, "tool_name": call.tool})
        block = {"type": "tool_result", "tool_use_id": call.id, "is_error": came.is_error}
        print_line({"type": "user", "message": {"content": [{**block, "content": came.text[:2000]}]}})

    def says(self, text: str) -> None:
        """Tell what it says."""
        print_line({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})

    def ends(self, ended: Ended) -> int:
        """Give the result; the exit code follows it as the program's does."""
        result: dict[str, object] = {
            "type": "result",
            "subtype": "error_max_budget_usd" if ended.is_over_budget else "success",
            "is_error": ended.failure is not None or ended.is_over_budget,
            "result": ended.text,
            "session_id": self._session,
            "stop_reason": "refusal" if ended.refused else "end_turn",
            "total_cost_usd": sum(ended.used) * PRICE_USD,
            "permission_denials": self._denied,
            "usage": {
                "input_tokens": ended.used.input,
                "cache_read_input_tokens": ended.used.cached,
                "output_tokens": ended.used.output,
            },
        }
        if ended.failure is not None:
            failure = ended.failure
            after = "" if failure.retry_after_s is None else f", retry after {failure.retry_after_s:g}"
            result |= {"result": f"API Error: {failure.message}{after}", "terminal_reason": "api_error"}
            result |= {"api_error_status": failure.status, "api_error_type": failure.kind}
        print_line(result)
        return int(bool(result["is_error"]))


class CodexVoice:
    """The lines of `codex exec --json`."""

    def begin(self) -> None:
        """Open the thread."""
        print_line({"type": "thread.started", "thread_id": "small-thread"})
        print_line({"type": "turn.started"})

    def retries(self, refusal: Refusal, wait_s: float) -> None:
        """Tell of a retry."""
        status = "" if refusal.status is None else f", status: {refusal.status}"
        print_line({"type": "error", "message": f"Reconnecting... ({refusal.message}{status}), {wait_s:g} s"})

    def uses(self, call: Call) -> None:
        """Tell of a tool."""
        print_line({"type": "item.started", "item": {**_item(call), "status": "in_progress"}})

    def used(self, call: Call, came: Came) -> None:
        """Tell what came of it; what was not allowed is told on stderr alone, as the program does."""
        if came.is_denied:
            sys.stderr.write("patch rejected: writing is blocked by read-only sandbox\n")
        status = "failed" if came.is_error else "completed"
        print_line({"type": "item.completed", "item": {**_item(call), "status": status}})

    def says(self, text: str) -> None:
        """Tell what it says."""
        item = {"id": "said", "type": "agent_message", "text": text}
        print_line({"type": "item.completed", "item": item})

    def ends(self, ended: Ended) -> int:
        """End the turn."""
        failure = ended.failure
        if failure is None:
            usage = {
                "input_tokens": ended.used.input + ended.used.cached,
                "cached_input_tokens": ended.used.cached,
                "output_tokens": ended.used.output,
            }
            print_line({"type": "turn.completed", "usage": usage})
            return 0
        status = "" if failure.status is None else f", status: {failure.status}"
        said = f"{failure.message} ({failure.kind}){status}"
        print_line({"type": "turn.failed", "error": {"message": said}})
        return 1


def _item(call: Call) -> dict[str, object]:
    if call.tool == "edit" or call.tool == "write":
        return {"id": call.id, "type": "file_change", "changes": [{"path": _given(call).get("path", "")}]}
    return {"id": call.id, "type": "command_execution", "command": f"{call.tool} {call.arguments[:200]}"}


def _given(call: Call) -> dict[str, object]:
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}
