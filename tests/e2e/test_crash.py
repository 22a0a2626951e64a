"""A real kill -9 of the driver, everywhere, then resume: nothing that finished is lost or done again."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from newcomer import newcomer_python

from signoff.testing.samples import demo_cassette, lay_out_sample, ticket

DRIVER = Path(__file__).parents[1] / "support" / "crash_driver.py"
ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
MOST_DRIVERS = 200


class Ended(NamedTuple):
    """A run that came to its end, over however many drivers."""

    exit_code: int
    drivers: int
    folder: Path
    trace: list[str]

    @property
    def report(self) -> str:
        """The report without the row that names the journal's head: every resume is a record of its own."""
        lines = (self.folder / "report.md").read_text().splitlines()
        return "\n".join(line for line in lines if not line.startswith("| journal head"))

    @property
    def verification(self) -> bytes:
        return (self.folder / "verification.json").read_bytes()


def deliver(folder: Path, point: str) -> Ended:
    """Run the demo's delivery with drivers that die at `point`, until one of them comes to the end."""
    repo, trace = folder / "shop", folder / "trace"
    lay_out_sample(str(repo), ENV)
    (folder / "ticket.md").write_bytes(ticket())
    (folder / "demo.json").write_bytes(demo_cassette())
    words = ["run", str(folder / "ticket.md"), "--cassette", str(folder / "demo.json"), "--yes"]
    for number in range(1, MOST_DRIVERS):
        done = subprocess.run(
            [newcomer_python(), str(DRIVER), point, str(trace), *words, "-C", str(repo)],
            env=ENV,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == 0, done.stderr
            (run,) = (repo / ".signoff" / "runs").glob("0*")
            return Ended(done.returncode, number, run, trace.read_text().splitlines())
        words = ["runs", "resume", "latest"]
    raise AssertionError("the run never ends")


def processes_below(folder: Path) -> list[str]:
    """Find every process that was started from, or works in, this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                where = os.readlink(entry / "cwd")
            except OSError:
                continue
            if str(folder) in words or where.startswith(str(folder)):
                found.append(words)
    return found


def programs(trace: list[str]) -> list[str]:
    """Return the lines about programs of the project, without patterns, which the engine matches itself."""
    return [line for line in trace if not line.endswith(".regex.slip")]


def done_again(trace: list[str]) -> list[str]:
    """Name the programs that were started after they had finished."""
    finished: set[str] = set()
    again = []
    for line in programs(trace):
        verb, _, name = line.partition(" ")
        if verb == "started" and name in finished:
            again.append(name)
        if verb == "finished":
            finished.add(name)
    return again


def died(ended: Ended) -> set[str]:
    """Name every place where a driver of this run died."""
    return {line.split(" ", 2)[2] for line in ended.trace if line.startswith("died ")}


def everywhere(ended: Ended, point: str) -> set[str]:
    """Name every place there was to die at: each record, each effect, each program."""
    records = [json.loads(line) for line in (ended.folder / "journal.jsonl").read_bytes().splitlines()]
    if point == "append":
        counted = [r for r in records[2:] if r["event"] != "resumed"]
        return {str(r["seq"]) for r in counted}
    if point == "during":
        return {place(line.split(" ", 1)[1]) for line in ended.trace if line.startswith("started ")}
    if point == "after":  # what had finished when a sibling's driver died is adopted, not performed
        return {place(line.split(" ", 1)[1]) for line in ended.trace if line.startswith("performed ")}
    return {place(r["key"]) for r in records if r["event"] == "intended"}


def place(name: str) -> str:
    """Name a place as the dying driver does: a dispatch of any number is one place."""
    return re.sub(r"dispatch-[0-9]+", "dispatch", Path(name).name if name.startswith("/") else name)


def hold_against(ended: Ended, undisturbed: Ended) -> None:
    assert ended.verification == undisturbed.verification
    assert ended.report == undisturbed.report
    assert done_again(ended.trace) == []
    assert processes_below(ended.folder.parents[3]) == []


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return deliver(tmp_path_factory.mktemp("undisturbed"), "never")


@pytest.mark.slow
def test_a_driver_killed_at_a_sample_of_all_points_ends_in_the_same_tree_verdict_and_report(
    tmp_path: Path, undisturbed: Ended
) -> None:
    ended = deliver(tmp_path, "every:7")

    assert len(died(ended)) >= 15
    hold_against(ended, undisturbed)


@pytest.mark.stress
@pytest.mark.parametrize("point", ["append", "before", "after", "during"])
def test_a_driver_killed_everywhere_ends_in_the_same_tree_verdict_and_report(
    point: str, tmp_path: Path, undisturbed: Ended
) -> None:
    ended = deliver(tmp_path, point)

    assert died(ended) == everywhere(ended, point)
    hold_against(ended, undisturbed)


def test_the_cassette_gives_the_same_journal_byte_for_byte(tmp_path: Path, undisturbed: Ended) -> None:
    again = deliver(tmp_path, "never")

    journal = (again.folder / "journal.jsonl").read_bytes()
    assert journal == (undisturbed.folder / "journal.jsonl").read_bytes()
    assert again.report == undisturbed.report


def test_the_undisturbed_run_is_signed_off_with_a_certificate_for_its_tree(undisturbed: Ended) -> None:
    certificate = msgspec.json.decode((undisturbed.folder / "certificate.json").read_bytes())
    verdict = msgspec.json.decode(undisturbed.verification)

    assert certificate["subject"][0]["digest"]["gitTree"] == verdict["trees"]["final"]
    assert verdict["outcome"] == "signed-off"
