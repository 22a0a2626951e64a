"""`signoff refine` as scripts and people use it: exit codes, keys, and the question."""

import json
from pathlib import Path

import pytest
from clibench import Bench

KEYS = [
    "outcome",
    "codes",
    "task_type",
    "band",
    "score",
    "dimensions",
    "reasons",
    "intent",
    "directive_set",
    "signals",
    "ui_intent",
    "question",
    "options",
    "vetoes",
    "violations",
    "is_question",
    "criteria",
]
CRITERIA = [
    "When the price is 1.005 the helper must return 1.01",
    "Given a negative price it should raise ValueError",
    "The README lists the helper",
]


def keep(bench: Bench, name: str, content: object) -> Path:
    path = bench.root / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def envelope(raw: str, **more: object) -> dict[str, object]:
    return {"kind": "prompt", "data": {"raw": raw, "reconstructed_ac": CRITERIA, **more}}


@pytest.mark.parametrize(
    ("raw", "code", "outcome", "codes"),
    [
        ("Add formatPrice to src/price.py for prices", 0, "success", []),
        ("Fix the login", 1, "partial", ["prompt_medium_confidence"]),
        ("make it better", 1, "blocked", ["prompt_low_confidence"]),
        ("Drop the users table in db/schema.sql", 1, "blocked", ["destructive_intent"]),
        ("How does the cache work?", 1, "blocked", ["question_not_task"]),
    ],
)
def test_an_envelope_is_judged(bench: Bench, raw: str, code: int, outcome: str, codes: list[str]) -> None:
    """A script could not tell a clear prompt from one that needs a person."""
    ran = bench("refine", "--input", keep(bench, "envelope.json", envelope(raw)), "--json")

    assert (ran.code, ran.document["outcome"], ran.document["codes"]) == (code, outcome, codes)
    assert list(ran.document) == KEYS


def test_a_ticket_has_no_band(bench: Bench) -> None:
    """A ticket would be scored like a prompt."""
    ticket = {"id": 7, "title": "Round prices", "acceptance_criteria": CRITERIA}
    ran = bench("refine", "--ticket-file", keep(bench, "ticket.json", ticket), "--json")

    assert (ran.code, ran.document["outcome"]) == (0, "success")
    assert ran.document["band"] is ran.document["score"] is ran.document["dimensions"] is None
    assert ran.document["criteria"] == CRITERIA


@pytest.mark.parametrize(
    ("flag", "content", "code"),
    [
        ("--ticket-file", "# A-1: Round prices\n\n## Acceptance criteria\n\n- Prices have two decimals\n", 0),
        ("--ticket-file", "# Round\n", 1),
        ("--prompt-file", "Add formatPrice to src/price.py", 1),
        ("--diff-file", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n", 1),
        ("--diff-file", "no diff", 2),
        ("--file-file", "src/a.py\n", 1),
        ("--file-file", "../a.py\n", 2),
        ("--prompt-file", " ", 2),
        ("--input", '{"kind": "letter", "data": {}}', 2),
        ("--input", '{"kind": "prompt", "data": []}', 2),
        ("--input", "[]", 2),
        ("--input", "{", 2),
        ("--input", '{"kind": "prompt", "data": {"raw": 3}}', 1),
    ],
)
def test_each_way_in_has_its_exit_code(bench: Bench, flag: str, content: str, code: int) -> None:
    """What cannot be judged would look like what was judged."""
    assert bench("refine", flag, keep(bench, "want", content), "--json").code == code


def test_a_person_sees_the_question_with_its_answers(bench: Bench) -> None:
    """A person would not know what is asked of them."""
    ran = bench("refine", "--input", keep(bench, "envelope.json", envelope("make it better")))

    assert "blocked (prompt_low_confidence)" in ran.out
    assert "What is the one outcome you need?" in ran.out
    assert "  1. " in ran.out
    assert "  2. " in ran.out


def test_a_place_is_one_in_the_file_that_was_given(bench: Bench) -> None:
    """A pointer would lead nowhere."""
    path = keep(bench, "envelope.json", {"kind": "prompt", "data": {"raw": 3}})
    ran = bench("refine", "--input", path, "--json")

    assert ran.document["violations"][0]["path"] == "/data/raw"


def test_exactly_one_want_is_judged(bench: Bench) -> None:
    """One of two wants would be passed over in silence."""
    path = keep(bench, "want", "Add x")

    for words in ((), ("--prompt-file", path, "--diff-file", path)):
        ran = bench("refine", *words, "--json")
        assert (ran.code, ran.document["error"]["slug"]) == (2, "usage")


def test_a_missing_file_is_an_error(bench: Bench) -> None:
    """A mistyped name would be judged as an empty want."""
    ran = bench("refine", "--prompt-file", "none.txt", "--json")

    assert (ran.code, ran.document["error"]["slug"]) == (2, "file-unreadable")


def test_boxes_to_be_ticked_are_acceptance_criteria(bench: Bench) -> None:
    """Trackers show them so, with or without a heading above."""
    body = (
        "Customers ask for it.\n\n- [ ] `export()` writes a header row\n- [x] commas in fields are quoted\n"
    )
    ticket = json.dumps({"number": 7, "title": "CSV export", "body": body}).encode()
    ran = bench("refine", "--ticket-file", "-", "--json", stdin=ticket)
    assert ran.document["criteria"] == ["`export()` writes a header row", "commas in fields are quoted"]


def test_a_short_title_in_chinese_says_something(bench: Bench) -> None:
    """Two such characters are a word and more."""
    ticket = {"id": "A-1", "title": "修复", "acceptance_criteria": ["multiply(2, 3) returns 6"]}
    ran = bench("refine", "--ticket-file", "-", "--json", stdin=json.dumps(ticket).encode())
    assert ran.document["outcome"] == "success"
