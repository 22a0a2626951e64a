"""What `project.detection.stack_detection` and `project.detection.extra_checks` work on:
a tree by its paths and a way to read. Pure.
"""

import json
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

Reader = Callable[[str], bytes | None]
Argv = tuple[str, ...]


class CommandFound(NamedTuple):
    """A command and the file that names it."""

    kind: str
    argv: Argv
    source: str


class Tree(NamedTuple):
    """A tree under examination. Files that cannot be parsed become notes."""

    paths: frozenset[str]
    read: Reader
    notes: list[str]

    def text(self, path: str) -> bytes:
        """Return the bytes of a file, empty if there is no such file."""
        return (self.read(path) or b"") if path in self.paths else b""

    def toml(self, path: str) -> dict[str, Any]:
        """Return a file as TOML, empty if it is missing or broken."""
        try:
            return tomllib.loads(self.text(path).decode())
        except (ValueError, RecursionError):
            self._note(f"{path} cannot be parsed")
            return {}

    def json(self, path: str) -> dict[str, Any]:
        """Return a file as a JSON object, empty if it is missing or broken."""
        if path not in self.paths:
            return {}
        try:
            whole = json.loads(self.text(path))
        except (ValueError, RecursionError):
            whole = None
        if not isinstance(whole, dict):
            self._note(f"{path} cannot be parsed")
            return {}
        return whole

    def scripts(self) -> dict[str, str]:
        """Return the scripts of package.json that are not blank."""
        given = self.json("package.json").get("scripts")
        scripts: dict[str, Any] = given if isinstance(given, dict) else {}
        return {name: text for name, text in scripts.items() if isinstance(text, str) and text.strip()}

    def tools(self) -> dict[str, Any]:
        """Return the table `tool` of pyproject.toml."""
        tool = self.toml("pyproject.toml").get("tool", {})
        return tool if isinstance(tool, dict) else {}

    def note_second(self, found: CommandFound, table: str) -> None:
        """Note a command that is not run because another one of its kind is."""
        said = f"`{' '.join(found.argv)}` ({found.source})"
        self.notes.append(f"{said} is not run: one {found.kind} command is, see {table} {found.kind}")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
