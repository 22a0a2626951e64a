"""The installed program in temporary repositories: no network, no home directory, no real agent.

The repository of most tests is a tiny one without a test command, so that a whole delivery takes a second:
its ticket wants two files, its contract two tasks, and each is shown by a file that is there.
"""

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PATH = os.environ["PATH"]
TICKET = """# NOTE-1: A greeting and a farewell

## Acceptance criteria

- `hello.txt` holds the word `hello`
- `bye.txt` holds the word `bye`
"""
TIMEOUT_S = 90


class Ran(NamedTuple):
    """One command that came to its end."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; anything beside it fails here."""
        return json.loads(self.out)


class Bench:
    """A repository and the program in it."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home

    @property
    def env(self) -> dict[str, str]:
        return {"PATH": PATH, "HOME": str(self.home), "LANG": "C.UTF-8", "USER": "ada"}

    def __call__(self, *words: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> Ran:
        """Run a command without a terminal."""
        done = subprocess.run(
            [sys.executable, "-m", "signoff", *map(str, words)],
            cwd=cwd or self.root,
            env=self.env,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def git(self, *words: str) -> str:
        """Run git here as the person."""
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
        done = subprocess.run(
            ["git", *who, *words], cwd=self.root, env=self.env, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, **files: str) -> None:
        """Write files (`a__b` is a/b) and commit everything."""
        for name, content in files.items():
            path = self.root / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self.git("add", "--all")
        self.git("commit", "-qm", "work")

    def start(self, *words: str) -> Ran:
        """Start a hosted run of the tiny ticket."""
        return self("run", self.ticket(), "--agent", "hosted", *words)

    def ticket(self) -> Path:
        path = self.root.parent / "ticket.md"
        path.write_text(TICKET)
        return path

    def submit(self, answer: object, *words: str) -> Ran:
        return self("submit", "latest", "-", *words, stdin=json.dumps(answer).encode())

    def work(self, task: str, name: str, content: str) -> Ran:
        """Do one task of the tiny contract as its agent, and hand it in."""
        halts = self("status", "--json").document["halts"]
        halt = next(halt for halt in halts if halt["id"].startswith(f"implement/{task}/"))
        (Path(halt["checkout"]) / name).write_text(content)
        return self.submit({"kind": "done"}, "--directive", halt["id"], "--resume", "--json")

    def run_folder(self, run_id: str) -> Path:
        return self.root / ".signoff" / "runs" / run_id

    def typed(self, *words: str, say: tuple[tuple[str, str], ...] = ()) -> Ran:
        """Run a command on a terminal of its own; for each pair, wait for the prompt and type the answer."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "signoff", *words],
            cwd=self.root,
            env={**self.env, "TERM": "dumb"},
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        seen = _converse(ours, process, list(say))
        out = process.communicate(timeout=TIMEOUT_S)[0]
        os.close(ours)
        return Ran(process.returncode, out.decode(), seen)


def _converse(ours: int, process: "subprocess.Popen[bytes]", say: list[tuple[str, str]]) -> str:
    seen, asked, deadline = "", 0, time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        ready = select.select([ours], [], [], 0.1)[0]
        try:
            chunk = os.read(ours, 4096) if ready else b""
        except OSError:  # EIO: the other side is closed
            break
        seen += chunk.decode(errors="replace")
        if say and say[0][0] in seen[asked:] and seen.endswith("> "):
            asked = len(seen)
            os.write(ours, say.pop(0)[1].encode() + b"\n")
        if not ready and process.poll() is not None:
            break
    assert not say, f"never asked for {say[0][0]!r}: {seen}"
    return seen


def contract(**changes: object) -> dict[str, Any]:
    """Give the plan of the tiny ticket."""
    return {
        "version": 1,
        "phase": 1,
        "goal": "The repository greets and says goodbye",
        "why": "Somebody asked for it",
        "generated_at": "2026-01-01T09:00:00Z",
        "generated_by": "planner",
        "tasks": [task("T1", "hello"), task("T2", "bye")],
        "success_criteria": [
            {
                "id": "greets",
                "description": "hello.txt is there and holds the word hello",
                "proven_by": ["T1/file"],
            },
            {
                "id": "leaves",
                "description": "bye.txt is there and holds the word bye",
                "proven_by": ["T2/file"],
            },
        ],
        "non_goals": [{"id": "readme", "description": "README is left alone", "untouched": ["README.md"]}],
        "stop_conditions": [
            {"id": "both", "description": "Both are there", "proven_by": ["T1/file", "T2/file"]}
        ],
        "definition_of_done": "Both files are merged and hold their word",
        "assumptions": ["Plain text will do"],
        "out_of_scope": ["Other languages"],
        "ambiguity_score": 1,
        **changes,
    }


def task(name: str, word: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Say {word}",
        "wave": 1,
        "files_create": [f"{word}.txt"],
        "action": f"Write the word {word} into {word}.txt",
        "verification": [
            {"type": "file-exists", "id": f"{name}/file", "path": f"{word}.txt", "must_contain": word}
        ],
    }


def plan(**changes: object) -> dict[str, Any]:
    return {"kind": "plan", "contract": contract(**changes)}


def cassette() -> dict[str, Any]:
    """Give a recorded agent that does the tiny ticket."""
    entries = [{"key": "plan/attempt-1/dispatch-1", "answer": plan()}]
    for name, word in (("T1", "hello"), ("T2", "bye")):
        key = f"implement/{name}/attempt-1/dispatch-1"
        entries.append({"key": key, "answer": {"kind": "done"}, "files": {f"{word}.txt": f"{word}\n"}})
    return {"version": 1, "name": "says hello and bye", "entries": entries}


def empty_bench(folder: Path, name: str = "repo") -> Bench:
    root, home = folder / name, folder / "home"
    root.mkdir()
    home.mkdir(exist_ok=True)
    made = Bench(root, home)
    made.git("init", "-q", "-b", "main")
    return made


def deliver(bench: Bench, second: str = "bye\n") -> Ran:
    """Take the tiny ticket from the first word to the end, as a host does; the plan is approved by policy."""
    bench.start("--yes")
    planned = bench.submit(plan(), "--resume", "--json")
    assert planned.code == 4, planned.err
    bench.work("T1", "hello.txt", "hello\n")
    return bench.work("T2", "bye.txt", second)


@contextmanager
def driving(bench: Bench) -> Iterator["subprocess.Popen[bytes]"]:
    """A driver whose agent thinks for a long time."""
    agent = [sys.executable, "-c", "import time; time.sleep(600)"]
    bench.commit(signoff_dot_toml=f'[agent]\nname = "command"\ncommand = {json.dumps(agent)}\n')
    process = subprocess.Popen(
        [sys.executable, "-m", "signoff", "run", str(bench.ticket()), "--json"],
        cwd=bench.root,
        env=bench.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if b"analyze/detect" in line:
            break
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)
