"""A person's repository in a temporary folder, with real git, for the tests beside this file."""

import os
import subprocess
from pathlib import Path

from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.domain.machine.trees import Base, Capture
from signoff.domain.ports import Repository
from signoff.host.places.repository import GitRepository

WHEN = "2026-01-02T03:04:05.678Z"


class Bench:
    """A repository whose path has a space and a letter outside ASCII, as a matter of course."""

    def __init__(self, tmp_path: Path, name: str = "the répo", files: dict[str, str] | None = None) -> None:
        self.home = tmp_path / "home"
        self.home.mkdir()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        self.root = tmp_path / name
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        if files is not None:
            self.commit(files)

    @property
    def repository(self) -> GitRepository:
        return GitRepository(str(self.root), str(self.root / ".signoff"), self.env)

    def git(self, *args: str, cwd: Path | str | None = None, stdin: bytes = b"", **env: str) -> str:
        """Run ordinary git as the person or as the agent would."""
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        done = subprocess.run(
            ("git", *identity, "-c", "protocol.file.allow=always", *args),
            cwd=cwd or self.root,
            env={**self.env, "GIT_CONFIG_NOSYSTEM": "1", **env},
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: dict[str, str], folder: Path | str | None = None) -> None:
        for path, content in files.items():
            place = Path(folder or self.root) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode("utf-8", "surrogateescape"))

    def commit(self, files: dict[str, str], message: str = "work") -> str:
        self.write(files)
        self.git("add", "-A", "-f", "--", ".", ":!.signoff")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


class Agent:
    """A checkout of the bench's HEAD, and what is captured from it."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.repository: Repository = bench.repository
        self.base: Base = self.repository.base()
        self.folder = Path(self.repository.checkout("run/T1/attempt-1", self.base.commit))

    def write(self, files: dict[str, str]) -> None:
        self.bench.write(files, self.folder)

    def git(self, *args: str) -> str:
        return self.bench.git(*args, cwd=self.folder)

    def capture(self) -> Capture:
        return self.repository.capture(str(self.folder), self.base.tree)

    def files(self) -> dict[str, str]:
        """Give the captured tree as path → mode, and insist that there was no problem."""
        captured = self.capture()
        assert captured.problems == ()
        return modes(self.repository, captured.tree)

    def problems(self) -> list[tuple[str, str]]:
        return [(str(problem.kind), problem.path) for problem in self.capture().problems]


def modes(repository: Repository, tree: TreeId) -> dict[str, str]:
    return {entry.path: entry.mode for entry in repository.entries(tree)}


def commit_files(repository: Repository, base: Base, folder: str, message: str = "task") -> CommitId:
    """Capture a checkout and commit it on top of the base, as the engine does after a task."""
    captured = repository.capture(folder, base.tree)
    assert captured.problems == ()
    return repository.commit(captured.tree, (base.commit,), message, WHEN)
