"""Judge the history of any git repository, commit by commit, as `signoff gate` would have judged it.

    python -m bench.history REPO [REPO …] [--from REV] [--to REV] [--max N] [--sample N] [--json]

Real histories say what invented examples cannot: how often a judge speaks up about ordinary work, how often
it is right, and how long it takes. Each commit is compared with its first parent, a first one with nothing.
Nothing of the repository is run or changed, and its working tree is not looked at.

`--sample N` draws N of the failing findings of `test-integrity` over all repositories for a person to read;
`--seed` makes it the same draw again. `bench.releases` makes a repository of published releases.
"""

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from signoff.domain.base.errors import SignoffError
from signoff.domain.base.typed_ids import CommitId
from signoff.domain.evidence.gates import FAILING, GateFinding, GateName, GateReport
from signoff.gates.compared_trees import GateRunner
from signoff.gates.gate_run import QUICK, GateRequest, run_gates
from signoff.host.git import tree_objects
from signoff.host.git.git_directories import throwaway_git
from signoff.host.git.git_door import find_git, text
from signoff.host.git.person_repository import Person, find_place
from signoff.host.places.change_trees import ChangeOnDisk
from signoff.wiring import scrubbed_environment, test_readers


class Step(NamedTuple):
    """One commit and what it is compared with."""

    commit: CommitId
    parent: CommitId | None
    """None for a first commit, and where a shallow clone ends."""
    subject: str


class Judged(NamedTuple):
    """What the gates said about one commit, and how long they took."""

    repo: str
    step: Step
    report: GateReport
    took_ms: float

    def findings(self, gate: GateName, *, failing: bool) -> list[GateFinding]:
        """Give what one gate found, either what fails it or the rest."""
        listed = [one for result in self.report.gates if result.name is gate for one in result.findings]
        return [one for one in listed if (one.severity in FAILING) is failing]

    def left_out(self) -> list[str]:
        """Say what was not judged, and by which gate."""
        lines = [f"{gate.name}: {gate.unjudged}" for gate in self.report.gates if gate.unjudged]
        return lines + [f"{gate.name}: {note}" for gate in self.report.gates for note in gate.notes]


# --- judging ---


def steps(person: Person, start: str | None, end: str, most: int | None) -> list[Step]:
    """List the commits from `start` (left out) to `end` along first parents, oldest first."""
    span = [person.resolve(end)] + ([f"^{person.resolve(start)}"] if start else [])
    limit = [] if most is None else [f"--max-count={most}"]
    out = text(
        person.git.run("log", "--first-parent", "--reverse", "-z", "--format=%H %P%n%s", *limit, *span)
    )
    found = []
    for record in filter(None, out.split("\0")):
        ids, _, subject = record.partition("\n")
        commit, *parents = ids.split()
        found.append(Step(CommitId(commit), CommitId(parents[0]) if parents else None, subject))
    return found


def judge_step(person: Person, step: Step) -> Judged:
    """Judge one commit; the time holds everything but the start of Python and reading a working tree."""
    begin = time.perf_counter()
    place = person.place
    with throwaway_git(person.git.tool, place.lender) as (git, scratch):
        ground = ChangeOnDisk(git, place.root, scratch, place.lender, place.homes)
        ground.base = tree_objects.tree_of(person.git, step.parent) if step.parent else ground.empty()
        ground.base_id = ground.base_name = step.parent or "nothing"
        ground.final = tree_objects.tree_of(person.git, step.commit)
        report = run_gates(ground, GateRequest(QUICK, test_readers), _no_hands)
    return Judged(place.root, step, report, (time.perf_counter() - begin) * 1000)


def _no_hands() -> GateRunner:
    raise AssertionError("a quick gate runs nothing")


def judge_history(repo: str, start: str | None, end: str, most: int | None) -> Iterator[Judged]:
    """Judge every commit of the span."""
    tool = find_git(scrubbed_environment())
    person = Person(tool, find_place(tool, repo))
    for step in steps(person, start, end, most):
        yield judge_step(person, step)


# --- telling ---


def lines_of(judged: Judged) -> Iterator[str]:
    """Tell one commit: a line of counts, a line for each finding, a line for what was left out."""
    step, report = judged.step, judged.report
    counts = " ".join(
        f"{gate}={len(judged.findings(gate, failing=True))}+{len(judged.findings(gate, failing=False))}"
        for gate in QUICK
    )
    name = f"{step.commit[:12]} {step.subject[:60]!r}{'' if step.parent else ' (no parent)'}"
    yield f"{name}: {report.files} files, {judged.took_ms:.0f} ms, {counts}"
    for gate in report.gates:
        yield from (f"  {line_of(one)}" for one in gate.findings if gate.name is not GateName.RISK)
    yield from (f"  not judged: {_plain(line)}" for line in judged.left_out())


def line_of(found: GateFinding) -> str:
    """Tell one finding; the message says what was there before and what is there now."""
    place = found.path if found.line is None else f"{found.path}:{found.line}"
    return _plain(f"{found.severity} {found.gate}/{found.kind} {place} {found.message}")


def _plain(line: str) -> str:
    """Keep a line a line, whatever a path or a test holds."""
    return "".join(char if char.isprintable() else "�" for char in line)


class Totals(NamedTuple):
    """What a whole history comes to."""

    commits: int
    commits_failing: int
    """Commits that at least one gate fails."""
    failing: dict[str, int]
    """By gate."""
    mentioned: dict[str, int]
    """By gate: findings that do not fail it."""
    kinds: dict[str, int]
    """By gate and kind, failing ones only."""
    not_judged: int
    median_ms: float
    p95_ms: float
    slowest_ms: float

    @property
    def per_100_commits(self) -> dict[str, float]:
        """Failing findings by gate for every hundred commits."""
        return {gate: round(100 * count / max(self.commits, 1), 1) for gate, count in self.failing.items()}


def totals(history: Sequence[Judged]) -> Totals:
    """Add up; times are zero for a history without commits."""
    times = sorted(one.took_ms for one in history) or [0.0]
    failing = {str(gate): sum(len(j.findings(gate, failing=True)) for j in history) for gate in QUICK}
    mentioned = {str(gate): sum(len(j.findings(gate, failing=False)) for j in history) for gate in QUICK}
    kinds = Counter(
        f"{f.gate}/{f.kind}" for j in history for gate in QUICK for f in j.findings(gate, failing=True)
    )
    return Totals(
        commits=len(history),
        commits_failing=sum(judged.report.ok is False for judged in history),
        failing=failing,
        mentioned=mentioned,
        kinds=dict(kinds.most_common()),
        not_judged=sum(len(judged.left_out()) for judged in history),
        median_ms=round(statistics.median(times), 1),
        p95_ms=round(times[min(len(times) - 1, int(0.95 * len(times)))], 1),
        slowest_ms=round(times[-1], 1),
    )


def show_totals(title: str, found: Totals) -> None:
    """Print the table of a whole history."""
    print(f"\n{title}: {found.commits} commits, {found.commits_failing} of them with a failing gate")
    print(f"  {'gate':18}{'failing':>8}{'other':>8}{'per 100':>9}")
    for gate, count in found.failing.items():
        print(f"  {gate:18}{count:8}{found.mentioned[gate]:8}{found.per_100_commits[gate]:9.1f}")
    print(f"  not judged: {found.not_judged}")
    print(
        f"  time: median {found.median_ms} ms, p95 {found.p95_ms} ms, slowest {found.slowest_ms} ms a commit"
    )
    for kind, count in found.kinds.items():
        print(f"  {count:6} {kind}")


def drawn(history: Iterable[Judged], count: int, seed: int) -> list[tuple[Judged, GateFinding]]:
    """Draw failing findings of `test-integrity`; the same seed draws the same from the same findings.

    A commit without a parent has no part in it: what was not there before cannot have become weaker.
    """
    grown = [judged for judged in history if judged.step.parent]
    every = [(j, f) for j in grown for f in j.findings(GateName.TEST_INTEGRITY, failing=True)]
    return random.Random(seed).sample(every, min(count, len(every)))


def document(history: Sequence[Judged], sample: list[tuple[Judged, GateFinding]]) -> dict[str, object]:
    """Give everything as JSON can hold it."""
    added = totals(history)
    return {
        "commits": [
            {
                "repo": j.repo,
                "commit": j.step.commit,
                "parent": j.step.parent,
                "subject": j.step.subject,
                "files": j.report.files,
                "took_ms": round(j.took_ms, 1),
                "findings": [_as_json(f) for gate in j.report.gates for f in gate.findings],
                "not_judged": j.left_out(),
            }
            for j in history
        ],
        "sample": [{"repo": j.repo, "commit": j.step.commit, **_as_json(f)} for j, f in sample],
        "totals": {**added._asdict(), "per_100_commits": added.per_100_commits},
    }


def _as_json(found: GateFinding) -> dict[str, object]:
    return {
        "gate": found.gate,
        "kind": found.kind,
        "severity": found.severity,
        "path": found.path,
        "line": found.line,
        "symbol": found.symbol,
        "message": found.message,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge, and tell."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.history", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("repos", nargs="+", metavar="REPO", help="a git repository with a working tree")
    parser.add_argument("--from", dest="start", metavar="REV", help="begin after this commit; the first")
    parser.add_argument("--to", dest="end", metavar="REV", default="HEAD", help="end with this commit; HEAD")
    parser.add_argument("--max", type=int, metavar="N", help="only the last N commits")
    parser.add_argument("--sample", type=int, metavar="N", default=0, help="draw N findings to read")
    parser.add_argument("--seed", type=int, default=1, help="of the draw; 1")
    parser.add_argument("--json", action="store_true", help="one document instead of lines")
    options = parser.parse_args(arguments)
    history: list[Judged] = []
    for repo in options.repos:
        own: list[Judged] = []
        try:
            for judged in judge_history(repo, options.start, options.end, options.max):
                own.append(judged)
                if not options.json:
                    print("\n".join(lines_of(judged)), flush=True)
        except SignoffError as error:
            print(f"{repo}: {error}", file=sys.stderr)
            return 2
        if not options.json:
            show_totals(os.path.basename(os.path.abspath(repo)), totals(own))
        history += own
    sample = drawn(history, options.sample, options.seed)
    if options.json:
        print(json.dumps(document(history, sample), indent=1))
        return 0
    if len(options.repos) > 1:
        show_totals("all", totals(history))
    for number, (judged, found) in enumerate(sample, 1):
        print(f"{number:3} {os.path.basename(judged.repo)} {judged.step.commit[:12]} {line_of(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
