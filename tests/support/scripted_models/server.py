"""The scripted model server: `with serve() as model: ...`, or run this module from tests/support.

A client's base address is `model.address("edit")` or `model.address("edit", "run 7")`; beneath it the
interfaces stand where their makers put them. The scenario is the part of the path before `~`; what follows
only tells runs apart. Loopback only. Its log holds what was asked and answered, never a header or a body.
"""

import contextlib
import re
import select
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import quote, unquote

import msgspec

from scripted_models import anthropic, chat, gemini, responses
from scripted_models.exchange import Exchange, Reply, Wire
from scripted_models.playing import fault_for, is_aside, reply_for, turn_number
from scripted_models.scenarios import SCENARIOS
from scripted_models.steps import (
    Act,
    Cut,
    Drop,
    Fault,
    Garbage,
    Hang,
    Scenario,
    Stall,
    Status,
    StreamError,
)

MAX_BODY = 256 * 1024 * 1024
_LOOK_S = 0.1
"""How often a held request looks whether its client is still there."""
_PLACES = re.compile(r"/s/(?P<scenario>[^/~]+)(?:~(?P<label>[^/]*))?(?P<rest>/.*)?")
_GEMINI = re.compile(r"/v1(?:beta|alpha)?/models/(?P<model>[^/:]+):(?P<verb>\w+)")
_PAGE = b"<!doctype html><html><body><h1>Welcome</h1>\xff\xfe not what you asked for</body></html>\n"
_NOISE = b"data: {not json at all\n\n\x00\xff\xfe\n\ndata: ]]]\n\n"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A request, as far as a log may know it."""

    number: int
    scenario: str
    label: str
    interface: str
    method: str
    path: str
    """Below the scenario, without its query."""
    model: str = ""
    streams: bool = False
    tools: tuple[str, ...] = ()
    results: int = 0
    turn: int | None = None
    is_aside: bool = False
    answered: str = ""
    """`tools`, `text`, the name of a fault, or a status."""


class _Asked(NamedTuple):
    """A request that was found to play a scenario."""

    scenario: Scenario
    label: str
    rest: str
    wire: Wire
    exchange: Exchange


class ModelServer(ThreadingHTTPServer):
    """The server itself; `serve` starts and stops it."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, scenarios: Mapping[str, Scenario], log_path: str | None, port: int = 0) -> None:
        """Take a port of loopback; 0 is any free one."""
        super().__init__(("127.0.0.1", port), _Handler)
        self._scenarios = dict(scenarios)
        self._aliases = {_letters(place): name for place, name in enumerate(self._scenarios)}
        self.stopping = threading.Event()
        self._log_path = log_path
        self._entries: list[Entry] = []
        self._failures: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._serial = 0

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def address(self, scenario: str, label: str = "") -> str:
        """Give the base address that plays `scenario`, without a slash at the end."""
        return f"{self.origin}{self.path(scenario, label)}"

    def path(self, scenario: str, label: str = "", *, is_blind: bool = False) -> str:
        """Give the path of that address, for programs that take host and path apart.

        Agents print the address in their complaints, so a scenario's name could pass for what they understood
        of it; a blind path gives nothing away.
        """
        name = _letters(tuple(self._scenarios).index(scenario)) if is_blind else quote(scenario, safe="")
        return f"/s/{name}" + (f"~{quote(label, safe='')}" if label else "")

    def scenario(self, name: str) -> Scenario | None:
        """Give the scenario that is called so, openly or blind."""
        return self._scenarios.get(self._aliases.get(name, name))

    def entries(self, scenario: str = "", label: str = "") -> tuple[Entry, ...]:
        """Give what was asked so far; a name or a label keeps only its own."""
        with self._lock:
            kept = tuple(self._entries)
        return tuple(
            entry
            for entry in kept
            if (not scenario or entry.scenario == scenario) and (not label or entry.label == label)
        )

    def has_reached(self, scenario: str, label: str) -> bool:
        """Check whether a run is in its scenario's last tool or waits for an answer that never comes."""
        acts = sum(isinstance(turn, Act) for turn in self._scenarios[scenario].turns)
        answers = [entry.answered for entry in self.entries(scenario, label) if not entry.is_aside]
        return answers.count("tools") >= acts or not {"hang", "stall"}.isdisjoint(answers)

    def next_serial(self) -> int:
        """Draw a number no other request has."""
        with self._lock:
            self._serial += 1
            return self._serial

    def draw_fault(self, asked: _Asked, turn: int) -> Fault | None:
        """Give what goes wrong now, and count it; a request on the side fails too but uses nothing up."""
        key = (asked.scenario.name, asked.label)
        with self._lock:
            fault = fault_for(asked.scenario, turn, self._failures[key])
            if is_aside(asked.scenario, asked.exchange):
                return fault if asked.scenario.fault_times is None else None
            if fault is not None:
                self._failures[key] += 1
            return fault

    def note(self, entry: Entry) -> None:
        """Keep what was asked."""
        with self._lock:
            self._entries.append(entry)
            if self._log_path is not None:
                with open(self._log_path, "ab") as file:
                    file.write(msgspec.json.encode(entry) + b"\n")

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client goes away; every other fault of ours keeps its traceback."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer
    # One packet per event: a stream that waits for more would look like a hang.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        place = _PLACES.fullmatch(self._plain_path())
        if place and (place["rest"] or "").endswith("/models"):
            self._send(200, b'{"object":"list","data":[{"id":"scripted","object":"model"}],"models":[]}')
        else:
            self._send(404, chat.error(404, "", "nothing here"))

    def do_POST(self) -> None:
        body = self._body()
        asked = self._understand(body)
        if asked is None:
            return
        serial = self.server.next_serial()
        turn = turn_number(asked.scenario, asked.exchange.results)
        fault = self.server.draw_fault(asked, turn)
        reply = reply_for(asked.scenario, asked.exchange, turn, serial)
        self.server.note(
            Entry(
                number=serial,
                scenario=asked.scenario.name,
                label=asked.label,
                interface=asked.wire.name,
                method="POST",
                path=asked.rest,
                model=asked.exchange.model,
                streams=asked.exchange.streams,
                tools=tuple(tool.name for tool in asked.exchange.tools),
                results=asked.exchange.results,
                turn=turn,
                is_aside=is_aside(asked.scenario, asked.exchange),
                answered=_answered(fault, reply),
            )
        )
        if fault is not None:
            self._fail(fault, asked, reply)
        elif asked.exchange.streams:
            self._begin_stream()
            for event in asked.wire.stream(reply):
                self._chunk(event)
            self._chunk(b"")
        else:
            self._send(200, asked.wire.whole(reply))

    def _understand(self, body: bytes) -> _Asked | None:
        """Give the request's parts, or answer it here: what is no request to a model needs no script."""
        place = _PLACES.fullmatch(self._plain_path())
        scenario = self.server.scenario(unquote(place["scenario"])) if place else None
        if place is None or scenario is None:
            self._send(404, chat.error(404, "", "no such scenario"))
            return None
        rest = place["rest"] or ""
        label = unquote(place["label"] or "")
        wire = _wire_for(rest)
        if wire is None:
            self._send(200, b'{"input_tokens":1200,"totalTokens":1200}')
            return None
        try:
            exchange = _with_path(wire.read(body), rest)
        except msgspec.MsgspecError as reason:
            self._send(400, wire.error(400, "", f"cannot read this request: {reason}"))
            return None
        return _Asked(scenario, label, rest, wire, exchange)

    def _fail(self, fault: Fault, asked: _Asked, reply: Reply) -> None:
        match fault:
            case Status():
                extra = {} if fault.retry_after_s is None else {"retry-after": str(fault.retry_after_s)}
                self._send(fault.code, asked.wire.error(fault.code, fault.kind, fault.message), extra)
            case Hang():
                self._hold()
            case Drop():
                self._sever()
            case Garbage(as_stream=False):
                self._send(200, _PAGE, {"content-type": "text/html"})
            case Garbage():
                self._begin_stream()
                self._chunk(_NOISE)
                self._chunk(b"")
            case Stall():
                self._begin_answer(asked, reply)
                self._hold()
            case Cut():
                self._begin_answer(asked, reply)
                self._sever()
            case StreamError() if asked.exchange.streams:
                self._begin_answer(asked, reply)
                self._chunk(asked.wire.stream_error(fault.message))
                self._chunk(b"")
            case StreamError():
                self._send(529, asked.wire.error(529, "", fault.message))

    def _begin_answer(self, asked: _Asked, reply: Reply) -> None:
        """Send half of the answer: never the event that would make it whole."""
        if asked.exchange.streams:
            self._begin_stream()
            events = list(asked.wire.stream(reply))
            for event in events[: max(1, len(events) // 2)]:
                self._chunk(event)
        else:
            body = asked.wire.whole(reply)
            self._send(200, body[: len(body) // 2], {"content-length": str(len(body))})
            self.wfile.flush()

    def _plain_path(self) -> str:
        return self.path.partition("?")[0]

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        length = int(self.headers.get("content-length", "0"))
        return self.rfile.read(min(length, MAX_BODY))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(64).split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline(8)
        self.rfile.readline(8)

    def _send(self, status: int, body: bytes, extra: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        headers = {"content-type": "application/json", "content-length": str(len(body))} | dict(extra or {})
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _sever(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _hold(self) -> None:
        """Say nothing until the client goes or the server stops."""
        while not self.server.stopping.wait(_LOOK_S):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                break
        self._sever()


def _wire_for(rest: str) -> Wire | None:
    """Give the interface a path belongs to."""
    if rest.endswith("/messages"):
        return anthropic.WIRE
    if rest.endswith("/responses"):
        return responses.WIRE
    if rest.endswith("/chat/completions"):
        return chat.WIRE
    if (found := _GEMINI.fullmatch(rest)) and found["verb"] in {"generateContent", "streamGenerateContent"}:
        return gemini.WIRE
    return None


def _with_path(exchange: Exchange, rest: str) -> Exchange:
    """Add what Gemini says in the path and the others in the body."""
    if found := _GEMINI.fullmatch(rest):
        return exchange._replace(model=found["model"], streams=found["verb"].startswith("stream"))
    return exchange


def _letters(place: int) -> str:
    """Give a name without a meaning."""
    return f"play-{chr(97 + place // 26)}{chr(97 + place % 26)}"


def _answered(fault: Fault | None, reply: Reply) -> str:
    if isinstance(fault, Status):
        return str(fault.code)
    if fault is not None:
        return type(fault).__name__.lower()
    return "tools" if reply.calls else "text"


@contextlib.contextmanager
def serve(
    scenarios: Mapping[str, Scenario] = SCENARIOS, *, log_path: str | None = None, port: int = 0
) -> Iterator[ModelServer]:
    """Run a server on loopback for the time of the block; requests it holds are let go at the end."""
    server = ModelServer(scenarios, log_path, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def main(argv: list[str]) -> int:
    """Serve until interrupted: `[PORT [LOG.jsonl]]`; the address comes first on stdout."""
    port = int(argv[0]) if argv else 0
    with serve(port=port, log_path=argv[1] if len(argv) > 1 else None) as server:
        sys.stdout.write(f"{server.origin}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
