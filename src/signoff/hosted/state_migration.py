"""Bring a state file of a hosted run from version 0 into version 1, so that nothing can get lost.

The new file is complete on disk before the old one is moved aside, and neither ever takes the place of
another file. Cut off in between, both are there and the next call says what to do.
"""

import shlex
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.work_state import V0_NAME, StateFormat
from signoff.hosted.state_file.state_file_format import read_state, write_state
from signoff.text.json.decode_result import Decoded

_MOST_BACKUPS = 999


class StateFiles(Protocol):
    """The state files of hosts. Every method refuses links and whatever else is not a regular file."""

    def holding(self, path: str) -> AbstractContextManager[None]:
        """Keep others who ask the same out of the folder of a file."""
        ...

    def read(self, path: str) -> bytes:
        """Return a file's bytes. What cannot be read raises an error that says why."""
        ...

    def what_is_at(self, path: str) -> str:
        """Name what is there, a dangling link included. Return "" if the path is free."""
        ...

    def are_same(self, path: str, other: str) -> bool:
        """Check whether two paths lead to one file."""
        ...

    def write_new(self, path: str, data: bytes, like: str) -> bool:
        """Write a whole file durably, with the permissions of `like`. Return False if the path is taken."""
        ...

    def move(self, path: str, target: str) -> bool:
        """Rename a file. Return False if the new name is taken."""
        ...


class MigratedState(NamedTuple):
    """A state file of version 1."""

    data: bytes
    was: StateFormat
    """The version it came from. A file in version 1 is returned byte for byte."""


def migrate(data: bytes) -> Decoded[MigratedState]:
    """Return the file in version 1. Never raises on any bytes.

    The ticket becomes the input. Intent, directive set and what version 0 had no key for get their defaults.
    """
    file, violations = read_state(data)
    if file is None:
        return Decoded(None, violations)
    if file.wire is StateFormat.V1:
        return Decoded(MigratedState(data, StateFormat.V1), violations)
    written = write_state(replace(file, wire=StateFormat.V1))
    # A ticket lies one level deeper now and the file is longer: what could not be read again is not written.
    again = read_state(written)
    if again.value is None:
        return Decoded(None, again.violations)
    return Decoded(MigratedState(written, StateFormat.V0), violations)


class Migration(NamedTuple):
    """What was done."""

    source: str
    destination: str
    """Where the state in version 1 is: the source itself where it was in version 1 already."""
    backup: str | None
    """The new name of the source, or None if it was left as it was."""

    @property
    def is_done_before(self) -> bool:
        """Whether the file was in version 1 already."""
        return self.source == self.destination


def migrate_state(
    files: StateFiles, source: str, destination: str, *, keeps_backup: bool = True
) -> Migration:
    """Write version 1 of `source` to `destination`, then rename the source.

    A source in version 1 is left alone. Without a backup the source keeps its name: no file is removed.
    """
    if not files.what_is_at(source):
        raise _no_source(files, source, destination)
    with files.holding(source):
        if not files.what_is_at(source):  # another process was faster
            raise _no_source(files, source, destination)
        data = files.read(source)
        found, violations = migrate(data)
        if found is None:
            raise _unusable(source, violations)
        if found.was is StateFormat.V1:
            return Migration(source, source, None)
        if there := files.what_is_at(destination):
            raise _in_the_way(files, source, destination, there, found.data)
        backup = _free_backup(files, source) if keeps_backup else None
        if not files.write_new(destination, found.data, source):
            there = files.what_is_at(destination)
            raise _in_the_way(files, source, destination, there, found.data)
        while backup is not None and not files.move(source, backup):
            backup = _free_backup(files, source)
        return Migration(source, destination, backup)


def _free_backup(files: StateFiles, source: str) -> str:
    names = (f"{source}.bak", *(f"{source}.bak.{n}" for n in range(1, _MOST_BACKUPS + 1)))
    for name in names:
        if not files.what_is_at(name):
            return name
    raise ConflictError(
        f"there is no name left for a backup of {source}",
        slug="state-backups-full",
        why=f"{source}.bak and .bak.1 to .bak.{_MOST_BACKUPS} are all there",
        fix="remove older ones, or keep the source where it is with --no-backup",
    )


def _no_source(files: StateFiles, source: str, destination: str) -> ConfigError:
    if files.what_is_at(destination):
        why = f"there is no such file; {destination} is there, so it may have been migrated before"
        return ConfigError(f"{source} is not there", slug="state-missing", why=why, fix=f"use {destination}")
    return ConfigError(
        f"{source} is not there", slug="state-missing", why="there is no such file", fix="name the state file"
    )


def _unusable(source: str, violations: tuple[Violation, ...]) -> ConfigError:
    wrong = [violation for violation in violations if violation.severity is Severity.ERROR]
    why = f"{wrong[0].path or '/'}: {wrong[0].message}"
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return ConfigError(f"{source} cannot be migrated", slug="state-invalid", why=why + more, fix=wrong[0].fix)


def _in_the_way(files: StateFiles, source: str, destination: str, there: str, wanted: bytes) -> ConflictError:
    """Return the error for a destination that is taken, and how to finish a migration that was cut off."""
    what = f"{destination} is there already"
    if there != "a file":
        why, fix = f"it is {there}", "name another place with --destination"
    elif files.are_same(source, destination):
        older = shlex.quote(V0_NAME)
        why = "source and destination are one file, and it is still in version 0"
        fix = f"mv {shlex.quote(source)} {older} && signoff migrate-state {older}"
    elif files.read(destination) == wanted:
        why = f"it holds what {source} becomes: the source was kept, or its migration was cut off"
        backup = _free_backup(files, source)
        fix = f"mv {shlex.quote(source)} {shlex.quote(backup)}; the migration is complete then"
    else:
        why = f"it holds another state than {source}"
        fix = "move away the one you do not need, or name another place with --destination"
    return ConflictError(what, slug="state-exists", why=why, fix=fix)
