"""What a hosted run asks of its host, in full: the verb, its payload and the schema of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.domain.record import Record

if TYPE_CHECKING:
    from signoff.domain.halts import Halt


class ShownDirective(Record, frozen=True, kw_only=True, omit_defaults=False):
    """Work that the host's agent is asked to do."""

    verb: str
    payload: dict[str, str]
    slice: str
    """The part of the state file that holds the answer; `signoff submit` takes the same."""
    schema: dict[str, Any]


def shown_directive(halt: Halt) -> ShownDirective | None:
    """Give the directive of a halt, or None where a person is awaited."""
    if not halt.verb:
        return None
    from signoff.core.schemas import schema

    return ShownDirective(
        verb=halt.verb, payload=halt.payload, slice=halt.id, schema=schema(f"work-{halt.id}")
    )
