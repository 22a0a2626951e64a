"""Lines that the programs really wrote, and what the profiles make of them.

`$WORK` stands for the checkout, and ids, times and ports are replaced. Recorded with the versions that the
profiles name, against a scripted model server; `not-logged-in`, `missing-key`, `aborted-streaming`,
`usage-limit` and `declined` are cut down or follow the programs' own references.
"""

from pathlib import Path
from typing import NamedTuple

from signoff.agents.profiles.activity_tally import tally
from signoff.agents.profiles.base import Classified, Profile, ReadContext
from signoff.agents.profiles.claude import ClaudeProfile
from signoff.agents.profiles.codex import CodexProfile
from signoff.domain.machine.activity import Activity, Tally
from signoff.domain.machine.process_records import Ending

DATA = Path(__file__).parents[1] / "unit/agents/profiles/data"
PROFILES: dict[str, Profile] = {"claude": ClaudeProfile(), "codex": CodexProfile()}
HERE = ReadContext(checkout="$WORK")


def lines(agent: str, case: str) -> list[bytes]:
    return (DATA / agent / f"{case}.jsonl").read_bytes().splitlines(keepends=True)


def activities(agent: str, given: list[bytes], context: ReadContext = HERE) -> list[Activity]:
    return [activity for line in given for activity in PROFILES[agent].read(line, context)]


class Reading(NamedTuple):
    tally: Tally
    end: Classified


def reading(
    agent: str,
    given: list[bytes],
    exit_code: int | None = 0,
    ending: Ending = Ending.EXITED,
    stderr: str = "",
    context: ReadContext = HERE,
) -> Reading:
    counted = tally(activities(agent, given, context))
    return Reading(counted, PROFILES[agent].classify(exit_code, ending, counted, stderr))
