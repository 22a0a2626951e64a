"""Which versions of agents' programs were tested."""

from signoff.agents.profiles.tested import TESTED
from signoff.agents.registry import BUILT_IN
from signoff.project.agent_search import AGENTS

_NO_PROGRAM_OF_THEIR_OWN = {"acp", "command", "hosted", "recorded"}


def test_every_coding_agent_of_ours_has_a_tested_version_and_is_looked_for() -> None:
    """One that is added without would be held against nothing, and never be found; add it to `tested.py`."""
    ours = set(BUILT_IN) - _NO_PROGRAM_OF_THEIR_OWN
    assert set(TESTED) == ours
    assert all(TESTED.values())
    assert ours <= set(AGENTS)
