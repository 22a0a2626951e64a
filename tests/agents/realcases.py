"""What is asked of every real program: the same cases, held to the same laws. Data."""

import signal
from collections.abc import Mapping
from enum import StrEnum, auto
from typing import NamedTuple


class Answers(StrEnum):
    """Whether a program may come back with the scripted answer."""

    YES = auto()
    NO = auto()
    ONLY_WITH_WORK = auto()
    """Programs differ in how long they try. Whoever answers has done the work."""


class Case(NamedTuple):
    """One case."""

    scenario: str
    answers: Answers
    edited: bool | None = None
    """What became of `app.py`, where it is certain."""
    made: tuple[str, ...] = ()
    """Files that must be there."""
    absent: tuple[str, ...] = ()
    """Files that must not."""
    may_run: bool = True
    stop: signal.Signals | None = None
    limit_s: float = 100.0
    max_turns: int | None = None
    budget_usd: float | None = None
    is_resumed: bool = False
    has_no_server: bool = False
    has_no_repository: bool = False


_YES, _NO, _WORK = Answers.YES, Answers.NO, Answers.ONLY_WITH_WORK
_BRIEF_S = 20.0
"""For what would never end. Long enough that the slowest program has started."""


def _fails(scenario: str) -> Case:
    return Case(scenario, _NO, edited=False)


CASES: Mapping[str, Case] = {
    "edit": Case("edit", _YES, edited=True),
    "write": Case("write", _YES, edited=False, made=("notes.txt",)),
    "read": Case("read", _YES, edited=False),
    "shell": Case("shell", _YES, edited=False, made=("ran.txt",)),
    "shell-fails": Case("shell-fails", _YES, edited=False),
    "shell-huge": Case("shell-huge", _YES, edited=False),
    "parallel": Case("parallel", _YES, edited=False, made=("one.txt", "two.txt", "three.txt")),
    "text": Case("text", _YES, edited=False),
    "unheard-tool": Case("unheard-tool", _WORK),
    "mangled-arguments": Case("mangled-arguments", _WORK),
    "empty": Case("empty", _NO, edited=False),
    "chatter": Case("chatter", _NO, edited=False),
    "decline": Case("decline", _NO, edited=False),
    "refusal": Case("refusal", _NO, edited=False),
    "cut-short": Case("cut-short", _NO, edited=False),
    "huge": Case("huge", _NO, edited=False),
    "err400": _fails("err400"),
    "err401": _fails("err401"),
    "err403": _fails("err403"),
    "err404": _fails("err404"),
    "context": _fails("context"),
    "err429": _fails("err429"),
    "err429-wait": _fails("err429-wait"),
    "err429-long": _fails("err429-long")._replace(limit_s=_BRIEF_S),
    "quota": _fails("quota"),
    "err500": _fails("err500"),
    "err503": _fails("err503"),
    "err529": _fails("err529"),
    "late500": Case("late500", _NO, edited=True),
    "flaky429": Case("flaky429", _WORK),
    "flaky429-wait": Case("flaky429-wait", _YES, edited=True),
    "flaky500": Case("flaky500", _YES, edited=True),
    "cut": Case("cut", _WORK),
    "flaky-cut": Case("flaky-cut", _WORK),
    "drop": _fails("drop"),
    "garbage": _fails("garbage"),
    "garbage-stream": _fails("garbage-stream"),
    "stream-error": Case("stream-error", _WORK),
    "hang": _fails("hang")._replace(limit_s=_BRIEF_S),
    "stall": Case("stall", _NO, limit_s=_BRIEF_S),
    "no-server": _fails("edit")._replace(limit_s=_BRIEF_S, has_no_server=True),
    "interrupted-while-thinking": Case("late-hang", _NO, stop=signal.SIGINT, limit_s=_BRIEF_S),
    "ended-while-thinking": Case("late-hang", _NO, stop=signal.SIGTERM, limit_s=_BRIEF_S),
    "interrupted-in-a-tool": Case("shell-long", _NO, stop=signal.SIGINT, limit_s=_BRIEF_S),
    "ended-in-a-tool": Case("shell-long", _NO, stop=signal.SIGTERM, limit_s=_BRIEF_S),
    "denied": Case("shell-python", _WORK, edited=False, absent=("ran.txt",), may_run=False),
    "no-repository": Case("edit", _WORK, has_no_repository=True),
    "turns-used-up": Case("loop", _NO, edited=False, max_turns=3, limit_s=_BRIEF_S),
    "budget-used-up": Case("loop", _NO, edited=False, budget_usd=0.02, limit_s=_BRIEF_S),
    "resumed": Case("edit", _YES, edited=True, is_resumed=True),
}
