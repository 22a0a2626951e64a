"""The tutorial on contracts does what it says: its blocks are run from top to bottom, as a reader would.

A block behind a line "Save this as `name`:" is written to that file. In a `console` block, a line that begins
with `$ ` is run by bash and what follows is what it must print; `…` stands for anything within a line, and
alone on a line for any number of lines. The folder and the last exit code are carried on, so `cd` and
`echo $?` mean what they mean at a prompt.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "first-contract.md"
PATH = os.environ["PATH"]
TIMEOUT_S = 60

_BLOCK = re.compile(
    r"(?:Save this as `(?P<name>[^`]+)`:\n\n)?^```(?P<tag>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class SavedFile(NamedTuple):
    """A file that the reader writes."""

    name: str
    text: str


class Command(NamedTuple):
    """A line that the reader types, and what the page says it prints."""

    line: str
    shown: str


class Prompt:
    """A reader's shell: each command begins where the last one ended."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._note = home / "folder"
        self._last = 0
        programs = home / "bin"
        programs.mkdir()
        for name, words in (("signoff", "-m signoff"), ("python", "")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
            program.chmod(0o755)
        self._env = {
            "PATH": f"{programs}{os.pathsep}{PATH}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            # Both streams go to one place, and what is said first must be there first.
            "PYTHONUNBUFFERED": "1",
        }

    def type(self, line: str) -> str:
        """Run a line; give what a terminal would show of both streams."""
        script = f'(exit {self._last})\n{line}\ncode=$?\npwd >"{self._note}"\nexit $code'
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
        self._last = done.returncode
        self.folder = Path(self._note.read_text().strip())
        return done.stdout.decode()


def steps(page: Path) -> Iterator[SavedFile | Command]:
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["name"]:
            yield SavedFile(block["name"], block["text"])
        elif block["tag"] == "console":
            for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
                yield Command(*part.split("\n", 1))
        else:
            raise AssertionError(f"neither typed nor saved: {block['text'][:60]}")


def matches(shown: str, printed: str) -> bool:
    if not shown:
        return printed == ""
    lines = (
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in shown.removesuffix("\n").split("\n")
    )
    return re.fullmatch("".join(lines), printed) is not None


def test_the_tutorial_on_contracts_runs_from_top_to_bottom(tmp_path: Path) -> None:
    """A reader who types what it says must see what it says; a page that lies teaches nothing."""
    place, home = tmp_path / "place", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    prompt = Prompt(place, home)
    done = list(steps(PAGE))

    for step in done:
        match step:
            case SavedFile(name, text):
                (prompt.folder / name).write_text(text, encoding="utf-8")
            case Command(line, shown):
                printed = prompt.type(line)
                assert matches(shown, printed), f"$ {line}\n--- shown\n{shown}--- printed\n{printed}"
    assert sum(isinstance(step, Command) for step in done) > 20


def test_what_a_page_shows_is_compared_and_not_skipped() -> None:
    """A wildcard that matched too much would make any page true."""
    assert matches("a …\n", "a b c\n")
    assert not matches("a …\n", "a b\nc\n")
    assert matches("…\nc\n", "a\nb\nc\n")
    assert not matches("…\nc\n", "a\nb\n")
    assert not matches("", "something\n")
    assert not matches("a.c\n", "abc\n")
