"""`behavioral`: citations are read again from the tree."""

from pathlib import Path

import pytest
from checkbench import FAIL, PARTIAL, PASS, Bench

from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.work.checks import Behavioral, Citation, Evidence


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


SOURCE = "import os\n\n\tdef lock(self) -> None:  \r\n    pass\n"


def check(*evidence: Evidence) -> Behavioral:
    return Behavioral(description="the lock is taken", evidence_required=evidence)


def cite(
    line: int = 3, snippet: str = "def lock(self)", path: str = "src/a.py", clause: str = ""
) -> Citation:
    return Citation(path=path, line=line, snippet=snippet, clause=clause)


LOCK = Evidence(path="src/a.py", description="the lock", matcher=r"^\s*def lock\b.*:\s*$")


@pytest.mark.parametrize(
    ("citation", "expected"),
    [
        (cite(), PASS),
        (cite(snippet="  def lock(self) -> None:\n"), PASS),
        (cite(path="./src/a.py"), PASS),
        (cite(clause="T1/check-1"), PASS),
        (cite(clause="T2/check-1"), FAIL),
        (cite(line=4), FAIL),
        (cite(line=0), FAIL),
        (cite(line=-2), FAIL),
        (cite(line=99), FAIL),
        (cite(snippet="def unlock(self)"), FAIL),
        (cite(snippet="   "), FAIL),
        (cite(snippet="def lock(self) -> None:\n    pass"), FAIL),
        (cite(path="src/b.py"), FAIL),
        (cite(line=1, snippet="import os"), FAIL),
    ],
)
def test_a_citation_counts_when_its_line_reads_as_cited_and_matches(
    bench: Bench, citation: Citation, expected: str
) -> None:
    bench.write("src/a.py", SOURCE)
    bench.write("src/b.py", SOURCE)

    seen = bench.see(check(LOCK), citations=(citation,))

    assert seen.result == expected
    assert seen.failure_reason is (None if expected is PASS else FailureReason.EVIDENCE_MISSING)


def test_every_piece_of_evidence_needs_its_own_line(bench: Bench) -> None:
    bench.write("src/a.py", SOURCE)
    other = Evidence(path="src/a.py", description="the import", matcher="^import os$")

    assert bench.see(check(LOCK, other), citations=(cite(),)).result is FAIL
    assert bench.see(check(LOCK, other), citations=(cite(), cite(1, "import os"))).result is PASS


def test_without_a_matcher_the_snippet_is_enough(bench: Bench) -> None:
    bench.write("src/a.py", SOURCE)

    assert bench.see(check(Evidence(path="src/a.py", description="x")), citations=(cite(),)).result is PASS


def test_nothing_cited_or_nothing_asked_for_is_nothing_shown(bench: Bench) -> None:
    bench.write("src/a.py", SOURCE)

    assert bench.see(check(LOCK)).result is FAIL
    assert bench.see(check(), citations=(cite(),)).result is FAIL


def test_a_broken_matcher_leaves_it_undecided(bench: Bench) -> None:
    bench.write("src/a.py", SOURCE)
    broken = Evidence(path="src/a.py", description="x", matcher="(")

    assert bench.see(check(broken), citations=(cite(),)).result is PARTIAL


def test_evidence_outside_the_tree_is_none(bench: Bench) -> None:
    bench.folder.with_name("a.py").write_text(SOURCE)
    (bench.folder / "link.py").symlink_to("../a.py")

    for path in ("../a.py", "link.py"):
        evidence = Evidence(path=path, description="x")
        assert bench.see(check(evidence), citations=(cite(path=path),)).result is FAIL


def test_one_citation_shows_one_piece_of_evidence(bench: Bench) -> None:
    bench.write("src/a.py", SOURCE)
    any_line = Evidence(path="src/a.py", description="anything")
    twice = (cite(), cite(snippet=" def lock(self) "), cite(path="./src/a.py", clause="T1/check-1"))

    assert bench.see(check(LOCK, any_line), citations=twice).result is FAIL
    assert bench.see(check(LOCK, any_line), citations=(*twice, cite(1, "import os"))).result is PASS
    assert bench.see(check(LOCK, any_line), citations=(cite(), cite(snippet="-> None"))).result is PASS


def test_a_citation_moves_on_to_where_it_is_needed(bench: Bench) -> None:
    """The first piece of evidence could take any line; each other one needs a line of its own."""
    lines = [f"line {n}\n" for n in range(9)]
    bench.write("src/a.py", "".join(lines))
    wanted = [
        Evidence(path="src/a.py", description="x", matcher=f"line [{n}{min(n + 1, 8)}]") for n in range(9)
    ]
    citations = tuple(cite(n + 1, lines[n]) for n in (*range(1, 9), 0))

    assert bench.see(check(*wanted), citations=citations).result is PASS
    seen = bench.see(check(*wanted), citations=citations[:-1])
    assert seen.result is FAIL
    assert "1 of 9 pieces of evidence not shown" in seen.detail


@pytest.mark.parametrize(
    ("line", "snippet", "expected"),
    [(4, "p", FAIL), (4, "pa", FAIL), (4, "pas", PASS), (5, "}", PASS), (6, ")", FAIL), (6, " }) ", PASS)],
)
def test_a_letter_or_two_are_no_snippet_unless_they_are_the_line(
    bench: Bench, line: int, snippet: str, expected: str
) -> None:
    bench.write("src/a.py", SOURCE + "  }\r\n})\n")
    anything = Evidence(path="src/a.py", description="x")

    assert bench.see(check(anything), citations=(cite(line, snippet),)).result is expected
