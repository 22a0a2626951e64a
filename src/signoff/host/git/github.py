"""An issue on GitHub as a ticket, read with the person's own `gh`, which has their login."""

import re
import shutil
from collections.abc import Mapping

from signoff.domain.base.errors import ConfigError, InfrastructureError, UsageError
from signoff.host.processes.process_door import ask

_REFERENCE = re.compile(r"gh:(?P<repository>(?!-)[\w.-]+/[\w.-]+)#(?P<number>[0-9]{1,12})", re.ASCII)
_ASKING_S = 30.0
_LONGEST_SAYING = 300


def read_issue(reference: str, env: Mapping[str, str]) -> bytes:
    """Return an issue as `gh` exports it. `reference` looks like `gh:owner/repo#12`."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise UsageError(
            f"{reference} does not name an issue", slug="ticket-reference", fix="write it as gh:owner/repo#12"
        )
    program = shutil.which("gh", path=env.get("PATH", ""))
    if program is None:
        raise InfrastructureError(
            "gh was not found",
            slug="tool-missing",
            why="issues are read with GitHub's own program, which has your login",
            fix="install gh and log in with `gh auth login`, or give the ticket as a file",
        )
    words = (program, "issue", "view", found["number"], "--repo", found["repository"])
    said = ask((*words, "--json", "number,title,body"), cwd="/", env=dict(env), timeout_s=_ASKING_S)
    if said.exit_code != 0:
        raise ConfigError(
            f"{reference} cannot be read",
            slug="ticket-unreachable",
            why=" ".join(said.stderr.decode(errors="replace").split())[:_LONGEST_SAYING]
            or "gh printed no reason",
            fix=f"find the cause with: gh issue view {found['number']} --repo {found['repository']}",
        )
    return said.stdout
