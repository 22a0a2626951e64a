"""A plan for something else than the ticket asks for."""

from world import World, contract, task

from signoff.domain.run.halts import HaltCode

OTHER = {
    **task(1),
    "title": "Notes",
    "action": "Write notes.",
    "files_create": ["NOTES.md"],
    "acceptance_criteria": ["NOTES.md is there"],
    "verification": [{"type": "file-exists", "path": "NOTES.md"}],
}


def test_a_policy_does_not_agree_to_a_plan_without_one_word_of_what_was_asked() -> None:
    """Every clause of such a plan can be proven, and the ticket is not done."""
    done = "NOTES.md is there with a list of facts"
    plan = contract((OTHER,), goal="Take notes.", success_criteria=[done], definition_of_done=done)
    world = World(plan)

    (halt,) = world.run().halts

    assert halt.code is HaltCode.PLAN_APPROVAL
    assert halt.terminal_only == ("approve",)
    assert "not one word in common" in halt.question


def test_one_word_in_common_is_left_to_the_policy() -> None:
    """Words prove nothing; who said yes beforehand is asked only where there are none."""
    world = World(
        contract((OTHER,), goal="Greet people.", success_criteria=["NOTES.md says hello to whoever reads it"])
    )

    assert world.run().halts == ()
