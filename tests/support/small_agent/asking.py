"""One question to a model over HTTP, and what may go wrong with it."""

import http.client
import json
from typing import NamedTuple
from urllib.parse import urlsplit

from small_agent.wires import Step, Tool, Turn, Wire

_NETWORK = "connection failed"


class Refusal(NamedTuple):
    """What the server said instead of an answer."""

    status: int | None
    """None where there was no answer at all."""
    message: str
    kind: str = ""
    retry_after_s: float | None = None

    @property
    def may_pass(self) -> bool:
        """Asking again may help."""
        return self.status is None or self.status in (408, 429) or self.status >= 500


class Model(NamedTuple):
    """Where a model is and how it is spoken to."""

    wire: Wire
    base: str
    name: str
    key: str = ""

    def ask(self, prompt: str, steps: tuple[Step, ...], tools: tuple[Tool, ...]) -> Turn | Refusal:
        """Ask once."""
        body = json.dumps(self.wire.ask(self.name, prompt, steps, tools)).encode()
        try:
            status, headers, said = self._post(body)
        except (OSError, http.client.HTTPException) as error:
            return Refusal(None, f"{_NETWORK}: {type(error).__name__} {error}")
        if status != 200:
            return _refusal(status, headers.get("retry-after"), said)
        try:
            return self.wire.read(json.loads(said))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            return Refusal(None, f"empty or malformed response: {error}")

    def _post(self, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        place = urlsplit(self.base)
        line = http.client.HTTPConnection(place.hostname or "", place.port)
        try:
            headers = {"content-type": "application/json", "authorization": f"Bearer {self.key}"}
            line.request("POST", place.path + self.wire.path, body, headers)
            answer = line.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            line.close()


def _refusal(status: int, wait: str | None, said: bytes) -> Refusal:
    try:
        error = json.loads(said)["error"]
        kind, message = error.get("code") or error["type"], error["message"]
    except (ValueError, KeyError, TypeError):
        kind, message = "", said[:200].decode(errors="replace")
    return Refusal(status, message, kind, float(wait) if wait else None)
