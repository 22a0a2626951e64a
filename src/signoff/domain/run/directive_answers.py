"""What belongs to each kind of directive: its verb, the answers it allows and their schema. Pure."""

from typing import Any, assert_never

from signoff.domain.run.directives import (
    DirectivePayload,
    EvaluateAnswer,
    EvaluateRequest,
    Evaluation,
    PlanAnswer,
    PlanRequest,
    QuestionAsked,
    RawPlanProposed,
    Verb,
    WorkAnswer,
    WorkBlocked,
    WorkDone,
    WorkRequest,
)


def verb_of(payload: DirectivePayload) -> Verb:
    """Return what is asked of the agent."""
    match payload:
        case PlanRequest():
            return Verb.CREATE_PLAN
        case WorkRequest():
            return Verb.APPLY_PLAN
        case EvaluateRequest():
            return Verb.REVIEW_CHANGES
        case _:
            assert_never(payload)


def schema_name(payload: DirectivePayload) -> str:
    """Name the public schema of the answer."""
    return {
        Verb.CREATE_PLAN: "plan-answer",
        Verb.APPLY_PLAN: "work-answer",
        Verb.REVIEW_CHANGES: "evaluate-answer",
    }[verb_of(payload)]


def answer_type(payload: DirectivePayload) -> Any:
    """Return the type of the whole answer, a proposed contract included."""
    return {
        Verb.CREATE_PLAN: PlanAnswer,
        Verb.APPLY_PLAN: WorkAnswer,
        Verb.REVIEW_CHANGES: EvaluateAnswer,
    }[verb_of(payload)]


def raw_answer_type(payload: DirectivePayload) -> Any:
    """Return the type that an answer is parsed as. A proposed contract stays raw until rules passed it."""
    match payload:
        case PlanRequest():
            return RawPlanProposed | QuestionAsked | WorkBlocked
        case WorkRequest():
            return WorkDone | QuestionAsked | WorkBlocked
        case EvaluateRequest():
            return Evaluation | WorkBlocked
        case _:
            assert_never(payload)
