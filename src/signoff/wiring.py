"""Join the use cases and the adapters: the only module that names both, and the only reader of os.environ.

Nothing is built or loaded before it is needed: a host that calls once per cycle waits for every import.
"""

import os
import sys
from contextlib import contextmanager

from signoff import __version__
from signoff.domain.base.errors import UsageError
from signoff.host.files.clock import SystemClock
from signoff.host.files.random_ids import Ulids
from signoff.storage.state_folder import prepare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TextIO

    from signoff.agents.registry import AgentRegistry
    from signoff.contracts.verification.check_run import CheckSite
    from signoff.domain.evidence.case_records import Reader
    from signoff.domain.ports import Agent, CheckRunner, Processes, Repository
    from signoff.domain.run.cassettes import Cassette
    from signoff.domain.work.budgets import PriceList
    from signoff.domain.work.settings import Settings
    from signoff.engine.run.kit import HostedKit, Kit
    from signoff.host.files.state_files import DiskStateFiles
    from signoff.host.places.change_trees import ChangeOnDisk as Change
    from signoff.host.places.working_tree import WorkingTree
    from signoff.project.readiness import DiagnosedProject
    from signoff.specs.spec_answers import SpecPlace
    from signoff.storage.journal import Repair

STATE_DIR = ".signoff"
_TAIL_BYTES = 4_000
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "USER", "LOGNAME", "SSL_CERT_FILE")


def scrubbed_environment() -> dict[str, str]:
    """Return the variables that checks and agents may see. Credentials are passed by name only."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def github_issue(reference: str) -> bytes:
    """Return the issue `gh:owner/repo#12` as JSON, read with the person's own `gh` and login."""
    from signoff.host.git.github import read_issue

    login = ("GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR", "XDG_CONFIG_HOME", "HTTPS_PROXY")
    return read_issue(
        reference, scrubbed_environment() | {name: os.environ[name] for name in login if name in os.environ}
    )


def written_at(path: str) -> str:
    """Return when a file was last written, for standard input the time now.

    A plan compiled twice gives the same bytes because of it.
    """
    from signoff.host.files.clock import written_at

    return SystemClock().now() if path == "-" else written_at(path)


def link_escapes(root: str) -> "Callable[[str], bool]":
    """Return a function that checks whether a path or glob below the root leads out of it through a link."""
    from signoff.host.files.link_escapes import Escapes

    return Escapes(root).leads_out


def find_spec(root: str, name: str) -> "SpecPlace":
    """Find a spec by its file, or by its id in this folder or one above it."""
    from signoff.host.places import spec_places

    return spec_places.find_spec(root, name)


def contract_folders(path: str, project: str) -> "Iterator[str]":
    """Yield the folders in which the sprint contracts of a spec may lie, the nearest first."""
    from signoff.host.places import spec_places

    return spec_places.contract_folders(path, project)


def person() -> str:
    """Return the name of the person at the keyboard, for the record."""
    return os.environ.get("SIGNOFF_BY") or os.environ.get("USER") or os.environ.get("LOGNAME") or "unknown"


def now() -> str:
    """Return the time as it is written into files."""
    return SystemClock().now()


def lock_around(path: str) -> "AbstractContextManager[None]":
    """Lock the folder of a file while it is read, changed and replaced. No lock file is left behind."""
    from signoff.host.files.locks import folder_lock

    return folder_lock(os.path.dirname(os.path.abspath(path)), what=path)


def lock_of_spec(folder: str, spec_id: str) -> "AbstractContextManager[object]":
    """Return the lock, in `folder`, that keeps two walks over a spec from starting the same sprint."""
    from signoff.host.files.locks import FileLock

    stem = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in spec_id)[:80]
    return FileLock(os.path.join(folder, f"{stem}.lock"), what=f"spec {spec_id}", slug="spec-locked")


def wants_telemetry() -> bool:
    """Check whether the ledger may be written. It stays on this machine either way."""
    return os.environ.get("SIGNOFF_TELEMETRY", "").strip().lower() not in ("off", "0", "false", "no")


def is_lively(stream: "TextIO | None") -> bool:
    """Check whether a stream is a terminal on which a line can be redrawn."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def may_colour(stream: "TextIO | None") -> bool:
    """Check whether text on this stream may be brighter or fainter: see https://no-color.org."""
    return is_lively(stream) and not os.environ.get("NO_COLOR")


class _Agents:
    """The registry of agents, loaded when the first one is opened: most commands open none."""

    def __init__(
        self, processes: "Processes", repository: "Repository", env: dict[str, str], python: str
    ) -> None:
        self._tools = (processes, repository, env, python)

    def names(self) -> frozenset[str]:
        return self._registry().names()

    def open(self, name: str, settings: "Settings", cassette: "Cassette | None") -> "Agent":
        return self._registry().open(name, settings, cassette)

    def _registry(self) -> "AgentRegistry":
        from signoff.agents.registry import AgentRegistry

        return AgentRegistry(*self._tools)


def build(folder: str, tell: "Callable[[str], None] | None" = None) -> "Kit":
    """Build the ports for the repository that `folder` lies in. `tell` gets the messages of hooks."""
    from signoff.checks.runner import Runner
    from signoff.engine.run.kit import Kit
    from signoff.host.git.person_repository import find_root
    from signoff.host.git.quick_git import top_of_repository
    from signoff.host.places.repository import GitRepository
    from signoff.host.processes.interpreter import find_python
    from signoff.host.processes.process_door import ProcessDoor
    from signoff.host.processes.program_search import PathMachine
    from signoff.storage.documents import DocumentFiles
    from signoff.storage.ledger import LedgerFile
    from signoff.storage.memory import NotesMemory
    from signoff.storage.runs import Store

    env = scrubbed_environment()
    start = _existing(folder)
    # Outside a repository a host may have left runs, which can be looked at.
    has_runs = os.path.isdir(os.path.join(start, STATE_DIR, "runs"))
    is_repository = not has_runs or top_of_repository(start) is not None
    root = find_root(start, env) if is_repository else start
    state_dir = os.path.join(root, STATE_DIR)
    clock, ids, processes = SystemClock(), Ulids(), ProcessDoor()
    repository = GitRepository(root, state_dir, env) if is_repository else _no_repository(root)
    python = find_python(root, env, sys.executable)
    checks = Runner(processes, clock, env, python)
    return Kit(
        root=root,
        clock=clock,
        ids=ids,
        processes=processes,
        repository=repository,
        checks=lambda: checks,
        store=Store(state_dir, ids, clock),
        memory=NotesMemory(state_dir),
        documents=DocumentFiles(state_dir),
        agents=_Agents(processes, repository, dict(os.environ), python),
        machine=PathMachine(env),
        engine_version=__version__,
        prompts=prompt_texts,
        prices=price_list,
        credentials=_credentials,
        run_program=lambda words, stdin, timeout_s: _run_program(root, env, words, stdin, timeout_s),
        hosted=lambda: build_hosted(folder, tell),
        ledger=LedgerFile(state_dir, clock, is_on=wants_telemetry()),
    )


def _credentials(names: tuple[str, ...]) -> tuple[str, ...]:
    from signoff.agents.environment import secrets_in

    return secrets_in(os.environ, names)


def prompt_texts() -> dict[str, str]:
    """Read the prompts of agents, by the name of their file."""
    import signoff.prompts

    folder = os.path.dirname(signoff.prompts.__file__)
    texts = {}
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".md")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts[name.removesuffix(".md")] = file.read()
    return texts


def price_list() -> "PriceList":
    """Read the prices of models."""
    import msgspec

    import signoff.prices
    from signoff.domain.work.budgets import PriceList

    path = os.path.join(os.path.dirname(signoff.prices.__file__), "models.json")
    with open(path, "rb") as file:
        return msgspec.json.decode(file.read(), type=PriceList)


def _no_repository(root: str) -> "Repository":
    from typing import cast

    from signoff.host.git.no_repository import NoRepository

    return cast("Repository", NoRepository(root))


def build_hosted(folder: str, tell: "Callable[[str], None] | None" = None) -> "HostedKit":
    """Build the ports for the folder a host works in, in a repository or not."""
    from signoff.engine.run.kit import HostedKit
    from signoff.host.git.quick_git import top_of_repository
    from signoff.host.places.host_folders import FolderPlace, GitPlace
    from signoff.storage.links import LinkStore
    from signoff.storage.memory import NotesMemory
    from signoff.storage.runs import Store

    env = scrubbed_environment()
    start = _existing(folder)
    top = top_of_repository(start)
    root = top or start
    state_dir = os.path.join(root, STATE_DIR)
    clock, ids = SystemClock(), Ulids()
    return HostedKit(
        root=root,
        clock=clock,
        ids=ids,
        store=Store(state_dir, ids, clock),
        links=LinkStore(state_dir, clock),
        place=GitPlace(lambda: _repository(root, state_dir, env), root, env) if top else FolderPlace(root),
        memory=NotesMemory(state_dir),
        checks=lambda: _runner(root, env, clock),
        engine_version=__version__,
        test_readers=test_readers,
        run_program=lambda words, stdin, timeout_s: _run_program(root, env, words, stdin, timeout_s),
        tell=tell or (lambda _text: None),
    )


def _run_program(
    root: str, env: dict[str, str], words: tuple[str, ...], stdin: bytes, timeout_s: float
) -> tuple[int, bytes]:
    from signoff.host.processes.process_door import ask

    ended = ask(words, cwd=root, env=env, stdin=stdin, timeout_s=timeout_s)
    return ended.exit_code, ended.stderr


def _repository(root: str, state_dir: str, env: dict[str, str]) -> "Repository":
    from signoff.host.places.repository import GitRepository

    return GitRepository(root, state_dir, env)


def _runner(root: str, env: dict[str, str], clock: SystemClock) -> "CheckRunner":
    from signoff.checks.runner import Runner
    from signoff.host.processes.interpreter import find_python
    from signoff.host.processes.process_door import ProcessDoor

    return Runner(ProcessDoor(), clock, env, find_python(root, env, sys.executable))


@contextmanager
def site(folder: str) -> "Iterator[CheckSite]":
    """Yield what runs checks here and now, in a repository or not. Nothing of it is kept."""
    from signoff.checks.runner import Runner
    from signoff.contracts.verification.check_run import CheckSite
    from signoff.host.git.git_door import find_git
    from signoff.host.places.workplace import open_workplace
    from signoff.host.processes.interpreter import find_python
    from signoff.host.processes.process_door import ProcessDoor
    from signoff.project.detection.stack_detection import detect
    from signoff.project.settings.repository_setup import working_settings

    env = scrubbed_environment()
    with open_workplace(find_git(env), _existing(folder)) as place:
        clock, processes = SystemClock(), ProcessDoor()
        files = project(place.root)
        settings, _ = working_settings(files)
        yield CheckSite(
            place=place,
            checks=Runner(processes, clock, env, find_python(place.root, env, sys.executable)),
            processes=processes,
            clock=clock,
            settings=settings,
            facts=detect(files.paths(), files.read, settings.checks),
            tail_of=_tail_of,
        )


def _tail_of(path: str) -> str:
    """Return the end of a log as text, with everything that looks like a secret redacted."""
    from signoff.host.files.durable_files import read_if_there
    from signoff.text.redaction import redact

    return redact(read_if_there(path) or b"")[-_TAIL_BYTES:].decode("utf-8", "replace")


def working_tree(folder: str) -> "WorkingTree":
    """Return the person's files in the repository that `folder` lies in."""
    from signoff.host.git.git_door import find_git
    from signoff.host.places.working_tree import find_working_tree

    return find_working_tree(find_git(scrubbed_environment()), _existing(folder))


def change_here(folder: str, revision: str | None) -> "AbstractContextManager[Change]":
    """Return the files around `folder` and where they left `revision`, to be compared as two trees.

    Without a revision, the main line is looked for: see `signoff.host.places.change_trees`.
    """
    from signoff.host.git.git_door import find_git
    from signoff.host.places.change_trees import change_here

    return change_here(find_git(scrubbed_environment()), _existing(folder), revision)


def change_between(before: str, after: str) -> "AbstractContextManager[Change]":
    """Return two folders, to be compared as two trees, in a repository or not."""
    from signoff.host.git.git_door import find_git
    from signoff.host.places.change_trees import change_between

    return change_between(find_git(scrubbed_environment()), before, after)


def write_file(path: str, data: bytes, mode: int) -> None:
    """Replace a file that a person named. The old one or the new one is there, never a piece."""
    from signoff.host.files.durable_files import write_atomic

    write_atomic(path, data, mode)


def append_line(path: str, line: bytes) -> None:
    """Append a line to a file that a person keeps."""
    from signoff.host.files.durable_files import append_line

    append_line(path, line)


def project(folder: str) -> "WorkingTree":
    """Return the person's files around `folder`, in a repository or not."""
    from signoff.host.git.git_door import find_git
    from signoff.host.places.working_tree import find_project

    return find_project(find_git(scrubbed_environment()), _existing(folder))


def staged_diff(folder: str) -> str:
    """Return what is staged in the repository around `folder`, as a diff."""
    from signoff.host.git.git_door import find_git
    from signoff.host.places import change_trees

    return change_trees.staged_diff(find_git(scrubbed_environment()), folder)


def prepare_home(root: str) -> tuple[str, ...]:
    """Make the state folder of a repository and return the paths that were made."""
    return prepare(os.path.join(root, STATE_DIR))


def state_files() -> "DiskStateFiles":
    """Return the files in which hosts keep the state of their work."""
    from signoff.host.files.state_files import DiskStateFiles

    return DiskStateFiles()


def repair_journal(path: str) -> "Repair":
    """Cut a torn last line off a log. The journal of a run is locked first, as its driver would."""
    from signoff.host.files.locks import FileLock
    from signoff.storage.journal import repair
    from signoff.storage.runs import JOURNAL

    clock = SystemClock()
    beside = os.path.join(os.path.dirname(path), "lock")
    if os.path.basename(path) != JOURNAL or not os.path.exists(path):
        return repair(path)
    with FileLock(beside, what=f"the run of {path}", fix="wait for its driver, or stop it", clock=clock):
        return repair(path)


def test_readers() -> "dict[str, Reader]":
    """Return the readers of test files by file ending, as far as their grammars are installed."""
    from signoff.checks.test_trees.registry import readers

    return readers()


def ground_of(folder: str) -> "DiagnosedProject":
    """Return everything that `doctor` examines. Nothing is asked before it is examined."""
    from signoff.agents.profiles.tested import TESTED
    from signoff.host.git.git_door import find_git, version_of_git
    from signoff.host.git.person_repository import find_root
    from signoff.host.git.quick_git import read_base
    from signoff.host.processes.program_search import PathMachine
    from signoff.host.processes.sandbox_launch import offer
    from signoff.project.readiness import DiagnosedProject
    from signoff.project.settings.repository_setup import working_settings

    env = scrubbed_environment()
    start = _existing(folder)

    def repository() -> str:
        root = find_root(start, env)
        commit = read_base(root, env).commit
        return f"{root}, at {commit[:12]}" if commit else f"{root}, without commits"

    return DiagnosedProject(
        machine=PathMachine(env),
        python=sys.version_info[:3],
        git=lambda: version_of_git(find_git(env)),
        repository=repository,
        settings=lambda: working_settings(project(start)),
        sandbox=offer,
        tested=TESTED,
    )


def can_run_pytest(root: str) -> bool:
    """Check whether the interpreter that checks in `root` would use has pytest."""
    from signoff.host.processes.interpreter import find_python
    from signoff.host.processes.process_door import ask

    env = scrubbed_environment()
    python = find_python(root, env, sys.executable)
    return ask((python, "-c", "import pytest"), cwd=root, env=env, timeout_s=60).exit_code == 0


def _existing(folder: str) -> str:
    path = os.path.abspath(folder)
    if not os.path.isdir(path):
        raise UsageError(
            f"there is no folder {folder}", slug="root-missing", fix="name an existing folder with -C DIR"
        )
    return path
