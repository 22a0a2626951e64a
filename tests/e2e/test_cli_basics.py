"""What every command does alike: help, JSON, exit codes, and what happens when something goes wrong."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clibench import Bench, Ran, driving

from signoff.commands import COMMANDS

BARE = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def python(*words: str, cwd: Path, **env: str) -> Ran:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**BARE, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def signoff(*words: str, cwd: Path, **env: str) -> Ran:
    return python("-m", "signoff", *words, cwd=cwd, **env)


def test_the_installed_script_is_this_program(tmp_path: Path) -> None:
    script = os.path.join(os.path.dirname(sys.executable), "signoff")

    said = subprocess.run([script, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert said.stdout == signoff("--version", cwd=tmp_path).out
    assert signoff("--version", "--json", cwd=tmp_path).document["version"] in said.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name: str, tmp_path: Path) -> None:
    said = signoff(name, "--help", cwd=tmp_path)

    assert said.code == 0
    assert f"signoff {name}" in said.out.partition("examples:")[2]
    assert "--json" in said.out
    assert "--root" in said.out


def test_the_list_of_commands_names_them_all(tmp_path: Path) -> None:
    said = signoff("--help", cwd=tmp_path)

    assert said.code == 0
    assert all(f"\n  {name} " in said.out for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (["deliver"], "command-unknown"),
        (["run"], "ticket-missing"),
        (["run", "no-such-ticket.md"], "file-unreadable"),
        (["run", "--bogus"], "usage"),
        (["runs", "dance"], "usage"),
        (["runs", "show"], "not-a-repository"),
        (["status"], "not-a-repository"),
        (["report"], "usage"),
        (["report", "latest", "--rerun"], "usage"),
        (["init"], "not-a-repository"),
        (["journal", "check", "nowhere.jsonl"], "file-unreadable"),
        (["config", "show", "-C", "nowhere"], "root-missing"),
    ],
)
def test_an_error_is_one_document_and_exit_2(words: list[str], slug: str, tmp_path: Path) -> None:
    said = signoff(*words, "--json", cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path))

    assert said.code == 2
    assert said.document["error"]["slug"] == slug
    assert f"error[{slug}]" in said.err
    assert "fix:" in said.err


def test_options_may_stand_before_the_command(bench: Bench) -> None:
    said = bench("--json", "-C", bench.root, "runs", cwd=bench.root.parent)

    assert said.document == {"runs": []}


CRASH = """
import sys
from signoff.cli.deliver import status
def broken(options, say):
    raise {error}
status.run = broken
from signoff.__main__ import main
sys.exit(main(["status", *sys.argv[1:]]))
"""


def test_our_own_bug_exits_70_and_leaves_its_traceback_in_a_file(bench: Bench) -> None:
    bench("init")
    crash = CRASH.format(error="ZeroDivisionError('half of nothing')")

    said = python("-c", crash, "--json", cwd=bench.root)

    assert said.code == 70
    path = Path(said.document["error"]["crash_file"])
    assert path.parent == bench.root / ".signoff" / "crashes"
    assert str(path) in said.err
    assert "ZeroDivisionError: half of nothing" in path.read_text()
    assert "Traceback" not in said.err


def test_a_crash_file_holds_no_credential(tmp_path: Path) -> None:
    """An argument or an exception may hold one, and people attach crash files to bug reports."""
    token = "ghp_" + "a1B2" * 9
    crash = CRASH.format(error=f"KeyError('{token}')")

    said = python("-c", crash, "--json", "--", token, cwd=tmp_path, TMPDIR=str(tmp_path))

    text = Path(said.document["error"]["crash_file"]).read_text()
    assert "KeyError" in text
    assert token not in text


def test_a_crash_outside_a_repository_is_kept_too_and_makes_no_state_folder(tmp_path: Path) -> None:
    said = python("-c", CRASH.format(error="KeyError('x')"), "--json", cwd=tmp_path, TMPDIR=str(tmp_path))

    assert said.code == 70
    assert Path(said.document["error"]["crash_file"]).parent == tmp_path
    assert not (tmp_path / ".signoff").exists()


def test_ctrl_c_exits_130(tmp_path: Path) -> None:
    said = python("-c", CRASH.format(error="KeyboardInterrupt"), "--json", cwd=tmp_path)

    assert said.code == 130
    assert said.document["error"]["slug"] == "interrupted"


def test_a_disk_that_refuses_is_not_our_bug(tmp_path: Path) -> None:
    crash = CRASH.format(error="PermissionError(13, 'Permission denied', '/there')")

    said = python("-c", crash, "--json", cwd=tmp_path)

    assert said.code == 5
    assert said.document["error"]["slug"] == "machine-refused"
    assert "/there" in said.err


def test_a_reader_that_goes_away_changes_nothing_about_the_exit_code(delivered: Bench) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "signoff", "report", "latest", "--verify"],
        cwd=delivered.root,
        env=delivered.env,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_that_knows_no_check_marks_is_no_reason_to_fail(delivered: Bench) -> None:
    env = {**delivered.env, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "signoff", "report", "latest"],
        cwd=delivered.root,
        env=env,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    assert b"\\u2713 proven" in done.stdout


def imported(*words: str, cwd: Path) -> set[str]:
    """Name the modules a command loads."""
    said = python("-X", "importtime", "-m", "signoff", *words, cwd=cwd)
    return {
        line.rpartition("|")[2].strip() for line in said.err.splitlines() if line.startswith("import time")
    }


def test_the_version_needs_nothing_but_the_entry_point(tmp_path: Path) -> None:
    loaded = imported("--version", cwd=tmp_path)

    assert {name for name in loaded if name.startswith("signoff")} == {"signoff", "signoff.commands"}


def test_checking_a_journal_loads_neither_argparse_nor_msgspec_nor_typing(delivered: Bench) -> None:
    (journal,) = delivered.root.glob(".signoff/runs/*/journal.jsonl")

    loaded = imported("journal", "check", str(journal), cwd=delivered.root)

    assert not loaded & {"argparse", "msgspec", "typing", "subprocess", "tempfile", "signoff.wiring"}
    assert not {
        name for name in loaded if name.startswith(("signoff.runs", "signoff.delivery", "signoff.domain"))
    }


def test_a_run_stopped_by_a_signal_rests_in_good_order(bench: Bench) -> None:
    with driving(bench) as driver:
        driver.send_signal(signal.SIGINT)
        out, _ = driver.communicate(timeout=60)

    assert driver.returncode == 130
    assert json.loads(out)["outcome"] == "stopped"
    assert bench("status", "--json").document["outcome"] == "stopped"
    assert bench("runs", "replay", "latest").code == 0
