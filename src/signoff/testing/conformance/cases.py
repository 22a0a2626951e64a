"""The cases that every backend must pass, with the failure classes it may report. Data.

If programs report less than the model's server told them, more than one class is right. An answer never is.
"""

import signal
from collections.abc import Mapping
from typing import NamedTuple

from signoff.domain.base.failure_classes import FailureClass as F

FILE = "app.py"
NEW = 'GREETING = "good day"'
DONE = '{"kind": "done", "summary": "as scripted"}'
"""The model's last words unless the scenario has others."""
QUESTION = '{"kind": "question", "question": "Which greeting?", "options": ["a", "b"]}'
BLOCKED = '{"kind": "blocked", "reason": "there is no greeting"}'
UNICODE = '{"kind": "done", "summary": "Grüße, 世界"}'
ANSWERED = frozenset[F]()
"""No failure at all."""


class Case(NamedTuple):
    """One dispatch."""

    scenario: str
    fails: frozenset[F] = ANSWERED
    """The classes that are right, empty if it must answer."""
    may_answer: bool = False
    """Programs that try long enough get through."""
    edited: bool | None = None
    made: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    timeout_s: float = 100.0
    is_silent: bool = False
    """Only the clock for silence may end it."""
    budget_usd: float | None = None
    output_limit: int = 50_000_000
    is_planning: bool = False
    is_stopped: bool = False
    """The run is stopped while the program works."""
    is_recovered: bool = False
    """Another driver takes over afterwards."""
    has_no_server: bool = False
    has_no_checkout: bool = False
    hit_by: signal.Signals | None = None
    """A signal that another process sends to the program while it works."""
    answer: str = DONE
    """The answer that is expected, unless the case must fail."""
    never_ends: bool = False
    """Our own clock must end it. The subject sets how soon."""


def _fails(scenario: str, *classes: F) -> Case:
    return Case(scenario, frozenset(classes), edited=False)


def _hit(number: signal.Signals, scenario: str) -> Case:
    ends = frozenset({F.INTERRUPTED, F.NO_END, F.CRASHED})
    return Case(scenario, ends, hit_by=number, timeout_s=60)


CASES: Mapping[str, Case] = {
    "edit": Case("edit", edited=True),
    "write": Case("write", edited=False, made=("notes.txt",)),
    "read": Case("read", edited=False),
    "shell": Case("shell", made=("ran.txt",)),
    "shell-fails": Case("shell-fails", edited=False),
    "shell-huge": Case("shell-huge", edited=False),
    "parallel": Case("parallel", made=("one.txt", "two.txt", "three.txt")),
    "text": Case("text", edited=False),
    "shell-stderr": Case("shell-stderr", edited=False),
    "deep": Case("deep", made=("a/b/c/notes.txt",)),
    "fenced": Case("fenced", edited=False),
    "two-answers": Case("two-answers", edited=False),
    "question": Case("question", edited=False, answer=QUESTION),
    "blocked": Case("blocked", edited=False, answer=BLOCKED),
    "unicode": Case("unicode", edited=False, answer=UNICODE),
    "verdict": _fails("verdict", F.MALFORMED_ANSWER),
    "torn-answer": _fails("torn-answer", F.MALFORMED_ANSWER),
    "unheard-tool": Case("unheard-tool", edited=False),
    "mangled-arguments": Case("mangled-arguments", edited=False),
    "recovered": Case("edit", edited=True, is_recovered=True),
    "empty": _fails("empty", F.MALFORMED_ANSWER, F.NO_END, F.UNKNOWN),
    "chatter": _fails("chatter", F.MALFORMED_ANSWER),
    "decline": _fails("decline", F.MALFORMED_ANSWER),
    "refusal": _fails("refusal", F.REFUSED, F.MALFORMED_ANSWER),
    "cut-short": _fails("cut-short", F.TOO_MUCH_OUTPUT, F.MALFORMED_ANSWER),
    # One program takes a text that goes on and on for a loop, and ends it.
    "huge": _fails("huge", F.MALFORMED_ANSWER, F.TURNS_USED_UP),
    "huge-beyond-the-limit": _fails("huge", F.TOO_MUCH_OUTPUT, F.TURNS_USED_UP)._replace(
        output_limit=100_000
    ),
    "err400": _fails("err400", F.BAD_REQUEST),
    "err401": _fails("err401", F.AUTH),
    "err403": _fails("err403", F.AUTH),
    "err404": _fails("err404", F.BAD_REQUEST),
    "context": _fails("context", F.CONTEXT_OVERFLOW),
    "err429": _fails("err429", F.RATE_LIMITED),
    "err429-wait": _fails("err429-wait", F.RATE_LIMITED),
    "err429-long": _fails("err429-long", F.RATE_LIMITED, F.TIMED_OUT)._replace(never_ends=True),
    "quota": _fails("quota", F.QUOTA_EXCEEDED),
    "err500": _fails("err500", F.SERVER_ERROR, F.OVERLOADED),
    "err503": _fails("err503", F.OVERLOADED),
    "err529": _fails("err529", F.OVERLOADED),
    "late500": _fails("late500", F.SERVER_ERROR, F.OVERLOADED)._replace(edited=True),
    "flaky429": _fails("flaky429", F.RATE_LIMITED)._replace(may_answer=True, edited=None),
    "flaky429-wait": Case("flaky429-wait", edited=True),
    "flaky500": Case("flaky500", edited=True),
    "flaky-cut": Case("flaky-cut", edited=True),
    "cut": _fails("cut", F.NETWORK, F.SERVER_ERROR)._replace(may_answer=True, edited=None),
    "drop": _fails("drop", F.NETWORK, F.SERVER_ERROR),
    "garbage": _fails("garbage", F.NETWORK, F.SERVER_ERROR),
    "garbage-stream": _fails("garbage-stream", F.NETWORK, F.SERVER_ERROR),
    "stream-error": _fails("stream-error", F.OVERLOADED)._replace(may_answer=True, edited=None),
    "no-server": _fails("edit", F.NETWORK, F.TIMED_OUT)._replace(has_no_server=True, never_ends=True),
    "hang": _fails("hang", F.TIMED_OUT)._replace(never_ends=True),
    "stall": Case("stall", frozenset({F.TIMED_OUT}), never_ends=True),
    "silence": _fails("hang", F.SILENT)._replace(is_silent=True),
    "endless": Case("loop", frozenset({F.TIMED_OUT}), never_ends=True, made=("again.txt",)),
    "budget": Case(
        "loop",
        frozenset({F.BUDGET_USED_UP, F.TIMED_OUT}),
        never_ends=True,
        budget_usd=0.02,
        made=("again.txt",),
    ),
    "stopped": Case("shell-long", is_stopped=True),
    "no-checkout": Case("edit", frozenset({F.WRONG_FOLDER}), has_no_checkout=True),
    "planner-may-not-write": Case(
        "write",
        frozenset({F.DENIED, F.MALFORMED_ANSWER}),
        edited=False,
        absent=("notes.txt",),
        is_planning=True,
    ),
    "interrupted-while-thinking": _hit(signal.SIGINT, "late-hang"),
    "ended-while-thinking": _hit(signal.SIGTERM, "late-hang"),
    "killed-while-thinking": _hit(signal.SIGKILL, "late-hang"),
    "interrupted-in-a-tool": _hit(signal.SIGINT, "shell-long"),
    "ended-in-a-tool": _hit(signal.SIGTERM, "shell-long"),
    "killed-in-a-tool": _hit(signal.SIGKILL, "shell-long"),
}
