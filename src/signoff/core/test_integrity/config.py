"""Compare files that say which tests run and how strictly: runner settings, package scripts, CI. Pure.

Formats without a parser here (JavaScript, YAML) are read by their keys; what a key's value computes is not
followed. A setting that is only reworded is no finding.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from signoff.core.test_integrity.ci import ci_weakened, fresh_commands
from signoff.core.test_integrity.commands import Weakened, weaker_options
from signoff.core.test_integrity.config_values import (
    Settings,
    ini_settings,
    loose_settings,
    toml_settings,
    with_moves,
)
from signoff.core.test_integrity.package_scripts import scripts_weakened
from signoff.core.test_integrity.records import Finding, Kind, Sides, finding, quoted

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
    """Say whether a file may decide which tests run."""
    if _DATA.search(path):
        return False
    is_package = path.rpartition("/")[2] == "package.json"
    return is_package or any(kind.search(path) for kind in (_INI, _TOML, _SCRIPT, _CI))


def compare_config(
    path: str, before: str | None, after: str | None, others: Sequence[Sides] = ()
) -> list[Finding]:
    """Give what a change of this file leaves out; a file that cannot be parsed is compared by its keys.

    `others` are the other files of the change: what moved there, or came from there, is compared with it.
    """
    old, new = before or "", after or ""
    settings = with_moves(_settings(path, old), _settings(path, new), list(_settings_beside(path, others)))
    found = list(_settings_weakened(*settings, path, is_gone=after is None))
    located = [(1, weakened) for weakened in found]
    if path.endswith("package.json"):
        located += [(1, weakened) for weakened in scripts_weakened(old, new)]
    elif _runs_commands(path):
        elsewhere = [
            command
            for other in others
            if _runs_commands(other.path) and other.path != path
            for command in fresh_commands(other.path, other.before or "", other.after or "")
        ]
        located += list(ci_weakened(path, old, new, elsewhere, is_gone=after is None))
    findings = [
        finding(path, _line_of(new, weakened, line), weakened.kind, "", weakened.message)
        for line, weakened in located
    ]
    return list(dict.fromkeys(findings))


def _runs_commands(path: str) -> bool:
    return is_config(path) and (_CI.search(path) is not None or path.endswith("tox.ini"))


def _settings_beside(path: str, others: Sequence[Sides]) -> Iterator[tuple[Settings, Settings]]:
    """Give the settings of the other files that the same runner would look into."""
    folder = path.rpartition("/")[0]
    if not (_INI.search(path) or _TOML.search(path)):
        return
    for other in others:
        is_read = _INI.search(other.path) or _TOML.search(other.path)
        if is_read and other.path != path and other.path.rpartition("/")[0] == folder:
            yield _settings(other.path, other.before or ""), _settings(other.path, other.after or "")


def _line_of(text: str, weakened: Weakened, line: int) -> int:
    if line > 1:
        return line
    key = re.match(r"`?([\w.-]+)", weakened.message.removeprefix("addopts: "))
    if key is None:
        return 1
    word = key[1].rpartition(".")[2]
    return next((at for at, row in enumerate(text.split("\n"), 1) if word in row), 1)


# --- settings ---


def _settings(path: str, text: str) -> Settings:
    if _INI.search(path):
        return ini_settings(text)
    if _TOML.search(path):
        return toml_settings(text)
    if _SCRIPT.search(path) or path.endswith("package.json"):
        return loose_settings(text)
    return Settings({}, {}, "")


_SHRINKING = (
    "testpaths",
    "python_files",
    "python_classes",
    "python_functions",
    "testmatch",
    "roots",
    "include",
    "spec",
    "projects",
)
_ONE_FILE = re.compile(r"^[^*?{\[]+[._-](?:test|spec)\.[cm]?[jt]sx?$")
_STRICT_WARNING = re.compile(r"[\"']?error(?::|$)")
_DEFAULTS = {
    "python_files": ("test_*.py", "*_test.py"),
    "python_classes": ("Test",),
    "python_functions": ("test",),
    "norecursedirs": ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"),
}
_ROOTS = {"test", "tests"}
_BY_PREFIX = ("python_classes", "python_functions")
"""Names that begin so are taken: a star at the end says nothing more."""
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
_GROWING = (
    "norecursedirs",
    "testpathignorepatterns",
    "collect_ignore",
    "modulepathignorepatterns",
    "testignore",
)
_COVERED = ("omit", "coveragepathignorepatterns", "exclude_lines", "exclude_also")
_STRICT = ("xfail_strict", "strict_xfail", "forbidonly", "forbid-only", "branch", "check-coverage", "all")
_LAX = ("passwithnotests", "allow-uncaught", "allowonly", "bail_never", "dangerouslyignoreunhandlederrors")
_PATTERNS = ("testregex", "grep", "testnamepattern")
_RETRYING = ("retry", "retries", "reruns", "retrytimes")
_THRESHOLDS = ("fail_under", "branches", "functions", "lines", "statements", "threshold", "target", "perfile")


def _settings_weakened(old: Settings, new: Settings, path: str, *, is_gone: bool) -> Iterator[Weakened]:
    yield from (
        Weakened(kind, f"addopts: {message}") for kind, message in weaker_options(old.addopts, new.addopts)
    )
    is_coverage = _COVERAGE_FILE.search(path) is not None
    yield from _lists_weakened(old.lists, new.lists, is_gone=is_gone, is_coverage=is_coverage)
    yield from _values_weakened(old.values, new.values)


def _lists_weakened(
    old: Mapping[str, tuple[str, ...]],
    new: Mapping[str, tuple[str, ...]],
    *,
    is_gone: bool,
    is_coverage: bool,
) -> Iterator[Weakened]:
    for key in sorted({*old, *new}):
        name = key.rpartition(".")[2].lower()
        before = old.get(key, _DEFAULTS.get(name, ()))
        after = new.get(key, _DEFAULTS.get(name, ()))
        if name in _BY_PREFIX:
            before, after = (tuple(value.rstrip("*") for value in side) for side in (before, after))
        lost, fresh = [v for v in before if v not in after], [v for v in after if v not in before]
        if name in _SHRINKING and key in new and _is_less(before, after, name):
            message = f"{name} takes in less: {_list(before)} → {_list(after)}"
            yield Weakened(Kind.COLLECTION_NARROWED, message)
        elif name in _GROWING and any(not _NO_TESTS.match(value) for value in fresh):
            message = f"{name} leaves out more: {_list(before)} → {_list(after)}"
            yield Weakened(Kind.COLLECTION_NARROWED, message)
        elif name == "exclude" and is_coverage:
            if any(not _NOT_MEASURED.match(value) for value in fresh):
                yield Weakened(
                    Kind.COVERAGE_LOWERED, f"{name} leaves out more: {_list(before)} → {_list(after)}"
                )
        elif name == "exclude" and fresh and ("test" in key.lower() or "." not in key):
            yield Weakened(
                Kind.COLLECTION_NARROWED, f"{name} leaves out more: {_list(before)} → {_list(after)}"
            )
        elif name in _COVERED and any(_is_measured(value, name) for value in fresh):
            yield Weakened(Kind.COVERAGE_LOWERED, f"{name} leaves out more: {_list(before)} → {_list(after)}")
        elif name == "filterwarnings" and (message := _lets_warnings_pass(before, after)):
            yield Weakened(Kind.ASSERTION_LOOSENED, message)
        elif name == "source" and lost and after and not is_gone and "coverage" in key and "." not in after:
            yield Weakened(Kind.COVERAGE_LOWERED, f"{name} measures less: {_list(before)} → {_list(after)}")


def _is_measured(value: str, name: str) -> bool:
    """Say whether leaving this out leaves out what tests could reach."""
    pattern = _NEVER_RUN if name.startswith("exclude") else _NOT_MEASURED
    return pattern.search(value) is None


def _is_less(before: tuple[str, ...], after: tuple[str, ...], name: str) -> bool:
    lost = [value for value in before if value not in after]
    if name == "testpaths" and {value.strip("./") for value in lost} <= _ROOTS:
        lost = (
            [] if any(value.strip("./") in _ROOTS for value in after) else lost
        )  # it was given its other name
    if before:
        return bool(lost) and not any(_is_wider(value, lost) for value in after)
    if name in (
        "include",
        "testmatch",
        "spec",
    ):  # in place of the default pattern: files are less
        return bool(after) and all(_ONE_FILE.search(value) for value in after)
    if name != "testpaths":
        return bool(after) and name not in ("projects", "include", "roots", "testmatch", "spec")
    return any(value.endswith(".py") or value.strip("./").count("/") > 1 for value in after)


def _lets_warnings_pass(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """Say how warnings stop failing a run; empty if they do not. A filter for one kind only is no such."""
    lost = [word for word in before if _STRICT_WARNING.match(word) and word not in after]
    is_open = any(word in ("ignore", "default", "once") for word in after if word not in before)
    if lost or (is_open and any(map(_STRICT_WARNING.match, before))):
        return f"filterwarnings lets warnings pass: {_list(before)} → {_list(after)}"
    return ""


def _is_wider(value: str, lost: list[str]) -> bool:
    bare = value.rstrip("/*")
    return bare in ("", ".", "test", "tests") and all(item.startswith(bare.strip(".")) for item in lost)


def _list(values: tuple[str, ...]) -> str:
    return quoted(" ".join(values)) if values else "nothing"


def _values_weakened(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Weakened]:
    for key in sorted({*old, *new}):
        name = key.rpartition(".")[2].lower()
        before, after = old.get(key, ""), new.get(key, "")
        said = f"{key}: {quoted(before) if before else 'not set'} → {quoted(after) if after else 'not set'}"
        if name in _THRESHOLDS and _is_number(before):
            if not _is_number(after) or _as_number(after) < _as_number(before):
                yield Weakened(Kind.COVERAGE_LOWERED, said)
        elif name in _RETRYING and _is_number(after) and _as_number(after) > _as_number(before or "0"):
            yield Weakened(Kind.RETRIES_ADDED, said)
        elif name in _STRICT and _is_true(before) and not _is_true(after):
            kind = (
                Kind.COVERAGE_LOWERED
                if name in ("branch", "check-coverage", "all")
                else Kind.EXPECTED_TO_FAIL
            )
            yield Weakened(kind, said)
        elif (name in _LAX and _is_true(after) and not _is_true(before)) or (
            name in _PATTERNS and after not in ("", before) and (name != "testregex" or before)
        ):
            yield Weakened(Kind.COLLECTION_NARROWED, said)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?%?", text) is not None


def _as_number(text: str) -> float:
    return float(text.rstrip("%")) if _is_number(text) else 0.0


def _is_true(text: str) -> bool:
    return text.lower() in ("true", "1", "yes", "on")
