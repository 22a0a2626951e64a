"""Put together what an agent is told. Pure.

The texts are data files, and the schemas come from our types. What is the same for all agents of a role comes
first, byte for byte, so that prompts of a wave share their beginning and a model's cache can keep it. What
differs, the directive, comes last.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, assert_never

import msgspec

from signoff.domain.run.directive_answers import schema_name
from signoff.domain.run.directives import Directive, EvaluateRequest, PlanRequest, WorkRequest
from signoff.domain.schemas import schema

BYTES_PER_TOKEN = 4
"""A rough measure for English prose and JSON."""


class PromptRole(StrEnum):
    """The addressee of a prompt. Each role has a file of its own."""

    PLANNER = "planner"
    BUILDER = "builder"
    EVALUATOR = "evaluator"


BUDGETS: Mapping[str, int] = {"common": 450, "planner": 650, "builder": 250, "evaluator": 200}
"""How many tokens each text may have. A test holds them to it."""


class Prompt(NamedTuple):
    """What an agent reads: first what all of its role read, then what is its own."""

    shared: str
    own: str

    @property
    def text(self) -> str:
        """The whole."""
        return f"{self.shared}\n{self.own}"


def role_of(directive: Directive) -> PromptRole:
    """Return the role that a directive is for."""
    match directive.payload:
        case PlanRequest():
            return PromptRole.PLANNER
        case WorkRequest():
            return PromptRole.BUILDER
        case EvaluateRequest():
            return PromptRole.EVALUATOR
        case _:
            assert_never(directive.payload)


def compose(texts: Mapping[str, str], directive: Directive) -> Prompt:
    """Return the prompt of a directive from the texts by name."""
    role = role_of(directive)
    answer = schema(schema_name(directive.payload))
    shared = "\n".join(
        (
            texts["common"].rstrip("\n"),
            "",
            texts[role].rstrip("\n"),
            "",
            "# Schema of your answer",
            "",
            "```json",
            msgspec.json.encode(answer, order="sorted").decode(),
            "```",
            "",
        )
    )
    body = msgspec.json.format(msgspec.json.encode(directive.payload), indent=1).decode()
    return Prompt(shared, "\n".join(("# Your task", "", "```json", body, "```", "")))


def tokens(text: str) -> int:
    """Estimate how many tokens a text has."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
