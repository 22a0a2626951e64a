"""Read settings of test runners out of INI, TOML, JSON, JavaScript and YAML. Pure."""

import configparser
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

_PYTEST = ("pytest", "tool:pytest")
_COVERAGE = ("run", "report", "coverage:run", "coverage:report")
_LOOSE_LIST = re.compile(r"[\"']?\b(\w[\w-]{2,40})[\"']?\s*[:=]\s*\[([^\[\]]{0,4000})\]")
_LOOSE_VALUE = re.compile(
    r"[\"']?\b(\w[\w-]{1,40})[\"']?\s*[:=]\s*(?:(-?\d{1,9}(?:\.\d{1,9})?%?|true|false)\b|([\"'])([^\"'\n]{0,200})\3)"
)
_COMMENT = re.compile(r"^\s*(?://|#|\*|/\*)[^\n]*$", re.MULTILINE)
_RETRY_CALL = re.compile(r"\bretryTimes\(\s*(\d{1,6})")
_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'")
_YAML_LIST = re.compile(
    r"^([ \t]*)[\"']?(\w[\w-]{1,40})[\"']?:[ \t]*\n((?:\1[ \t]*- [^\n]*\n?)+)", re.MULTILINE
)

_Value = TypeVar("_Value")
Lists = Mapping[str, tuple[str, ...]]


class RunnerSettings(NamedTuple):
    """What a file sets, by key: lists, single values, and extra words for the command line."""

    lists: dict[str, tuple[str, ...]]
    values: dict[str, str]
    addopts: str


class _Collected:
    """What is gathered of one file, until it is whole."""

    def __init__(self) -> None:
        self.lists: dict[str, tuple[str, ...]] = {}
        self.values: dict[str, str] = {}
        self.addopts = ""

    def take(self, key: str, words: Iterable[str]) -> None:
        """Add a setting. One word is a list and a single value as well."""
        self.lists[key] = tuple(word.strip(",") for word in words)
        if len(self.lists[key]) == 1:
            self.values[key] = self.lists[key][0]

    def settings(self) -> RunnerSettings:
        """Return what was gathered."""
        return RunnerSettings(self.lists, self.values, self.addopts)


def ini_settings(text: str) -> RunnerSettings:
    """Read the sections of pytest and coverage in an INI file. One that cannot be parsed sets nothing."""
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    found = _Collected()
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return found.settings()
    for section in parser.sections():
        tool = "pytest" if section in _PYTEST else "coverage" if section in _COVERAGE else ""
        for key, value in parser[section].items() if tool else ():
            text = value or ""
            if key == "addopts":
                found.addopts = " ".join(text.split())
            elif key in ("exclude_lines", "exclude_also"):  # each line is a pattern and may hold spaces
                lines = tuple(line.strip() for line in text.splitlines() if line.strip())
                found.lists[f"coverage.{key}"] = lines
            else:
                found.take(f"{tool}.{key}", text.split())
    return found.settings()


def toml_settings(text: str) -> RunnerSettings:
    """Read the tables of pytest and coverage in a TOML file. One that cannot be parsed sets nothing."""
    found = _Collected()
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError):
        return found.settings()
    pytest = {**_table(document, "pytest"), **_table(document, "tool", "pytest")}
    for key, value in (*pytest.items(), *_table(pytest, "ini_options").items()):
        listed = value.split() if isinstance(value, str) else value if isinstance(value, list) else [value]
        plain = [_word(word) for word in listed if not isinstance(word, (dict, list))]
        if key == "addopts":
            found.addopts = " ".join(f"'{word}'" if " " in word else word for word in plain)
        elif key != "ini_options":
            found.take(f"pytest.{key}", plain)
    if _word(pytest.get("strict", "")) == "true":  # of which `xfail_strict` is a part
        found.values.setdefault("pytest.xfail_strict", "true")
    for part in ("run", "report"):
        for key, value in _table(document, "tool", "coverage", part).items():
            found.take(f"coverage.{key}", map(_word, value if isinstance(value, list) else [value]))
    return found.settings()


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(document: object, *names: str) -> dict[str, object]:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


# --- from one file to another ---


def with_moves(
    old: RunnerSettings, new: RunnerSettings, others: Sequence[tuple[RunnerSettings, RunnerSettings]]
) -> tuple[RunnerSettings, RunnerSettings]:
    """Return both sides so that a setting that moved is compared with itself, in the file where it is now.

    `others` are both sides of the files beside it. What is gone here and came there is left to that file.
    """
    came = _joined(_only_first(after, before) for before, after in others)
    gone = _joined(_only_first(before, after) for before, after in others)
    addopts = old.addopts
    if not new.addopts and came.addopts:
        addopts = ""
    elif new.addopts and not addopts:
        addopts = gone.addopts
    lists = _moved(old.lists, new.lists, came.lists, gone.lists)
    return RunnerSettings(lists, _moved(old.values, new.values, came.values, gone.values), addopts), new


def _moved(
    old: Mapping[str, _Value],
    new: Mapping[str, _Value],
    came: Mapping[str, _Value],
    gone: Mapping[str, _Value],
) -> dict[str, _Value]:
    found = {key: value for key, value in gone.items() if key in new}
    return found | {key: value for key, value in old.items() if key in new or key not in came}


def _only_first(first: RunnerSettings, second: RunnerSettings) -> RunnerSettings:
    """Return what the first sets and the second does not."""
    return RunnerSettings(
        {key: value for key, value in first.lists.items() if key not in second.lists},
        {key: value for key, value in first.values.items() if key not in second.values},
        "" if second.addopts else first.addopts,
    )


def _joined(every: Iterable[RunnerSettings]) -> RunnerSettings:
    found = RunnerSettings({}, {}, "")
    for one in every:
        found = RunnerSettings(
            found.lists | one.lists, found.values | one.values, found.addopts or one.addopts
        )
    return found


# --- without a parser ---


def loose_settings(text: str) -> RunnerSettings:
    """Read keys with literal values wherever they stand, for JavaScript, JSON and YAML alike.

    A key that occurs again is counted, so that a value of another block does not hide it.
    """
    text = _COMMENT.sub("", text[:1_000_000])
    lists: dict[str, tuple[str, ...]] = {}
    values: dict[str, str] = {}
    for found in _LOOSE_LIST.finditer(text):
        words = tuple(first or second for first, second in _STRING.findall(found[2]))
        if words or not found[2].strip():
            lists[found[1]] = lists.get(found[1], ()) + words
    for found in _YAML_LIST.finditer(text):
        words = tuple(line.strip()[2:].strip("'\" ") for line in found[3].splitlines())
        lists[found[2]] = lists.get(found[2], ()) + words
    counts: dict[str, int] = {}
    for found in _LOOSE_VALUE.finditer(text):
        counts[found[1]] = counts.get(found[1], 0) + 1
        count = counts[found[1]]
        values[found[1] if count == 1 else f"{count}.{found[1]}"] = found[2] or found[4] or ""
    for found in _RETRY_CALL.finditer(text):
        values["retryTimes"] = found[1]
    return RunnerSettings(lists, values, "")
