"""Specs to break: one that is right, and ways to change it."""

from copy import deepcopy
from typing import Any

import msgspec

from signoff.domain.work.spec import Spec
from signoff.text.json.camel_case import to_camel

WHEN = "2026-02-01T10:00:00Z"

FEATURE: dict[str, Any] = {
    "feature_id": "feat-1",
    "title": "Sign in",
    "description": "A person signs in with a password",
    "priority": "must-have",
    "acceptance_criteria": ["POST /login with a known password gives 200", "A wrong password gives 401"],
}
SPEC: dict[str, Any] = {
    "spec_id": "spec-1",
    "title": "Accounts",
    "description": "People have accounts",
    "status": "ready",
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-02T00:00:00+01:00",
    "mode": "brownfield",
    "features": [FEATURE],
}
SPRINT: dict[str, Any] = {
    "contract_id": "sprint-1",
    "spec_id": "spec-1",
    "sprint_number": 1,
    "title": "Sign in",
    "description": "The login route and its form, with the session cookie",
    "status": "proposed",
    "success_criteria": [
        {
            "criterion_id": f"sc-{n}",
            "description": text,
            "verification_method": method,
            "required": True,
        }
        for n, (text, method) in enumerate(
            [
                ("`npm run build` ends with exit code 0", "build"),
                ("POST /login with a known password answers 200", "unit-test"),
                ("POST /login with a wrong password answers 401", "unit-test"),
            ]
        )
    ],
    "non_goals": ["Do not add dependencies to package.json"],
    "stop_conditions": ["`npm test` ends with exit code 0"],
    "definition_of_done": "A person with an account signs in and stays signed in for a day.",
    "features": ["feat-1"],
    "assumptions": ["Sessions live in Redis, as in src/session.ts"],
    "out_of_scope": ["Password reset"],
    "ambiguity_score": 2,
    "generator_notes": "Follow src/routes/health.ts",
    "evaluator_notes": "Run the login tests",
    "estimated_files": ["src/routes/login.ts"],
    "estimated_duration": "small",
}


def spec_file(**changes: object) -> dict[str, Any]:
    """Give a spec as a file in our spelling holds it."""
    return deepcopy({**SPEC, **changes})


def spec(**changes: object) -> Spec:
    return msgspec.convert(spec_file(**changes), Spec)


def question(name: str, **changes: object) -> dict[str, Any]:
    return {"question_id": name, "category": "scope", "question": f"What about {name}?", **changes}


def answer(name: str, text: str = "yes", **changes: object) -> dict[str, Any]:
    return {"question_id": name, "answer": text, "resolved_at": WHEN, **changes}


def asking(*names: str, **changes: object) -> dict[str, Any]:
    """Give a spec that waits for answers and has no features."""
    waiting = {
        "status": "needs-clarification",
        "features": [],
        "ambiguity_score": 8,
        "clarification_questions": [question(name) for name in names],
    }
    return spec_file(**{**waiting, **changes})


def feature(name: str, **changes: object) -> dict[str, Any]:
    return {**FEATURE, "feature_id": name, **changes}


def as_camel(document: dict[str, Any]) -> dict[str, Any]:
    respelt = to_camel(document, Spec)
    assert isinstance(respelt, dict)
    return respelt


def read(document: dict[str, Any]) -> Spec:
    return msgspec.convert(document, Spec)
