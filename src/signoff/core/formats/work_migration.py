"""Bring a state file of version 0 into version 1. Pure; `app.migrating` calls it."""

from typing import NamedTuple

from msgspec.structs import replace

from signoff.core.decoded import Decoded
from signoff.core.formats.work_state import read_state, write_state
from signoff.domain.work_state import Wire


class Migrated(NamedTuple):
    """A state file of version 1."""

    data: bytes
    was: Wire
    """The version it came from; one that was in version 1 already comes back byte for byte."""


def migrate(data: bytes) -> Decoded[Migrated]:
    """Give the file in version 1; never raises on any bytes.

    The ticket becomes the input; intent, directive set and what version 0 had no key for get their defaults.
    """
    file, violations = read_state(data)
    if file is None:
        return Decoded(None, violations)
    if file.wire is Wire.V1:
        return Decoded(Migrated(data, Wire.V1), violations)
    written = write_state(replace(file, wire=Wire.V1))
    # A ticket lies one level deeper now and the file is longer: what could not be read again is not written.
    again = read_state(written)
    if again.value is None:
        return Decoded(None, again.violations)
    return Decoded(Migrated(written, Wire.V0), violations)
