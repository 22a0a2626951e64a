"""The result of reading a file. Pure. It stands apart from `text.json.decode`, which is slow to load."""

from typing import Generic, NamedTuple, TypeVar

from signoff.domain.base.violations import Violation

T = TypeVar("T")


class Decoded(NamedTuple, Generic[T]):
    """A record, or None with at least one error. Warnings may come with either."""

    value: T | None
    violations: tuple[Violation, ...]
