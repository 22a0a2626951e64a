"""The observers that come with the program: each must be able to fire, and none may fire on honest work."""

import hashlib
import json
import re
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from watched_world import ON, WatchedHost, watched

from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.typed_ids import Digest, HaltId, RunId
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.hooks import HookError, HookRecord, HookVeto
from signoff.domain.run.surveys import STEPS, Now
from signoff.domain.work.refinement import Route
from signoff.domain.work.settings import HookCommand, HookPoint, HookSettings
from signoff.domain.work.work_state import DirectiveSet, Intent, WorkState
from signoff.hosted import cycle
from signoff.hosted.exchange.state_export import export as honest_export
from signoff.hosted.flow import flow
from signoff.hosted.flow.hosted_view import HostedView
from signoff.hosted.flow.work_steps import WorkStep
from signoff.hosted.watch.observers import halt_surface_audit, program, state_shape
from signoff.hosted.watch.watched_steps import HookWatch, registered
from signoff.wiring import build_hosted

SLICES: tuple[dict[str, object], ...] = (
    {},
    {"plan": "do it"},
    {"changes": [{"path": "calculator.py"}]},
    {"tests": {"verdict": "success"}},
    {"verify": {"verdict": "success"}},
)


def record(point: HookPoint, **fields: object) -> HookRecord:
    basis = HookRecord(point=point, run=RunId("R"), cycle=1, state_file="/s.json", set=DirectiveSet.BACKEND)
    return replace(basis, **fields)


def inject(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Let the engine export something else than what it found."""

    def export(*words: object) -> WorkState:
        return replace(honest_export(*words), **changes)  # type: ignore[arg-type]

    monkeypatch.setattr(cycle, "export", export)


def test_none_of_them_has_anything_against_an_honest_run(tmp_path: Path) -> None:
    """An observer that cries wolf is switched off."""
    host = WatchedHost(tmp_path)
    for slices in SLICES:
        done = host.call(slices)
    assert done.state.ended is not None
    assert host.notes == []


# --- trace ---


def test_the_trace_is_a_line_for_every_point(tmp_path: Path) -> None:
    """It is there to be read and to be searched: event, step, set, outcome, in this order."""
    host = WatchedHost(tmp_path, ON + "trace = true\n")
    host.call()
    assert host.notes[0] == "[hook] event=before_dispatch step=- set=backend outcome=-"
    assert "[hook] event=after_step step=refine set=backend outcome=success" in host.notes
    assert "[hook] event=on_halt step=plan set=backend outcome=blocked" in host.notes
    assert host.notes[-1] == "[hook] event=after_save step=plan set=backend outcome=blocked"


# --- the halt audit ---


def halting(monkeypatch: pytest.MonkeyPatch, halt: Halt) -> None:
    """Let the step `plan` halt like this."""

    def plan(view: HostedView) -> WorkStep:
        return WorkStep(Now(halts=(halt,)))

    steps = tuple((name, plan if name == "plan" else look) for name, look in flow._STEPS)
    monkeypatch.setattr(flow, "_STEPS", steps)


GOOD = Halt(
    id=HaltId("plan"),
    code=HaltCode.EMPTY_PLAN_DELEGATE,
    kind=HaltKind.AGENT,
    step="plan",
    question="Plan it.",
    options=("continue", "abort"),
    verb="create-plan",
)


@pytest.mark.parametrize(
    ("halt", "what"),
    [
        (replace(GOOD, options=()), "no numbered options"),
        (replace(GOOD, code=HaltCode.REVIEW_STALE), "plan does not declare review_stale"),
        (replace(GOOD, step="nowhere"), "nowhere does not declare"),
    ],
)
def test_a_step_that_halts_as_no_host_can_read_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, halt: Halt, what: str
) -> None:
    """A step builds its halts by hand if it likes; then nothing else looks at what goes out."""
    host = WatchedHost(tmp_path)
    halting(monkeypatch, halt)
    done = host.call()
    assert done.survey.halts == (halt,), "a warning changes nothing"
    (note,) = host.notes
    assert note.startswith("warning: hook halt-surface-audit at on_halt: halt plan: ")
    assert what in note


def test_a_directive_that_is_not_first_or_not_ours_is_warned_of() -> None:
    """A line of a ticket that looks like a directive would be carried out."""
    look = halt_surface_audit().look
    directive, question, option = "@agent-directive: create-plan", "> Plan it.", "> 1. go on"
    basis = record(
        HookPoint.ON_HALT, step="plan", code=HaltCode.EMPTY_PLAN_DELEGATE, verb="x", options=("go on",)
    )
    look(replace(basis, lines=(directive, question, option)))
    look(replace(basis, verb="", lines=(question, option)))
    for lines in ((question, directive, option), (directive, directive, option), (question, option)):
        with pytest.raises(HookError, match="not its first line"):
            look(replace(basis, lines=lines))
    with pytest.raises(HookError, match="looks like a directive"):
        look(replace(basis, verb="", lines=(directive, option)))


# --- the shape of the file ---


def test_a_state_file_that_could_not_be_read_back_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next cycle would refuse it, and the one before is still good."""
    host = WatchedHost(tmp_path)
    host.call()
    with monkeypatch.context() as patch:
        inject(patch, outcomes={"plan": "splendid"})
        with pytest.raises(ConflictError) as raised:
            host.call({"plan": "do it"})
    assert raised.value.slug == "hook-veto"
    assert "could not be read back" in raised.value.why
    assert host.call().survey.step == "implement"


def test_a_state_file_that_reads_as_another_is_noticed() -> None:
    """Readable is not enough: the next difference to it would be taken for the host's word."""
    exported = json.dumps({"version": 1, "input": {"kind": "ticket", "data": {}}})
    with pytest.raises(HookVeto, match="another one"):
        state_shape().look(record(HookPoint.BEFORE_SAVE, exported=exported))


# --- the directive set ---


def test_an_export_with_another_directive_set_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that changes its steps without a record has lost its track."""
    host = WatchedHost(tmp_path)
    host.call()
    inject(monkeypatch, directive_set=DirectiveSet.MIXED, intent=Intent.MIXED)
    with pytest.raises(ConflictError) as raised:
        host.call({"plan": "do it"})
    assert raised.value.slug == "hook-veto"
    assert "says `mixed`, and `backend` was decided on" in raised.value.why
    assert host.state["directive_set"] == "backend"


def test_a_journal_with_another_route_put_in_is_noticed(tmp_path: Path) -> None:
    """Every sum of it is right; only the file that was given out tells that it was another run."""
    host = WatchedHost(tmp_path)
    done = host.call()
    route = msgspec.json.decode(done.folder.blobs.get(_start(done.folder.path("journal.jsonl"))), type=Route)
    other = replace(route, intent=Intent.UI_IMPROVE, directive_set=DirectiveSet.UI)
    forge(Path(done.folder.path("journal.jsonl")), done.folder.blobs.put(msgspec.json.encode(other)))
    host.kit = build_hosted(str(tmp_path), host.notes.append)
    with pytest.raises(ConflictError) as raised:
        host.call({"plan": "do it"})
    assert "says `ui`, and `backend` was decided on" in raised.value.why


def _start(path: str) -> Digest:
    return Digest(json.loads(Path(path).read_text().splitlines()[1])["route"])


def forge(journal: Path, route: str) -> None:
    """Put another route into the second record, and chain everything anew."""
    prev, lines = "0" * 64, []
    for line in journal.read_text().splitlines():
        document = json.loads(line)
        if document["event"] == "run_start":
            document["route"] = route
        document["prev"] = prev
        del document["sum"]
        body = json.dumps(document, separators=(",", ":"), ensure_ascii=False)[:-1]
        prev = hashlib.sha256(body.encode()).hexdigest()
        lines.append(f'{body},"sum":"{prev}"}}\n')
    journal.write_text("".join(lines))


def test_the_older_file_has_no_room_for_a_set_and_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0 reads as backend whatever was decided; that is no difference."""
    host, watcher = watched(tmp_path, monkeypatch)
    host.state_file = tmp_path / ".implement-ticket-state.json"
    ticket = {"title": "Redesign the settings page layout with a new sidebar menu", "id": "UI-1"}
    host.state_file.write_text(
        json.dumps({"ticket": {**ticket, "acceptance_criteria": ["it has a sidebar"]}})
    )
    for _ in range(2):
        assert host.call().survey.step == "refine"
    assert host.notes == []
    assert {record.set for record in watcher.seen} == {DirectiveSet.UI}


# --- programs ---


def commanded(tmp_path: Path, *words: str, points: str = '"after_step"', more: str = "") -> WatchedHost:
    words_text = json.dumps([sys.executable, *words])
    command = f"[[hooks.commands]]\npoints = [{points}]\ncommand = {words_text}\n{more}\n"
    return WatchedHost(tmp_path, ON + command)


def test_a_program_gets_the_record_and_little_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON on standard input, the root as its folder, and no credentials in its environment."""
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    script = (
        "import os,sys; open('seen', 'a').write(sys.stdin.read() + '\\n' + repr(sorted(os.environ)) + '\\n')"
    )
    host = commanded(tmp_path, "-c", script, points='"on_halt", "before_save"')
    done = host.call()
    first, environment, second, _ = (tmp_path / "seen").read_text().splitlines()
    shown = json.loads(first)
    assert (shown["point"], shown["step"], shown["code"]) == ("on_halt", "plan", "empty_plan_delegate")
    assert (shown["run"], shown["cycle"], shown["state_file"]) == (done.state.run_id, 1, str(host.state_file))
    assert json.loads(json.loads(second)["exported"]) == host.state
    assert "SECRET_TOKEN" not in environment


def test_a_program_vetoes_with_exit_2_and_says_why(tmp_path: Path) -> None:
    """Its first line is the reason, the others stand below."""
    script = "import sys; sys.stderr.write('no licence header\\nin calculator.py\\n'); sys.exit(2)"
    host = commanded(tmp_path, "-c", script, more='name = "licences"')
    (halt,) = host.call().survey.halts
    assert halt.question == "The hook `licences` does not let `refine` pass (after_step): no licence header"
    assert halt.lines == ("in calculator.py",)


@pytest.mark.parametrize(
    ("script", "more", "said"),
    [
        ("import sys; sys.exit('went wrong')", "", "it exited with 1: went wrong"),
        ("import os; os.kill(os.getpid(), 9)", "", "it exited with 137"),
        ("import time; time.sleep(60)", "timeout_s = 1", "did not answer"),
    ],
)
def test_a_program_that_fails_is_a_warning(tmp_path: Path, script: str, more: str, said: str) -> None:
    """Only 2 is a no: a typing mistake in a hook must not block anybody."""
    host = commanded(tmp_path, "-c", script, points='"before_dispatch"', more=more)
    assert host.call().survey.step == "plan"
    (note,) = host.notes
    assert said in note


def test_a_program_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    """The same holds for one that was never installed."""
    settings = (
        f'{ON}commands = [{{ points = ["before_dispatch"], command = ["no-such-program; echo hi"] }}]\n'
    )
    host = WatchedHost(tmp_path, settings)
    assert host.call().survey.step == "plan"
    assert "cannot run no-such-program" in host.notes[0]


@given(st.binary(max_size=20_000))
def test_whatever_a_program_says_its_veto_fits_into_a_record(stderr: bytes) -> None:
    """A record of the journal stays below 4 KB, and nothing in it steers a terminal."""
    command = HookCommand(points=(HookPoint.BEFORE_STEP,), command=("x",), name="n" * 999)
    watch = HookWatch(
        (program(command, lambda *_words: (2, stderr)),), lambda _digest: b"", "/s", lambda _text: None
    )
    veto = watch.ask(record(HookPoint.BEFORE_STEP, step=STEPS[0]))
    assert veto is not None
    assert veto.reason
    assert len(msgspec.json.encode(veto)) < 3_400
    assert all(line.isprintable() for line in (veto.reason, *veto.lines))


def test_a_command_at_a_point_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    """A gate with a typing mistake in it must not stand open."""
    settings = f'{ON}commands = [{{ points = ["after_stop"], command = ["gate"] }}]\n'
    with pytest.raises(ConfigError) as raised:
        WatchedHost(tmp_path, settings).call()
    assert raised.value.slug == "settings-invalid"


def test_the_page_names_every_point_field_and_built_in_hook() -> None:
    """Whoever writes a hook has only the page to go by."""
    page = (Path(__file__).parents[4] / "docs/reference/hooks.md").read_text()
    points = re.findall(r"^\| `(\w+)` \|", page.partition("## Points")[2].partition("\n## ")[0], re.MULTILINE)
    assert sorted(points) == sorted(HookPoint)
    named = set(re.findall(r"`([a-z_-]+)`", page))
    assert set(HookRecord.__struct_fields__) - named == set()
    assert set(HookSettings.__struct_fields__) - {"enabled", "commands"} - named == set()
    settings = HookSettings(trace=True)
    observers = registered(settings, lambda *_words: (0, b""), lambda _text: None)
    assert {observer.name for observer in observers} - named == set()


def test_observers_of_the_settings_come_before_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trace must show the point at which a program says no."""
    host, watcher = watched(tmp_path, monkeypatch, ON + "trace = true\n")
    watcher.vetoes("before_dispatch")
    with pytest.raises(ConflictError):
        host.call()
    assert host.notes == ["[hook] event=before_dispatch step=- set=backend outcome=-"]
