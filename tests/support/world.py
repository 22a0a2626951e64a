"""A world without a machine: every effect has an outcome that depends on the effect alone."""

import hashlib
from collections.abc import Callable, Iterable

import msgspec

from signoff.delivery.context.run_view import View
from signoff.delivery.examination.cited_lines import weigh
from signoff.delivery.flow.deliver import VERSION, survey
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, HaltId, RunId, TreeId
from signoff.domain.evidence.receipts import Counts, Observation, Result
from signoff.domain.run.directives import EvaluateRequest, Evaluation, Facts, PlanRequest, WorkRequest
from signoff.domain.run.effects import (
    Analyze,
    CaptureTree,
    Certify,
    Dispatch,
    Effect,
    LayTests,
    LookAtWork,
    MergeTask,
    Pause,
    PredictMerge,
    Publish,
    RecallMemory,
    RunCheck,
    Seal,
    WeighFindings,
)
from signoff.domain.run.events import (
    EVENT_TYPES,
    Answered,
    Done,
    Driver,
    Event,
    How,
    Index,
    Intended,
    Recorded,
    RunStart,
)
from signoff.domain.run.merge_forecast import Forecast, PredictedConflict
from signoff.domain.run.outcomes import (
    AgentAnswered,
    Analyzed,
    Captured,
    Certified,
    Checked,
    FindingsWeighed,
    Merged,
    MergePredicted,
    Outcome,
    Paused,
    Published,
    Recalled,
    Sealed,
    TestsLaid,
)
from signoff.domain.run.surveys import Survey
from signoff.domain.work.budgets import Budget
from signoff.domain.work.checks import Place, RunTests
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.engine.run_state import State, advance
from signoff.text.json.canonical import canonical, digest

BASE = CommitId("base-commit")
BASE_TREE = TreeId("base-tree")
TICKET = Ticket(id="X-1", title="Greet people", acceptance_criteria=("greet() says hello to a name",))

Judging = Callable[[RunCheck], Result]


def short(*parts: str) -> str:
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:12]


def honest(effect: RunCheck) -> Result:
    """New behaviour is red on the base and green on the result; gates are green everywhere."""
    if effect.place in (Place.FINAL, Place.TASK) or effect.clause.startswith("gate/"):
        return Result.PASS
    return Result.FAIL


class World:
    """Bodies, a journal in memory, and an outcome for every effect."""

    def __init__(
        self,
        contract: dict[str, object],
        judging: Judging = honest,
        *,
        settings: Settings | None = None,
        budget: Budget | None = None,
        predicts_merges: bool = True,
    ) -> None:
        self.blobs: dict[Digest, bytes] = {}
        self.contract = contract
        self.judging = judging
        self.asks: set[str] = set()
        """Keys of dispatches that ask a question in place of doing the work."""
        self.dispatched: dict[str, PlanRequest | WorkRequest | EvaluateRequest] = {}
        self.evaluations: dict[str, Outcome] = {}
        """What an evaluator brings, by the key of its dispatch; otherwise it finds nothing."""
        self.clashes: set[tuple[str, str]] = set()
        """Pairs of captures (by the key of their dispatch) that do not merge; the later of a wave loses."""
        self.facts = Facts(commands={"test": ("pytest",)})
        self.state = State()
        self._record(
            Index(
                schema_version="1", flow="deliver", run_id=RunId("R"), event_types=EVENT_TYPES, started_at=""
            )
        )
        self._record(
            RunStart(
                flow=VERSION,
                driver=Driver.RECORDED,
                agent="recorded",
                base=BASE,
                base_tree=BASE_TREE,
                ticket=self.put(TICKET),
                settings=self.put(settings or Settings()),
                engine_version="0",
                approve_plan=True,
                budget=budget,
                predicts_merges=predicts_merges,
            )
        )

    def put(self, value: object) -> Digest:
        data = msgspec.json.encode(value)
        self.blobs[digest(data)] = data
        return digest(data)

    def survey(self) -> Survey:
        return survey(self.state, self.blobs.__getitem__)

    def _record(self, event: Event) -> None:
        seq = self.state.seq + 1
        self.state = advance(self.state, Recorded(seq=seq, ts=f"t{seq}", sum=f"s{seq}", event=event))

    def answer(self, halt: HaltId, text: str, how: How = How.RELAYED) -> None:
        self._record(Answered(halt=halt, answer=text, by="somebody", how=how))

    def intend(self, effect: Effect) -> None:
        self._record(
            Intended(
                key=effect.key,
                do=str(effect.__struct_config__.tag),
                effect=digest(canonical(effect)),
                budget_usd=effect.budget_usd if isinstance(effect, Dispatch) else None,
            )
        )

    def finish(self, effect: Effect) -> None:
        self._record(Done(key=effect.key, outcome=self.outcome(effect)))

    def run(self, choose: Callable[[int], int] = lambda _n: 0, most: int = 500) -> Survey:
        """Go on until nothing can run; `choose` says which of the running effects ends next."""
        running: dict[EffectKey, Effect] = {}
        for _ in range(most):
            for effect in self.survey().effects:
                if effect.key not in running:
                    self.intend(effect)
                    running[effect.key] = effect
            if not running:
                return self.survey()
            key = list(running)[choose(len(running))]
            self.finish(running.pop(key))
        raise AssertionError("the flow does not come to an end")

    def outcome(self, effect: Effect) -> Outcome:
        match effect:
            case Pause():
                return Paused()
            case WeighFindings():
                said = msgspec.json.decode(self.blobs[effect.answer], type=Evaluation)
                weighed = weigh(said.findings, {"file1.py": b"one\ntwo lines\n"}.get)
                kept = Evaluation(findings=weighed.standing)
                left = self.put(kept) if weighed.standing else None
                standing, invented = len(weighed.standing), weighed.invented
                return FindingsWeighed(tree=effect.tree, findings=left, standing=standing, invented=invented)
            case LookAtWork():
                raise AssertionError("a delivery works in checkouts of its own")
            case RecallMemory():
                return Recalled()
            case Analyze():
                return Analyzed(facts=self.put(self.facts))
            case Dispatch():
                return self._reply(effect)
            case CaptureTree():
                return Captured(
                    commit=CommitId(short("commit", effect.key)),
                    tree=TreeId(short("tree", effect.key)),
                    files=1,
                )
            case RunCheck():
                report = self.put({"cases": []}) if effect.clause == "gate/tests" else None
                return Checked(
                    observation=Observation(
                        clause=effect.clause,
                        place=effect.place,
                        tree=effect.tree,
                        result=self.judging(effect),
                        report=report,
                        contract=effect.contract,
                        counts=self._counts(effect),
                    )
                )
            case Seal():
                raw, _ = View(self.state, self.blobs.__getitem__).proposal(effect.proposal)
                body = canonical(raw)
                self.blobs[digest(body)] = body
                return Sealed(contract=digest(body), approver=effect.approver)
            case PredictMerge():
                return self._predict(effect)
            case MergeTask():
                name = short(effect.ours, effect.theirs)
                return Merged(commit=CommitId("m" + name), tree=TreeId("mt" + name))
            case LayTests():
                return TestsLaid(tree=TreeId(short("laid", effect.final)), count=1)
            case Certify():
                return Certified()
            case Publish():
                return Published(ref="refs/signoff/R/final")

    def _predict(self, effect: PredictMerge) -> MergePredicted:
        clashing = {frozenset(short("commit", f"{key}/capture") for key in pair) for pair in self.clashes}
        merging: list[str] = []
        bad: list[PredictedConflict] = []
        for one in effect.theirs:
            if any(frozenset((one.commit, other)) in clashing for other in merging):
                bad.append(PredictedConflict(task=one.task, conflicts=("shared.py",)))
            else:
                merging.append(one.commit)
        body = self.put(Forecast(conflicts=tuple(bad))) if bad else None
        return MergePredicted(merges=len(merging), conflicts=tuple(c.task for c in bad), body=body)

    def _counts(self, effect: RunCheck) -> Counts | None:
        if not isinstance(effect.check, RunTests):
            return None
        failed = int(self.judging(effect) is Result.FAIL)
        return Counts(collected=1, passed=1 - failed, failed=failed)

    def _reply(self, effect: Dispatch) -> Outcome:
        self.dispatched[effect.key] = effect.directive.payload
        if effect.key in self.asks:
            answer = self.put({"kind": "question", "question": "Which?"})
            return AgentAnswered(answer=answer, kind="question", question="Which?", options=("a", "b"))
        if isinstance(effect.directive.payload, EvaluateRequest):
            fine = AgentAnswered(answer=self.put(Evaluation()), kind="evaluation")
            return self.evaluations.get(effect.key, fine)
        if isinstance(effect.directive.payload, PlanRequest):
            return AgentAnswered(answer=self.put({"kind": "plan", "contract": self.contract}), kind="plan")
        return AgentAnswered(answer=self.put({"kind": "done"}), kind="done")


def contract(tasks: Iterable[dict[str, object]], **more: object) -> dict[str, object]:
    return {
        "version": 1,
        "phase": 1,
        "goal": "Greet people by their name.",
        "why": "They asked.",
        "generated_at": "2026-01-01T00:00:00Z",
        "generated_by": "planner",
        "tasks": list(tasks),
        "success_criteria": ["greet('Ada') gives 'hello Ada'"],
        "non_goals": ["Do not modify `README.md`"],
        "stop_conditions": ["Every check passes"],
        "definition_of_done": "Everybody is greeted by their own name",
        "assumptions": [],
        "out_of_scope": [],
        "ambiguity_score": 1,
        **more,
    }


def task(number: int, wave: int = 1, depends_on: tuple[str, ...] = ()) -> dict[str, object]:
    return {
        "id": f"T{number}",
        "title": f"Task {number}",
        "wave": wave,
        "depends_on": list(depends_on),
        "files_modify": [],
        "files_create": [f"file{number}.py"],
        "files_delete": [],
        "acceptance_criteria": [f"file{number}.py greets people"],
        "action": "write it",
        "context_files": [],
        "verification": [{"type": "file-exists", "path": f"file{number}.py"}],
    }
