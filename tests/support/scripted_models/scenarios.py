"""What the scripted model can play. Data.

The files it speaks of are those of the folder a test lays out: `app.py` with the line `GREETING = "hello"`.
"""

from collections.abc import Mapping

from scripted_models.steps import (
    Act,
    Cut,
    Drop,
    Edit,
    Fault,
    Garbage,
    Hang,
    Mangled,
    Read,
    Say,
    Scenario,
    Shell,
    Stall,
    Status,
    Step,
    StreamError,
    Turn,
    Unheard,
    Write,
)
from signoff.testing.conformance.cases import BLOCKED, DONE, FILE, NEW, QUESTION, UNICODE

OLD = 'GREETING = "hello"'
HUGE_TIMES = 40_000
LONG_COMMAND = "python3 -c 'import time; time.sleep(300)'"
"""Some agents refuse a bare `sleep` of this length."""

_DONE = Say(text=DONE)
_EDIT: tuple[Turn, ...] = (
    Act(steps=(Read(path=FILE),)),
    Act(steps=(Edit(path=FILE, old=OLD, new=NEW),)),
    _DONE,
)


def _does(name: str, *steps: Step) -> Scenario:
    return Scenario(name=name, turns=(*(Act(steps=(step,)) for step in steps), _DONE))


def _says(name: str, said: Say) -> Scenario:
    return Scenario(name=name, turns=(said,))


def _fails(name: str, fault: Fault, *, at: int = 0, times: int | None = None) -> Scenario:
    return Scenario(name=name, turns=_EDIT, fault=fault, fault_at=at, fault_times=times)


def _answers(code: int, message: str, *, kind: str = "", retry_after_s: int | None = None) -> Status:
    return Status(code=code, message=message, kind=kind, retry_after_s=retry_after_s)


_TOO_OFTEN = _answers(429, "Rate limit reached for requests")
_TOO_OFTEN_WAIT = _answers(429, "Rate limit reached for requests", retry_after_s=1)
_BROKEN = _answers(500, "The server had an error while processing your request")

_ALL = (
    Scenario(name="edit", turns=_EDIT),
    _does("write", Write(path="notes.txt", content="one\ntwo\n")),
    _does("read", Read(path=FILE)),
    _does("shell", Shell(command="echo ran > ran.txt; cat ran.txt")),
    _does("shell-python", Shell(command="python3 -c \"open('ran.txt', 'w').write('ran')\"")),
    _does("shell-fails", Shell(command="echo no >&2; exit 3")),
    _does("shell-long", Shell(command=LONG_COMMAND)),
    _does(
        "shell-huge",
        Shell(command="python3 -c \"print('x' * 79 + chr(10), end='') or print('y' * 3000000)\""),
    ),
    _does(
        "outside", Write(path="../outside.txt", content="out\n"), Shell(command="echo out > ../outside2.txt")
    ),
    _does("shell-stderr", Shell(command="echo careful >&2")),
    _does("deep", Write(path="a/b/c/notes.txt", content="deep\n")),
    _does("unheard-tool", Unheard()),
    _does("mangled-arguments", Mangled()),
    Scenario(
        name="parallel",
        turns=(
            Act(
                steps=(
                    Write(path="one.txt", content="1\n"),
                    Write(path="two.txt", content="2\n"),
                    Shell(command="echo three > three.txt"),
                )
            ),
            _DONE,
        ),
    ),
    Scenario(name="loop", turns=(Act(steps=(Shell(command="echo again >> again.txt"),)),), repeats=True),
    _says("text", Say(text=DONE)),
    _says("fenced", Say(text=f"All is done.\n\n```json\n{DONE}\n```\n")),
    _says("two-answers", Say(text=f'{{"kind": "blocked", "reason": "not yet"}}\n{DONE}')),
    _says("question", Say(text=QUESTION)),
    _says("blocked", Say(text=BLOCKED)),
    _says("verdict", Say(text='{"kind": "verdict", "passed": true}')),
    _says("torn-answer", Say(text='{"kind": "done", "summary": "as scri')),
    _says("unicode", Say(text=UNICODE)),
    _says("empty", Say(text="")),
    _says("chatter", Say(text="I looked around. All is well, I think.")),
    _says("decline", Say(text="I can't help with that.")),
    _says("refusal", Say(text="I can't help with that.", refuses=True)),
    _says("cut-short", Say(text='{"kind": "done", "summ', is_cut_short=True)),
    _says(
        "huge",
        Say(text="All work and no play makes a dull model. \u00e9\u4e16" + "-" * 55 + "\n", times=HUGE_TIMES),
    ),
    _fails("err400", _answers(400, "Invalid request")),
    _fails("err401", _answers(401, "Incorrect API key provided")),
    _fails("err403", _answers(403, "You are not allowed to use this model")),
    _fails("err404", _answers(404, "The model does not exist")),
    _fails(
        "context",
        _answers(
            400,
            "prompt is too long: 250000 tokens > 200000 maximum context length",
            kind="context_length_exceeded",
        ),
    ),
    _fails("err429", _TOO_OFTEN),
    _fails("err429-wait", _TOO_OFTEN_WAIT),
    _fails(
        "err429-long",
        _answers(429, "Rate limit reached for requests", retry_after_s=120),
    ),
    _fails(
        "quota",
        _answers(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            kind="insufficient_quota",
        ),
    ),
    _fails("err500", _BROKEN),
    _fails("err503", _answers(503, "The server is overloaded or not ready yet")),
    _fails("err529", _answers(529, "Overloaded")),
    _fails("late500", _BROKEN, at=2),
    _fails("flaky429", _TOO_OFTEN, times=1),
    _fails("flaky429-wait", _TOO_OFTEN_WAIT, times=1),
    _fails("flaky500", _BROKEN, times=1),
    _fails("hang", Hang()),
    _fails("late-hang", Hang(), at=2),
    _fails("stall", Stall()),
    _fails("cut", Cut()),
    _fails("flaky-cut", Cut(), times=1),
    _fails("drop", Drop()),
    _fails("garbage", Garbage()),
    _fails("garbage-stream", Garbage(as_stream=True)),
    _fails("stream-error", StreamError()),
)

SCENARIOS: Mapping[str, Scenario] = {scenario.name: scenario for scenario in _ALL}
