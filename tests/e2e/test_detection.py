"""No agent is named: the first coding agent on PATH does the work, and it is said aloud."""

import shutil
import time
from pathlib import Path

import pytest
from clibench import Bench
from standin import Desk


class Bare(Desk):
    """A machine on which PATH holds git and what a test puts there."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        for name in ("git", "sh"):
            (self.bin / name).symlink_to(Path(str(shutil.which(name))))
        (self.bin / "claude").rename(self.bin.parent / "claude")

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "PATH": str(self.bin)}

    def install(self, name: str, script: str = "") -> None:
        """Put the stand-in, or a script, on PATH under this name."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n" if script else (self.bin.parent / "claude").read_text())
        path.chmod(0o755)


@pytest.fixture
def bare(bench: Bench) -> Bare:
    return Bare(bench)


def test_the_first_agent_on_path_is_used_and_said_aloud(bare: Bare) -> None:
    """Claude Code comes before Codex, whichever was installed first."""
    bare.install("codex", "exit 1")
    bare.install("claude")
    ran = bare("run", bare.ticket(), "--yes", "--json")
    assert ran.code == 0, ran
    assert "using claude 2.1.325, found on PATH; --agent to choose" in ran.err
    assert "not the version" not in ran.err
    assert len(bare.calls) == 3


def test_without_any_on_path_it_is_said_what_was_looked_for(bare: Bare) -> None:
    """Before anything starts, and with what may be done."""
    ran = bare("run", bare.ticket(), "--json")
    error = ran.document["error"]
    assert (ran.code, error["slug"]) == (2, "agent-missing")
    assert "claude, codex" in error["why"]
    assert not (bare.root / ".signoff" / "runs").exists()


def test_how_an_agent_is_started_without_its_name_is_not_overruled_by_one_that_is_found(bare: Bare) -> None:
    """The person meant another."""
    bare.install("claude")
    bare.commit(signoff_dot_toml='[agent]\ncommand = ["my-agent"]\n')
    ran = bare("run", bare.ticket(), "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (2, "agent-missing")


def test_another_version_than_the_tested_one_is_noted_and_no_error(bare: Bare) -> None:
    """At the start of a run, and by the doctor."""
    bare.install("claude")
    program = bare.bin / "claude"
    program.write_text(program.read_text().replace("2.1.325 (", "3.0.1 ("))
    ran = bare("run", bare.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0, ran
    assert "note: Claude Code 3.0.1 is not the version that was tested, which is 2.1.325" in ran.err
    assert "found on PATH" not in ran.err
    checks = {check["name"]: check for check in bare("doctor", "--json").document["checks"]}
    assert "which is 2.1.325" in checks["agent claude"]["detail"]
    assert checks["agent claude"]["ok"] is True


def test_a_program_that_does_not_say_its_version_is_not_waited_for(bare: Bare) -> None:
    """A run must not hang before it begins; hosted runs ask no program at all."""
    bare.install(
        "claude", f'echo >> "{bare.bin}/asked"; [ "$1" = --version ] && exec "{shutil.which("sleep")}" 60'
    )
    began = time.monotonic()
    assert bare("run", bare.ticket(), "--agent", "hosted", "--json").code == 4
    assert not (bare.bin / "asked").exists()
    bare.commit(signoff_dot_toml="[limits]\nretries = 0\n")
    ran = bare("run", bare.ticket(), "--agent", "claude", "--yes", "--json")
    assert "does not say its version" in ran.err
    assert time.monotonic() - began < 40
