"""How a hosted run puts its questions: one halt each, with a code that its step declares. Pure.

`hosted.flow.cycle_output` makes the lines of it that a host reads.
"""

from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.surveys import Now
from signoff.hosted.flow.cycle_output import one_line

ABORT = "abort"
OVERRIDE = "overrule it"

REFINE_PROMPT = "refine-prompt"
CREATE_PLAN = "create-plan"
APPLY_PLAN = "apply-plan"
RUN_TESTS = "run-tests"
REVIEW_CHANGES = "review-changes"

_EVERYWHERE = frozenset({HaltCode.HOOK_VETO})
DECLARED: dict[str, frozenset[HaltCode]] = {
    "refine": _EVERYWHERE
    | {
        HaltCode.MALFORMED_INPUT,
        HaltCode.QUESTION_NOT_TASK,
        HaltCode.DESTRUCTIVE_INTENT,
        HaltCode.DIRECTIVE_SET_UNAVAILABLE,
        HaltCode.MISSING_ID,
        HaltCode.TRIVIAL_TITLE,
        HaltCode.MISSING_OR_VAGUE_AC,
        HaltCode.PROMPT_UNREFINED,
        HaltCode.PROMPT_MEDIUM_CONFIDENCE,
        HaltCode.PROMPT_LOW_CONFIDENCE,
    },
    "memory": _EVERYWHERE,
    "analyze": _EVERYWHERE,
    "plan": _EVERYWHERE | {HaltCode.EMPTY_PLAN_DELEGATE, HaltCode.MALFORMED_PLAN, HaltCode.UNBACKED_OUTCOME},
    "implement": _EVERYWHERE
    | {
        HaltCode.EMPTY_CHANGES_DELEGATE,
        HaltCode.MALFORMED_CHANGES,
        HaltCode.UNBACKED_OUTCOME,
        HaltCode.CHANGES_NOT_SEEN,
        HaltCode.CHANGES_CONTRADICTED,
        HaltCode.WORK_NOT_JUDGED,
    },
    "test": _EVERYWHERE
    | {
        HaltCode.EMPTY_TESTS_DELEGATE,
        HaltCode.MALFORMED_TESTS,
        HaltCode.UNBACKED_OUTCOME,
        HaltCode.BAD_TEST_VERDICT,
        HaltCode.TESTS_CONTRADICTED,
        HaltCode.TESTS_NOT_JUDGED,
        HaltCode.BAR_LOWERED,
    },
    "verify": _EVERYWHERE
    | {
        HaltCode.EMPTY_VERIFY_DELEGATE,
        HaltCode.MALFORMED_VERIFY,
        HaltCode.UNBACKED_OUTCOME,
        HaltCode.BAD_VERIFY_VERDICT,
        HaltCode.VERIFY_CONTRADICTED,
        HaltCode.REVIEW_STALE,
    },
    "report": _EVERYWHERE,
}
"""The codes each step may halt with. A halt with any other is a bug."""


def _declared(step: str, code: HaltCode) -> HaltCode:
    """Return the code, which its step must declare."""
    assert code in DECLARED[step], f"{step} does not declare {code}"
    return code


def waits(
    step: str,
    code: HaltCode,
    halt: HaltId,
    question: str,
    options: tuple[str, ...],
    *,
    lines: tuple[str, ...] = (),
    terminal_only: tuple[str, ...] = (),
    takes_text: bool = False,
    is_partial: bool = False,
) -> Now:
    """Return a halt that waits for a person."""
    return Now(
        halts=(
            Halt(
                id=halt,
                code=_declared(step, code),
                kind=HaltKind.PERSON,
                step=step,
                question=one_line(question),
                options=options,
                lines=tuple(one_line(line) for line in lines),
                terminal_only=terminal_only,
                takes_text=takes_text,
                is_partial=is_partial,
            ),
        )
    )


def delegates(
    step: str,
    code: HaltCode,
    slice_name: str,
    verb: str,
    question: str,
    *,
    payload: dict[str, str] | None = None,
    options: tuple[str, ...] = (),
    lines: tuple[str, ...] = (),
) -> Now:
    """Return a halt that waits for the host's agent. It is named after the slice that answers it."""
    return Now(
        halts=(
            Halt(
                id=HaltId(slice_name),
                code=_declared(step, code),
                kind=HaltKind.AGENT,
                step=step,
                question=one_line(question),
                options=options or (f"continue: `{slice_name}` is recorded", "abort"),
                lines=tuple(one_line(line) for line in lines),
                verb=verb,
                payload=payload or {},
            ),
        )
    )
