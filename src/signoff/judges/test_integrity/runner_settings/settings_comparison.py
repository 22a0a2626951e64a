"""Compare files that say which tests run and how strictly: runner settings, package scripts, CI. Pure.

Formats without a parser here (JavaScript, YAML) are read by their keys. What a key's value computes is not
followed. A setting that is only reworded is no finding.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from signoff.domain.evidence.case_records import FileSides, Weakening, WeakeningKind, finding, quoted
from signoff.judges.test_integrity.runner_settings.ci_files import ci_weakened, fresh_commands
from signoff.judges.test_integrity.runner_settings.package_scripts import scripts_weakened
from signoff.judges.test_integrity.runner_settings.runner_commands import Weakened, weaker_options
from signoff.judges.test_integrity.runner_settings.runner_values import (
    Lists,
    RunnerSettings,
    ini_settings,
    loose_settings,
    toml_settings,
    with_moves,
)
from signoff.text.word_lists import words

_INI = re.compile(r"(?:^|/)(?:\.?pytest\.ini|tox\.ini|setup\.cfg|\.coveragerc)$")
_TOML = re.compile(r"(?:^|/)(?:pyproject|\.?pytest|\.coveragerc)\.toml$")
_SCRIPT = re.compile(
    r"(?:^|/)(?:(?:jest|vitest|vite|karma|playwright|cypress|ava|nyc|wdio)[\w.-]*\.config\.[\w.]+|karma\.conf\.[cm]?[jt]s"
    r"|\.mocharc[\w.]*|\.nycrc[\w.]*|\.c8rc[\w.]*|jest\.[\w.]*json|\.?codecov\.ya?ml|\.taprc)$"
)
_CI = re.compile(
    # A service reads its file at the root of the repository and nowhere else.
    r"^(?:\.github/(?:workflows|actions)/.+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.ya?ml|\.travis\.yml|"
    r"bitbucket-pipelines\.yml|\.drone\.yml|\.pre-commit-config\.yaml|\.buildkite/.+\.ya?ml)$|"
    r"(?:^|/)(?:azure-pipelines[\w.-]*\.ya?ml|appveyor\.yml|Jenkinsfile|Makefile|makefile|"
    r"GNUmakefile|[Jj]ustfile|Taskfile\.ya?ml|noxfile\.py|"
    r"(?:scripts?|ci|bin|tools)/[\w.-]*(?:test|check|ci)[\w.-]*)$"
)
_DATA = re.compile(r"(?:^|/)(?:fixtures|__fixtures__|testdata|node_modules|vendor)/")
"""Folders of what tests read and of what others wrote: settings there are not this project's."""


def is_config(path: str) -> bool:
    """Check whether a file may decide which tests run."""
    if _DATA.search(path):
        return False
    is_package = path.rpartition("/")[2] == "package.json"
    return is_package or any(kind.search(path) for kind in (_INI, _TOML, _SCRIPT, _CI))


def compare_config(
    path: str, before: str | None, after: str | None, others: Sequence[FileSides] = ()
) -> list[Weakening]:
    """Return what a change of this file leaves out. A file that cannot be parsed is compared by its keys.

    `others` are the other files of the change: what moved there, or came from there, is compared with it.
    """
    old, new = before or "", after or ""
    beside = list(_settings_beside(path, others))
    settings = with_moves(_settings(path, old), _settings(path, new), beside)
    weaker = [(1, found) for found in _settings_weakened(*settings, path, is_gone=after is None)]
    if path.endswith("package.json"):
        weaker += [(1, weakened) for weakened in scripts_weakened(old, new)]
    elif _runs_commands(path):
        scripts = [side for side in others if side.path != path and _runs_commands(side.path)]
        fresh = [c for s in scripts for c in fresh_commands(s.path, s.before or "", s.after or "")]
        weaker += ci_weakened(path, old, new, fresh, is_gone=after is None)
    findings = [
        finding(path, line if line > 1 else _line_of(new, weakened), weakened.kind, "", weakened.message)
        for line, weakened in weaker
    ]
    return list(dict.fromkeys(findings))


def _runs_commands(path: str) -> bool:
    return is_config(path) and (_CI.search(path) is not None or path.endswith("tox.ini"))


def _settings_beside(
    path: str, others: Sequence[FileSides]
) -> Iterator[tuple[RunnerSettings, RunnerSettings]]:
    """Yield both sides of the other settings files in the folder that the same runner would look into."""
    for side in others if _has_sections(path) else ():
        is_beside = side.path != path and side.path.rpartition("/")[0] == path.rpartition("/")[0]
        if is_beside and _has_sections(side.path):
            yield _settings(side.path, side.before or ""), _settings(side.path, side.after or "")


def _has_sections(path: str) -> bool:
    return bool(_INI.search(path) or _TOML.search(path))


def _line_of(text: str, weakened: Weakened) -> int:
    """Return the first line that names the setting of a message, 1 if none does."""
    key = re.match(r"`?([\w.-]+)", weakened.message.removeprefix("addopts: "))
    word = key[1].rpartition(".")[2] if key else ""
    return next((at for at, row in enumerate(text.split("\n"), 1) if word and word in row), 1)


# --- settings ---


def _settings(path: str, text: str) -> RunnerSettings:
    if _INI.search(path):
        return ini_settings(text)
    if _TOML.search(path):
        return toml_settings(text)
    if _SCRIPT.search(path) or path.endswith("package.json"):
        return loose_settings(text)
    return RunnerSettings({}, {}, "")


_ONE_FILE = re.compile(r"^[^*?{\[]+[._-](?:test|spec)\.[cm]?[jt]sx?$")
_STRICT_WARNING = re.compile(r"[\"']?error(?::|$)")
_DEFAULTS = {
    "python_files": ("test_*.py", "*_test.py"),
    "python_classes": ("Test",),
    "python_functions": ("test",),
    "norecursedirs": ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"),
}
_ROOTS = {"test", "tests"}
_NO_TESTS = re.compile(
    r"(?i)^(?:\./|\*\*?/)*(?:\..*|docs?|documentation|requirements|dependencies|build|dist|site|venv|env|virtualenv|"
    r"node_modules|vendor|bin|scripts?|tools|licen[cs]es?|coverage|examples?|assets|static|templates|locale|"
    r".*\.(?:egg|dist)(?:-info)?|__pycache__|benchmarks?|ci)(?:/\*{0,2})?$"
)
"""Folders that hold no tests by what they are called."""
_NOT_MEASURED = re.compile(
    r"(?i)^(?:\*{0,2}/|[\w./-]+/)?(?:tests?|coverage|examples?|node_modules|dist|build|docs?|\.tox|site-packages)"
    r"(?:/.*|\*)?$|(?:^|/)(?:setup\.py|conftest\.py|noxfile\.py|test_[\w*]*\.py)$"
)
_NEVER_RUN = re.compile(
    r"pragma|TYPE_CHECKING|overload|abstractmethod|NotImplemented|\\?\.\\?\.\\?\.|__main__|assert[ _\\]|"
    r"AssertionError|Protocol|unreachable|@pytest|pytest\\?\.|typing|sys\\?\.version|sys\\?\.platform"
)
"""Lines that are never run, or only by tests that fail: to measure them says nothing."""
_COVERAGE_FILE = re.compile(r"(?:^|/)\.(?:nyc|c8)rc[\w.]*$")
_SHRINKING = words(
    "testpaths python_files python_classes python_functions testmatch roots include spec projects"
)
_BY_PREFIX = words("python_classes python_functions")
"""Names that begin so are taken: a star at the end says nothing more."""
_BY_DEFAULT = words("include testmatch spec")
"""Keys that replace the runner's default pattern."""
_GROWING = words("norecursedirs testpathignorepatterns collect_ignore modulepathignorepatterns testignore")
_COVERED = words("omit coveragepathignorepatterns exclude_lines exclude_also")
_STRICT_COVERAGE = words("branch check-coverage all")
_STRICT_TESTS = words("xfail_strict strict_xfail forbidonly forbid-only")
_LAX = words("passwithnotests allow-uncaught allowonly bail_never dangerouslyignoreunhandlederrors")
_PATTERNS = words("testregex grep testnamepattern")
_RETRYING = words("retry retries reruns retrytimes")
_THRESHOLDS = words("fail_under branches functions lines statements threshold target perfile")


def _settings_weakened(
    old: RunnerSettings, new: RunnerSettings, path: str, *, is_gone: bool
) -> Iterator[Weakened]:
    for kind, message in weaker_options(old.addopts, new.addopts):
        yield Weakened(kind, f"addopts: {message}")
    for key in sorted({*old.lists, *new.lists}):
        change = _ListChange.of(key, old.lists, new.lists)
        is_coverage = _COVERAGE_FILE.search(path) is not None
        weakened = _how_weakened(change, is_set=key in new.lists, is_gone=is_gone, is_coverage=is_coverage)
        if weakened is not None:
            verb = _VERBS.get(change.name, "leaves out more")
            message = f"{change.name} {verb}: {_list(change.before)} → {_list(change.after)}"
            yield Weakened(weakened, message)
    for key in sorted({*old.values, *new.values}):
        before, after = old.values.get(key, ""), new.values.get(key, "")
        if lowered := _how_lowered(key.rpartition(".")[2].lower(), before, after):
            shown = [quoted(value) if value else "not set" for value in (before, after)]
            yield Weakened(lowered, f"{key}: {shown[0]} → {shown[1]}")


_VERBS = {
    **dict.fromkeys(_SHRINKING, "takes in less"),
    "filterwarnings": "lets warnings pass",
    "source": "measures less",
}


class _ListChange(NamedTuple):
    """A setting that is a list, on both sides, with the default where it is not set."""

    key: str
    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def of(cls, key: str, old: Lists, new: Lists) -> "_ListChange":
        name = key.rpartition(".")[2].lower()
        sides = [side.get(key, _DEFAULTS.get(name, ())) for side in (old, new)]
        if name in _BY_PREFIX:
            sides = [tuple(value.rstrip("*") for value in side) for side in sides]
        return cls(key, name, *sides)

    @property
    def lost(self) -> list[str]:
        return [value for value in self.before if value not in self.after]

    @property
    def fresh(self) -> list[str]:
        return [value for value in self.after if value not in self.before]


def _how_weakened(
    change: _ListChange, *, is_set: bool, is_gone: bool, is_coverage: bool
) -> WeakeningKind | None:
    """Return how a list weakens the run, None if it does not.

    The name of a setting tells whether a longer or a shorter list is the weaker one, and which entries do not
    count: folders without tests, files that are not measured, lines that never run.
    """
    name, fresh = change.name, change.fresh
    if name in _SHRINKING and is_set and _is_less(change):
        return WeakeningKind.COLLECTION_NARROWED
    if name in _GROWING:
        return (
            WeakeningKind.COLLECTION_NARROWED if any(not _NO_TESTS.match(value) for value in fresh) else None
        )
    if name == "exclude":
        if is_coverage:
            return WeakeningKind.COVERAGE_LOWERED if any(not _NOT_MEASURED.match(v) for v in fresh) else None
        is_of_tests = "test" in change.key.lower() or "." not in change.key
        return WeakeningKind.COLLECTION_NARROWED if fresh and is_of_tests else None
    if name in _COVERED:
        harmless = _NEVER_RUN if name.startswith("exclude") else _NOT_MEASURED
        return WeakeningKind.COVERAGE_LOWERED if any(not harmless.search(value) for value in fresh) else None
    if name == "filterwarnings":
        # Whether warnings stop failing a run. A filter for one kind of warning only does not count.
        is_open = any(word in ("ignore", "default", "once") for word in change.fresh)
        return (
            WeakeningKind.ASSERTION_LOOSENED
            if any(map(_STRICT_WARNING.match, change.before if is_open else change.lost))
            else None
        )
    is_source = name == "source" and "coverage" in change.key and not is_gone
    if is_source and change.lost and change.after and "." not in change.after:
        return WeakeningKind.COVERAGE_LOWERED
    return None


def _is_less(change: _ListChange) -> bool:
    """Check whether a list takes in less than before, or less than the default it replaces."""
    name, after, lost = change.name, change.after, change.lost
    if name == "testpaths" and {value.strip("./") for value in lost} <= _ROOTS:
        # `test` and `tests` are one folder's two names.
        lost = [] if any(value.strip("./") in _ROOTS for value in after) else lost
    if change.before:
        folders = [bare for value in after if (bare := value.rstrip("/*")) in ("", ".", "test", "tests")]
        return bool(lost) and not any(
            all(item.startswith(folder.strip(".")) for item in lost) for folder in folders
        )
    if name in _BY_DEFAULT:  # single files are less than the default pattern
        return bool(after) and all(_ONE_FILE.search(value) for value in after)
    if name != "testpaths":
        return bool(after) and name not in ("projects", "roots")
    return any(value.endswith(".py") or value.strip("./").count("/") > 1 for value in after)


def _list(values: tuple[str, ...]) -> str:
    return quoted(" ".join(values)) if values else "nothing"


def _how_lowered(name: str, before: str, after: str) -> WeakeningKind | None:
    """Return how a single value weakens the run, None if it does not. The name tells which way is weaker.

    Thresholds weaken by falling, retries by rising, strict switches by going off and lax ones by going on.
    A pattern weakens by being set to another text.
    """
    if name in _THRESHOLDS and _is_number(before):
        is_lower = not _is_number(after) or _as_number(after) < _as_number(before)
        return WeakeningKind.COVERAGE_LOWERED if is_lower else None
    if name in _RETRYING and _is_number(after) and _as_number(after) > _as_number(before or "0"):
        return WeakeningKind.RETRIES_ADDED
    if name in _STRICT_COVERAGE | _STRICT_TESTS and _is_true(before) and not _is_true(after):
        return WeakeningKind.COVERAGE_LOWERED if name in _STRICT_COVERAGE else WeakeningKind.EXPECTED_TO_FAIL
    is_laxer = name in _LAX and _is_true(after) and not _is_true(before)
    is_selected = name in _PATTERNS and after not in ("", before) and (name != "testregex" or before)
    return WeakeningKind.COLLECTION_NARROWED if is_laxer or is_selected else None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?%?", text) is not None


def _as_number(text: str) -> float:
    return float(text.rstrip("%")) if _is_number(text) else 0.0


def _is_true(text: str) -> bool:
    return text.lower() in ("true", "1", "yes", "on")
