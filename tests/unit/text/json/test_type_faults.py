"""The quick look for unknown fields finds what the full comparison with the type finds."""

from copy import deepcopy
from typing import Any

import pytest
from contract_bench import GREP, RUN, criterion, document, sprint_document, task
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.base.violations import Violation
from signoff.domain.work.contract import Contract
from signoff.domain.work.settings import Settings
from signoff.domain.work.sprints import Sprint
from signoff.text.json.type_faults import faults_in, unknown_fields

EVIDENCE = {
    "type": "behavioral",
    "description": "d",
    "evidence_required": [{"path": "a", "description": "d"}],
}
CONTRACT = document(
    task(1, verification=[GREP, RUN, EVIDENCE]),
    success_criteria=["in words", criterion("c1")],
    non_goals=["in words", {"id": "n", "description": "d", "forbidden": [{"pattern": "x"}]}],
)


def objects(value: object) -> list[dict[str, Any]]:
    """Give every object of a document."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [one for item in inner for one in objects(item)]
    return [value, *found] if isinstance(value, dict) else found


def unknown(violations: Any) -> list[Violation]:
    return [violation for violation in violations if violation.code == "unknown-field"]


@given(st.data())
def test_an_unknown_field_is_found_wherever_it_stands(data: st.DataObject) -> None:
    changed = deepcopy(CONTRACT)
    places = objects(changed)
    for n in data.draw(st.lists(st.integers(0, len(places) - 1), max_size=4)):
        places[n][data.draw(st.text(min_size=1, max_size=4))] = data.draw(st.sampled_from([1, {"id": 2}, []]))

    assert list(unknown_fields(changed, Contract)) == unknown(faults_in(changed, Contract))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"checks": {"tset": ["pytest"]}, "agnet": {}}, Settings),
        ({**sprint_document(), "extra": {"a": 1}, "eval_results": {"free": "form"}}, Sprint),
        ([], Contract),
        (None, Contract),
    ],
)
def test_other_types_are_looked_at_alike(value: object, kind: type) -> None:
    assert list(unknown_fields(value, kind)) == unknown(faults_in(value, kind))
