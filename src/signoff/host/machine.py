"""What programs there are on this machine."""

import shutil
from collections.abc import Mapping

from signoff.domain.errors import InfrastructureError
from signoff.host.process import ask

_ASKING_S = 15.0


class PathMachine:
    """Programs on a PATH; asked for their version and nothing else."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)

    def version_of(self, program: str) -> str | None:
        """Give the first line that `program --version` prints; None where it is not on PATH."""
        path = shutil.which(program, path=self._env.get("PATH", ""))
        if path is None:
            return None
        try:
            answer = ask((path, "--version"), cwd="/", env=self._env, timeout_s=_ASKING_S)
        except InfrastructureError as error:
            return f"it does not answer: {error.why or error.what}"
        lines = (answer.stdout or answer.stderr).decode("utf-8", "replace").strip().splitlines()
        return lines[0].strip() if lines else ""
