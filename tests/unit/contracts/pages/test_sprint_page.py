"""The page of a sprint contract."""

from typing import Any

import msgspec
import pytest
from markdown_view import HOSTILE, live, shape, steers

from signoff.contracts.pages.sprint_page import sprint_page
from signoff.domain.work.sprints import Sprint


def sprint(text: str, **changes: Any) -> Sprint:
    criterion = {
        "criterion_id": text,
        "description": text,
        "verification_method": "build",
        "required": False,
    }
    plain = {
        "contract_id": text,
        "spec_id": text,
        "sprint_number": 1,
        "title": text,
        "description": text,
        "status": "proposed",
        "success_criteria": [criterion],
        "non_goals": [text],
        "stop_conditions": [text],
        "definition_of_done": text,
        "depends_on": [text],
        "assumptions": [text],
        "out_of_scope": [text],
        "estimated_files": [text],
        "generator_notes": text,
        "evaluator_notes": text,
        "ambiguity_score": 3,
    }
    return msgspec.convert({**plain, **changes}, Sprint)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_does_anything_on_the_page(text: str) -> None:
    """A sprint is written by an agent and opened in viewers that run what they are given."""
    page = sprint_page(sprint(text))

    assert shape(page) == shape(sprint_page(sprint("x")))
    assert live(page) == []
    assert steers(page) == []


def test_the_page_reads_like_a_page() -> None:
    page = sprint_page(sprint("`a` is [ ] b", contract_id="sprint-1", estimated_files=["src/a_b.ts"]))

    assert page.startswith("# Sprint 1: `a` is \\[ ] b\n\n`sprint-1` of ")
    assert "\n## Files\n\n- `src/a_b.ts`\n" in page
    assert page.endswith("\nAmbiguity: 3 of 10\n")


def test_sections_without_content_are_left_out() -> None:
    page = sprint_page(sprint("x", assumptions=[], evaluator_notes=" ", estimated_files=[]))

    assert "Assumptions" not in page
    assert "evaluator" not in page
    assert "Files" not in page
