"""The words that arguments of commands write out for a fast `--help` are those of the records."""

from signoff.cli.deliver.arguments import run, runs
from signoff.cli.deliver.runs import ON_A_RUN
from signoff.cli.judge.arguments import gate
from signoff.domain.evidence.gates import GateName
from signoff.domain.work.work_state import Persona


def test_the_gates_of_the_help_are_all_gates() -> None:
    assert tuple(GateName) == gate.GATES


def test_the_personas_of_the_help_are_all_personas() -> None:
    assert tuple(Persona) == run.PERSONAS


def test_each_action_of_runs_is_offered() -> None:
    """An action that the parser does not know could never be reached."""
    assert set(ON_A_RUN) < set(runs.ACTIONS)
