"""Fingerprints and the baseline: what stays known, and what is new."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.evidence.gates import GateFinding, GateName, GateReport, GateResult, GateSeverity
from signoff.gates.gate_baseline import Draft, as_baseline, finished, read_baseline, with_known

BLOCKING = GateSeverity.BLOCKING


def secret(path: str, line: int, evidence: str = "digest") -> Draft:
    return Draft("github-token", path, line, BLOCKING, "looks like a credential", evidence=evidence)


def found(*drafts: Draft) -> tuple[GateFinding, ...]:
    return finished(GateName.SECRETS, drafts)


def report(*drafts: Draft, unjudged: str = "") -> GateReport:
    gate = GateResult(name=GateName.SECRETS, findings=found(*drafts), unjudged=unjudged)
    return GateReport(base="abc", base_name="main", files=1, gates=(gate,))


def known(old: GateReport) -> frozenset[str]:
    return read_baseline(msgspec.json.encode(as_baseline(old))).fingerprints


def test_a_finding_that_moved_by_ten_lines_is_still_known() -> None:
    later = with_known(report(secret("a.py", 15)), known(report(secret("a.py", 5))))

    assert later.ok is True
    assert later.gates[0].findings[0].known


def test_the_same_finding_in_another_file_is_new() -> None:
    old = known(report(secret("a.py", 5)))
    later = with_known(report(secret("a.py", 5), secret("b.py", 5)), old)

    assert with_known(report(secret("b.py", 5)), old).ok is False
    assert later.ok is False
    assert [finding.known for finding in later.gates[0].findings] == [True, False]


def test_a_second_one_like_it_in_the_same_file_is_new() -> None:
    later = with_known(report(secret("a.py", 1), secret("a.py", 5)), known(report(secret("a.py", 5))))

    assert later.ok is False
    assert sum(finding.known for finding in later.gates[0].findings) == 1


def test_another_secret_in_the_place_of_a_known_one_is_new() -> None:
    assert with_known(report(secret("a.py", 5, "other")), known(report(secret("a.py", 5)))).ok is False


def test_the_baseline_forgives_nothing_that_could_not_be_judged() -> None:
    old = report(secret("a.py", 5), unjudged="the diff cannot be read")

    assert with_known(old, known(old)).ok is None


def test_what_fails_nothing_is_not_written() -> None:
    mild = Draft("untested-function", "a.py", 1, GateSeverity.SUGGESTION, "no test")

    assert as_baseline(report(mild)).findings == ()
    assert report(mild).ok is True


def test_a_known_finding_stays_in_a_baseline_that_is_written_again() -> None:
    old = report(secret("a.py", 5))
    again = with_known(old, known(old))

    assert as_baseline(again) == as_baseline(old)


def test_advice_keeps_the_order_it_came_in() -> None:
    advice = [Draft("risk", path, None, GateSeverity.ADVICE, "score") for path in ("z", "a")]

    assert [finding.path for finding in finished(GateName.RISK, advice)] == ["z", "a"]


def test_a_damaged_baseline_knows_nothing_and_says_why() -> None:
    for data in (b"", b"{", b"[]", b'{"version": 2, "findings": []}', b'{"version": 1}'):
        read = read_baseline(data)
        assert read.fingerprints == frozenset()
        assert read.problem


@given(st.binary(max_size=200))
def test_any_bytes_are_a_baseline_or_a_problem(data: bytes) -> None:
    read = read_baseline(data)
    assert read.problem or isinstance(read.fingerprints, frozenset)


_TEXT = st.text(max_size=10)
_DRAFTS = st.builds(
    Draft,
    kind=_TEXT,
    path=st.sampled_from(["a", "b"]),
    line=st.none() | st.integers(1, 9),
    severity=st.sampled_from(GateSeverity),
    message=_TEXT,
    symbol=_TEXT,
    evidence=_TEXT,
)


@given(st.lists(_DRAFTS, max_size=12))
def test_no_two_findings_share_a_fingerprint_and_order_of_finding_does_not_matter(
    drafts: list[Draft],
) -> None:
    one, other = found(*drafts), found(*reversed(drafts))

    assert len({finding.fingerprint for finding in one}) == len(drafts)
    assert {finding.fingerprint for finding in one} == {finding.fingerprint for finding in other}
