"""The question and the numbered answers for each way in which the intake gate stops. Pure text."""

from typing import Final, NamedTuple

from signoff.domain.work.refinement import Dimension, RefineFault


class IntakeQuestion(NamedTuple):
    """A question and its numbered answers."""

    question: str
    options: tuple[str, ...]


ABORT: Final = "stop here"

ABOUT: Final = {
    Dimension.GOAL_CLARITY: "What is the one outcome you need? Name a verb and a thing.",
    Dimension.SCOPE_BOUNDARY: "Which file, class, command or page is this about?",
    Dimension.AC_EVIDENCE: "What would prove that it is done? Name a case and what must be seen.",
    Dimension.STACK_DATA: "Which table, column, package or version does it touch?",
    Dimension.REVERSIBILITY: (
        "Does it destroy or send anything that cannot be taken back? Could it stand behind a flag?"
    ),
}
"""The one question of the low band, by the weakest dimension."""


def about_ticket(reasons: tuple[str, ...]) -> IntakeQuestion:
    """Ask for a ticket that can be started on."""
    return IntakeQuestion(
        f"The ticket is not clear enough to start: {'; '.join(reasons)}. What should it say?",
        ("correct the ticket and run again", "state what is missing here", ABORT),
    )


def about_prompt(preview: str) -> IntakeQuestion:
    """Ask the agent for criteria."""
    return IntakeQuestion(
        f"“{preview}” has no acceptance criteria yet. Reconstruct them, with the assumptions they rest on.",
        ("record reconstructed_ac and assumptions, and run again", ABORT),
    )


def about_confidence(preview: str, score: float) -> IntakeQuestion:
    """Ask for a confirmation of what was reconstructed."""
    return IntakeQuestion(
        f"“{preview}” was understood with a confidence of {score:g}. Are the criteria and assumptions right?",
        ("confirm them and go on", "change the criteria or assumptions", ABORT),
    )


def about_dimension(dimension: Dimension) -> IntakeQuestion:
    """Ask the one question that would help most."""
    return IntakeQuestion(ABOUT[dimension], ("rewrite the prompt with the answer", ABORT))


def about_page(preview: str) -> IntakeQuestion:
    """Ask about a prompt for a page whose route leads through the backend steps."""
    return IntakeQuestion(
        f"“{preview}” asks for work on a page, but its route is the backend one. Which route is meant?",
        ("route it to the steps for pages", "rewrite the prompt without the page", ABORT),
    )


FIXED: Final = {
    RefineFault.DESTRUCTIVE_INTENT: IntakeQuestion(
        "This asks for something that cannot be undone. What should be done instead?",
        ("rewrite it without the destructive part; a person does that part by hand", ABORT),
    ),
    RefineFault.QUESTION_NOT_TASK: IntakeQuestion(
        "This is a question, not a task: answer it. No run is started.",
        ("answer the question", "restate it as a task"),
    ),
    RefineFault.MALFORMED_INPUT: IntakeQuestion(
        "The input is malformed. Correct what is listed and run again.",
        ("correct it and run again", ABORT),
    ),
}
