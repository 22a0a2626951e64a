"""`verification.md`: whatever a program prints or a contract says, the verdict is that of the engine."""

import pytest
from markdown_it import MarkdownIt
from markdown_view import HOSTILE, live, steers, tokens

from signoff.contracts.verification.verification_page import verification_page
from signoff.domain.base.typed_ids import ClauseId, EffectKey, TreeId
from signoff.domain.evidence.receipts import Observation, Receipt, Result
from signoff.domain.evidence.verification import ReviewItem, Tails, Verification, VerifiedClause
from signoff.domain.work.checks import Place
from signoff.domain.work.clauses import ClauseKind
from signoff.domain.work.contract import Contract, GeneratedBy
from signoff.text.json.canonical import digest

NOW = "2026-01-01T00:00:00Z"
TREE = TreeId("0" * 40)
SEEN = Observation(clause=ClauseId("T1/check-1"), place=Place.FINAL, tree=TREE, result=Result.FAIL)
RECEIPT = Receipt(key=EffectKey("k"), observation=SEEN, contract=None)


def page(text: str) -> str:
    contract = Contract(
        version=1,
        phase=1,
        goal=text,
        why="",
        generated_at=NOW,
        generated_by=GeneratedBy.MANUAL,
        tasks=(),
        success_criteria=(),
    )
    clause = VerifiedClause(
        id=ClauseId("T1/check-1"),
        task=None,
        text=text,
        result=Result.FAIL,
        failure_reason=None,
        detail=text,
        receipt=RECEIPT,
        output=Tails(stdout=text, stderr=f"{text}\n{text}"),
    )
    item = ReviewItem(id=ClauseId("C1"), kind=ClauseKind.CRITERION, text=text, why=text)
    found = Verification(
        verification_result=Result.FAIL,
        contract=digest(b""),
        tree=TREE,
        started_at=NOW,
        ended_at=NOW,
        clauses=(clause,),
        needs_review=(item,),
        unreadable=(text,),
        changed=(text, text),
    )
    return verification_page(contract, found)


def headings(made: str) -> list[str]:
    parsed = MarkdownIt("commonmark").parse(made)
    return [parsed[n + 1].content for n, token in enumerate(parsed) if token.type == "heading_open"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_forges_a_line_of_the_page(text: str) -> None:
    """A page that says pass under one that says FAIL is believed."""
    made = page(text)

    assert headings(made) == headings(page("x"))
    assert live(made) == []
    assert steers(made) == []
    assert [token.type for token in tokens(made)].count("td_open") == 3


def test_the_last_lines_of_the_output_are_kept_as_they_were_printed() -> None:
    said = "\n".join(f"line {n} <b> | `x`" for n in range(30))

    made = page(f"{said}\n\n")

    assert "    line 10 <b> | `x`" in made.split("\n")
    assert "    line 29 <b> | `x`" in made.split("\n")
    assert "    line 9 <b> | `x`" not in made.split("\n")
