"""What reading a file gives. Pure; apart from `core.decode`, which loads more than a fast command can pay."""

from typing import Generic, NamedTuple, TypeVar

from signoff.domain.violations import Violation

T = TypeVar("T")


class Decoded(NamedTuple, Generic[T]):
    """A record, or None with at least one error; warnings may come with either."""

    value: T | None
    violations: tuple[Violation, ...]
