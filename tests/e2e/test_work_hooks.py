"""Hooks of `signoff work` as a project switches them on: with a program in its settings."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clibench import Bench, Ran
from hostbench import MULTIPLY, Host, calculator, code_of

PLAN = ["write multiply", "test it"]
GATE = """import json, os, sys
record = json.load(sys.stdin)
with open(os.path.join("..", "asked"), "a") as asked:
    print(record["point"], record.get("step", "-"), file=asked)
rules = json.load(open(os.path.join("..", "rules.json")))
if record["point"] + " " + record.get("step", "-") in rules:
    sys.exit(print("the gate is shut", file=sys.stderr) or 2)
"""


@pytest.fixture
def host(bench: Bench) -> Host:
    """A host whose project asks a gate; what the gate is to refuse lies beside the repository."""
    points = '"before_step", "after_step", "before_save", "after_dispatch"'
    command = json.dumps([sys.executable, "-S", "gate.py"])
    settings = f"[[hooks.commands]]\nname = 'gate'\npoints = [{points}]\ncommand = {command}\n"
    (bench.root / "gate.py").write_text(GATE)
    (bench.root / "signoff.toml").write_text(f"[hooks]\nenabled = true\n{settings}")
    made = calculator(bench)
    refuse(made)
    return made


def refuse(host: Host, *rules: str) -> None:
    (host.bench.root.parent / "rules.json").write_text(json.dumps(rules))


def asked(host: Host) -> list[str]:
    """What the gate was asked since it was last looked at."""
    path = host.bench.root.parent / "asked"
    said = path.read_text().splitlines() if path.exists() else []
    path.write_text("")
    return said


def slug_of(ran: Ran) -> str:
    return str(ran.document["error"]["slug"])


def test_a_gate_after_the_plan_holds_until_it_opens(host: Host) -> None:
    """Calling once more must not open it, and every command must say the same of the run."""
    host.begin()
    refuse(host, "after_step plan")
    for _ in range(2):
        ran = host.again("--json", plan=PLAN)
        assert (ran.code, code_of(ran), ran.document["step"]) == (1, "hook_veto", "plan"), ran
    assert (
        "> The hook `gate` does not let `plan` pass (after_step): the gate is shut" in host.state["questions"]
    )
    status = host.bench("status", "--json").document
    assert (status["halt"]["code"], status["outcome"]) == ("hook_veto", "waiting")
    shown = host.bench("runs", "show", "latest", "--json").document
    assert "hook_veto" in json.dumps(shown)
    assert host.bench("runs", "replay", "latest").code == 0
    assert host.bench("journal", "check", str(host.journal())).code == 0
    assert host.bench("runs", "resume", "latest", "--json").code == 3
    refuse(host)
    ran = host.again("--json")
    assert ran.document["step"] == "implement", ran


def test_a_gate_before_saving_ends_the_call_and_loses_nothing(host: Host) -> None:
    """Exit 2 says that nothing was given out; the journal has it all the same."""
    host.begin()
    host.write(plan=PLAN)
    before = host.state_file.read_bytes()
    refuse(host, "before_save implement")
    ran = host.again("--json")
    assert (ran.code, slug_of(ran)) == (2, "hook-veto"), ran
    assert ran.document["error"]["why"] == "the gate is shut"
    assert host.state_file.read_bytes() == before
    refuse(host)
    assert host.again("--json").document["step"] == "implement"
    assert host.journal().read_text().count('"event":"claimed"') == 1


def test_files_that_change_after_a_gate_passed_them_are_asked_about_again(host: Host) -> None:
    """A gate that looks at files says something about the files it saw, and about no others."""
    host.to_tests()
    asked(host)
    host.again()
    assert not [said for said in asked(host) if said.endswith("implement")]
    (host.bench.root / "calculator.py").write_text(MULTIPLY + "\n# one more thought\n")
    refuse(host, "after_step implement")
    ran = host.again("--json")
    assert (code_of(ran), ran.document["step"]) == ("hook_veto", "implement"), ran


def test_no_hooks_leaves_the_gate_out_once_and_says_so(host: Host) -> None:
    """Whoever goes round a gate should be seen doing it."""
    host.begin()
    asked(host)
    refuse(host, "after_step plan")
    ran = host.again("--no-hooks", "--json", plan=PLAN)
    assert ran.document["step"] == "implement"
    assert "hooks are switched off for this cycle" in ran.err
    assert asked(host) == []


def test_a_bug_of_an_observer_leaves_a_crash_file_and_a_run_that_goes_on(host: Host) -> None:
    """Exit 70 and a traceback: neither a veto nor a warning."""
    host.begin()
    host.write(plan=PLAN)
    script = (
        "import sys\n"
        "from signoff.hosted.watch import observers\n"
        "from signoff.cli.shared.command import run_command\n"
        "observers.short = None\n"
        "sys.exit(run_command('work', ['--json']))"
    )
    broken = host.bench.root / "gate.py"
    whole = broken.read_text()
    broken.write_text("import sys; sys.exit('it fails')")
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=host.bench.root,
        env=host.bench.env,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 70, done
    error = json.loads(done.stdout)["error"]
    assert error["slug"] == "crash"
    assert "TypeError" in Path(error["crash_file"]).read_text()
    broken.write_text(whole)
    assert host.again("--json").document["step"] == "implement"


def test_without_hooks_nothing_of_them_is_loaded(bench: Bench) -> None:
    """A host waits for every import of every cycle."""
    host = calculator(bench)
    host.begin()
    script = (
        "import sys\n"
        "from signoff.cli.shared.command import run_command\n"
        "run_command('work', [])\n"
        "print([n for n in sys.modules if 'hook' in n or 'observers' in n or n == 'subprocess'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=bench.root,
        env=bench.env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "hook" not in "".join(host.journal().read_text().splitlines(keepends=True)[1:])
