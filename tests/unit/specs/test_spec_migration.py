"""Older specs: brought into shape once, unchanged from then on, and kept where that is impossible."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, JSON_TEXT
from spec_bench import as_camel, asking, spec_file

from signoff.contracts.files.document_files import has_errors, read_spec
from signoff.specs.spec_migration import MigratedSpec, migrate

OLD: dict[str, Any] = {
    "id": "spec-0",
    "title": "Accounts",
    "projectType": "brownfield",
    "description": "People have accounts",
    "preset": "python-api",
    "features": [
        {
            "id": "f1",
            "title": "Sign in",
            "description": "With a password",
            "priority": "must",
            "acceptanceCriteria": ["A known password gives 200"],
            "estimatedSprints": 2,
            "owner": {"id": "kept"},
        }
    ],
    "nonFunctional": ["fast: p95 below 200 ms", {"requirement": "WCAG AA"}],
    "createdAt": "2025-01-01T00:00:00Z",
}


def old(**changes: object) -> dict[str, Any]:
    return deepcopy({**OLD, **changes})


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in names}


def old_feature(**changes: object) -> dict[str, Any]:
    return old(features=[{**OLD["features"][0], **changes}])


def in_shape(raw: dict[str, Any]) -> dict[str, Any]:
    migrated = migrate(raw)
    assert migrated.violations == ()
    document: Any = migrated.raw
    assert read_spec(json.dumps(document).encode()).value is not None
    assert migrate(document) == MigratedSpec(document, (), ())
    result: dict[str, Any] = document
    return result


def test_an_old_spec_is_brought_into_shape() -> None:
    raw = old()

    assert list(in_shape(raw).items()) == [
        ("specId", "spec-0"),
        ("title", "Accounts"),
        ("mode", "brownfield"),
        ("description", "People have accounts"),
        ("preset", "python-api"),
        (
            "features",
            [
                {
                    "featureId": "f1",
                    "title": "Sign in",
                    "description": "With a password",
                    "priority": "must-have",
                    "acceptanceCriteria": ["A known password gives 200"],
                    "estimatedSprints": 2,
                    "owner": {"id": "kept"},
                    "estimatedComplexity": "medium",
                }
            ],
        ),
        (
            "nonFunctionalRequirements",
            [{"requirement": "fast: p95 below 200 ms"}, {"requirement": "WCAG AA"}],
        ),
        ("createdAt", "2025-01-01T00:00:00Z"),
        ("status", "draft"),
        ("updatedAt", "2025-01-01T00:00:00Z"),
    ]
    assert raw == OLD


def test_every_change_is_told() -> None:
    assert migrate(old()).changes == (
        "/id → specId",
        "/projectType → mode",
        "/nonFunctional → nonFunctionalRequirements",
        "/features/0/id → featureId",
        '/features/0/priority: "must-have"',
        '/features/0/estimatedComplexity: "medium"',
        '/status: "draft"',
        '/updatedAt: "2025-01-01T00:00:00Z"',
    )


@pytest.mark.parametrize("raw", [as_camel(spec_file()), as_camel(asking("Q1")), spec_file(), spec_file(x=1)])
def test_what_is_in_shape_is_not_touched(raw: dict[str, Any]) -> None:
    migrated = migrate(raw)

    assert json.dumps(migrated.raw) == json.dumps(raw)
    assert (migrated.changes, migrated.violations) == ((), ())


def test_a_file_in_our_spelling_is_left_alone_even_where_it_looks_old() -> None:
    raw = without(spec_file(id="x", projectType="y"), "status")

    migrated = migrate(raw)

    assert migrated.raw == raw
    assert [(one.code, one.path) for one in migrated.violations] == [("missing-field", "/status")]


@pytest.mark.parametrize(
    ("old_word", "new"), [("must", "must-have"), ("should", "should-have"), ("could", "nice-to-have")]
)
def test_priorities_have_new_names(old_word: str, new: str) -> None:
    assert in_shape(old_feature(priority=old_word))["features"][0]["priority"] == new


@pytest.mark.parametrize(
    ("sprints", "complexity"),
    [(0, "low"), (1, "low"), (2, "medium"), (3, "medium"), (4, "high"), (40, "high")],
)
def test_estimated_sprints_become_a_complexity_and_are_kept(sprints: int, complexity: str) -> None:
    feature = in_shape(old_feature(estimatedSprints=sprints))["features"][0]

    assert (feature["estimatedSprints"], feature["estimatedComplexity"]) == (sprints, complexity)


def test_a_complexity_that_is_there_stands() -> None:
    raw = old_feature(estimatedSprints=9, estimatedComplexity="low")

    assert in_shape(raw)["features"][0]["estimatedComplexity"] == "low"


def test_without_a_word_about_it_a_spec_is_greenfield() -> None:
    assert in_shape(without(old(), "projectType"))["mode"] == "greenfield"


def test_the_old_name_beside_the_new_one_is_an_unknown_key() -> None:
    both = in_shape(old(specId="new", mode="greenfield", nonFunctionalRequirements=[]))

    assert (both["specId"], both["id"]) == ("new", "spec-0")
    assert (both["mode"], both["projectType"]) == ("greenfield", "brownfield")
    assert (both["nonFunctionalRequirements"], len(both["nonFunctional"])) == ([], 2)


QUESTION = {"questionId": "Q1", "category": "scope", "question": "Which database?"}
ANSWER = {"questionId": "Q1", "answer": "Postgres", "resolvedAt": "2025-01-02T00:00:00Z"}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "draft"),
        ({"clarificationQuestions": [QUESTION]}, "needs-clarification"),
        ({"clarificationQuestions": [QUESTION], "resolvedClarifications": [ANSWER]}, "draft"),
        ({"status": "completed", "clarificationQuestions": [QUESTION]}, "completed"),
    ],
)
def test_a_missing_status_is_told_by_the_questions(changes: dict[str, Any], status: str) -> None:
    """A spec nobody finished is never made a completed one."""
    assert in_shape(old(**changes))["status"] == status


def test_missing_features_are_none() -> None:
    assert in_shape(without(old(), "features"))["features"] == []


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        (old(projectType="library"), ["/projectType"]),
        (old(projectType=None), ["/projectType"]),
        (old(mode="library"), ["/mode"]),
        (old(id=7), ["/id"]),
        (old(nonFunctional="fast"), ["/nonFunctional"]),
        (without(old(), "id"), ["/specId"]),
        (without(old(), "createdAt"), ["/createdAt", "/updatedAt"]),
        (old(features=[without(OLD["features"][0], "id")]), ["/features/0/featureId"]),
        (old_feature(id=[]), ["/features/0/id"]),
        (old_feature(priority="urgent"), ["/features/0/priority"]),
        (old_feature(estimatedSprints="two"), ["/features/0/estimatedSprints"]),
        (old(features=[3, {}]), ["/features/0", *(f"/features/1/{n}" for n in ("featureId", "title"))]),
        ({}, ["/specId", "/title", "/description", "/createdAt", "/updatedAt"]),
    ],
)
def test_what_cannot_be_brought_into_shape_is_kept_and_said(raw: dict[str, Any], paths: list[str]) -> None:
    migrated = migrate(raw)

    assert (migrated.raw, migrated.changes) == (raw, ())
    assert {one.path for one in migrated.violations} >= set(paths)
    assert has_errors(migrated.violations)


def test_all_that_is_wrong_is_said_at_once() -> None:
    raw = old(projectType="library", features=[without(OLD["features"][0], "id"), 3])

    paths = [one.path for one in migrate(raw).violations]

    assert sorted(paths) == ["/features/0/featureId", "/features/1", "/projectType"]


WORDS = st.sampled_from(["must", "brownfield", "draft", "Q1", "2025-01-01T00:00:00Z"]) | JSON_TEXT
KEYS = st.sampled_from(
    [
        *("id", "specId", "spec_id", "title", "description", "projectType", "mode", "status", "features"),
        *("createdAt", "updatedAt", "updated_at", "nonFunctional", "nonFunctionalRequirements"),
        *("clarificationQuestions", "resolvedClarifications", "unknown"),
    ]
)
FEATURES = st.lists(
    st.dictionaries(
        st.sampled_from(["id", "featureId", "feature_id", "priority", "estimatedSprints", "title"]),
        WORDS | ANY_JSON,
    )
    | ANY_JSON,
    max_size=3,
)
QUESTIONS = st.lists(st.dictionaries(st.just("questionId"), WORDS | ANY_JSON) | ANY_JSON, max_size=2)


@settings(max_examples=120, deadline=None)
@given(
    raw=st.dictionaries(KEYS | JSON_TEXT, WORDS | FEATURES | QUESTIONS | ANY_JSON),
    good=st.booleans(),
    changed=st.lists(st.sampled_from(sorted(OLD)), max_size=2),
)
def test_any_object_is_migrated_or_kept_and_a_second_time_changes_nothing(
    raw: dict[str, Any], good: bool, changed: list[str]
) -> None:
    raw = {**without(old(), *changed), **raw} if good else raw
    before = json.dumps(raw)

    once = migrate(raw)
    twice = migrate(once.raw)

    assert json.dumps(raw) == before
    assert json.dumps(twice.raw) == json.dumps(once.raw)
    assert (twice.changes, twice.violations) == ((), once.violations)
    assert once.violations == () or json.dumps(once.raw) == before
    assert once.violations or read_spec(json.dumps(once.raw).encode()).value is not None
    assert (once.changes == ()) == (json.dumps(once.raw) == before)
