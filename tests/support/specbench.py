"""Specs, sprints and recorded agents of the tiny repository: each sprint writes one file with its word."""

import json
from pathlib import Path
from typing import Any

from clibench import Bench, contract, task

WHEN = "2026-01-01T00:00:00Z"


def sprint(number: int, word: str, *depends_on: str) -> dict[str, Any]:
    """A sprint in words."""
    criteria = ((1, "build"), (2, "unit-test"), (3, "unit-test"))
    return {
        "contract_id": f"S{number}",
        "spec_id": "greet",
        "sprint_number": number,
        "title": f"Say {word} to everybody",
        "description": f"The repository says {word} in a file",
        "status": "proposed",
        "success_criteria": [
            {
                "criterion_id": f"C{n}",
                "description": f"{word}.txt is there and holds the word {word} ({n})",
                "verification_method": method,
                "required": True,
            }
            for n, method in criteria
        ],
        "non_goals": ["Do not modify `README`"],
        "stop_conditions": ["All criteria are met"],
        "definition_of_done": f"{word}.txt is merged and holds its word",
        "depends_on": list(depends_on),
        "assumptions": [],
        "out_of_scope": [],
        "ambiguity_score": 1,
    }


def spec(*sprints: object, **more: object) -> dict[str, Any]:
    criteria = ["hello.txt holds the word hello", "bye.txt holds the word bye"]
    feature = {"feature_id": "F1", "title": "Greets", "description": "It greets", "priority": "must-have"}
    return {
        "spec_id": "greet",
        "title": "Greetings",
        "description": "The repository greets people in files",
        "status": "ready",
        "created_at": WHEN,
        "updated_at": WHEN,
        "mode": "brownfield",
        "features": [{**feature, "acceptance_criteria": criteria}],
        "ambiguity_score": 1,
        "sprints": list(sprints),
        **more,
    }


def one_file(word: str) -> dict[str, Any]:
    """The contract of one sprint."""
    return contract(
        goal=f"The repository says {word}",
        tasks=[task("T1", word)],
        success_criteria=[
            {
                "id": "says",
                "description": f"{word}.txt is there and holds the word {word}",
                "proven_by": ["T1/file"],
            }
        ],
        stop_conditions=[{"id": "there", "description": "The file is there", "proven_by": ["T1/file"]}],
    )


def tape(word: str, written: str = "") -> dict[str, Any]:
    """A recorded agent that plans and does one sprint, or never gets it right."""
    plan = {"key": "plan/attempt-1/dispatch-1", "answer": {"kind": "plan", "contract": one_file(word)}}
    files = {f"{word}.txt": f"{written or word}\n"}
    tries = [
        {"key": f"implement/T1/attempt-{n}/dispatch-1", "answer": {"kind": "done"}, "files": files}
        for n in range(1, 5)
    ]
    return {"version": 1, "name": word, "entries": [plan, *tries]}


def lay_spec(bench: Bench, document: dict[str, Any]) -> Path:
    """Write a spec where people keep them."""
    folder = bench.root / ".signoff" / "specs"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{document['spec_id']}.json"
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def lay_tapes(bench: Bench, **tapes: dict[str, Any]) -> Path:
    folder = bench.root.parent / "tapes"
    folder.mkdir(exist_ok=True)
    for name, document in tapes.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder
