"""Weaken real test files on purpose and edit them honestly; print what `tests integrity` sees of either.

    python -m bench.weakenings FOLDER…      each folder an unpacked source release that ships its tests

Every operator takes a test file and gives versions in which one test is weaker (or, honest, as strong as
before). Recall: the share of weakened versions with a finding. False alarms: the share of honest versions
with one.
"""

# ruff: noqa: E501, ARG005 - operators are read as a table

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bench.weakening_python import HONEST as PYTHON_HONEST
from bench.weakening_python import WEAKENING as PYTHON_WEAKENING
from signoff.core.test_integrity.judging import judge, own_packages
from signoff.core.test_integrity.records import Reader, Sides
from signoff.core.test_reports import is_test_path
from signoff.wiring import test_readers

Operator = Callable[[str], Iterator[str]]
PER_FILE = 1
"""Versions that one operator makes of one file, drawn from all places it fits."""
LARGEST = 150_000


# --- JavaScript, by its text: files of tape, mocha and jest are regular enough ---

_TEST = re.compile(
    r"^(\s*)((?:t\.)?(?:it|test))\((['\"][^'\"]+['\"], (?:async )?(?:function \(\w*\) \{|\(\w*\) => \{|\w+ => \{))$",
    re.MULTILINE,
)
_EQUAL = re.compile(
    r"^(\s*)(t|st|assert)\.(equal|strictEqual|deepEqual|is|same|deepStrictEqual)\(([\w.]+|\w+\([\w', ]*\)), ([^;\n]+)\);$",
    re.MULTILINE,
)
_EXPECT = re.compile(
    r"^(\s*)expect\(([^()\n]+|\w+\([^()\n]*\))\)\.(toBe|toEqual|to\.equal|to\.eql)\((.+)\);?$", re.MULTILINE
)
_THROWS = re.compile(r"^(\s*)(t|st|assert)\.throws\((.+), ([A-Z]\w*Error)(, [^)]*)?\);$", re.MULTILINE)


def _js(pattern: re.Pattern[str], made: Callable[[re.Match[str]], str]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        for found in pattern.finditer(source):
            yield source[: found.start()] + made(found) + source[found.end() :]

    return operator


JS_WEAKENING: dict[str, Operator] = {
    "js-skip": _js(_TEST, lambda m: f"{m[1]}{m[2]}.skip({m[3]}"),
    "js-only": _js(_TEST, lambda m: f"{m[1]}{m[2]}.only({m[3]}"),
    "js-todo": _js(_TEST, lambda m: f"{m[1]}{m[2]}.todo({m[3]}"),
    "js-return-first": _js(_TEST, lambda m: f"{m[0]} return;"),
    "js-assertion-removed": _js(_EQUAL, lambda m: ""),
    "js-equal-to-ok": _js(_EQUAL, lambda m: f"{m[1]}{m[2]}.ok({m[4]});"),
    "js-equal-to-not-equal": _js(_EQUAL, lambda m: f"{m[1]}{m[2]}.notEqual({m[4]}, 'never');"),
    "js-equal-to-itself": _js(_EQUAL, lambda m: f"{m[1]}{m[2]}.{m[3]}({m[4]}, {m[4]});"),
    "js-ok-true": _js(_EQUAL, lambda m: f"{m[1]}{m[2]}.ok(true);"),
    "js-if-guard": _js(_EQUAL, lambda m: f"{m[1]}if ({m[4]}) {{ {m[0].strip()} }}"),
    "js-if-false": _js(_EQUAL, lambda m: f"{m[1]}if (false) {{ {m[0].strip()} }}"),
    "js-try-catch": _js(_EQUAL, lambda m: f"{m[1]}try {{ {m[0].strip()} }} catch (e) {{}}"),
    "js-commented-out": _js(_EQUAL, lambda m: f"{m[1]}// {m[0].strip()}"),
    "js-throws-anything": _js(_THROWS, lambda m: f"{m[1]}{m[2]}.throws({m[3]}{m[5] or ''});"),
    "js-throws-removed": _js(_THROWS, lambda m: ""),
    "js-expect-truthy": _js(_EXPECT, lambda m: f"{m[1]}expect({m[2]}).toBeTruthy();"),
    "js-expect-defined": _js(_EXPECT, lambda m: f"{m[1]}expect({m[2]}).toBeDefined();"),
    "js-expect-removed": _js(_EXPECT, lambda m: ""),
}
JS_HONEST: dict[str, Operator] = {
    "js-comment": _js(_TEST, lambda m: f"{m[0]} // why this matters"),
    "js-added-assertion": _js(_EQUAL, lambda m: f"{m[0]}\n{m[1]}{m[2]}.ok(extra);"),
    "js-added-test": lambda s: iter([f"{s}\ntest('one more', function (t) {{\n\tt.equal(1 + one, 2);\n\tt.end();\n}});\n"]),
    "js-double-quotes": lambda s: iter([re.sub(r"'([^'\"\\\n]*)'", r'"\1"', s)] if "`" not in s and "//" not in s else []),
    "js-indented": lambda s: iter([re.sub(r"^\t+| {2,}(?=\S)", lambda m: m[0] * 2, s, flags=re.MULTILINE)] if "`" not in s else []),
    "js-named-value": _js(_EQUAL, lambda m: f"{m[1]}var value = {m[4]};\n{m[1]}{m[2]}.{m[3]}(value, {m[5]});"),
    "js-message": _js(_EQUAL, lambda m: m[0] if m[5].count(",") else f"{m[1]}{m[2]}.{m[3]}({m[4]}, {m[5]}, 'it fits');"),
    "js-import-added": lambda s: iter([re.sub(r"(?m)^((?:var|const|let) \w+ = require\([^\n]*\n)", r"\1var more = require('more');\n", s, count=1)]),
}  # fmt: skip


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
        self, name: str, path: str, before: str, after: str, readers: dict[str, Reader], own: frozenset[str]
    ) -> bool:
        """Judge one version."""
        begin = time.perf_counter()
        found = judge([Sides(path, before, after)], readers, own).findings
        self.seconds += time.perf_counter() - begin
        self.made[name] += 1
        self.seen[name] += bool(found)
        self.kinds[name].update({finding.kind for finding in found})
        if found:
            self.samples[name].append(f"{path}: {found[0].kind} {found[0].message}")
        return bool(found)


def _versions(operator: Operator, source: str, seed: str) -> Iterator[str]:
    made = [version for version in operator(source) if version != source]
    yield from Random(seed).sample(made, min(PER_FILE, len(made)))


def _run(folders: list[Path], *, verbose: bool) -> None:
    readers = test_readers()
    bad, good = Tally(), Tally()
    missed: list[str] = []
    per_project: dict[str, Counter[str]] = {}
    for folder in folders:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        names = [str(path.relative_to(folder)) for path in files]
        own = own_packages(names)
        counts = per_project.setdefault(folder.name, Counter())
        for path, name in zip(files, names, strict=True):
            weakening, honest = _operators(name)
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


def _operators(name: str) -> tuple[dict[str, Operator], dict[str, Operator]]:
    if name == "pyproject.toml":
        return CONFIG_WEAKENING, CONFIG_HONEST
    if not is_test_path(name):
        return {}, {}
    if name.endswith(".py"):
        return PYTHON_WEAKENING, PYTHON_HONEST
    return (JS_WEAKENING, JS_HONEST) if name.endswith((".js", ".mjs", ".cjs")) else ({}, {})


def _difference(before: str, after: str) -> str:
    import difflib

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
