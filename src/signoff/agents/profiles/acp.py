"""Programs that speak the Agent Client Protocol, each with what is its own: words, files, quirks. Pure.

They are run by our client program (`agents.acp.client`), which prints activity as we have it, so there is
one way to read them all. Some answer a failure of their model as if it were work that is done, with the
error as their only words, and `errors` says how those words begin.
"""

import re
from collections.abc import Mapping

import msgspec

from signoff.agents.profiles.acp_client_input import Metering, PromptOrder
from signoff.agents.profiles.base import Classified, Launch, LaunchOrder, ReadContext
from signoff.agents.profiles.failures import recognise
from signoff.agents.profiles.lines import decoded, unread
from signoff.agents.profiles.program_endings import failed, read_end
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.record import Record
from signoff.domain.machine.activity import Activity, Tally
from signoff.domain.machine.process_records import Ending

CLIENT = "signoff.agents.acp.client"

# The protocol's words for how a prompt came to its end, apart from `end_turn`.
_REASONS: Mapping[str, FailureClass] = {
    "cancelled": FailureClass.INTERRUPTED,
    "max_tokens": FailureClass.TOO_MUCH_OUTPUT,
    "max_turn_requests": FailureClass.TURNS_USED_UP,
    "refusal": FailureClass.REFUSED,
}


class AcpServer(Record, frozen=True, kw_only=True):
    """How a program is started as a server of the protocol."""

    words: tuple[str, ...] = ()
    """After the program's own."""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    held: dict[str, str] = msgspec.field(default_factory=dict)
    """Variables that keep a planner from writing: the person's own do not win over these."""
    files: dict[str, bytes] = msgspec.field(default_factory=dict)
    mode: str = ""
    chooses_model: bool = False
    """Model and effort are chosen by the protocol."""


class AcpProfile:
    """What all of them have in common. By itself, the profile of any program that speaks the protocol."""

    name = "acp"
    title = "The agent"
    tested = ""
    config_folder = ".config"
    works_in_a_box = True
    login = "name the variable of its key in [agent] env, or its login file in [agent] credentials"
    metering = Metering()
    errors: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    lends_files = False

    def __init__(self, python: str) -> None:
        self._python = python

    def server(self, order: LaunchOrder) -> AcpServer:
        """Return how it is started. Of a program that the settings name, nothing more is known."""
        del order
        return AcpServer(chooses_model=True)

    def command(self, order: LaunchOrder) -> Launch:
        """Return how the client is started, with the program as its words and the prompt on stdin."""
        server = self.server(order)
        # Without -P, a module in the checkout would be ours.
        client = (self._python, "-P", "-m", CLIENT)
        prompt = "\n\n".join(part for part in (order.system, order.prompt) if part)
        told = PromptOrder(
            # A lone surrogate would be refused on the way to the client.
            prompt=prompt.encode(errors="replace").decode(),
            may_write=order.may_write,
            mode=server.mode,
            model=order.model if server.chooses_model else "",
            effort=order.effort if server.chooses_model else "",
            metering=self.metering,
            lends_files=self.lends_files,
            reading=self.reading,
            notices=self.notices,
        )
        return Launch(
            argv=(*client, *order.program, *server.words, *order.args),
            env=server.env,
            held=server.held,
            folders=(self.config_folder,),
            files=server.files,
            stdin=msgspec.json.encode(told),
        )

    def read(self, line: bytes, context: ReadContext) -> tuple[Activity, ...]:
        """Return the activity in one line, which is written as activity already."""
        del context  # they do not say where they work
        if not line.strip():
            return ()
        found = decoded(line, _ACTIVITY)
        return (unread(line),) if found is None else (found,)

    def classify(self, exit_code: int | None, ending: Ending, tally: Tally, stderr_tail: str) -> Classified:
        """Classify its end. An error in place of an answer is a failure, even if the program reports success.

        After it has worked, words that begin like an error may be the model's own, unless a status is named.
        """
        end = read_end(exit_code, ending, tally, _last_words(stderr_tail), _REASONS)
        # With a `"kind"` in them, its words may hold an answer and are the model's.
        if end.failure is None and end.text.startswith(self.errors) and '"kind"' not in end.text:
            named = _STATUS.search(end.text)
            status = int(named[1]) if named else None
            if named or not tally.tools:
                kind = recognise(end.text, status) or FailureClass.UNKNOWN
                return failed(kind, end.text, status, end.denials)
        return end


_LONGEST_LOG = 200
_STATUS = re.compile(r"(?:\(HTTP |\(|Last error: |^Error: )(\d{3})\b")
_ACTIVITY: type[Activity] = Activity  # type: ignore[assignment]


def _last_words(stderr_tail: str) -> str:
    """Return the last line of stderr first, which is our client's, and the program's logs behind it."""
    *logs, last = stderr_tail.splitlines() or [""]
    return ": ".join(part for part in (last, " ".join(logs)[-_LONGEST_LOG:]) if part)
