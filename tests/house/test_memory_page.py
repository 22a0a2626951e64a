"""The page on memory shows entries that are read as it says."""

import re
from pathlib import Path

from signoff.domain.work.memory import MemoryKind
from signoff.memory.memory_entries import read_lines, read_note
from signoff.memory.recall_keys import STOP_WORDS

PAGE = (Path(__file__).parents[2] / "docs/reference/memory.md").read_text(encoding="utf-8")
KIND = MemoryKind.INCIDENT_LEARNINGS


def block(tag: str) -> str:
    found = re.search(rf"^```{tag}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_note_is_read_as_the_page_says() -> None:
    (entry,) = read_note(block("markdown"), KIND, "double-refunds.md").entries

    assert (entry.id, entry.subject) == ("INC-7", "double-refunds")
    assert entry.globs == ("src/billing/**", "lib/{money,tax}/*.py")
    assert entry.symbols == ("RefundService.issue", "parse_amount")
    assert entry.text.startswith("Refunds were booked twice The queue")


def test_the_line_is_read_as_the_page_says() -> None:
    (entry,) = read_lines(block("json").encode(), KIND, "x.jsonl", 1).entries

    assert (entry.id, entry.text) == ("INV-1", "An order is refunded at most once")
    assert (entry.globs, entry.symbols) == (("src/billing/**",), ("RefundService",))


def test_the_kinds_and_the_number_of_stop_words_are_on_the_page() -> None:
    assert re.findall(r"^\| `([a-z]+-[a-z]+)` \|", PAGE, re.MULTILINE) == list(MemoryKind)
    assert f"{len(STOP_WORDS)}\nEnglish stop words" in PAGE
