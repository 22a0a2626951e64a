"""Observers of a hosted cycle: when they are asked, and what follows from their word."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from watched_world import GIVEN, TICKET, WatchedHost, Watcher, watched

from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.ports import Sight
from signoff.domain.run.events import Claimed, HookVetoed, How, RunStatus
from signoff.domain.run.halts import HaltCode, HaltKind
from signoff.domain.run.hooks import HookError, HookRecord, HookVeto
from signoff.domain.work.settings import HookPoint
from signoff.domain.work.work_state import DirectiveSet, StateFile, WorkInput
from signoff.engine.run_summary import outcome_of
from signoff.host.places.host_folders import FolderPlace
from signoff.hosted import cycle
from signoff.hosted.flow.flow import survey
from signoff.hosted.watch.watched_steps import decided_set
from signoff.runs.inspect.replay import replay
from signoff.runs.people.given_answers import PersonWord, answer
from signoff.testing.hosted.fixed_ports import whole_kit

CYCLE_POINTS = ["before_load", "after_load", "before_dispatch", "after_dispatch", "before_save", "after_save"]
LATER: dict[str, object] = {"plan": "do it"}
REST: tuple[dict[str, object], ...] = (
    {"changes": [{"path": "calculator.py"}]},
    {"tests": {"verdict": "success"}},
    {"verify": {"verdict": "success"}},
)
WHOLE: tuple[dict[str, object], ...] = ({}, LATER, *REST)


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[WatchedHost, Watcher]:
    return watched(tmp_path, monkeypatch)


@pytest.fixture
def host(pair: tuple[WatchedHost, Watcher]) -> WatchedHost:
    return pair[0]


@pytest.fixture
def watcher(pair: tuple[WatchedHost, Watcher]) -> Watcher:
    return pair[1]


def code_of(host: WatchedHost, slices: dict[str, object] | None = None) -> str | None:
    done = host.call(slices)
    return str(done.survey.halts[0].code) if done.survey.halts else None


# --- when ---


def test_a_first_cycle_asks_at_every_point_in_order(host: WatchedHost, watcher: Watcher) -> None:
    """Nothing is loaded in a first cycle; every other point comes once, and steps in their order."""
    host.call()
    assert watcher.asked() == [
        "before_dispatch",
        *("before_step refine", "after_step refine", "before_step memory", "after_step memory"),
        *("before_step analyze", "after_step analyze", "before_step plan", "on_halt plan"),
        *("after_dispatch", "before_save", "after_save"),
    ]


def test_a_later_cycle_asks_only_about_steps_that_were_not_given_out_as_done(
    host: WatchedHost, watcher: Watcher
) -> None:
    """A step that observers let pass, and that rests on the same, is behind the run."""
    host.call()
    watcher.asked()
    host.call(LATER)
    assert watcher.asked() == [
        *("before_load", "after_load", "before_dispatch"),
        *("before_step plan", "after_step plan", "before_step implement", "on_halt implement"),
        *("after_dispatch", "before_save", "after_save"),
    ]


def test_a_whole_run_asks_about_the_report_too_and_then_only_loads(
    host: WatchedHost, watcher: Watcher
) -> None:
    """The report is the last step; giving it again is no cycle that could be vetoed half-way."""
    for slices in WHOLE:
        watcher.asked()
        done = host.call(slices)
    assert done.state.ended is not None
    assert watcher.asked()[-5:] == [
        *("before_step report", "after_step report"),
        *("after_dispatch", "before_save", "after_save"),
    ]
    host.call()
    assert watcher.asked() == ["before_load", "after_load"]


def test_a_step_whose_slice_was_written_anew_is_asked_about_again(
    host: WatchedHost, watcher: Watcher
) -> None:
    """Otherwise one good plan would open the door for any other."""
    host.call()
    host.call(LATER)
    watcher.asked()
    host.call({"plan": "do something else"})
    assert "after_step plan" in watcher.asked()


def test_a_step_is_asked_about_again_when_the_files_it_speaks_of_have_changed(
    host: WatchedHost, watcher: Watcher
) -> None:
    """A gate that looks at files says something about the files it saw, and about no others."""
    place = Place(str(host.root))
    host.kit = replace(host.kit, place=place)
    for slices in (*WHOLE[:3], {}):
        watcher.asked()
        host.call(slices)
    assert [said for said in watcher.asked() if "implement" in said] == []
    place.tree = "another"
    host.call()
    assert "after_step implement" in watcher.asked()
    host.call()
    assert [said for said in watcher.asked() if "implement" in said] == []


class Place(FolderPlace):
    """A repository in which one file differs from the base."""

    tree = "one"

    def look(self, base: TreeId, exchanged: str) -> Sight:
        del base, exchanged
        return Sight(TreeId(self.tree), (PathChange(path="calculator.py", kind=ChangeKind.MODIFIED),))


def test_records_hold_what_exists_at_their_point(host: WatchedHost, watcher: Watcher) -> None:
    """An observer sees which run, which cycle, which slices, which halt, and the file as it will be."""
    host.call()
    host.call(LATER)
    by_point = {record.point: record for record in watcher.seen}
    assert {record.state_file for record in watcher.seen} == {str(host.state_file)}
    assert {record.set for record in watcher.seen} == {DirectiveSet.BACKEND}
    assert [record.cycle for record in watcher.seen] == sorted(record.cycle for record in watcher.seen)
    assert by_point[HookPoint.AFTER_LOAD].wrote == ("plan",)
    assert by_point[HookPoint.AFTER_STEP].outcome == "success"
    halt = by_point[HookPoint.ON_HALT]
    assert (halt.code, halt.kind, halt.verb) == (
        HaltCode.EMPTY_CHANGES_DELEGATE,
        HaltKind.AGENT,
        "apply-plan",
    )
    assert halt.lines[0].startswith("@agent-directive: apply-plan")
    assert by_point[HookPoint.BEFORE_SAVE].exported == host.state_file.read_text()
    assert (by_point[HookPoint.AFTER_SAVE].step, by_point[HookPoint.AFTER_SAVE].outcome) == (
        "implement",
        "blocked",
    )


def test_a_record_cannot_be_changed(host: WatchedHost, watcher: Watcher) -> None:
    """Observers look; there is nothing in their hands that the run goes by."""
    host.call()
    with pytest.raises(AttributeError):
        watcher.seen[0].step = "report"  # type: ignore[misc]
    for name in HookRecord.__struct_fields__:
        assert not isinstance(getattr(watcher.seen[-1], name), list | dict | set)


# --- the first tier: a warning ---


@pytest.mark.parametrize("point", list(HookPoint))
def test_an_observer_that_fails_in_a_known_way_is_a_warning(
    host: WatchedHost, watcher: Watcher, point: HookPoint
) -> None:
    """A broken observer must not stop anybody's work, nor fail in silence."""

    def fail(record: HookRecord) -> None:
        if record.point is point:
            raise HookError("its database is away")

    watcher.says = fail
    host.call()
    assert code_of(host, LATER) == "empty_changes_delegate"
    warned = [note for note in host.notes if note.startswith(f"warning: hook watcher at {point}")]
    assert bool(warned) is (point is not HookPoint.ON_ERROR)


# --- the second tier: a veto ---


@pytest.mark.parametrize("point", ["before_step", "after_step", "on_halt"])
def test_a_veto_at_a_step_halts_the_run_there_until_the_observer_agrees(
    host: WatchedHost, watcher: Watcher, point: str
) -> None:
    """A gate that one more call walks round is no gate."""
    step = "implement" if point == "on_halt" else "plan"
    host.call()
    watcher.vetoes(point, step)
    for _ in range(3):
        done = host.call(LATER)
        halt = done.survey.halts[0]
        assert (halt.code, halt.step, halt.kind) == (HaltCode.HOOK_VETO, step, HaltKind.PERSON)
        assert halt.options == ("try again", "abort")
        assert host.state["outcomes"][step] == "blocked"
        assert any("not like this" in line for line in host.state["questions"])
        assert "> second line" in host.state["questions"]
    watcher.agrees()
    assert code_of(host) == "empty_changes_delegate"
    assert host.state["outcomes"]["plan"] == "success"


def test_after_a_veto_nobody_is_asked_about_later_steps(host: WatchedHost, watcher: Watcher) -> None:
    """They are not reached: an observer that hears of them would prepare for what does not come."""
    host.call()
    watcher.vetoes("after_step", "plan")
    watcher.asked()
    host.call(LATER)
    assert [said for said in watcher.asked() if "implement" in said] == []


def test_an_observer_that_is_against_everything_vetoes_once(host: WatchedHost, watcher: Watcher) -> None:
    """The halt of a veto is told like any other, and a veto against it would be one against itself."""

    def refuse(record: HookRecord) -> None:
        if record.point in (HookPoint.AFTER_STEP, HookPoint.ON_HALT):
            raise HookVeto(f"no at {record.point}")

    watcher.says = refuse
    done = host.call()
    assert "no at after_step" in done.survey.halts[0].question
    assert len([event for event in host.events() if isinstance(event, HookVetoed)]) == 1


def test_a_veto_after_the_last_step_keeps_the_report_back(host: WatchedHost, watcher: Watcher) -> None:
    """The report is what gives the work out of hand: it must be possible to stop just before."""
    for slices in WHOLE[:-1]:
        host.call(slices)
    watcher.vetoes("after_step", "report")
    done = host.call(REST[-1])
    assert (done.state.ended, done.survey.halts[0].step) == (None, "report")
    assert not host.state["report"]
    watcher.agrees()
    assert host.call().state.ended is not None


def test_before_a_step_is_before_its_effects(host: WatchedHost, watcher: Watcher) -> None:
    """An observer that forbids the tests must be asked before they have run."""
    (host.root / "test_calculator.py").write_text("def test_nothing():\n    pass\n")
    (host.root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    for slices in WHOLE[:3]:
        host.call(slices)
    host.kit = replace(host.kit, checks=lambda: pytest.fail("the tests were run"))
    watcher.vetoes("before_step", "test")
    done = host.call(REST[1])
    assert done.survey.halts[0].code is HaltCode.HOOK_VETO
    assert not [key for key in done.state.intents if key.startswith(("test/", "analyze/"))]


def test_memory_is_not_looked_up_before_its_observers_were_asked(host: WatchedHost, watcher: Watcher) -> None:
    """The first effect of a run is one of a step like any other."""
    watcher.vetoes("before_step", "memory")
    done = host.call()
    assert (done.survey.halts[0].step, done.state.intents) == ("memory", {})


@pytest.mark.parametrize("point", CYCLE_POINTS)
def test_a_veto_at_a_point_of_the_cycle_loses_nothing(
    host: WatchedHost, watcher: Watcher, point: str
) -> None:
    """What the host wrote and the engine found stays; the next cycle goes on from it, in the same run."""
    host.call()
    before = host.state_file.read_bytes()
    watcher.vetoes(point)
    with pytest.raises(ConflictError) as raised:
        host.call(LATER)
    assert raised.value.slug == "hook-veto"
    assert "not like this; second line" in raised.value.why
    if point != "after_save":
        assert host.state_file.read_bytes() != before, "it holds what the host wrote"
        assert host.state["outcomes"].get("plan") == "blocked"
    watcher.agrees()
    assert code_of(host) == "empty_changes_delegate"
    claims = [event for event in host.events() if isinstance(event, Claimed) and event.key == "plan"]
    assert len(claims) == 1


@pytest.mark.parametrize("point", ["before_dispatch", "after_dispatch", "before_save", "after_save"])
def test_a_veto_in_the_first_cycle_leaves_one_run_that_is_gone_on_with(
    host: WatchedHost, watcher: Watcher, point: str
) -> None:
    """There is no state file yet that could lead back to it: without care, each call would begin anew."""
    watcher.vetoes(point)
    for _ in range(2):
        with pytest.raises(ConflictError):
            host.call()
    watcher.agrees()
    assert code_of(host) == "empty_plan_delegate"
    assert len(host.runs()) == 1


def test_another_ticket_after_a_vetoed_first_cycle_begins_another_run(
    host: WatchedHost, watcher: Watcher
) -> None:
    """Nothing was given out yet, so nobody is held to the first one."""
    watcher.vetoes("before_save")
    with pytest.raises(ConflictError):
        host.call()
    watcher.agrees()
    other = WorkInput(kind=GIVEN.kind, data={**TICKET, "id": "CALC-2"})
    assert host.call(given=other).survey.step == "plan"
    assert (host.state["input"]["data"]["id"], len(host.runs())) == ("CALC-2", 2)


def test_a_link_to_a_run_that_was_removed_is_no_obstacle(host: WatchedHost) -> None:
    """Somebody who clears everything away and begins anew must be able to."""
    host.call()
    shutil.rmtree(host.root / ".signoff" / "runs")
    host.state_file.unlink()
    assert code_of(host) == "empty_plan_delegate"


def test_what_a_host_adds_after_a_veto_counts_together_with_what_it_wrote_before(
    host: WatchedHost, watcher: Watcher
) -> None:
    """The file was not written back, so both differ from the last one given out."""
    host.call()
    watcher.vetoes("after_dispatch")
    with pytest.raises(ConflictError):
        host.call(LATER)
    watcher.agrees()
    assert code_of(host, REST[0]) == "empty_tests_delegate"


def test_work_taken_up_after_a_report_survives_a_veto_too(host: WatchedHost, watcher: Watcher) -> None:
    """The new run has given nothing out yet; an edit of the file meanwhile must reach it."""
    for slices in WHOLE:
        first = host.call(slices).state
    watcher.vetoes("before_save")
    for _ in range(2):
        with pytest.raises(ConflictError):
            host.call({"tests": {"verdict": "failed"}})
    assert len(host.runs()) == 2
    watcher.agrees()
    done = host.call({"tests": {"verdict": "mixed"}})
    assert done.survey.halts[0].code is HaltCode.BAD_TEST_VERDICT
    assert done.state.start is not None
    assert done.state.start.parent == first.run_id, "it is still the same work"


def test_giving_up_at_a_veto_ends_the_run_whatever_the_observer_says_later(
    host: WatchedHost, watcher: Watcher
) -> None:
    """A person's word must not be lost because the next cycle asks anew."""
    host.call()
    watcher.vetoes("after_step", "plan")
    done = host.call(LATER)
    kit = whole_kit(host.kit)
    answer(kit, done.folder, done.survey.halts[0].id, "2", PersonWord("ada", How.TERMINAL))
    watcher.agrees()
    watcher.asked()
    done = host.call()
    assert done.state.ended is not None
    assert done.state.ended.status is RunStatus.REFUSED
    assert not [said for said in watcher.asked() if "step" in said]


def test_trying_again_is_asking_again(host: WatchedHost, watcher: Watcher) -> None:
    """The other option changes nothing but what observers say now."""
    host.call()
    watcher.vetoes("after_step", "plan")
    done = host.call(LATER)
    answer(whole_kit(host.kit), done.folder, None, "1", PersonWord("ada", How.RELAYED))
    assert code_of(host) == "hook_veto"
    watcher.agrees()
    assert code_of(host) == "empty_changes_delegate"


def test_whoever_looks_at_a_vetoed_run_sees_the_veto(host: WatchedHost, watcher: Watcher) -> None:
    """Status, replay and the state file are made from the journal: they must agree on where it stands."""
    host.call()
    watcher.vetoes("after_step", "plan")
    done = host.call(LATER)
    state = host.folded()
    found = survey(state, done.folder.blobs.get)
    assert (found.step, found.halts) == ("plan", done.survey.halts)
    assert outcome_of(state, found.halts) == "waiting"
    assert replay(done.folder).identical
    (veto,) = [event for event in host.events() if isinstance(event, HookVetoed)]
    assert (veto.step, veto.hook, veto.reason, veto.cycle) == ("plan", "watcher", "not like this", 2)
    watcher.agrees()
    for slices in (None, *REST):
        host.call(slices)
    assert replay(done.folder).identical


def test_a_driver_killed_right_after_a_veto_leaves_a_run_that_halts_there(
    host: WatchedHost, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The veto is in the journal before anything else follows from it; the next cycle asks anew."""

    class Killed(BaseException):
        """What no handler catches."""

    def die(file: StateFile) -> bytes:
        raise Killed(file)

    host.call()
    watcher.vetoes("after_step", "plan")
    with monkeypatch.context() as patch:
        patch.setattr(cycle, "write_state", die)
        with pytest.raises(Killed):
            host.call(LATER)
    (folder,) = host.runs()
    assert isinstance(host.events()[-1], HookVetoed)
    assert survey(host.folded(), folder.blobs.get).halts[0].code is HaltCode.HOOK_VETO
    assert code_of(host) == "hook_veto"
    watcher.agrees()
    assert code_of(host) == "empty_changes_delegate"


# --- the third tier: a bug ---


@pytest.mark.parametrize("point", [p for p in HookPoint if p is not HookPoint.ON_ERROR])
def test_anything_else_an_observer_raises_is_a_bug_and_is_not_caught(
    host: WatchedHost, watcher: Watcher, point: HookPoint
) -> None:
    """A bug that reads as a veto or a warning is never mended; and no other observer is blamed for it."""

    def break_down(record: HookRecord) -> None:
        if record.point is point:
            raise RuntimeError("oops")

    host.call()
    watcher.says = break_down
    watcher.asked()
    with pytest.raises(RuntimeError, match="oops"):
        host.call(LATER)
    assert "on_error" not in " ".join(watcher.asked())
    watcher.agrees()
    assert code_of(host) == "empty_changes_delegate"


def test_an_error_of_a_step_is_told_and_stays_an_error(host: WatchedHost, watcher: Watcher) -> None:
    """Observers hear of it; they can neither swallow nor replace it."""

    class Failing:
        def recall(self, *words: object) -> None:
            raise ConflictError("memory is away", slug="memory-away")

    memory = host.kit.memory
    host.kit = replace(host.kit, memory=Failing())
    watcher.vetoes("on_error")
    with pytest.raises(ConflictError, match="memory is away"):
        host.call()
    told = watcher.seen[-1]
    assert (told.point, told.step, told.error) == (
        HookPoint.ON_ERROR,
        "memory",
        "ConflictError: memory is away",
    )
    assert any("it failed already" in note for note in host.notes)
    host.kit = replace(host.kit, memory=memory)
    assert code_of(host) == "empty_plan_delegate"


# --- off ---


def test_without_hooks_nobody_is_asked_and_it_is_said(host: WatchedHost, watcher: Watcher) -> None:
    """A cycle that leaves the gate out must not look like one that passed it."""
    watcher.vetoes("before_dispatch")
    host.call(no_hooks=True)
    assert watcher.seen == []
    assert any("--no-hooks" in note for note in host.notes)
    assert not [event for event in host.events() if isinstance(event, HookVetoed)]


def test_hooks_are_off_unless_switched_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings without the switch, however many observers they name, change nothing and say nothing."""
    host, watcher = watched(tmp_path, monkeypatch, "[hooks]\ntrace = true\n")
    watcher.vetoes("before_dispatch")
    host.call()
    host.call(no_hooks=True)
    assert (watcher.seen, host.notes) == ([], [])


def test_the_settings_are_those_the_run_began_with(host: WatchedHost, watcher: Watcher) -> None:
    """Otherwise an agent would switch the gate off by editing a file."""
    host.call()
    (host.root / "signoff.toml").write_text("")
    watcher.vetoes("after_step", "plan")
    assert code_of(host, LATER) == "hook_veto"


# --- what was decided ---


def test_the_decided_set_follows_a_recorded_claim(host: WatchedHost, watcher: Watcher) -> None:
    """A host may choose other steps in its file; that is a record, and no observer stands against it."""
    host.call()
    done = host.call({"directive_set": "ui", "intent": "ui-improve"})
    assert done.survey.halts[0].code is HaltCode.DIRECTIVE_SET_UNAVAILABLE
    assert decided_set(done.state, done.folder.blobs.get) is DirectiveSet.UI
    assert host.state["directive_set"] == "ui"
