"""The agent of a cassette: it does again what was recorded under the directive's key.

The demo, the golden tests and CI run on it. It writes into the checkout and nowhere else, but there it
may write anything, also `.git/` and `.signoff/`: a recorded liar must be able to lie.
"""

import os

from signoff.agents.backend_tools import AgentTools
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.ports import Repository
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.cassettes import NO_ANSWER, Cassette, CassetteEntry, CassetteFailure
from signoff.domain.run.outcomes import AgentFailure
from signoff.domain.work.settings import Settings


class RecordedAgent:
    """Plays a cassette."""

    name = "recorded"
    works_in_a_box = None

    def __init__(self, repository: Repository, cassette: Cassette) -> None:
        self._repository = repository
        self._entries = {entry.key: entry for entry in cassette.entries}

    def dispatch(self, request: AgentRequest) -> AgentReply:
        """Apply the entry's patch, then its raw writes, and give its answer byte for byte."""
        entry = self._entries.get(request.directive.key)
        if entry is None:
            detail = _missing(request.directive.key, tuple(self._entries))
            return AgentReply(failure=AgentFailure.NO_CASSETTE_ENTRY, detail=detail)
        if problem := self._apply(entry, request.checkout):
            return AgentReply(failure=AgentFailure.PATCH_REFUSED, detail=problem)
        if entry.failed is not None:
            return _failure(entry.failed, entry)
        return AgentReply(
            answer=bytes(entry.answer), usage=entry.usage, found=entry.outside, doubts=entry.doubts
        )

    def recover(self, request: AgentRequest) -> AgentReply | None:
        """Nothing was left behind: the checkout is made afresh and the entry played again."""
        del request
        return None

    def was_started(self, request: AgentRequest) -> bool:
        """No program ran, so nothing can be in flight, unless the recording says that it was cut short."""
        entry = self._entries.get(request.directive.key)
        return entry is not None and entry.interrupted

    def _apply(self, entry: CassetteEntry, checkout: str) -> str:
        """Change the checkout as recorded, and return what is wrong if that cannot be done."""
        if entry.patch:
            refusal = self._repository.apply_patch(checkout, entry.patch.encode())
            if refusal is not None:
                return refusal
        for path, content in entry.files.items():
            if problem := _write(checkout, path, content):
                return problem
        return ""


def open_recorded(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> RecordedAgent:
    """Make the backend from a cassette with at most one entry for a key and exactly one end for each."""
    del settings
    if cassette is None:
        raise UsageError(
            "the recorded agent needs a cassette",
            slug="cassette-missing",
            why="it only does what was recorded",
            fix="--cassette FILE",
        )
    keys = [entry.key for entry in cassette.entries]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise ConfigError(
            f"the cassette {cassette.name!r} cannot be played",
            slug="cassette-invalid",
            why=f"it has more than one entry for {twice}",
            fix="keep one of them",
        )
    if odd := next((entry.key for entry in cassette.entries if _ends(entry) != 1), None):
        raise ConfigError(
            f"the cassette {cassette.name!r} cannot be played",
            slug="cassette-invalid",
            why=f"the entry for {odd} needs exactly one of `answer`, `failed` and `interrupted`",
            fix="say how that dispatch ended",
        )
    return RecordedAgent(tools.repository, cassette)


def _ends(entry: CassetteEntry) -> int:
    return sum((bytes(entry.answer) != bytes(NO_ANSWER), entry.failed is not None, entry.interrupted))


def _failure(failed: CassetteFailure, entry: CassetteEntry) -> AgentReply:
    return AgentReply(
        failure=failed.failure,
        detail=failed.detail,
        failure_class=failed.failure_class,
        retryable=bool(failed.retryable),
        retry_after_s=failed.retry_after_s,
        usage=entry.usage,
        found=entry.outside,
        doubts=entry.doubts,
    )


def _missing(key: EffectKey, known: tuple[EffectKey, ...]) -> str:
    """Name the key, and the keys there are for the same task: most often an attempt is missing."""
    task = _task(key)
    alike = [other for other in known if _task(other) == task]
    return f"no entry for {key}; for {task} the cassette has {', '.join(alike) or 'none'}"


def _task(key: str) -> str:
    """Return what stands before the attempt: `implement/T1` of `implement/T1/attempt-2/dispatch-1`."""
    return key.partition("/attempt-")[0]


def _write(checkout: str, path: str, content: str | None) -> str:
    """Write or delete one file below the checkout, and return why if that is refused or fails."""
    try:
        if problem := _escape(checkout, path, content):
            return problem
        _put(os.path.join(checkout, path), content)
    except (OSError, ValueError) as error:  # the latter: a NUL in the path
        return f"{path!r} cannot be {'deleted' if content is None else 'written'}: {error}"
    return ""


def _escape(checkout: str, path: str, content: str | None) -> str:
    """Return why a path does not stay below the checkout, or an empty text if it does."""
    if path.startswith("/") or ".." in path.split("/"):
        return f"{path!r} is not a path below the checkout"
    place = os.path.join(checkout, path)
    # A deletion removes a link itself; a write would follow it.
    touched = os.path.realpath(os.path.dirname(place) if content is None else place)
    root = os.path.realpath(checkout)
    if os.path.commonpath((root, touched)) != root:
        return f"{path!r} leads out of the checkout through a link"
    return ""


def _put(place: str, content: str | None) -> None:
    if content is None:
        os.unlink(place)
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(content.encode())
