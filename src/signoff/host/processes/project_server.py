"""Run a command while a server of the project answers on loopback, then end the server.

A script of its own, run under the supervisor like any check, so that both programs are in one sandbox and
share one time limit, and what is left of them is ended with it. It needs only the standard library. The only
argument is a JSON object:

    {"serve": [...], "command": [...], "url": "", "port": null, "timeout_s": 60}

Its exit code is the command's, or one of `NOT_STARTED`, `ENDED_EARLY`, `NOT_READY`, `PORT_TAKEN`: nothing is
known about the work then. A command that ends with one of these itself is reported as 1.
"""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any
from urllib.parse import urlsplit

NOT_STARTED, ENDED_EARLY, NOT_READY, PORT_TAKEN = 121, 122, 123, 124
SAID = {
    NOT_STARTED: "the server or the command could not be started",
    ENDED_EARLY: "the server ended before it was ready",
    NOT_READY: "the server was not ready in time",
    PORT_TAKEN: "something else listens on the server's port already",
}
_GRACE_S = 3.0
_PAUSE_S = 0.05


def main(asked: dict[str, Any]) -> int:
    """Start the server, wait for it, run the command, end the server, and return the exit code."""
    fixed = asked["port"]
    if not fixed and "{port}" not in asked["url"]:
        fixed = urlsplit(asked["url"]).port
    port = fixed or _free_port()
    if fixed and _listens(fixed):
        return PORT_TAKEN
    serve, command = (_words(asked[name], port) for name in ("serve", "command"))
    url = asked["url"].replace("{port}", str(port))
    env = {**os.environ, "PORT": str(port)}
    try:
        # Its words go to stderr, apart from the command's; in a group of its own, to be ended as a whole.
        server = subprocess.Popen(serve, env=env, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
    except OSError as error:
        return _not_started(serve, error)
    try:
        problem = _wait(server, url, port, asked["timeout_s"])
        return problem or _run(command, env)
    finally:
        _end(server)


def _run(command: list[str], env: dict[str, str]) -> int:
    try:
        code = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        return _not_started(command, error)
    code = code if code >= 0 else 128 - code
    return 1 if code in SAID else code


def _not_started(words: list[str], error: OSError) -> int:
    sys.stderr.write(f"cannot start {words[0]}: {error}\n")
    return NOT_STARTED


def _wait(server: "subprocess.Popen[bytes]", url: str, port: int, timeout_s: float) -> int:
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        is_ready = _answers(url) if url else _listens(port)
        if server.poll() is not None:  # looked at last: another program may be what answers
            return ENDED_EARLY
        if is_ready:
            return 0
        time.sleep(_PAUSE_S)
    return NOT_READY


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=2)
    with contextlib.closing(connection):
        try:
            connection.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False


def _listens(port: int) -> bool:
    for host in ("127.0.0.1", "::1"):
        with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
            return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _words(words: list[str], port: int) -> list[str]:
    return [word.replace("{port}", str(port)) for word in words]


def _end(server: "subprocess.Popen[bytes]") -> None:
    """End the server and its group. The supervisor ends what escapes."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(_GRACE_S)
            return


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
