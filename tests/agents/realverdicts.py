"""Whether a real program came to a good end, read from its own events and from nothing of ours.

These few lines are a second opinion: the backends read the same events in their own way, and the two are
written apart so that a mistake in one shows.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from realruns import Run

Events = list[dict[str, Any]]


def answer_of(name: str, run: Run) -> str | None:
    """Give what the program said last, or nothing when it did not come to a good end."""
    if run.exit_code != 0:
        return None
    return _READERS[name](events_of(run))


def events_of(run: Run) -> Events:
    """Give the lines that are JSON objects."""
    events = []
    for line in run.lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


def session_of(name: str, run: Run, asked: str) -> str:
    """Give the session to resume: some programs take the name we ask for, others make their own."""
    first = events_of(run)[0]
    named: dict[str, str] = {"codex": "thread_id", "opencode": "sessionID"}
    return str(first[named[name]]) if name in named else asked


def _claude(events: Events) -> str | None:
    ends = [event for event in events if event.get("type") == "result"]
    return ends[-1].get("result", "") if ends and not ends[-1]["is_error"] else None


def _codex(events: Events) -> str | None:
    if not events or events[-1]["type"] != "turn.completed":
        return None
    items = [event["item"] for event in events if event["type"] == "item.completed"]
    return _last(item["text"] for item in items if item["type"] == "agent_message")


def _goose(events: Events) -> str | None:
    parts = [
        part
        for event in events
        if event.get("type") == "message" and event["message"]["role"] == "assistant"
        for part in event["message"]["content"]
    ]
    kinds = {event.get("type") for event in events} | {f"part {part['type']}" for part in parts}
    if "complete" not in kinds or kinds & {"error", "part error"}:
        return None
    # Streamed words come in several parts, and a failure is told in words only.
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    return None if "Ran into this error" in text else text


def _opencode(events: Events) -> str | None:
    ends = [event["part"].get("reason") for event in events if event.get("type") == "step_finish"]
    if not ends or ends[-1] != "stop" or any(event.get("type") == "error" for event in events):
        return None
    return _last(event["part"]["text"] for event in events if event.get("type") == "text")


def _copilot(events: Events) -> str | None:
    kinds = {event.get("type") for event in events}
    if "result" not in kinds or kinds & {"abort", "session.error"}:
        return None
    return _last(event["data"]["content"] for event in events if event.get("type") == "assistant.message")


def _gemini(events: Events) -> str | None:
    ends = [event for event in events if event.get("type") == "result"]
    if not ends or ends[-1]["status"] != "success":
        return None
    said = [e for e in events if e.get("type") == "message" and e.get("role") == "assistant"]
    return "".join(event["content"] for event in said)


def _last(texts: Any) -> str:
    return next(reversed(list(texts)), "")


_READERS: Mapping[str, Callable[[Events], str | None]] = {
    "claude": _claude,
    "codex": _codex,
    "goose": _goose,
    "opencode": _opencode,
    "copilot": _copilot,
    "gemini": _gemini,
}
