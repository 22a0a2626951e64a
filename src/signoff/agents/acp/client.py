"""The client program: one prompt to one agent that speaks the protocol, its activity as JSON lines.

    python -P -m signoff.agents.acp.client PROGRAM WORD... < order.json

It runs under the process door in the agent's place, so that the agent is its child: what ends or confines
the one ends or confines the other. What it prints are the records of `domain.machine.activity`, and an empty
line says that the agent is alive. Its exit code is the agent's own if that ended first.
"""

import asyncio
import contextlib
import signal
import sys

import msgspec

from signoff.agents.profiles.acp_client_input import PromptOrder

LONGEST_LINE = 50_000_000
_CLOSE_S = 2.0
"""How long an agent may take to end by itself. Some never do."""


async def run(order: PromptOrder, program: list[str]) -> int:
    """Start the agent, send it its prompt, see it to its end, and return the exit code."""
    is_called_off = asyncio.Event()
    hits: list[int] = []

    def be_hit(number: int) -> None:
        hits.append(number)
        is_called_off.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, be_hit, number)
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*program, stdin=pipe, stdout=pipe, limit=LONGEST_LINE)
    except OSError as error:
        return _say(f"{program[0]} cannot be started: {error.strerror}", 127)
    # Not sooner: the library takes longer to load than we do to run, and the agent starts meanwhile.
    from signoff.agents.acp.conversation_client import converse

    try:
        has_answered = await converse(order, process, is_called_off)
        if hits:
            return 128 + hits[0]
        if has_answered:
            return 0
        # It ended before it answered: without a last event, even 0 is no success.
        with contextlib.suppress(TimeoutError):
            code = await asyncio.wait_for(process.wait(), _CLOSE_S)
            return _say(f"the agent ended with {code} before it answered", code if code >= 0 else 128 - code)
        return _say("the agent closed its output, or wrote what is no message", 1)
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let it end by its closed input, then make it."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            if number is not None:
                process.send_signal(number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _CLOSE_S)
            return


def _say(what: str, code: int) -> int:
    sys.stderr.write(what + "\n")
    return code


def main(program: list[str]) -> int:
    """Run one prompt and return the exit code, 2 for an order that cannot be read."""
    try:
        order = msgspec.json.decode(sys.stdin.buffer.read(), type=PromptOrder)
    except ValueError as error:
        return _say(f"no order on standard input: {error}", 2)
    if not program:
        return _say("no program is named", 2)
    return asyncio.run(run(order, program))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
