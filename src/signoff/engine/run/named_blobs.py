"""Which blobs a run's journal names. Pure."""

from collections.abc import Iterator

from signoff.domain.base.typed_ids import Digest
from signoff.domain.run.outcomes import AgentAnswered, Analyzed, Checked, Delegated, FindingsWeighed, Sealed
from signoff.engine.run_state import State


def named_blobs(state: State) -> Iterator[Digest]:
    """Yield the digest of every body that a record of this run names.

    Each kind of record keeps the digest in a field of its own, so the match names them one by one.
    """
    if state.start is not None:
        yield state.start.ticket
        yield state.start.settings
        if state.start.cassette is not None:
            yield state.start.cassette
    for claim in state.claims.values():
        yield claim.answer
    for outcome in state.done.values():
        match outcome:
            case Analyzed():
                yield outcome.facts
            case AgentAnswered():
                yield outcome.answer
            case Delegated():
                yield outcome.directive
            case FindingsWeighed() if outcome.findings is not None:
                yield outcome.findings
            case Sealed():
                yield outcome.contract
            case Checked() if outcome.observation.report is not None:
                yield outcome.observation.report
            case _:
                pass
