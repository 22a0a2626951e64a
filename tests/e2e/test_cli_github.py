"""Tickets from GitHub, by way of a `gh` that stands in for the real one."""

from pathlib import Path

import pytest
from clibench import PATH, Bench

ISSUE = (
    '{"number": 12, "title": "A greeting", '
    '"body": "## Acceptance criteria\\n\\n- `hello.txt` holds the word `hello`\\n"}'
)


class Desk(Bench):
    """A repository on a machine that has a `gh`."""

    def has(self, script: str) -> None:
        """Put a `gh` on the PATH that does this."""
        program = self.bin / "gh"
        self.bin.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    @property
    def bin(self) -> Path:
        return self.root.parent / "bin"

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "PATH": f"{self.bin}:{PATH}", "GH_TOKEN": "login"}


@pytest.fixture
def desk(bench: Bench) -> Desk:
    return Desk(bench.root, bench.home)


def test_an_issue_is_a_ticket(desk: Desk) -> None:
    """It is asked for with the person's login, and for what a ticket is made of."""
    (desk.root.parent / "issue.json").write_text(ISSUE)
    desk.has(f'echo "$GH_TOKEN $*" > "{desk.root.parent}/asked"; cat "{desk.root.parent}/issue.json"')

    ran = desk("run", "gh:ada/shop#12", "--agent", "hosted", "--json")

    assert ran.code == 4, ran.err
    assert "#12 A greeting" in ran.err
    asked = (desk.root.parent / "asked").read_text()
    assert asked == "login issue view 12 --repo ada/shop --json number,title,body\n"


@pytest.mark.parametrize("name", ["gh:", "gh:12", "gh:ada/shop", "gh:ada/shop#", "gh:--web/s#1", "gh:a/b#x"])
def test_what_is_no_reference_is_refused(desk: Desk, name: str) -> None:
    desk.has("echo asked >&2; exit 9")

    ran = desk("run", name, "--agent", "hosted")

    assert ran.code == 2
    assert "error[ticket-reference]" in ran.err


def test_what_gh_says_is_passed_on(desk: Desk) -> None:
    desk.has('echo "Could not resolve to an issue" >&2; exit 1')

    ran = desk("run", "gh:ada/shop#99", "--agent", "hosted")

    assert ran.code == 2
    assert "Could not resolve to an issue" in ran.err


def test_without_gh_nothing_is_judged(desk: Desk) -> None:
    """A missing program is a matter of the machine."""
    if any((Path(folder) / "gh").exists() for folder in PATH.split(":")):
        pytest.skip("this machine has a gh")

    ran = desk("run", "gh:ada/shop#12", "--agent", "hosted")

    assert ran.code == 5
    assert "error[tool-missing]" in ran.err
