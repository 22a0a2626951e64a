"""A finding stands when the line it cites is there and says what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.delivery.examination.cited_lines import MOST_FINDINGS, weigh
from signoff.domain.run.directives import EvaluatorFinding

TREE = {"a.py": b"def one():\n    return 1\n\n\ndef two():\n    return 2\n", "x": b"{\n"}


def finding(
    path: str = "a.py", line: int = 2, snippet: str = "return 1", message: str = "no"
) -> EvaluatorFinding:
    return EvaluatorFinding(clause="T1/criterion-1", path=path, line=line, snippet=snippet, message=message)


@pytest.mark.parametrize(
    "one",
    [
        finding(),
        finding(snippet="    return 1"),
        finding(line=1, snippet="def one():\n    return 1"),
        finding("x", 1, "{"),
    ],
)
def test_what_is_there_stands(one: EvaluatorFinding) -> None:
    assert weigh((one,), TREE.get) == ((one,), 0)


@pytest.mark.parametrize(
    "one",
    [
        finding("b.py"),
        finding("../a.py"),
        finding("/etc/passwd", 1, "root"),
        finding(line=0),
        finding(line=-1),
        finding(line=3),
        finding(line=99),
        finding(snippet=""),
        finding(line=3, snippet="  "),
        finding(snippet="re"),
        finding(snippet="return 3"),
        finding(line=6, snippet="return 2\n\nmore"),
        finding(message="  "),
    ],
)
def test_what_is_not_there_is_counted_as_invented(one: EvaluatorFinding) -> None:
    """An evaluator that makes lines up would send honest work back."""
    assert weigh((one,), TREE.get) == ((), 1)


def test_the_same_finding_twice_is_one_and_there_are_not_too_many() -> None:
    many = tuple(finding(message=str(n)) for n in range(MOST_FINDINGS + 5))

    assert weigh((finding(), finding()), TREE.get).standing == (finding(),)
    assert len(weigh(many, TREE.get).standing) == MOST_FINDINGS


@given(st.builds(finding, st.text(), st.integers(), st.text(), st.text()), st.binary())
def test_no_answer_breaks_the_weighing(one: EvaluatorFinding, data: bytes) -> None:
    weighed = weigh((one,), lambda _: data)

    assert len(weighed.standing) + weighed.invented == 1
    for kept in weighed.standing:
        assert kept.snippet.strip().split("\n")[0].strip() in data.decode(errors="replace")
