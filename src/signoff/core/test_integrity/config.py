"""Compare files that say which tests run and how strictly: runner settings, package scripts, CI. Pure.

Formats without a parser here (JavaScript, YAML) are read by their keys; what a key's value computes is not
followed. A setting that is only reworded is no finding.
"""

import json
import re
from collections.abc import Iterator, Mapping

from signoff.core.test_integrity.commands import (
    Command,
    Weakened,
    fewer_places,
    test_commands,
    weaker_options,
)
from signoff.core.test_integrity.config_values import Settings, ini_settings, loose_settings, toml_settings
from signoff.core.test_integrity.records import Finding, Kind, finding, quoted

_INI = re.compile(r"(?:^|/)(?:\.?pytest\.ini|tox\.ini|setup\.cfg|\.coveragerc)$")
_TOML = re.compile(r"(?:^|/)(?:pyproject|\.?pytest|\.coveragerc)\.toml$")
_SCRIPT = re.compile(
    r"(?:^|/)(?:(?:jest|vitest|vite|karma|playwright|cypress|ava|nyc|wdio)[\w.-]*\.config\.[\w.]+|karma\.conf\.[cm]?[jt]s"
    r"|\.mocharc[\w.]*|\.nycrc[\w.]*|\.c8rc[\w.]*|jest\.[\w.]*json|\.?codecov\.ya?ml|\.taprc)$"
)
_CI = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.ya?ml|\.travis\.yml|"
    r"azure-pipelines[\w.-]*\.ya?ml|bitbucket-pipelines\.yml|\.drone\.yml|appveyor\.yml|Jenkinsfile|Makefile|makefile|"
    r"GNUmakefile|[Jj]ustfile|Taskfile\.ya?ml|\.pre-commit-config\.yaml|noxfile\.py|\.buildkite/.+\.ya?ml|"
    r"(?:scripts?|ci|bin|tools)/[\w.-]*(?:test|check|ci)[\w.-]*)$"
)
_SWITCHES = (
    (
        "continue-on-error: true",
        re.compile(r"^\s*-?\s*continue-on-error\s*:\s*['\"]?(?:true|\$\{\{\s*true)", re.MULTILINE),
    ),
    (
        "allow_failure: true",
        re.compile(r"^\s*-?\s*allow_failure\s*:\s*true|allow_failures\s*:", re.MULTILINE),
    ),
    ("if: false", re.compile(r"^\s*-?\s*if\s*:\s*['\"]?(?:\$\{\{\s*)?false", re.MULTILINE)),
    ("when: never", re.compile(r"^\s*-?\s*when\s*:\s*(?:never|manual)", re.MULTILINE)),
)
_TRIGGERS = re.compile(
    r"^\s*-?\s*(pull_request|push|merge_group)\b|^\s*on\s*:.*\b(pull_request|push)\b", re.MULTILINE
)


def is_config(path: str) -> bool:
    """Say whether a file may decide which tests run."""
    is_package = path.rpartition("/")[2] == "package.json"
    return is_package or any(kind.search(path) for kind in (_INI, _TOML, _SCRIPT, _CI))


def compare_config(path: str, before: str | None, after: str | None) -> list[Finding]:
    """Give what a change of this file leaves out; a file that cannot be parsed is compared by its keys."""
    old, new = before or "", after or ""
    found = list(_settings_weakened(_settings(path, old), _settings(path, new), is_gone=after is None))
    located = [(1, weakened) for weakened in found]
    if path.endswith("package.json"):
        located += [(1, weakened) for weakened in _scripts_weakened(_scripts(old), _scripts(new))]
    elif _CI.search(path) or path.endswith("tox.ini"):
        located += list(_ci_weakened(old, new))
    findings = [
        finding(path, _line_of(new, weakened, line), weakened.kind, "", weakened.message)
        for line, weakened in located
    ]
    return list(dict.fromkeys(findings))


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
_DEFAULTS = {
    "python_files": ("test_*.py", "*_test.py"),
    "python_classes": ("Test",),
    "python_functions": ("test",),
}
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


def _settings_weakened(old: Settings, new: Settings, *, is_gone: bool) -> Iterator[Weakened]:
    yield from (
        Weakened(kind, f"addopts: {message}") for kind, message in weaker_options(old.addopts, new.addopts)
    )
    yield from _lists_weakened(old.lists, new.lists, is_gone=is_gone)
    yield from _values_weakened(old.values, new.values)


def _lists_weakened(
    old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]], *, is_gone: bool
) -> Iterator[Weakened]:
    for key in sorted({*old, *new}):
        name = key.rpartition(".")[2].lower()
        before = old.get(key, _DEFAULTS.get(name, ()))
        after = new.get(key, _DEFAULTS.get(name, ()))
        lost, fresh = [v for v in before if v not in after], [v for v in after if v not in before]
        if name in _SHRINKING and key in new and _is_less(before, after, name):
            message = f"{name} takes in less: {_list(before)} → {_list(after)}"
            yield Weakened(Kind.COLLECTION_NARROWED, message)
        elif name in _GROWING and fresh:
            message = f"{name} leaves out more: {_list(before)} → {_list(after)}"
            yield Weakened(Kind.COLLECTION_NARROWED, message)
        elif name == "exclude" and fresh and ("test" in key.lower() or "." not in key):
            yield Weakened(
                Kind.COLLECTION_NARROWED, f"{name} leaves out more: {_list(before)} → {_list(after)}"
            )
        elif name in _COVERED and fresh:
            yield Weakened(Kind.COVERAGE_LOWERED, f"{name} leaves out more: {_list(before)} → {_list(after)}")
        elif name == "source" and lost and after and not is_gone and "coverage" in key:
            yield Weakened(Kind.COVERAGE_LOWERED, f"{name} measures less: {_list(before)} → {_list(after)}")


def _is_less(before: tuple[str, ...], after: tuple[str, ...], name: str) -> bool:
    lost = [value for value in before if value not in after]
    if before:
        return bool(lost) and not any(_is_wider(value, lost) for value in after)
    if name != "testpaths":
        return bool(after) and name not in ("projects", "include", "roots", "testmatch", "spec")
    return any(value.endswith(".py") or value.strip("./").count("/") > 1 for value in after)


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


# --- scripts of package.json ---

_NOTHING = re.compile(r"^\s*(?:true|:|exit 0|echo\b[^&|;]*|)\s*$")


def _scripts(text: str) -> dict[str, str]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return {k: v for k, v in scripts.items() if isinstance(v, str)} if isinstance(scripts, dict) else {}


def _scripts_weakened(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Weakened]:
    for name, before in old.items():
        after = new.get(name)
        is_test = "test" in name or name in ("check", "verify", "coverage") or any(test_commands(before))
        if not is_test or before == after or _NOTHING.match(before):
            continue
        if after is None:
            if before not in new.values():
                yield Weakened(
                    Kind.COLLECTION_NARROWED, f"the script {name} is gone: {quoted(before)} → nothing"
                )
        elif _NOTHING.match(after):
            message = f"the script {name} runs nothing: {quoted(before)} → {quoted(after)}"
            yield Weakened(Kind.COLLECTION_NARROWED, message)
        else:
            yield from weaker_options(before, after)
            if fewer_places(before, after):
                message = f"the script {name} runs less: {quoted(before)} → {quoted(after)}"
                yield Weakened(Kind.COLLECTION_NARROWED, message)


# --- CI ---


def _ci_weakened(old: str, new: str) -> Iterator[tuple[int, Weakened]]:
    free = list(test_commands(new))
    left: list[Command] = []
    for command in test_commands(old):
        same = next((other for other in free if other.text == command.text), None)
        if same is not None:
            free.remove(same)
        else:
            left.append(command)
    for command in left:
        other = next((other for other in free if other.program == command.program), None)
        if other is None:
            said = f"{quoted(command.text)} → {quoted(free[0].text) if free else 'nothing'}"
            if not free:
                yield 1, Weakened(Kind.COLLECTION_NARROWED, f"a step that runs tests is gone: {said}")
            continue
        free.remove(other)
        yield from ((other.line, weakened) for weakened in weaker_options(command.text, other.text))
        if fewer_places(command.text, other.text):
            message = f"runs less: {quoted(command.text)} → {quoted(other.text)}"
            yield other.line, Weakened(Kind.COLLECTION_NARROWED, message)
    yield from _switches(old, new)


def _switches(old: str, new: str) -> Iterator[tuple[int, Weakened]]:
    for name, pattern in _SWITCHES:
        before, after = len(pattern.findall(old)), [found.start() for found in pattern.finditer(new)]
        if len(after) > before:
            line = new.count("\n", 0, after[-1]) + 1
            message = f"`{name}` lets a failure pass: {before} times before, {len(after)} after"
            yield line, Weakened(Kind.COLLECTION_NARROWED, message)
    lost = _triggers(old) - _triggers(new)
    if lost and any(test_commands(new)):
        message = f"tests no longer run on {', '.join(sorted(lost))}; before they did"
        yield 1, Weakened(Kind.COLLECTION_NARROWED, message)


def _triggers(text: str) -> set[str]:
    return {first or second for first, second in _TRIGGERS.findall(text)}
