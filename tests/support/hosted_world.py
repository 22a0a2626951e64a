"""A hosted run without a machine: what a host claims, what people answer, and what the engine is to see."""

from datetime import datetime, timedelta

import msgspec

from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, HaltId, RunId, TreeId
from signoff.domain.evidence.receipts import Counts, Observation, Result
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.run.directives import Facts
from signoff.domain.run.effects import Analyze, Effect, LookAtWork, RecallMemory, RunCheck
from signoff.domain.run.events import (
    SCHEMA_VERSION,
    WORK_EVENT_TYPES,
    Answered,
    Claimed,
    CycleStarted,
    Done,
    Driver,
    Event,
    How,
    Index,
    Intended,
    Recorded,
    RunStart,
    StateExported,
)
from signoff.domain.run.outcomes import Analyzed, Checked, Outcome, Recalled, WorkSeen
from signoff.domain.run.surveys import WORK
from signoff.domain.state_file.work_report import WorkReport
from signoff.domain.work.clauses import GATE_BAR
from signoff.domain.work.memory import MemoryHit
from signoff.domain.work.settings import HostedSettings, Settings, Trust
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import Persona, WorkInput
from signoff.engine.run_state import State, fold
from signoff.hosted.exchange.state_export import export
from signoff.hosted.flow.flow import survey, walk
from signoff.hosted.flow.hosted_view import HostedView
from signoff.hosted.report.work_report_facts import report_of
from signoff.intake.refinement.envelopes import read_input
from signoff.intake.refinement.route import classify
from signoff.text.json.canonical import digest

BEGAN = datetime.fromisoformat("2026-03-02T09:00:00+00:00")
TICKET: dict[str, object] = {
    "id": "SHOP-7",
    "title": "Round totals to cents in the invoice export",
    "acceptance_criteria": [
        "export_invoice() writes 10.005 as 10.01",
        "export_invoice() writes 0 as 0.00",
    ],
}
PLAN = ["Round in export_invoice", "Add tests for both cases"]
CHANGES = [
    {"path": "src/export.py", "lines": "10-14", "purpose": "round half up"},
    {"path": "tests/test_export.py", "purpose": "both cases"},
]
SEEN = (
    PathChange(path="src/export.py", kind=ChangeKind.MODIFIED, added=4, removed=1),
    PathChange(path="tests/test_export.py", kind=ChangeKind.ADDED, added=12),
)
GREEN = {"verdict": "success", "command": "pytest -q", "passed": 2}
REVIEWED = {"verdict": "success", "confidence": "high"}


class HostedWorld:
    """A journal in memory; effects have the outcome that the attributes say."""

    def __init__(
        self,
        data: dict[str, object] | None = None,
        kind: InputKind = InputKind.TICKET,
        persona: Persona = Persona.SENIOR_ENGINEER,
        trust: Trust = Trust.WITNESS,
        run: str = "RUN1",
        parent: str | None = None,
    ) -> None:
        self.blobs: dict[Digest, bytes] = {}
        self.records: list[Recorded] = []
        self.changes: tuple[PathChange, ...] | None = SEEN
        """None outside a repository."""
        self.tree = TreeId("tree-1")
        self.facts = Facts(commands={"test": ("pytest", "-q")})
        self.result = Result.PASS
        self.bar = Result.PASS
        """Whether existing tests and settings are as strict as they were."""
        self.hits: tuple[MemoryHit, ...] = ()
        given = WorkInput(kind=kind, data=TICKET if data is None else data)
        self.record(
            Index(
                schema_version=SCHEMA_VERSION,
                flow="work",
                run_id=RunId(run),
                event_types=WORK_EVENT_TYPES,
                started_at="",
            )
        )
        self.record(
            RunStart(
                flow=WORK,
                driver=Driver.HOSTED,
                agent="host",
                base=CommitId("base"),
                base_tree=TreeId("base-tree"),
                ticket=self.put(given),
                settings=self.put(Settings(hosted=HostedSettings(trust=trust))),
                engine_version="0",
                persona=persona,
                parent=None if parent is None else RunId(parent),
                route=self.put(classify(read_input(given.kind, given.data))),
            )
        )

    def put(self, value: object) -> Digest:
        data = msgspec.json.encode(value)
        self.blobs[digest(data)] = data
        return digest(data)

    def record(self, event: Event) -> None:
        seq = len(self.records)
        moment = (BEGAN + timedelta(milliseconds=500 * seq)).isoformat(timespec="milliseconds")
        ts = moment.replace("+00:00", "Z")
        self.records.append(Recorded(seq=seq, ts=ts, sum=f"s{seq}", event=event))

    @property
    def state(self) -> State:
        return fold(self.records)

    @property
    def view(self) -> HostedView:
        return HostedView(self.state, self.blobs.__getitem__)

    def claim(self, name: str, value: object) -> None:
        self.record(Claimed(key=EffectKey(name), answer=self.put(value), kind="slice", by="ada"))

    def answer(self, halt: str, text: str, how: How = How.TERMINAL) -> None:
        self.record(Answered(halt=HaltId(halt), answer=text, by="ada", how=how))

    def cycle(self, **claims: object) -> WorkReport:
        """Let the host write these slices and call once; give the report as it stands then."""
        for name, value in claims.items():
            self.claim(name, value)
        self.record(CycleStarted(number=self.state.cycles + 1))
        while effects := survey(self.state, self.blobs.__getitem__).effects:
            for effect in effects:
                self.record(Intended(key=effect.key, do="x", effect=Digest("x")))
                self.record(Done(key=effect.key, outcome=self._outcome(effect)))
        walked = walk(self.view)
        exported = export(self.view, walked, None)
        self.record(StateExported(state=self.put(exported), wire="v1"))
        found = survey(self.state, self.blobs.__getitem__)
        report = report_of(self.view, walked)
        if found.conclusion is not None:
            self.record(found.conclusion)
        return report

    def deliver(self, **claims: object) -> WorkReport:
        """Let the host write everything a good host writes, but for these."""
        slices: dict[str, object] = {"plan": PLAN, "changes": CHANGES, "tests": GREEN, "verify": REVIEWED}
        return self.cycle(**(slices | claims))

    def _outcome(self, effect: Effect) -> Outcome:
        match effect:
            case RecallMemory():
                return Recalled(body=self.put(self.hits) if self.hits else None)
            case Analyze():
                return Analyzed(facts=self.put(self.facts))
            case LookAtWork():
                if self.changes is None:
                    return WorkSeen()
                return WorkSeen(tree=self.tree, changes=self.put(self.changes), files=len(self.changes))
            case RunCheck():
                return Checked(observation=self._observed(effect))
            case _:
                raise AssertionError(effect)

    def _observed(self, effect: RunCheck) -> Observation:
        passed = self.result is Result.PASS
        return Observation(
            clause=effect.clause,
            place=effect.place,
            tree=effect.tree,
            result=self.bar if effect.clause == GATE_BAR else self.result,
            detail=""
            if effect.clause == GATE_BAR and self.bar is Result.PASS
            else "2 passed"
            if passed
            else "1 of 2 tests failed",
            counts=Counts(collected=2, passed=2 if passed else 1, failed=0 if passed else 1),
        )
