"""Lookup of programs on this machine, and of their versions."""

import shutil
from collections.abc import Mapping

from signoff.domain.base.errors import InfrastructureError
from signoff.host.processes.process_door import ask

_LIMIT_S = 3.0
"""A version is only worth a note, so not worth a longer wait."""


class PathMachine:
    """Programs on a PATH, which are only ever asked for their version."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)

    def find(self, program: str) -> str | None:
        """Return the path of a program on PATH, or None."""
        return shutil.which(program, path=self._env.get("PATH", ""))

    def version_said(self, program: tuple[str, ...]) -> str:
        """Return the first line of `program --version`, or "" if it does not answer in time."""
        try:
            return self._first_line((*program, "--version"), _LIMIT_S)
        except InfrastructureError:
            return ""

    def version_of(self, program: str) -> str | None:
        """Return the first line that `program --version` prints, or None if it is not on PATH.

        Raises InfrastructureError if it cannot be run or does not end in time.
        """
        path = self.find(program)
        return None if path is None else self._first_line((path, "--version"), _LIMIT_S)

    def _first_line(self, words: tuple[str, ...], timeout_s: float) -> str:
        answer = ask(words, cwd="/", env=self._env, timeout_s=timeout_s)
        lines = (answer.stdout or answer.stderr).decode("utf-8", "replace").strip().splitlines()
        return lines[0].strip() if lines else ""
