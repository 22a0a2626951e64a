"""Join the use cases and the adapters: the only module that names both, and the only reader of os.environ.

Nothing is built before it is needed; commands that need no repository never get here.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from signoff import __version__
from signoff.app.contract_verifying import Site
from signoff.app.kit import Kit
from signoff.app.preparing import working_settings
from signoff.checks.runner import Runner
from signoff.core.detect import detect
from signoff.core.secrets import redact
from signoff.domain.cassettes import Cassette
from signoff.domain.errors import UsageError
from signoff.domain.ports import Agent, Processes, Repository
from signoff.domain.settings import Settings
from signoff.host.clock import SystemClock
from signoff.host.git import find_git
from signoff.host.ids import Ulids
from signoff.host.interpreter import find_python
from signoff.host.locks import FileLock
from signoff.host.person import find_root
from signoff.host.process import ProcessDoor, ask
from signoff.host.repository import GitRepository
from signoff.host.working import WorkingTree, find_project, find_working_tree
from signoff.host.workplace import open_workplace
from signoff.storage.home import prepare
from signoff.storage.journal import Repair, repair
from signoff.storage.memory import NotesMemory
from signoff.storage.runs import JOURNAL, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.core.test_integrity.records import Reader

STATE_DIR = ".signoff"
_TAIL_BYTES = 4_000
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "USER", "LOGNAME", "SSL_CERT_FILE")


def scrubbed_environment() -> dict[str, str]:
    """Give what checks and agents may see of the environment; credentials are passed by name only."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def person() -> str:
    """Name who is at the keyboard, for the record."""
    return os.environ.get("SIGNOFF_BY") or os.environ.get("USER") or os.environ.get("LOGNAME") or "unknown"


def is_lively(stream: TextIO | None) -> bool:
    """Say whether a stream is a terminal on which a line can be drawn again."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class _Agents:
    """Loads the registry when the first agent is opened: most commands open none."""

    def __init__(
        self, processes: Processes, repository: Repository, env: dict[str, str], python: str
    ) -> None:
        self._tools = (processes, repository, env, python)

    def open(self, name: str, settings: Settings, cassette: Cassette | None) -> Agent:
        from signoff.agents.registry import AgentRegistry

        return AgentRegistry(*self._tools).open(name, settings, cassette)


def build(folder: str) -> Kit:
    """Build the ports for the repository that `folder` lies in."""
    env = scrubbed_environment()
    root = find_root(_existing(folder), env)
    state_dir = os.path.join(root, STATE_DIR)
    clock, ids, processes = SystemClock(), Ulids(), ProcessDoor()
    repository = GitRepository(root, state_dir, env)
    python = find_python(root, env, sys.executable)
    return Kit(
        root=root,
        clock=clock,
        ids=ids,
        processes=processes,
        repository=repository,
        checks=Runner(processes, clock, env, python),
        store=Store(state_dir, ids, clock),
        memory=NotesMemory(state_dir),
        agents=_Agents(processes, repository, dict(os.environ), python),
        engine_version=__version__,
    )


@contextmanager
def site(folder: str) -> Iterator[Site]:
    """Give everything for running checks here and now, in a repository or not; nothing of it is kept."""
    env = scrubbed_environment()
    with open_workplace(find_git(env), _existing(folder)) as place:
        clock, processes = SystemClock(), ProcessDoor()
        files = project(place.root)
        settings, _ = working_settings(files)
        yield Site(
            place=place,
            checks=Runner(processes, clock, env, find_python(place.root, env, sys.executable)),
            processes=processes,
            clock=clock,
            settings=settings,
            facts=detect(files.paths(), files.read, settings.checks),
            tail_of=_tail_of,
        )


def _tail_of(path: str) -> str:
    """Give the last of a log as text, cleaned of anything that looks like a secret."""
    try:
        with open(path, "rb") as file:
            data = redact(file.read())
    except FileNotFoundError:
        return ""
    return data[-_TAIL_BYTES:].decode("utf-8", "replace")


def working_tree(folder: str) -> WorkingTree:
    """Give the person's files in the repository that `folder` lies in."""
    return find_working_tree(find_git(scrubbed_environment()), _existing(folder))


def project(folder: str) -> WorkingTree:
    """Give the person's files around `folder`, whether in a repository or not."""
    return find_project(find_git(scrubbed_environment()), _existing(folder))


def prepare_home(root: str) -> tuple[str, ...]:
    """Make the state folder of a repository; give what was made."""
    return prepare(os.path.join(root, STATE_DIR))


def repair_journal(path: str) -> Repair:
    """Cut a torn last line off a log; one of a run only while nobody drives that run."""
    clock = SystemClock()
    beside = os.path.join(os.path.dirname(path), "lock")
    if os.path.basename(path) != JOURNAL or not os.path.exists(path):
        return repair(path)
    with FileLock(beside, what=f"the run of {path}", fix="wait for its driver, or stop it", clock=clock):
        return repair(path)


def test_readers() -> "dict[str, Reader]":
    """Give the readers of test files by ending, as far as the grammars for them are installed."""
    from signoff.checks.test_trees.registry import readers

    return readers()


def can_run_pytest(root: str) -> bool:
    """Say whether the interpreter that checks in `root` would use has pytest."""
    env = scrubbed_environment()
    python = find_python(root, env, sys.executable)
    return ask((python, "-c", "import pytest"), cwd=root, env=env, timeout_s=60).exit_code == 0


def _existing(folder: str) -> str:
    path = os.path.abspath(folder)
    if not os.path.isdir(path):
        raise UsageError(f"there is no folder {folder}", slug="root-missing", fix="-C DIR names a repository")
    return path
