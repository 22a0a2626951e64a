"""Ask a killable process about regular expressions. Called by the checks of this room."""

import json
import os
import sys
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from signoff.checks import regex_worker
from signoff.checks.base import CheckTools, Unfinished
from signoff.domain.base.record import Record
from signoff.domain.machine.process_records import Ending, ProcessRequest

TIME_LIMIT_S = 5.0
_GRACE_S = 0.5

_Said = TypeVar("_Said", bound=Record)


class Hits(Record, frozen=True, kw_only=True):
    """Where a pattern was found in files."""

    hits: int
    file: int
    """Which of the files holds the first hit."""
    line: int
    binary: int
    """Files that hold NUL bytes. They were skipped unless the caller asked for them."""


class PatternMatches(Record, frozen=True, kw_only=True):
    """For each pair of pattern and text, whether it matches."""

    found: tuple[bool, ...]


class RegexProblem(Record, frozen=True, kw_only=True):
    """Why nothing is known: a broken pattern, an unreadable file, too much time."""

    error: str


def search_files(
    bench: CheckTools, pattern: str, files: Sequence[str], *, by_line: bool = True, in_binary: bool = False
) -> Hits | RegexProblem:
    """Search files line by line, never across lines. Without `by_line`, search each as one text."""
    request = {"pattern": pattern, "files": list(files), "by_line": by_line, "in_binary": in_binary}
    return _ask(bench, request, Hits)


def search_texts(bench: CheckTools, pairs: Sequence[tuple[str, str]]) -> PatternMatches | RegexProblem:
    """Return for each pattern whether it is found in its text."""
    return _ask(bench, {"pairs": pairs}, PatternMatches) if pairs else PatternMatches(found=())


def _ask(bench: CheckTools, request: dict[str, object], kind: type[_Said]) -> _Said | RegexProblem:
    outcome = bench.processes.run(
        ProcessRequest(
            argv=(sys.executable, "-I", "-S", os.path.abspath(regex_worker.__file__)),
            cwd="/",
            env={},
            timeout_s=TIME_LIMIT_S,
            grace_s=_GRACE_S,
            stdin=json.dumps(request).encode(),
            stdout_path=bench.log(".regex.out"),
            stderr_path=bench.log(".regex.err"),
            slip_path=bench.log(".regex.slip"),
        )
    )
    if outcome.ending is Ending.STOPPED:
        raise Unfinished
    if outcome.ending is Ending.TIMED_OUT:
        return RegexProblem(error=f"the pattern took longer than {TIME_LIMIT_S:g} s")
    if outcome.exit_code != 0:
        return RegexProblem(error=f"the pattern could not be run: {outcome.detail or outcome.exit_code}")
    return _answer(bench.log(".regex.out"), kind)


def _answer(path: str, kind: type[_Said]) -> _Said | RegexProblem:
    with open(path, "rb") as file:
        said = file.read()
    try:
        if said.startswith(b'{"error"'):
            return msgspec.json.decode(said, type=RegexProblem)
        return msgspec.json.decode(said, type=kind)
    except msgspec.DecodeError as error:
        return RegexProblem(error=f"the pattern could not be run: {error}")
