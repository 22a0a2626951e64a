"""Which paths a change may touch: declared scope, protected paths, non-goals.

Pure. Paths are posix and relative to the root of a tree.
"""

import json
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from signoff.domain.base.findings import Finding, shown
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.text.globs import matches_any

Reader = Callable[[str], bytes | None]
"""Return a file's bytes in one tree, None if that tree has no such file."""


class ScanResult(NamedTuple):
    """What was found, and what could not be judged. The second is never taken for a pass."""

    findings: tuple[Finding, ...] = ()
    undecided: tuple[str, ...] = ()
    """One phrase each: a path, and why it could not be judged."""


PROTECTED: tuple[str, ...] = (
    "signoff.toml",
    # Test runners and coverage: a further file nearer to the tests takes the place of the first.
    *(f"**/{name}" for name in ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")),
    *(f"**/{name}" for name in ("tox.ini", "tox.toml", "setup.cfg", "noxfile.py")),
    *(f"**/{name}" for name in (".coveragerc", ".coveragerc.toml")),
    *(f"**/{name}" for name in ("jest.config.*", "vitest.config.*", "vitest.workspace.*", ".mocharc.*")),
    *(f"**/{name}" for name in ("playwright.config.*", "cypress.config.*", "karma.conf.*", "ava.config.*")),
    *(f"**/{name}" for name in (".nycrc", ".nycrc.*", ".c8rc", ".c8rc.*", ".taprc")),
    # What compiles the tests before they run, and which shell or registry their scripts use.
    *(f"**/{name}" for name in ("vite.config.*", "babel.config.*", ".babelrc*")),
    *(f"**/{name}" for name in (".npmrc", ".yarnrc", ".yarnrc.yml")),
    # pytest runs it inside itself: it can rewrite every outcome before the report is made.
    "**/conftest.py",
    # Linters and type checkers.
    *(f"**/{name}" for name in ("ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".flake8")),
    *(f"**/{name}" for name in (".pylintrc", "pylintrc", "pyrightconfig.json", ".eslintrc", ".eslintrc.*")),
    *(f"**/{name}" for name in ("eslint.config.*", ".eslintignore", "biome.json", "biome.jsonc")),
    *(f"**/{name}" for name in (".golangci.yml", ".golangci.yaml", "clippy.toml", ".clippy.toml")),
    # CI and hooks.
    ".github/**",
    ".gitlab-ci.yml",
    ".gitlab/**",
    ".circleci/**",
    ".buildkite/**",
    ".teamcity/**",
    ".woodpecker/**",
    ".husky/**",
    *("Jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".travis.yml", ".drone.yml"),
    *("appveyor.yml", ".appveyor.yml", ".woodpecker.yml", "codecov.yml", ".codecov.yml"),
    *(".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", "lefthook.yaml"),
    # Python imports these by itself, or in place of the runner, when the tree is on its path.
    *(f"**/{name}" for name in ("sitecustomize.py", "usercustomize.py", "*.pth")),
    # What is installed, by its metadata: an entry point there is a plugin of the runner.
    *(f"**/*.{kind}/**" for kind in ("dist-info", "egg-info")),
    *(f"{root}{name}" for root in ("", "src/") for name in ("pytest.py", "pytest", "_pytest", "pluggy")),
)
"""Settings, runner configuration and CI: an agent must not write the rules that it is judged by."""

_FOR_PEOPLE: tuple[str, ...] = (
    *(f".github/{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "SUPPORT", "CODE_OF_CONDUCT")),
    *(f".github/{name}*" for name in ("PULL_REQUEST_TEMPLATE", "pull_request_template", "FUNDING.y")),
    *(f".github/{name}" for name in ("ISSUE_TEMPLATE.md", "issue_template.md", "GOVERNANCE.md")),
    *(f".github/{name}_TEMPLATE/**" for name in ("ISSUE", "PULL_REQUEST", "DISCUSSION")),
)
"""Texts among the protected ones that run nothing and that no agent is given as instructions."""

_RUNNERS_OWN = (
    *("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup", "tomli"),
    *("colorama", "coverage", "xdist", "execnet"),
)
_SHADOWED = (sys.stdlib_module_names | {*_RUNNERS_OWN}) - {"test", "tests"}
"""Modules that every check imports. A folder `test` holds tests and shadows nothing."""
_IMPORTABLE = (".py", ".pyc", ".pyd", ".so")

_TOML_TABLES = ("signoff", "pytest", "coverage", "ruff", "mypy", "pyright", "basedpyright", "pylint", "tox")
_JSON_KEYS = ("scripts", "jest", "vitest", "mocha", "nyc", "c8", "ava", "eslintConfig")


def outside_scope(changes: Iterable[PathChange], allowed: Iterable[str]) -> tuple[Finding, ...]:
    """Find the changes that no declared path covers."""
    globs = tuple(allowed)
    return tuple(
        _finding("outside-scope", change, f"{change.kind}, but no task declares this path")
        for change in changes
        if not matches_any(change.path, globs)
    )


def undeclared_deletions(
    changes: Iterable[PathChange], allowed: Iterable[str], base: Reader
) -> tuple[Finding, ...]:
    """Find files of the base that are gone, although the task declares neither their change nor deletion."""
    globs = tuple(allowed)
    return tuple(
        _finding("undeclared-deletion", change, "deleted, but the task only declares that it creates it")
        for change in changes
        if change.kind is ChangeKind.DELETED
        and not matches_any(change.path, globs)
        and base(change.path) is not None
    )


def untouched_findings(changes: Iterable[PathChange], globs: Iterable[str]) -> tuple[Finding, ...]:
    """Find the changes below paths that must stay as they are."""
    fixed = tuple(globs)
    return tuple(
        _finding("path-touched", change, f"{change.kind}, although the contract says it stays untouched")
        for change in changes
        if matches_any(change.path, fixed)
    )


def protected_findings(
    changes: Iterable[PathChange],
    before: Reader,
    after: Reader,
    extra: Iterable[str] = (),
    removed: Iterable[str] = (),
) -> tuple[Finding, ...]:
    """Return a finding for each change to a protected path. A new file there changes the rules as well.

    `removed` takes paths off the built-in list, never off `extra`.
    """
    more, fewer = tuple(extra), tuple(removed)
    found: list[Finding] = []
    for change in changes:
        if why := _protection(change, before, after, more, fewer):
            found.append(_finding("protected-path", change, why))
    return tuple(found)


def _protection(
    change: PathChange, before: Reader, after: Reader, extra: tuple[str, ...], removed: tuple[str, ...]
) -> str:
    """Return why a change is not allowed, empty if it is allowed."""
    if matches_any(change.path, extra):
        return f"{change.kind}, although the settings protect this path"
    if matches_any(change.path, removed):
        return ""
    if matches_any(change.path, PROTECTED) and not matches_any(change.path, _FOR_PEOPLE):
        return f"{change.kind}, although it is a protected file: it decides what is checked"
    name = change.path.rpartition("/")[2]
    if name == "pyproject.toml":
        return _sections(change, before, after, _toml_sections)
    if name == "package.json":
        return _sections(change, before, after, _json_sections)
    if change.kind is ChangeKind.ADDED and (module := _shadowed(change.path, before)):
        return f"added, and shadows {module} for every check"
    return ""


def _shadowed(path: str, before: Reader) -> str:
    """Return the foreign module that a new file is imported instead of, empty if there is none."""
    inner = path.removeprefix("src/")
    root = path[: len(path) - len(inner)]
    first, slash, _ = inner.partition("/")
    name = first if slash else first.partition(".")[0]
    if name not in _SHADOWED or not inner.endswith(_IMPORTABLE):
        return ""
    is_its_own = any(before(f"{root}{name}{end}") is not None for end in (".py", "/__init__.py"))
    return "" if is_its_own else name


Sections = Mapping[str, str]


def _sections(
    change: PathChange, before: Reader, after: Reader, read: Callable[[bytes], Sections | None]
) -> str:
    """Return why a change to the protected sections of a file is not allowed, empty if they are as before.

    Other sections of the file may change. A file that cannot be parsed afterwards is refused, because its
    sections cannot be compared.
    """
    if change.kind is ChangeKind.RETYPED:
        return (
            "no longer the same kind of file, although parts of it are protected: they decide what is checked"
        )
    is_there = change.kind is not ChangeKind.DELETED
    new = read(after(change.path) or b"") if is_there else {}
    if new is None:
        return "cannot be parsed after the change, so its protected sections cannot be compared"
    old = (read(before(change.path) or b"") or {}) if change.kind is not ChangeKind.ADDED else {}
    differing = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    if change.kind is ChangeKind.ADDED and "/" in change.path:
        differing = [key for key in differing if key != "scripts"]  # a new package's own, which no gate runs
    return (
        f"changes {', '.join(differing)}, which is protected: it decides what is checked" if differing else ""
    )


def _toml_sections(data: bytes) -> Sections | None:
    try:
        tool: Any = tomllib.loads(data.decode()).get("tool", {})
    except (ValueError, RecursionError):
        return None
    if not isinstance(tool, dict):
        return None
    return _as_text({f"[tool.{key}]": value for key, value in tool.items() if key.startswith(_TOML_TABLES)})


def _json_sections(data: bytes) -> Sections | None:
    try:
        whole: Any = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict):
        return None
    return _as_text({key: whole[key] for key in _JSON_KEYS if key in whole})


def _as_text(sections: Mapping[str, Any]) -> Sections:
    """Make values comparable: Python takes `true` and `1` for equal, a runner may not."""
    return {key: json.dumps(value, sort_keys=True, default=str) for key, value in sections.items()}


def _finding(code: str, change: PathChange, message: str) -> Finding:
    return Finding(code=code, message=message, path=shown(change.path))
