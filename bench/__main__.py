"""Print every figure we promise something about: `make bench`.

Commands are run round-robin, so that a busy machine slows all of them alike; compare within one table.
"""

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.contracts import measure as measure_contracts
from bench.hosted import measure as measure_cycles
from bench.journals import finished_run, write_journal
from bench.overhead import measure as measure_overhead

ROUNDS = 25
SIGNOFF = str(Path(sys.executable).with_name("signoff"))


def round_robin(commands: Mapping[str, Sequence[str]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Give the wall times of each command in milliseconds, fastest first."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            times[name].append((time.perf_counter() - begin) * 1000)
    return {name: sorted(values) for name, values in times.items()}


def show(title: str, times: Mapping[str, list[float]]) -> None:
    """Print a table of minima and medians."""
    print(f"\n{title}\n{'':34}{'min ms':>8} {'median ms':>10}")
    for name, values in times.items():
        print(f"  {name:32}{values[0]:8.1f} {statistics.median(values):10.1f}")


def start_up(folder: Path) -> None:
    """Cold start against bare Python and Node."""
    small = folder / "small.jsonl"
    write_journal(small, 80)
    commands: dict[str, Sequence[str]] = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "signoff --version": (SIGNOFF, "--version"),
        "signoff run --help": (SIGNOFF, "run", "--help"),
        "signoff journal check (80 events)": (SIGNOFF, "journal", "check", str(small)),
    }
    if node := shutil.which("node"):
        commands["node -e 0"] = (node, "-e", "0")
    times = round_robin(commands)
    show("cold start", times)
    over = times["signoff --version"][0] - times["python -c pass"][0]
    print(f"  --version over bare Python: {over:.1f} ms (promised: at most 10)")
    ratio = times["signoff run --help"][0] / times["python -c pass"][0]
    print(f"  run --help / bare Python: {ratio:.1f} (promised: at most 5)")
    if node:
        for name in ("signoff --version", "signoff journal check (80 events)"):
            ratio = times[name][0] / times["node -e 0"][0]
            print(f"  {name} / node -e 0: {ratio:.2f} (promised: at most 0.6)")
    else:
        print("  node is not installed: no ratio")


def large_journal(folder: Path) -> None:
    """A journal of 100,000 events, checked in time that grows and memory that does not."""
    print("\njournal check")
    for events in (10_000, 100_000):
        path = folder / f"{events}.jsonl"
        write_journal(path, events)
        check = (SIGNOFF, "journal", "check", str(path))
        took = round_robin({"check": check}, rounds=5)["check"][0] / 1000
        peak, size = _peak_kb(check) / 1000, path.stat().st_size / 1e6
        print(f"  {events:7,} events, {size:5.1f} MB: {took:.2f} s, peak {peak:.0f} MB")
    print("  promised: 100,000 events in 0.5 s, and memory that does not grow")


def _peak_kb(command: Sequence[str]) -> int:
    """Give the peak memory of one command, measured in a process of its own."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run((sys.executable, "-c", code, *command), capture_output=True, text=True, check=True)
    return int(done.stdout)


def status(folder: Path) -> None:
    """`status` on a run of 100,000 events answers from its view."""
    run = finished_run(folder / "repo", 100_000)
    times = round_robin(
        {
            "python -c pass": (sys.executable, "-c", "pass"),
            "signoff status (100,000 events)": (SIGNOFF, "status", run, "-C", str(folder / "repo")),
        },
        rounds=7,
    )
    show("status", times)


def main() -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start_up(folder)
        large_journal(folder)
        status(folder)
    measure_contracts()
    measure_cycles()
    measure_overhead()
    print(f"\nthis process: peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


if __name__ == "__main__":
    main()
