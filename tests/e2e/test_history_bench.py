"""The bench that judges a history, and the one that makes a history of releases, on odd repositories."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench, empty_bench

HOUSE = Path(__file__).parents[2]
STRONG = "from calc import total\n\n\ndef test_total():\n    assert total(1, 2) == 3\n"
WEAK = STRONG.replace("== 3", "is not None")


def run(module: str, *args: str) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, "-m", f"bench.{module}", *args)
    return subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)


def judged(*args: str) -> Any:
    done = run("history", "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def odd(tmp_path: Path) -> Bench:
    """A first commit, an empty one, a binary file with a rename and a submodule, a weakened test, a merge."""
    bench = empty_bench(tmp_path)
    bench.commit(calc_dot_py="def total(a, b):\n    return a + b\n", tests__test_calc_dot_py=STRONG)
    bench.git("commit", "-qm", "nothing at all", "--allow-empty")
    (bench.root / "logo.png").write_bytes(b"\x89PNG\0\xff" * 40)
    (bench.root / "way").symlink_to("nowhere")
    bench.git("mv", "calc.py", "sums.py")
    bench.git("add", "logo.png", "way")
    bench.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored")
    bench.git("commit", "-qm", "odd")
    (bench.root / "tests/test_calc.py").write_text(WEAK)
    bench.git("commit", "-qm", "weaker", "tests/test_calc.py")
    bench.git("checkout", "-qb", "side", "HEAD~1")
    (bench.root / "side.txt").write_text("aside\n")
    bench.git("add", "side.txt")
    bench.git("commit", "-qm", "side")
    bench.git("checkout", "-q", "main")
    bench.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    return bench


def test_a_history_of_odd_commits_is_judged_to_its_end(odd: Bench) -> None:
    """A commit of an odd shape would end the walk, or a weakening would be told at the wrong commit."""
    said = judged(str(odd.root))

    told = {
        c["subject"]: [f["kind"] for f in c["findings"] if f["severity"] == "blocking"]
        for c in said["commits"]
    }
    assert list(told)[1:] == ["nothing at all", "odd", "weaker", "merged"]
    assert told["weaker"] == ["assertion-loosened"]
    assert told["nothing at all"] == told["odd"] == told["merged"] == []
    assert [c["parent"] for c in said["commits"]].count(None) == 1
    assert said["totals"]["failing"]["test-integrity"] == 1
    assert said["totals"]["per_100_commits"]["test-integrity"] == 20.0


def test_a_part_of_the_history_is_told_in_lines_with_a_sample(odd: Bench) -> None:
    """A person could not read what was there before and after, or would get commits nobody asked for."""
    done = run("history", str(odd.root), "--from", "HEAD~2", "--to", "HEAD", "--max", "5", "--sample", "3")

    assert (done.returncode, done.stderr) == (0, "")
    assert "odd" not in done.stdout.split("weaker")[0]
    found = [line for line in done.stdout.split("\n") if "assertion-loosened tests/test_calc.py:5" in line]
    assert len(found) == 2, "once at its commit, once in the sample"
    assert "`assert total(1, 2) == 3` → `assert total(1, 2) is not None`" in found[0]


def test_what_is_no_repository_is_said_in_one_line(tmp_path: Path) -> None:
    """A wrong path would give a traceback, or an empty history that looks clean."""
    done = run("history", str(tmp_path))

    assert done.returncode == 2
    assert "is not in a git repository" in done.stderr
    assert "Traceback" not in done.stderr


def test_releases_become_commits_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """1.10 would come before 1.9, and the comparison would run backwards; or packing metadata would count."""
    for version, text in (("1.10.0", WEAK), ("1.9.0", STRONG), ("1.10.0rc1", STRONG)):
        inside = tmp_path / "releases" / version / f"calc-{version}"
        (inside / "tests").mkdir(parents=True)
        (inside / "tests/test_calc.py").write_text(text)
        (inside / "PKG-INFO").write_text(f"Version: {version}\n")

    made = run("releases", str(tmp_path / "releases"), str(tmp_path / "repo"))
    said = judged(str(tmp_path / "repo"))

    assert made.returncode == 0, made.stderr
    assert [commit["subject"] for commit in said["commits"]] == ["1.9.0", "1.10.0rc1", "1.10.0"]
    assert [commit["files"] for commit in said["commits"]] == [1, 0, 1]
    assert said["totals"]["kinds"] == {"test-integrity/assertion-loosened": 1}
    assert run("releases", str(tmp_path / "releases"), str(tmp_path / "repo")).returncode == 2
