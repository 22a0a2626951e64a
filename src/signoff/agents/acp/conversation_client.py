"""One conversation with an agent: a session, a prompt, its answer or its end."""

import asyncio
import contextlib
import logging
import os

from acp.connection import Connection
from acp.exceptions import RequestError

from signoff import __version__
from signoff.agents.acp.activity_lines import tell
from signoff.agents.acp.client_services import Serving
from signoff.agents.acp.messages import InitializeAnswer, Translator, lenient
from signoff.agents.acp.session_options import choose_model
from signoff.agents.profiles.acp_client_input import PromptOrder
from signoff.domain.machine.activity import Activity, Complained, Finished

PROTOCOL = 1
_CANCEL_S = 2.0
"""How long it is waited for what a cancelled agent still says."""


async def converse(
    order: PromptOrder, process: asyncio.subprocess.Process, is_called_off: asyncio.Event
) -> bool:
    """Report all activity of the prompt. Return False if the agent was gone before it answered."""
    assert process.stdin is not None
    # The library would print a traceback for every line of an agent that is no message.
    logging.disable(logging.CRITICAL)
    serving = Serving(order, os.getcwd())
    connection = Connection(serving.handle, process.stdin, process.stdout)
    try:
        return await _Conversation(order, connection, serving.translator).hold(is_called_off)
    finally:
        await connection.close()


class _Conversation:
    """A prompt on its way."""

    def __init__(self, order: PromptOrder, connection: Connection, translator: Translator) -> None:
        self._order = order
        self._connection = connection
        self._translator = translator
        self._session = ""

    async def hold(self, is_called_off: asyncio.Event) -> bool:
        work = asyncio.create_task(self._prompt())
        call_off = asyncio.create_task(is_called_off.wait())
        await asyncio.wait((work, call_off), return_when=asyncio.FIRST_COMPLETED)
        call_off.cancel()
        if not work.done():
            await self._cancel(work)
            tell((*self._translator.flush(), Finished(ok=False, reason="cancelled")))
            return True
        try:
            tell(work.result())
        except RequestError as error:
            tell(self._translator.failed(error.code, str(error), error.data))
        except ConnectionError:
            tell(self._translator.flush())
            return False
        return True

    async def _cancel(self, work: "asyncio.Task[list[Activity]]") -> None:
        """Ask the agent to stop, and wait a moment for what it still says."""
        if self._session:
            with contextlib.suppress(OSError):
                await self._connection.send_notification("session/cancel", {"sessionId": self._session})
        await asyncio.wait((work,), timeout=_CANCEL_S)
        if not work.done():
            work.cancel()
        with contextlib.suppress(asyncio.CancelledError, RequestError, OSError):
            tell(each for each in await work if not isinstance(each, Finished))

    async def _prompt(self) -> list[Activity]:
        ask = self._connection.send_request
        about = {
            "protocolVersion": PROTOCOL,
            "clientCapabilities": {
                "fs": {"readTextFile": self._order.lends_files, "writeTextFile": False},
                "terminal": False,
            },
            "clientInfo": {"name": "signoff", "version": __version__},
        }
        opened = lenient(await ask("initialize", about), InitializeAnswer) or InitializeAnswer()
        if opened.protocol_version != PROTOCOL:
            message = f"it speaks version {opened.protocol_version} of the protocol, not {PROTOCOL}"
            return [Complained(message=message, code="not_found_error"), Finished(ok=False)]
        made = await ask("session/new", {"cwd": os.getcwd(), "mcpServers": []})
        self._session = str(made.get("sessionId", "")) if isinstance(made, dict) else ""
        choice = choose_model(made, self._order)
        tell(self._translator.began(opened, self._session, choice.model))
        if choice.problem:
            return [Complained(message=choice.problem, code="model_not_found"), Finished(ok=False)]
        for method, params in choice.requests:
            await ask(method, {"sessionId": self._session, **params})
        text = {"type": "text", "text": self._order.prompt}
        return self._translator.ended(
            await ask("session/prompt", {"sessionId": self._session, "prompt": [text]})
        )
