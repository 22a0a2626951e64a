"""What one cycle of `signoff work` costs a host that calls once per step, against bare Python.

CPU time of the process and everything it starts, git included: on a busy machine the wall clock measures the
others. Commands are run round-robin and the least of all rounds counts; compare within one table.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROUNDS = 25
MOST = 4.7
"""How many times bare Python a cycle should cost at most: 70 ms where that takes 15."""
CALCULATOR = "def add(a, b):\n    return a + b\n"
TICKET = {
    "id": "CALC-1",
    "title": "Multiply two numbers",
    "acceptance_criteria": ["multiply(2, 3) returns 6", "multiply(0, 5) returns 0"],
}


class Measured(NamedTuple):
    """One line of the table."""

    name: str
    command: Sequence[str]
    folder: Path
    prepare: Callable[[], None]
    """Puts the folder into the state the command is measured in."""
    exit_code: int


def measure(python: str = sys.executable, rounds: int = ROUNDS) -> dict[str, float]:
    """Print what cycles cost; give the CPU time of each line in milliseconds."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as compiled:
        # Compiled files are kept whatever the caller's environment says: compiling is not what is measured.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = compiled
        lines = _lines(python, Path(name), environment)
        times = _round_robin(lines, environment, rounds)
    _show(times)
    return times


def _lines(python: str, folder: Path, environment: Mapping[str, str]) -> list[Measured]:
    work = (python, "-m", "signoff", "work")
    ticket = folder / "ticket.json"
    ticket.write_text(json.dumps(TICKET))
    begin = (*work, "--ticket-file", str(ticket))
    fresh, halted, claimed, seen = (folder / name for name in ("fresh", "halted", "claimed", "seen"))
    for place in (fresh, halted, claimed, seen):
        _repository(place, trust="claims" if place is claimed else "witness")
    _call(begin, halted, environment, 1)
    _deliver(work, begin, claimed, environment)
    _deliver(work, begin, seen, environment)

    def nothing() -> None:
        """Leave everything as it is."""

    def forget() -> None:
        shutil.rmtree(fresh / ".signoff", ignore_errors=True)
        (fresh / ".work-state.json").unlink(missing_ok=True)

    return [
        Measured("python -c pass", (python, "-c", "pass"), folder, nothing, 0),
        Measured("import msgspec", (python, "-c", "import msgspec"), folder, nothing, 0),
        Measured("cycle 1 on a ticket", begin, fresh, forget, 1),
        Measured("a cycle that halts again", work, halted, nothing, 1),
        Measured("resume, all done, by claims", work, claimed, nothing, 0),
        Measured("resume, all done, files seen", work, seen, nothing, 0),
    ]


def _repository(place: Path, *, trust: str) -> None:
    place.mkdir()
    (place / "calculator.py").write_text(CALCULATOR)
    (place / ".gitignore").write_text(".work-state.json\n__pycache__/\n")
    if trust != "witness":  # the first cycle is measured without settings, as most repositories have none
        (place / "signoff.toml").write_text(f'[hosted]\ntrust = "{trust}"\n')
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "calculator")):
        subprocess.run(("git", *words), cwd=place, check=True)


def _deliver(work: Sequence[str], begin: Sequence[str], place: Path, environment: Mapping[str, str]) -> None:
    """Take a run to its report, as an honest host would; the engine looks at the files each time after."""
    _call(begin, place, environment, 1)
    _write(place, plan=["write multiply"])
    (place / "calculator.py").write_text(CALCULATOR + "\n\ndef multiply(a, b):\n    return a * b\n")
    _write(place, changes=[{"path": "calculator.py"}], tests={"verdict": "success"})
    _write(place, verify={"verdict": "success", "findings": []})
    _call(work, place, environment, 0)


def _write(place: Path, **slices: object) -> None:
    path = place / ".work-state.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **slices}, indent=2))


def _round_robin(lines: list[Measured], environment: Mapping[str, str], rounds: int) -> dict[str, float]:
    times: dict[str, float] = {}
    for number in range(rounds + 1):
        for line in lines:
            line.prepare()
            took = _call(line.command, line.folder, environment, line.exit_code)
            if number:  # the first round compiles
                times[line.name] = min(took, times.get(line.name, took))
    return times


def _call(command: Sequence[str], folder: Path, environment: Mapping[str, str], exit_code: int) -> float:
    """Give the CPU time of a command and its children in milliseconds; another exit code is an error."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != exit_code:
        raise RuntimeError(f"{' '.join(command)} gave {done.returncode}: {done.stdout!r} {done.stderr!r}")
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def _show(times: Mapping[str, float]) -> None:
    bare = times["python -c pass"]
    print(f"\none cycle of a host (CPU, least of all rounds)\n{'':34}{'ms':>8} {'x bare':>8}")
    for name, took in times.items():
        print(f"  {name:32}{took:8.1f} {took / bare:8.2f}")
    print(f"  wanted: at most {MOST} x bare Python, where importing msgspec alone is 2.7 x")
    print("  the last line asks git for every file: its processes are counted too")


if __name__ == "__main__":
    measure()
