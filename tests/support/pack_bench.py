"""A small pack, for tests that change one thing about it."""

from signoff.domain.run.golden import HaltMarker, Observations, Pack, RecordedCycle, Scenario, Transcript


def pack(**changed: object) -> Pack:
    cycle = RecordedCycle(
        index=1,
        words=("work",),
        exit_code=1,
        stdout="[halt] outcome=blocked step=plan\n@agent-directive: create-plan ticket=A-1\n",
        stderr="",
        directive="create-plan",
        action="write plan",
    )
    halt = HaltMarker(
        cycle=1, exit_code=1, code="empty_plan_delegate", kind="agent", payload={"ticket": "A-1"}
    )
    whole = Pack(
        scenario=Scenario(id="one", description="One.", state={}),
        transcript=Transcript(id="one", final_outcome="halt_unhandled:empty_plan_delegate", cycles=(cycle,)),
        snapshots=(b'{\n  "outcomes": {}\n}\n',),
        halts=(halt,),
        report="partial: halts\n",
        seen=Observations(),
    )
    return whole._replace(**changed)  # type: ignore[arg-type]
