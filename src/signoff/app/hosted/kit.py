"""What the use cases of a hosted run are given: the ports, bound to one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from signoff.domain.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from signoff.core.test_integrity.records import Reader
    from signoff.domain.ports import CheckRunner, Clock, Ids, Links, Memory, RunStore, Workplace


def _unheard(text: str) -> None:
    """Nobody is there to be told."""


def _no_programs(words: tuple[str, ...], stdin: bytes, timeout_s: float) -> tuple[int, bytes]:
    del stdin, timeout_s
    raise InfrastructureError(f"cannot run {words[0]}", slug="tool-missing", why="no programs are run here")


class HostedKit(NamedTuple):
    """The ports of one folder; whatever runs programs is built when it is first needed."""

    root: str
    clock: Clock
    ids: Ids
    store: RunStore
    links: Links
    place: Workplace
    memory: Memory
    checks: Callable[[], CheckRunner]
    engine_version: str
    test_readers: Callable[[], Mapping[str, Reader]] = dict
    """Gives the readers of test files besides Python's."""
    tell: Callable[[str], None] = _unheard
    """Tells the person something that is no result: what hooks have to say."""
    run_program: Callable[[tuple[str, ...], bytes, float], tuple[int, bytes]] = _no_programs
    """Runs a short program at the root: words, standard input, time limit; exit code and standard error."""
