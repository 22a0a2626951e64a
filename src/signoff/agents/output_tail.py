"""Read a growing output file bit by bit, as activity."""

from collections.abc import Callable, Iterable, Iterator

from signoff.domain.machine.activity import Activity

_MOST_AT_ONCE = 4_000_000
"""Bytes read in one go. The rest comes with the next look."""


class Tail:
    """What has been added to a file since the last look. A torn last line is left for the next one."""

    def __init__(self, path: str, read: Callable[[bytes], Iterable[Activity]]) -> None:
        self._path = path
        self._read = read
        self._offset = 0

    def more(self) -> Iterator[Activity]:
        """Yield what is new, and nothing while there is no file."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._offset)
                data = file.read(_MOST_AT_ONCE)
        except OSError:
            return  # not there yet, or gone with its run: a view may miss something, and fails nothing
        end = data.rfind(b"\n") + 1
        if not end and len(data) == _MOST_AT_ONCE:
            end = len(data)  # a line that is larger than this is no activity
        self._offset += end
        for line in data[:end].splitlines(keepends=True):
            yield from self._read(line)
