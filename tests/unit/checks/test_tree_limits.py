"""A test file has a limited time to be parsed and read; what takes longer is never a pass."""

import time

import pytest

pytest.importorskip("tree_sitter")

import tree_sitter_go
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from signoff.checks.test_trees.go import read_go
from signoff.checks.test_trees.javascript import read_javascript
from signoff.checks.test_trees.trees import parsed, text, walk
from signoff.domain.evidence.case_records import TOO_LONG, FileSides, NotJudged
from signoff.domain.evidence.case_records import TestFile as File
from signoff.judges.test_integrity.comparison.integrity_verdict import judge

ONE = "it('adds', () => { expect(f(1)).toBe(3); });\n"
SLOW = "a<b<" * 25_000
"""Generics or comparisons: the grammar of TypeScript follows both for as long as nothing closes."""


def parser_of(language: object) -> Parser:
    return Parser(Language(language))


def test_a_text_that_takes_too_long_to_parse_is_given_up() -> None:
    """The parser is C and cannot be interrupted: without the limit this text holds up the whole run."""
    begin = time.monotonic()

    read = parsed(parser_of(tree_sitter_typescript.language_typescript()), SLOW, read_javascript, 0.05)

    assert read == File(problem=TOO_LONG)
    assert time.monotonic() - begin < 2


def test_a_tree_that_takes_too_long_to_read_is_given_up() -> None:
    """Parsing is not all: a reader that goes through a large tree again and again has to stop as well."""

    def never_done(root: Node) -> File:
        while True:
            text(root)
            list(walk(root))

    read = parsed(parser_of(tree_sitter_javascript.language()), ONE * 10, never_done, 0.05)

    assert read.problem == TOO_LONG


def test_a_tree_is_the_same_whether_it_was_fed_in_pieces_or_not() -> None:
    """Characters of several bytes lie across the edges of pieces, and nothing of them is lost."""
    source = "".join(f"it('größer {n} – ✓', () => {{ expect(f('é{n}')).toBe({n}); }});\n" for n in range(200))

    read = parsed(parser_of(tree_sitter_javascript.language()), source, read_javascript)

    assert [case.id for case in read.cases] == [f"größer {n} – ✓" for n in range(200)]
    assert read.cases[7].assertions[0].subject == 'f("é7")'


def test_go_is_limited_too() -> None:
    source = "package a\n\nfunc TestIt(t *testing.T) { t.Fatal(1) }\n"
    parser = parser_of(tree_sitter_go.language())

    assert parsed(parser, source, lambda root: read_go(root, source), 0.0).problem == TOO_LONG
    assert parsed(parser, source, lambda root: read_go(root, source)).problem == ""


@pytest.mark.parametrize("slow", ["before", "after", "new"])
def test_a_file_that_took_too_long_is_not_judged_and_no_pass(slow: str) -> None:
    """Neither side may decide: a slow base would hide what was lost, a slow result what is left."""

    def reader(path: str, source: str, own: frozenset[str]) -> File:
        del path, own
        return File(problem=TOO_LONG if source == "slow" else "")

    before = None if slow == "new" else "slow" if slow == "before" else "fine"
    sides = FileSides("a.test.js", before, "fine" if slow == "before" else "slow")
    judged = judge([sides], {"js": reader}, frozenset())

    assert judged.not_judged == [NotJudged("a.test.js", TOO_LONG)]
    assert judged.is_cut_short


def test_many_tests_of_one_name_are_numbered_in_one_go() -> None:
    """Numbering each by counting from two again takes minutes for a file that fits into the limit."""
    begin = time.process_time()

    read = parsed(parser_of(tree_sitter_javascript.language()), ONE * 3_000, read_javascript, 60)

    assert read.cases[-1].id == "adds #3000"
    assert time.process_time() - begin < 5
