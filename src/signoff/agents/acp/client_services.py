"""What an agent may ask of its client while it works: permissions and files of its checkout."""

import os
from collections.abc import Mapping

import msgspec
from acp.exceptions import RequestError

from signoff.agents.acp.activity_lines import SignsOfLife, tell
from signoff.agents.acp.messages import Translator, lenient
from signoff.agents.acp.permissions import PermissionRequest, choose, inside, is_allowed
from signoff.agents.profiles.acp_client_input import PromptOrder

LONGEST_FILE = 10_000_000


class Serving:
    """Answers what the agent asks, and tells what it does."""

    def __init__(self, order: PromptOrder, checkout: str) -> None:
        self._order = order
        self._checkout = checkout
        self._alive = SignsOfLife()
        self.translator = Translator(order.metering, order.notices)

    async def handle(self, method: str, params: object, is_notification: bool) -> object:
        """Answer one request of the agent, or report the activity in a notification.

        It never waits, so that nothing is reported out of its order.
        """
        del is_notification
        self._alive.give()
        given = params if isinstance(params, dict) else {}
        match method:
            case "session/update":
                tell(self.translator.update(given.get("update")))
                return None
            case "session/request_permission":
                return self._permit(given)
            case "fs/read_text_file":
                return self._read(given)
            case "fs/write_text_file":
                return self._write(given)
            case _:
                raise RequestError.method_not_found(method)

    def _permit(self, params: Mapping[str, object]) -> object:
        asked = lenient(params, PermissionRequest)
        if asked is None:
            raise RequestError.invalid_params({"details": "a tool call and options are needed"})
        tell(self.translator.asked(asked.tool_call))
        name = self.translator.name_of(asked.tool_call)
        allow = is_allowed(asked.tool_call, name, self._order, self._checkout)
        option = choose(asked.options, allow=allow)
        if not allow or option is None:
            tell(self.translator.refused(asked.tool_call))
        outcome = {"outcome": "cancelled"} if option is None else {"outcome": "selected", "optionId": option}
        return {"outcome": outcome}

    def _read(self, params: Mapping[str, object]) -> object:
        wanted = lenient(params, _FileWanted) or _FileWanted()
        try:
            with open(self._place(wanted.path), "rb") as file:
                text = file.read(LONGEST_FILE).decode(errors="replace")
        except OSError as error:
            raise _no_file(wanted.path, error) from error
        lines = text.splitlines(keepends=True)
        start = max(0, (wanted.line or 1) - 1)
        stop = None if wanted.limit is None else start + max(0, wanted.limit)
        return {"content": "".join(lines[start:stop])}

    def _write(self, params: Mapping[str, object]) -> object:
        given = lenient(params, _FileGiven)
        if given is None or not self._order.may_write:
            raise RequestError.invalid_params({"details": "writing is not allowed here"})
        place = self._place(given.path)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            # Not through a link, and without waiting for a reader of a named pipe.
            flags = os.O_NOFOLLOW | os.O_NONBLOCK
            with open(place, "wb", opener=lambda path, mode: os.open(path, mode | flags, 0o666)) as file:
                file.write(given.content.encode(errors="replace"))
        except OSError as error:
            raise _no_file(given.path, error) from error
        return {}

    def _place(self, path: str) -> str:
        place = inside(path, self._checkout)
        if place is None:
            raise RequestError.invalid_params({"details": f"{path} is not in the checkout"})
        return place


class _FileWanted(msgspec.Struct):
    path: str = ""
    line: int | None = None
    limit: int | None = None


class _FileGiven(msgspec.Struct):
    path: str
    content: str


def _no_file(path: str, error: OSError) -> RequestError:
    return RequestError.invalid_params({"details": f"{path}: {error.strerror}"})
