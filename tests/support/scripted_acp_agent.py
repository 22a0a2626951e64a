"""An agent of the Agent Client Protocol that does what a script says, for tests and for authors of agents.

    python tests/support/scripted_acp_agent.py SCRIPT.json

A real program: it opens a session, works in its folder, asks for permission, fails, hangs, talks nonsense
and takes a cancel as real ones do. Every message it gets is written to stderr as it came, so that a test
can see what it was asked. It needs no library of the protocol.
"""

import os
import sys
import time

import msgspec

from signoff.domain.base.record import Record

CALLED_OFF = "cancelled"
_FOREVER_S = 3600.0


class StepBase(Record, frozen=True, kw_only=True, tag_field="do"):
    """One thing to do while the prompt is answered."""


class Say(StepBase, frozen=True, kw_only=True, tag="say"):
    """Say something, in as many pieces; a message ends where a tool or another id begins."""

    pieces: tuple[str, ...]
    message: str = ""
    times: int = 1
    """Every piece so often, for answers that are too long to write down."""


class Think(StepBase, frozen=True, kw_only=True, tag="think"):
    """Think aloud for so long, a thought every tenth of a second."""

    seconds: float


class Use(StepBase, frozen=True, kw_only=True, tag="use"):
    """Use a tool: write a file by itself, where it may."""

    id: str
    kind: str = "edit"
    title: str = ""
    path: str = ""
    content: str = ""
    asks: bool = False
    """Ask for permission first; without it, the file is not written."""
    options: tuple[str, ...] = ("allow_always", "allow_once", "reject_once", "reject_always")
    is_announced: bool = True
    """Some tell of a tool only by asking for it."""


class Write(StepBase, frozen=True, kw_only=True, tag="write"):
    """Write a file through the client."""

    path: str
    content: str


class Read(StepBase, frozen=True, kw_only=True, tag="read"):
    """Read a file through the client."""

    path: str
    line: int | None = None
    limit: int | None = None


class Send(StepBase, frozen=True, kw_only=True, tag="send"):
    """Write a line that may be no message at all."""

    line: str


class Hang(StepBase, frozen=True, kw_only=True, tag="hang"):
    """Do nothing more, until it is cancelled."""

    is_deaf: bool = False
    """Not even then."""


class Fail(StepBase, frozen=True, kw_only=True, tag="fail"):
    """Answer the prompt with an error."""

    code: int
    message: str
    data: msgspec.Raw = msgspec.Raw(b"null")


class End(StepBase, frozen=True, kw_only=True, tag="end"):
    """Answer the prompt."""

    reason: str = "end_turn"
    usage: dict[str, int] | None = None
    meta: msgspec.Raw = msgspec.Raw(b"{}")


class Exit(StepBase, frozen=True, kw_only=True, tag="exit"):
    """End the program without an answer."""

    code: int = 0


Step = Say | Think | Use | Write | Read | Send | Hang | Fail | End | Exit


class Script(Record, frozen=True, kw_only=True):
    """What the agent is and does."""

    steps: tuple[Step, ...]
    protocol: int = 1
    version: str = "1.0"
    session: msgspec.Raw = msgspec.Raw(b"{}")
    """Further fields of the answer to `session/new`."""


class _Message(msgspec.Struct, omit_defaults=True):
    jsonrpc: str = "2.0"
    id: int | str | None = None
    method: str | None = None
    params: object = None
    result: object = None
    error: object = None


class _CalledOff(Exception):  # noqa: N818 - nothing is wrong
    """The client cancelled."""


class Agent:
    """One conversation over stdin and stdout."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._asked = 0

    def run(self) -> int:
        """Answer until the input ends."""
        while (message := self._next()) is not None:
            match message.method:
                case "initialize":
                    info = {"name": "scripted", "version": self._script.version}
                    self._answer(message, {"protocolVersion": self._script.protocol, "agentInfo": info})
                case "session/new":
                    more = msgspec.json.decode(self._script.session, type=dict[str, object])
                    self._answer(message, {"sessionId": "scripted-session", **more})
                case "session/prompt":
                    self._play(message)
                case str() if message.id is not None:
                    self._answer(message, {})
                case _:
                    pass
        return 0

    # --- the steps ---

    def _play(self, prompt: _Message) -> None:
        try:
            for step in self._script.steps:
                if self._do(step, prompt):
                    return
        except _CalledOff:
            self._answer(prompt, {"stopReason": CALLED_OFF})

    def _do(self, step: Step, prompt: _Message) -> bool:
        """Carry out one step; True when it was the answer."""
        match step:
            case Say():
                self._say(step)
            case Think():
                for _ in range(round(step.seconds * 10)):
                    self._update({"sessionUpdate": "agent_thought_chunk", "content": _text("hm")})
                    time.sleep(0.1)
            case Use():
                self._use(step)
            case Write():
                self._ask("fs/write_text_file", {"path": step.path, "content": step.content})
            case Read():
                self._ask("fs/read_text_file", {"path": step.path, "line": step.line, "limit": step.limit})
            case Send():
                _write(step.line.encode(errors="surrogateescape"))
            case Hang():
                self._hang(step)
            case Fail():
                error = {"code": step.code, "message": step.message, "data": step.data}
                _send(_Message(id=prompt.id, error=error))
                return True
            case End():
                usage = {"usage": step.usage} if step.usage else {}
                self._answer(prompt, {"stopReason": step.reason, "_meta": step.meta, **usage})
                return True
            case Exit():
                raise SystemExit(step.code)
        return False

    def _say(self, step: Say) -> None:
        for piece in step.pieces:
            named = {"messageId": step.message} if step.message else {}
            said = {"sessionUpdate": "agent_message_chunk", "content": _text(piece * step.times)}
            self._update({**said, **named})

    def _use(self, step: Use) -> None:
        places = [{"path": step.path}] if step.path else []
        tool: dict[str, object] = {
            "toolCallId": step.id,
            "title": step.title,
            "kind": step.kind,
            "locations": places,
        }
        if step.is_announced:
            self._update({"sessionUpdate": "tool_call", "status": "pending", **tool})
        if step.asks and not self._is_allowed(step, tool):
            self._update({"sessionUpdate": "tool_call_update", "toolCallId": step.id, "status": "failed"})
            return
        if step.path and step.kind == "edit":
            os.makedirs(os.path.dirname(os.path.abspath(step.path)), exist_ok=True)
            with open(step.path, "w") as file:
                file.write(step.content)
        self._update({"sessionUpdate": "tool_call_update", "toolCallId": step.id, "status": "completed"})

    def _is_allowed(self, step: Use, tool: dict[str, object]) -> bool:
        options = [{"optionId": f"option-{kind}", "name": kind, "kind": kind} for kind in step.options]
        answer = self._ask("session/request_permission", {"toolCall": tool, "options": options})
        return "option-allow" in str(answer.result)

    def _hang(self, step: Hang) -> None:
        while step.is_deaf:
            time.sleep(_FOREVER_S)
        while self._next() is not None:
            pass
        raise SystemExit(0)

    # --- the wire ---

    def _next(self) -> _Message | None:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        sys.stderr.buffer.write(line)
        sys.stderr.flush()
        message = msgspec.json.decode(line, type=_Message)
        if message.method == "session/cancel":
            raise _CalledOff
        return message

    def _ask(self, method: str, params: dict[str, object]) -> _Message:
        self._asked += 1
        mine = f"agent-{self._asked}"
        _send(_Message(id=mine, method=method, params={"sessionId": "scripted-session", **params}))
        while (message := self._next()) is not None:
            if message.id == mine:
                return message
        raise SystemExit(0)

    def _update(self, update: dict[str, object]) -> None:
        _send(_Message(method="session/update", params={"sessionId": "scripted-session", "update": update}))

    def _answer(self, request: _Message, result: dict[str, object]) -> None:
        _send(_Message(id=request.id, result=result))


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _send(message: _Message) -> None:
    _write(msgspec.json.encode(message))


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.flush()


def main(argv: list[str]) -> int:
    """Play the script named in `argv`; words after it are taken and not looked at."""
    if not argv:
        sys.stderr.write("usage: python tests/support/scripted_acp_agent.py SCRIPT.json\n")
        return 2
    with open(argv[0], "rb") as file:
        script = msgspec.json.decode(file.read(), type=Script)
    return Agent(script).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
