"""What holds for every log, whatever wrote it: properties of the verdict, not of one format."""

from hypothesis import given, settings
from hypothesis import strategies as st
from test_evidence_verdicts import GREEN, LOGS, MARKS, read

from signoff.judges.evidence.claim_verdict import ClaimJudgement, Reason, judge
from signoff.judges.evidence.log_runs import Claim, LogStatus

TEXTS = sorted(path.name for path in LOGS.glob("*.txt"))
RED = [
    (claim, name)
    for name in TEXTS
    for claim in Claim
    if judge(claim, LogStatus.FAILED, read(name)).ok and not judge(claim, LogStatus.PASSED, read(name)).ok
]
COLOURS = ("\x1b[31m", "\x1b[1;32m", "\x1b[0m", "\x1b[38;5;245m", "\x1b[K", "\x1b[2m", "\x1b[22m\x1b[39m")
names = st.sampled_from(TEXTS)
claims = st.sampled_from([*Claim])
places = st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(COLOURS)), max_size=20)
prose = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=200)


def essence(judged: ClaimJudgement) -> tuple[object, ...]:
    return judged.ok, judged.reason, judged.counts, judged.runner


@settings(max_examples=120, deadline=None)
@given(names, claims, places)
def test_colours_change_no_verdict(name: str, claim: Claim, marks: list[tuple[int, str]]) -> None:
    """A terminal and a file get the same lines, one of them painted: the verdict must not hang on that."""
    lines = read(name).decode().splitlines(keepends=True)
    for at, colour in marks:
        where = at % len(lines)
        ending = "\n" if lines[where].endswith("\n") else ""
        lines[where] = f"{colour}{lines[where].rstrip(chr(10))}\x1b[0m{ending}"
    for status in LogStatus:
        painted = judge(claim, status, "".join(lines).encode())

        assert essence(painted) == essence(judge(claim, status, read(name)))


@settings(max_examples=120, deadline=None)
@given(names, claims, st.booleans())
def test_line_endings_and_a_byte_order_mark_change_no_verdict(
    name: str, claim: Claim, has_mark: bool
) -> None:
    """A log that went through Windows says what it said before."""
    plain = read(name).replace(b"\r\n", b"\n")
    carried = (b"\xef\xbb\xbf" if has_mark else b"") + plain.replace(b"\n", b"\r\n")
    for status in LogStatus:
        assert essence(judge(claim, status, carried)) == essence(judge(claim, status, plain))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(GREEN), st.lists(prose, max_size=4), st.sampled_from(MARKS))
def test_a_log_with_a_failure_at_its_end_is_never_a_pass(
    which: tuple[Claim, str], lines: list[str], mark: str
) -> None:
    """Whatever stands between a green summary and the failure, the failure came last."""
    log = read(which[1]) + "".join(f"{line}\n" for line in (*lines, mark)).encode()

    assert not judge(which[0], LogStatus.PASSED, log).ok


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(GREEN), st.sampled_from(RED), st.booleans())
def test_a_red_run_beside_a_green_one_is_never_a_pass(
    good: tuple[Claim, str], bad: tuple[Claim, str], is_first: bool
) -> None:
    """A second run does not take back the first: two logs in one file are as bad as the worse of them."""
    parts = (read(bad[1]), read(good[1])) if is_first else (read(good[1]), read(bad[1]))

    assert not judge(bad[0], LogStatus.PASSED, b"\n".join(parts)).ok


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), names, st.integers(0, 10_000), claims)
def test_no_log_bears_out_a_claim_and_its_opposite(junk: bytes, name: str, at: int, claim: Claim) -> None:
    """Who may claim either way on one log has no evidence at all."""
    seed = read(name)
    cut = at % (len(seed) + 1)
    log = seed[:cut] + junk + seed[cut:]
    judged = {status: judge(claim, status, log) for status in LogStatus}

    assert sum(verdict.ok for verdict in judged.values()) <= 1
    assert all(verdict.ok == (verdict.reason is Reason.BORNE_OUT) for verdict in judged.values())


@settings(max_examples=200, deadline=None)
@given(st.lists(prose, max_size=12), claims)
def test_prose_is_no_evidence(lines: list[str], claim: Claim) -> None:
    """Success must be shown by a runner; text that no runner wrote shows nothing."""
    assert not judge(claim, LogStatus.PASSED, "\n".join(lines).encode()).ok
