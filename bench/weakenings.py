"""Weaken real test files on purpose and edit them honestly; print what `tests integrity` sees of either.

    python -m bench.weakenings FOLDER…      each folder an unpacked source release that ships its tests

Every operator takes a test file and gives versions in which one test is weaker (or, honest, as strong as
before). Recall: the share of weakened versions with a finding. False alarms: the share of honest versions
with one.
"""

# ruff: noqa: E501 - operators are read as a table

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random

from bench.honest_python import CONFTEST_HONEST, Moved, moved
from bench.honest_python import HONEST as PYTHON_HONEST
from bench.weakening_go import HONEST as GO_HONEST
from bench.weakening_go import WEAKENING as GO_WEAKENING
from bench.weakening_javascript import HONEST as JS_HONEST
from bench.weakening_javascript import WEAKENING as JS_WEAKENING
from bench.weakening_python import CONFTEST_WEAKENING
from bench.weakening_python import weakening as python_weakening
from signoff.domain.evidence.case_records import FileSides, Reader
from signoff.judges.test_integrity.comparison.integrity_verdict import judge, own_packages
from signoff.judges.test_integrity.python.python_reader import read_python
from signoff.judges.test_results.report_comparison import is_test_path
from signoff.wiring import test_readers

Operator = Callable[[str], Iterator[str | Moved]]
PER_FILE = 1
"""Versions that one operator makes of one file, drawn from all places it fits."""
LARGEST = 150_000


# --- configuration ---


def _toml_option(line: str) -> Operator:
    def operator(source: str) -> Iterator[str]:
        head = "[tool.pytest.ini_options]"
        if head in source and line.partition(" ")[0] not in source.partition(head)[2].partition("\n[")[0]:
            yield source.replace(head, f"{head}\n{line}", 1)

    return operator


def _fail_under(source: str) -> Iterator[str]:
    if found := re.search(r"fail_under = (\d+)", source):
        yield source.replace(found[0], "fail_under = 10", 1)


CONFIG_WEAKENING: dict[str, Operator] = {
    "toml-deselect": _toml_option('addopts = ["-k", "not slow"]'),
    "toml-ignore": _toml_option('addopts = "--ignore=tests/test_core.py"'),
    "toml-reruns": _toml_option('addopts = "--reruns 3"'),
    "toml-one-file": _toml_option('python_files = ["test_one.py"]'),
    "toml-classes": _toml_option('python_classes = ["Only*"]'),
    "toml-norecurse": _toml_option('norecursedirs = ["tests/unit"]'),
    "toml-fail-under": _fail_under,
}
CONFIG_HONEST: dict[str, Operator] = {
    "toml-comment": lambda s: iter([s + "\n# a remark\n"]),
    "toml-verbose": _toml_option('addopts = ["-ra", "--strict-markers"]'),
    "toml-timeout": _toml_option("timeout = 60"),
    "toml-wider": _toml_option('python_files = ["test_*.py", "*_test.py", "check_*.py"]'),
}


# --- running ---


class Tally:
    """Counts, by operator."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self.samples: dict[str, list[str]] = defaultdict(list)
        self.seconds = 0.0

    def add(
        self,
        name: str,
        path: str,
        before: str,
        after: str | Moved,
        readers: dict[str, Reader],
        own: frozenset[str],
    ) -> bool:
        """Judge one version."""
        begin = time.perf_counter()
        sides = [FileSides(path, before, after if isinstance(after, str) else after.here)]
        if isinstance(after, Moved):
            sides.append(FileSides(f"{path.rpartition('/')[0]}/test_moved_here.py", None, after.there))
        found = judge(sides, readers, own).findings
        self.seconds += time.perf_counter() - begin
        self.made[name] += 1
        self.seen[name] += bool(found)
        self.kinds[name].update({finding.kind for finding in found})
        if found:
            self.samples[name].append(f"{path}: {found[0].kind} {found[0].message}")
        return bool(found)


def _versions(operator: Operator, source: str, seed: str) -> Iterator[str | Moved]:
    made = [version for version in operator(source) if version != source]
    yield from Random(seed).sample(made, min(PER_FILE, len(made)))


def _run(folders: list[Path], *, verbose: bool) -> None:
    # Every version is compared with the same text: reading that once halves the time.
    readers: dict[str, Reader] = {**test_readers(), "py": lru_cache(maxsize=8)(read_python)}
    bad, good = Tally(), Tally()
    missed: list[str] = []
    per_project: dict[str, Counter[str]] = {}
    for folder in folders:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        names = [str(path.relative_to(folder)) for path in files]
        own = own_packages(names)
        counts = per_project.setdefault(folder.name, Counter())
        for path, name in zip(files, names, strict=True):
            weakening, honest = _operators(name, own)
            if not weakening or path.stat().st_size > LARGEST:
                continue
            source = path.read_text("utf-8", "replace")
            counts["files"] += 1
            for label, operator in weakening.items():
                for version in _versions(operator, source, f"{name} {label}"):
                    is_seen = bad.add(label, name, source, version, readers, own)
                    counts["weakened"] += 1
                    counts["seen"] += is_seen
                    if not is_seen:
                        missed.append(f"{label} {folder.name}/{name}\n{_difference(source, version)}")
            for label, operator in honest.items():
                for version in _versions(operator, source, f"{name} {label}"):
                    counts["honest"] += 1
                    counts["alarms"] += good.add(label, name, source, version, readers, own)
    _print(bad, good, per_project)
    if verbose:
        print("\nmissed:", *missed[:60], sep="\n")
        print("\nfalse alarms:", *(f"{k}: {v[:6]}" for k, v in good.samples.items()), sep="\n")


def _operators(name: str, own: frozenset[str]) -> tuple[Mapping[str, Operator], Mapping[str, Operator]]:
    if name == "pyproject.toml":
        return CONFIG_WEAKENING, CONFIG_HONEST
    if not is_test_path(name):
        return {}, {}
    if name.endswith(".py"):
        if name.endswith("conftest.py"):
            return CONFTEST_WEAKENING, CONFTEST_HONEST
        return python_weakening(own), PYTHON_HONEST | {"moved-to-new-file": moved}
    if name.endswith("_test.go"):
        return GO_WEAKENING, GO_HONEST
    return (JS_WEAKENING, JS_HONEST) if re.search(r"\.[cm]?[jt]sx?$", name) else ({}, {})


def _difference(before: str, version: str | Moved) -> str:
    import difflib

    after = version if isinstance(version, str) else version.here
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=1)
    return "\n".join(f"    {line}" for line in list(lines)[2:14])


def _print(bad: Tally, good: Tally, projects: dict[str, Counter[str]]) -> None:
    print(f"{'operator':34}{'made':>6}{'seen':>6}  kinds")
    for name in bad.made:
        kinds = ", ".join(f"{kind} {count}" for kind, count in bad.kinds[name].most_common(3))
        print(f"{name:34}{bad.made[name]:6}{bad.seen[name]:6}  {kinds}")
    print(f"\n{'honest edit':34}{'made':>6}{'alarm':>6}")
    for name in good.made:
        print(f"{name:34}{good.made[name]:6}{good.seen[name]:6}")
    print(f"\n{'project':34}{'files':>6}{'weak':>7}{'seen':>7}{'honest':>8}{'alarms':>8}")
    for name, counts in projects.items():
        print(
            f"{name:34}{counts['files']:6}{counts['weakened']:7}{counts['seen']:7}{counts['honest']:8}{counts['alarms']:8}"
        )
    made, seen = bad.made.total(), bad.seen.total()
    honest, alarms = good.made.total(), good.seen.total()
    versions = made + honest
    print(
        f"\n{len(bad.made)} weakening operators: recall {seen}/{made} = {seen / max(made, 1):.2%} (promised: 99 %)"
    )
    print(
        f"{len(good.made)} honest edits: {alarms}/{honest} = {alarms / max(honest, 1):.2%} alarms (promised: 1 %)"
    )
    print(f"{(bad.seconds + good.seconds) / max(versions, 1) * 1000:.1f} ms for both sides of a file")


def main() -> None:
    """Print everything."""
    words = [word for word in sys.argv[1:] if word != "-v"]
    if not words:
        sys.exit(__doc__)
    _run([Path(word) for word in words], verbose="-v" in sys.argv)


if __name__ == "__main__":
    main()
