"""Commands that run tests: which ones a text holds, and whether another version of one runs less. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signoff.domain.evidence.case_records import WeakeningKind, quoted
from signoff.judges.test_integrity.runner_settings.script_lines import (
    failure_lost,
    logical_lines,
    without_prefix,
)
from signoff.text.shell.shell_parts import CommandWord, Operator, UnreadableShell
from signoff.text.shell.shell_reader import tokens

_RUNS = re.compile(
    r"(?:^|[\s;&|('\"=])("
    r"pytest|py\.test|tox|nox|unittest|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|t\b|check|coverage)[\w:-]*"
    r"|npx (?:jest|vitest|mocha|ava|playwright)|jest|vitest|mocha|ava|playwright test|cypress run|karma start"
    r"|node --test|go test|gotestsum|cargo (?:nextest|test)|ctest|make (?:test|check)[\w-]*"
    r"|mvn [^\n]*(?:test|verify)"
    r"|(?:\./)?gradlew? [^\n]*(?:test|check)|rspec|rake (?:test|spec)|phpunit"
    r"|dotnet test|swift test|xcodebuild [^\n]*test"
    r"|just (?:[\w-]+ )?(?:test|check|cov)[\w-]*"
    r"|bats|deno test|mix test|coverage run|manage\.py test|python -m pytest|hatch (?:run )?test"
    r")(?=$|[\s;&|)'\",])"
)
_NO_COMMAND = re.compile(
    r"^\s*(?:#|//|-?\s*name:|uses:|description:|key:|if:|\"name\")|^\s*-?\s*(?:uses|name|[\w-]*install|extras|groups?):"
)
_INSTALLS = re.compile(
    r"\b(?:pip3?|uv|apt(?:-get)?|brew|npm|yarn|pnpm|conda|poetry)\s+(?:\w+\s+)?(?:install|add|i)\b"
)
_SWALLOWED = re.compile(r"\|\|\s*(?:true|:|echo\b|exit 0)|;\s*(?:true|:|exit 0)\s*['\")\]]*\s*$|\bset \+e\b")
_SESSION = re.compile(r"\bsession\.run(?:_always)?\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_COMMENT = re.compile(r"^((?:[^'\"#]|'[^']*'|\"[^\"]*\"|(?<=\S)#)*?)\s#.*$")
_ENVIRONMENTS = re.compile(r"\s(?:-e|-s|--sessions?|--env)[ =]?([\w.,-]+)")
_NO_TESTS = re.compile(
    r"(?i)(?:py\d*-)?(?:docs?|documentation|lint\w*|mypy|pyright|typing|types?|typecheck\w*|flake8|pep8|style|format\w*|black|ruff|"
    r"isort|build|release|dist|package|packaging|manifest|pre-commit|linkcheck|spell\w*|pylint|bandit|changelog|"
    r"upload|publish|readme|twine|doc8|fix\w*|pkg_meta|codestyle|vulture)(?:[-_.][\w.-]*)?"
)
"""Environments of tox and nox that run no tests, by what they are called."""
_HOOK = re.compile(r"\s*-?\s*(?:entry|id|args)\s*:")
_INI_KEY = re.compile(r"^(\w[\w-]*)\s*=")
_LEADING = re.compile(r"^\s*(?:-\s+)?(?:run:\s*)?(?:[|>][-+]?\s*)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEFT_OUT = _words(
    "--ignore --ignore-glob --deselect -k -m --lf --last-failed --sw --stepwise --ff --co --collect-only "
    "--continue-on-collection-errors --suppress-no-test-exit-code --exclude --passWithNoTests "
    "--pass-with-no-tests --allow-no-tests --testPathIgnorePatterns --testNamePattern -t "
    "--testPathPattern --testPathPatterns --grep -g --fgrep --invert -run --run -skip --skip -short "
    "--short --onlyChanged -o --changed --changedSince --findRelatedTests --related --no-run -DskipTests "
    "-Dmaven.test.skip=true --dangerouslyIgnoreUnhandledErrors --test-name-pattern --test-skip-pattern "
    "--lastCommit --if-present -DskipITs -x:test"
)
_NARROWING = re.compile(
    r"testpaths|norecursedirs|python_|addopts|collect|xfail_strict|filterwarnings|strict|minversion"
)
"""Settings of pytest that decide what runs, and how strictly."""
_RETRIES = _words("--reruns --retry --retries --force-flaky --max-runs --rerun-fails --only-rerun")
_COVERAGE = ("--cov-fail-under", "--fail-under", "--check-coverage")
_WITH_VALUE = _words(
    "-k -m -t -g -run --run -skip --deselect --ignore --ignore-glob --grep --exclude --testNamePattern "
    "--testPathIgnorePatterns --skip -o -W"
)
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s'\"]+")


class Weakened(NamedTuple):
    """One way in which a command runs less."""

    kind: WeakeningKind
    message: str


class RunnerCommand(NamedTuple):
    """A line that runs tests."""

    line: int
    program: str
    text: str
    lost: tuple[str, ...] = ()
    """Why a failure of it would not count, by the lines around it."""


def test_commands(text: str, path: str) -> Iterator[RunnerCommand]:
    """Yield the lines of a CI file, Makefile or script that run tests, without comments and installs.

    The path decides what a leading dash means: in Makefiles and tox.ini, that a failure is ignored.
    """
    rows = text.split("\n")
    if path.endswith("tox.ini"):
        rows = _only_commands(rows)
    for number, line in logical_lines(rows):
        if path.endswith(".pre-commit-config.yaml") and not _HOOK.match(line):
            continue
        if len(line) > 2_000 or _NO_COMMAND.match(line) or _INSTALLS.search(line):
            continue
        bare = _COMMENT.sub(r"\1", without_prefix(line, path))
        plain = _SESSION.sub(lambda call: f"session.run {' '.join(_literals(call[1]))}", bare)
        found = _RUNS.search(plain)
        if found and not _is_about_else(found[1], plain):
            lost = failure_lost(rows, number - 1, path)
            program = " ".join(found[1].split()[:3])
            yield RunnerCommand(number, program, _LEADING.sub("", plain).strip(), lost)


def _only_commands(rows: list[str]) -> list[str]:
    """Blank every line of a tox.ini that is no command: a dependency `pytest` is no command `pytest`."""
    kept, is_command = [], False
    for row in rows:
        if key := _INI_KEY.match(row):
            is_command = key[1].startswith("commands")
        elif not row.startswith((" ", "\t", "#")) and row.strip():
            is_command = False
        kept.append(row if is_command else "")
    return kept


def _is_about_else(program: str, text: str) -> bool:
    """Check whether a runner of environments is asked only for some that run no tests."""
    named = _ENVIRONMENTS.findall(text) if program in ("tox", "nox") else []
    words = [word for listed in named for word in listed.split(",") if word]
    return bool(words) and all(_NO_TESTS.fullmatch(word) for word in words)


def _literals(text: str) -> list[str]:
    return [
        word.strip("'\"") if " " not in word else word for word in re.findall(r"'[^']*'|\"[^\"]*\"", text)
    ]


def is_swallowed(text: str) -> bool:
    """Check whether the line would pass although its command fails."""
    return _SWALLOWED.search(text) is not None


def weaker_options(before: str, after: str) -> Iterator[Weakened]:
    """Yield what the second command leaves out that the first one ran, by its options.

    Each option of the new command is compared with the same option of the old one. Options that make tests
    stricter are compared the other way round: they must not go, nor their limits fall.
    """
    old, new = _options(before), _options(after)
    found: list[tuple[WeakeningKind, str]] = []
    if is_swallowed(after) and not is_swallowed(before):
        found.append((WeakeningKind.COLLECTION_NARROWED, "a failure no longer counts"))
    for option, values in new.items():
        known = old.get(option, ())
        fresh = [value for value in values if value not in known]
        # `-o name=value` may set something that leaves no test out.
        is_harmless = all("=" in value and not _NARROWING.match(value.partition("=")[0]) for value in fresh)
        if option == "-o" and known != values and is_harmless:
            continue
        if option in _LEFT_OUT and (fresh or option not in old):
            found.append((WeakeningKind.COLLECTION_NARROWED, f"{option} leaves tests out"))
        elif option in _RETRIES and _number(values) > _number(known):
            found.append((WeakeningKind.RETRIES_ADDED, "failing tests are run again"))
        elif option == "--no-cov" and option not in old:
            found.append((WeakeningKind.COVERAGE_LOWERED, "coverage is off"))
    for option in _COVERAGE:
        if option in old and (option not in new or _number(new[option]) < _number(old[option])):
            found.append((WeakeningKind.COVERAGE_LOWERED, f"{option} is lower"))
    if "error" in old.get("-W", ()) and "error" not in new.get("-W", ()):
        found.append((WeakeningKind.ASSERTION_LOOSENED, "warnings no longer fail"))
    for option in ("--doctest-modules", "--all", "--workspace", "--runInBand-all", "-Werror"):
        if option in old and option not in new:
            found.append((WeakeningKind.COLLECTION_NARROWED, f"{option} is gone"))
    yield from (Weakened(kind, f"{what}: {quoted(before)} → {quoted(after)}") for kind, what in found)


def fewer_places(before: str, after: str) -> bool:
    """Check whether the paths a command names became fewer, or paths appeared where everything was run."""
    old, new = _places(before), _places(after)
    if not new:
        return False
    if not old:
        return any(place not in ("tests", "test", "./tests", ".", "./...", "tests/", "src") for place in new)
    plain = {place.replace("**/", "") for place in new}
    return bool(old - new - plain) and not any(
        all(place.rstrip("/").startswith(wide.rstrip("/.")) for place in old) for wide in new
    )


def _commands(text: str) -> list[list[str]]:
    """Return the words of each command, at least one list. Words of `$(…)` count as words of the command.

    A line of YAML or JSON that no shell would take is split at operators and blanks.
    """
    found: list[list[str]] = [[]]
    try:
        for token in tokens(text):
            if isinstance(token, CommandWord):
                # What a variable holds is not known: its name must tell one value from another.
                found[-1].append(token.source if token.needs else token.text)
                found[-1] += [word.text for command in token.inner for word in command.words]
            elif isinstance(token, Operator):
                found.append([])
    except UnreadableShell:
        return [_WORD.findall(part) for part in re.split(r"[;&|]", text)]
    return found


def _options(text: str) -> dict[str, tuple[str, ...]]:
    """Return the values of each option of a command line, by the option's name.

    Options take a value behind `=`, as the next word, or attached as in `-kname`. `-m pytest` starts the
    runner and selects nothing, so it is left out.
    """
    found: dict[str, tuple[str, ...]] = {}
    words = [word for command in _commands(text) for word in command]
    for at, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, has_value, value = word.partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        if not has_value and (name in _WITH_VALUE | _RETRIES | frozenset(_COVERAGE)) and following[:1] != "-":
            value = following
        if word.startswith(("-k", "-m")) and len(word) > 2 and not word.startswith("--") and not has_value:
            name, value = word[:2], word[2:]
        if name == "-m" and value in ("pytest", "unittest", "nox", "tox", "coverage", "pip"):
            continue
        found[name] = (*found.get(name, ()), value.strip("'\""))
    return found


def is_run_by(command: str, others: Iterable[str]) -> bool:
    """Check whether one of the other commands names every path that this one names, and it names some."""
    wanted = _places(command)
    return bool(wanted) and any(wanted <= _places(other) for other in others)


def _places(text: str) -> set[str]:
    runs = _RUNS.search(text)
    tail = text[runs.end(1) :] if runs else text
    words = _commands(tail)[0]
    found = set()
    for at, word in enumerate(words):
        is_value = at > 0 and words[at - 1].startswith("-") and "=" not in words[at - 1]
        is_path = "/" in word or word.endswith((".py", ".js", ".ts", ".go")) or word in ("tests", "test")
        if is_path and not word.startswith(("-", "$", "{")) and not is_value:
            found.add(word.strip("'\""))
    return found


def _number(values: tuple[str, ...]) -> float:
    numbers = [float(value) for value in values if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value)]
    return max(numbers) if numbers else (1.0 if values else 0.0)
