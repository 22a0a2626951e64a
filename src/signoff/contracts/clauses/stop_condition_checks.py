"""Turn the words of a stop condition into what would show that the work is finished.

Pure, called by `contracts.clauses.contract_clauses` for every stop condition that names no proof of its own.
As with non-goals, the whole sentence is understood or nothing is. In that case the planner is asked for a
proof, and without one a person decides.
"""

import shlex
from enum import StrEnum
from typing import Final

from signoff.contracts.clauses.non_goal_predicates import (
    Item,
    Sentence,
    compiled,
    is_path,
    may_stand_for_more,
    read_sentence,
)
from signoff.domain.work.checks import CommandExit, FileExists
from signoff.text.exit_code_trust import can_fail
from signoff.text.globs import is_glob
from signoff.text.repo_paths import plain

COMMAND_TIMEOUT_MS: Final = 600_000
"""A sentence names no time limit, and what ends a piece of work is often its whole test suite."""


class Leaning(StrEnum):
    """What a stop condition stands or falls with, where it has no check of its own."""

    CRITERIA = "criteria"
    """Every required criterion."""
    CHECKS = "checks"
    """Every check of the contract."""
    TESTS = "tests"
    """The project's test command and the proof that the new tests were red."""
    BUILD = "build"
    LINT = "lint"


def read_stop_condition(text: str) -> CommandExit | FileExists | Leaning | None:
    """Return the check that a sentence stands for, or what else shows it, or None if it is not understood."""
    sentence = read_sentence(text)
    if sentence is None:
        return None
    words = compiled(_END).sub("", compiled(_START).sub("", sentence.words))
    if compiled(rf"(?:the command |running )?<0> {_PASSES}").fullmatch(words):
        return _command(sentence)
    if compiled(r"(?:the file )?<0> (?:exists|is there)").fullmatch(words):
        return _file(sentence)
    return next((leaning for form, leaning in _LEANINGS if compiled(form).fullmatch(words)), None)


_START = r"^(?:stop )?(?:when|once) "
_END = r",? (?:then )?the work is (?:done|finished|complete)$"
_PASSES = (
    r"(?:passes|succeeds|is green|exits with (?:code |exit code |status )?(?:0|zero)|exits 0|returns 0"
    r"|ends with (?:code |exit code )?0)"
)
_ARE_GREEN = r"(?:pass|succeed|are green)"
_SUITE = r"(?:the )?(?:whole |entire |full |complete )?test suite"
_WITH_NEW = r"(?:,? with the new tests in it|,? including the new tests|,? new ones included)?"

_LEANINGS: tuple[tuple[str, Leaning], ...] = (
    (
        (
            r"(?:all|every|each) (?:of )?(?:the )?(?:required )?(?:success )?(?:criteria|criterion) "
            r"(?:pass(?:es)?|(?:is|are) (?:met|proven)|holds?)(?: evaluation)?"
        ),
        Leaning.CRITERIA,
    ),
    (
        (
            r"(?:all|every|each) (?:of )?(?:the )?checks?(?: of the contract)? "
            r"(?:pass(?:es)?|(?:is|are) green)"
        ),
        Leaning.CHECKS,
    ),
    (rf"(?:all (?:of )?(?:the )?|the )tests {_ARE_GREEN}{_WITH_NEW}", Leaning.TESTS),
    (rf"{_SUITE} {_PASSES}{_WITH_NEW}", Leaning.TESTS),
    (rf"(?:the )?(?:project )?build {_PASSES}", Leaning.BUILD),
    (rf"(?:the )?(?:lint(?:er|ing)?|lint check) (?:{_PASSES}|is clean)", Leaning.LINT),
)

_PROGRAM = r"[\w.@+/-]+"
_SHELL = r"[|&;<>()$\\*?\[\]{}!#~\x00-\x1f]"
_ASSIGNMENT = r"\w+="


def _command(sentence: Sentence) -> CommandExit | None:
    """Return the command as argv, or None if only a shell could run it or it could not fail."""
    item = sentence.items[0]
    if not item.is_quoted or compiled(_SHELL).search(item.text):
        return None
    try:
        argv = shlex.split(item.text)
    except ValueError:
        return None
    if not argv or not _is_program(argv[0]) or not can_fail(argv):
        return None
    if len(argv) == 1 and is_path(Item(item.text, is_quoted=True)) and "/" not in argv[0]:
        return None  # `suite.py` passes: a file, and how it is run is not said
    return CommandExit(
        command=argv[0],
        args=tuple(argv[1:]),
        expected_exit=0,
        timeout_ms=COMMAND_TIMEOUT_MS,
        guard=True,
    )


def _is_program(word: str) -> bool:
    is_word = compiled(_PROGRAM).fullmatch(word) and not compiled(_ASSIGNMENT).match(word)
    is_plain = not word.startswith(("-", "/")) and ".." not in word.split("/")
    return bool(is_word) and is_plain and any(c.isalpha() for c in word)


def _file(sentence: Sentence) -> FileExists | None:
    item = sentence.items[0]
    if not is_path(item) or item.text.endswith("/") or is_glob(item.text) or may_stand_for_more(item.text):
        return None
    return FileExists(path=plain(item.text), guard=True)
