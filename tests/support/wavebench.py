"""Waves of many recorded agents, half of which meet in the same lines on purpose."""

import json
import subprocess
from pathlib import Path
from typing import Any

from clibench import Bench, contract

APART = 20
"""Lines between two edits of one file: git takes neighbouring lines for one place."""
SETTINGS = '[limits]\nparallel = 32\n[plan]\napprove = "policy"\n'


def lay_out(bench: Bench, tasks: int) -> None:
    """Commit one file that all edit in places of their own, and one for each pair that meets."""
    bench.commit(signoff_dot_toml=SETTINGS, common_dot_txt=common(tasks, ()))
    for pair in range(tasks // 2):
        (bench.root / f"shared{pair}.txt").write_text("nobody\n")
    bench.git("add", "--all")
    bench.git("commit", "-qm", "shared files")


def common(tasks: int, signed: tuple[int, ...]) -> str:
    lines = [f"line {number}" for number in range(APART * (tasks + 1))]
    for number in signed:
        lines[APART * number] = f"T{number} was here"
    return "\n".join(lines) + "\n"


def wide_contract(tasks: int) -> dict[str, Any]:
    """One wave; the second half of the tasks writes where the first half does."""
    made = [_task(number, (number - 1) % (tasks // 2)) for number in range(1, tasks + 1)]
    checks = [f"T{number}/file" for number in range(1, tasks + 1)]
    return contract(
        tasks=made,
        success_criteria=[
            {"id": "all", "description": "every task left a file with its own word", "proven_by": checks}
        ],
        stop_conditions=[
            {"id": "both", "description": "Every check of every task passes", "proven_by": checks}
        ],
    )


def _task(number: int, pair: int) -> dict[str, Any]:
    return {
        "id": f"T{number}",
        "title": f"Sign as T{number}",
        "wave": 1,
        "files_create": [f"own{number}.txt"],
        # Overlapping globs are left to the merge; the same path twice would be refused as a plan.
        "files_modify": [_glob("common", number) + ".txt", _glob("shared", number) + f"{pair}.txt"],
        "action": f"Sign common.txt and shared{pair}.txt, and leave own{number}.txt",
        "verification": [
            {
                "type": "file-exists",
                "id": f"T{number}/file",
                "path": f"own{number}.txt",
                "must_contain": f"T{number}",
            }
        ],
    }


def _glob(word: str, number: int) -> str:
    """Spell a word of six letters so that no other number spells it: a ? for each bit."""
    return "".join("?" if number >> place & 1 else letter for place, letter in enumerate(word))


def wide_cassette(tasks: int, name: str = "a wide wave") -> dict[str, Any]:
    """The first attempts of the second half conflict; their second attempts build on what was merged."""
    entries: list[dict[str, Any]] = [
        {"key": "plan/attempt-1/dispatch-1", "answer": {"kind": "plan", "contract": wide_contract(tasks)}}
    ]
    half = tasks // 2
    for number in range(1, tasks + 1):
        pair = (number - 1) % half
        files = {
            f"own{number}.txt": f"T{number}\n",
            f"shared{pair}.txt": f"T{number}\n",
            "common.txt": common(tasks, (number,)),
        }
        entries.append(_entry(number, 1, files))
        if number > half:
            merged = common(tasks, (*range(1, half + 1), number))
            again = {**files, f"shared{pair}.txt": f"T{number - half}\nT{number}\n", "common.txt": merged}
            entries.append(_entry(number, 2, again))
    return {"version": 1, "name": name, "entries": entries}


def _entry(number: int, attempt: int, files: dict[str, str]) -> dict[str, Any]:
    key = f"implement/T{number}/attempt-{attempt}/dispatch-1"
    return {"key": key, "answer": {"kind": "done"}, "files": files}


def expected_files(tasks: int) -> dict[str, str]:
    half = tasks // 2
    files = {f"own{number}.txt": f"T{number}\n" for number in range(1, tasks + 1)}
    files |= {f"shared{pair}.txt": f"T{pair + 1}\nT{pair + 1 + half}\n" for pair in range(half)}
    return {**files, "common.txt": common(tasks, tuple(range(1, tasks + 1)))}


def delivered_files(bench: Bench, run_id: str) -> dict[str, str]:
    """Give the files of the published commit, without those of the repository itself."""
    commit = bench.git("rev-parse", f"refs/signoff/{run_id}/final")
    names = bench.git("ls-tree", "-r", "--name-only", commit).splitlines()
    kept = [name for name in names if name not in ("signoff.toml", "README.md")]
    return {name: bench.git("show", f"{commit}:{name}") + "\n" for name in kept}


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]


def predicted(folder: Path) -> list[dict[str, Any]]:
    """Give every prediction of a run with its conflicts in full."""
    found = []
    for record in records(folder):
        outcome = record.get("outcome", {})
        if outcome.get("was") == "merge-predicted":
            body = outcome.get("body")
            blob = folder / "blobs" / body.partition(":")[2] if body else None
            conflicts = json.loads(blob.read_bytes())["conflicts"] if blob else []
            found.append({"key": record["key"], "merges": outcome["merges"], "conflicts": conflicts})
    return found


def merged_by_git(bench: Bench, commits: dict[str, str], folder: Path) -> set[str]:
    """Merge a wave's commits with ordinary `git merge` in a clone; give the tasks that conflicted."""
    engine = bench.root / ".signoff" / "engine.git"
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")

    def git(*words: str) -> int:
        done = subprocess.run(
            ["git", *who, *words], cwd=folder, env=bench.env, capture_output=True, check=False
        )
        return done.returncode

    folder.mkdir()
    assert git("init", "-q") == 0
    (folder / ".git/objects/info/alternates").write_text(str(engine / "objects") + "\n")
    base = bench.git("rev-parse", "HEAD")
    assert git("checkout", "-q", "--detach", base) == 0
    bad = set()
    for task, commit in commits.items():
        if git("merge", "-q", "--no-edit", commit) != 0:
            bad.add(task)
            assert git("merge", "--abort") == 0
    return bad


def first_commits(folder: Path, tasks: int) -> dict[str, str]:
    """Give what each task's first attempt was captured as, in the contract's order."""
    done = {r["key"]: r["outcome"] for r in records(folder) if r["event"] == "done"}
    keys = {f"T{n}": f"implement/T{n}/attempt-1/dispatch-1/capture" for n in range(1, tasks + 1)}
    return {task: done[key]["commit"] for task, key in keys.items()}
