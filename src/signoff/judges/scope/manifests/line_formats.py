"""Manifests that are read line by line: requirements files, go.mod, simple YAML, and submodules. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from signoff.judges.scope.manifests.dependency_records import (
    Dependencies,
    Dependency,
    OddManifestError,
    aliases,
    gathered,
    requirement_name,
    requirements,
)


def requirements_txt(data: bytes) -> Dependencies:
    """Read pip's requirements and constraints. Another file that is included counts as a name of its own."""
    text = data.decode().removeprefix("\ufeff").replace("\\\r\n", " ").replace("\\\n", " ")
    return gathered(requirements("requirements", _pip_lines(text)))


def _pip_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        said = re.sub(r"(?:^|\s)#.*", "", line).strip()
        # Where packages come from is not what is depended on.
        if said and not said.startswith(("--index-url", "--extra-index-url", "--find-links", "-i ", "-f ")):
            yield said


_DRAWN_IN = re.compile(r"(?:-\s+)?[\"']?(?:-[rc]\s*|--(?:requirement|constraint)(?:\s+|\s*=\s*))(.+)")


def drawn_in(data: bytes) -> Iterator[str]:
    """Yield the files that pip is told to read as well. An environment of conda has such lines as items."""
    for line in _pip_lines(data.decode().removeprefix("\ufeff")):
        if found := _DRAWN_IN.fullmatch(line):
            yield found[1]


_GO_OTHER = frozenset({"module", "go", "toolchain", "godebug", "exclude", "retract", "ignore"})


def go_mod(data: bytes) -> Dependencies:
    """Read Go modules: what is required, what replaces it, and tools.

    A directive stands alone or opens a block. An unknown one is odd, because it may require something.
    """
    found: list[tuple[Dependency, str]] = []
    block = ""
    for line in data.decode().splitlines():
        words = line.partition("//")[0].split()
        if not words:
            continue
        if block and words == [")"]:
            block = ""
            continue
        verb, rest = (block, words) if block else (words[0], words[1:])
        if not block and rest and rest[0] == "(":
            block, rest = verb, rest[1:]
        if verb not in _GO_OTHER:
            found += _go_line(verb, rest)
    if block:
        raise OddManifestError(f"the block {block} has no end")
    return gathered(found)


def _go_line(verb: str, words: list[str]) -> Iterator[tuple[Dependency, str]]:
    if verb not in ("require", "replace", "tool"):
        raise OddManifestError(f"{verb} is not a directive of go.mod that is known here")
    if not words:
        return
    if verb == "replace" and "=>" in words[:-1]:
        target = words[words.index("=>") + 1]
        yield Dependency(verb, target), " ".join(words)
    else:
        yield Dependency(verb, words[0].strip('"')), " ".join(words)


def git_modules(data: bytes) -> Dependencies:
    """Read Git's submodules: another project's code, at one commit."""
    found: list[tuple[Dependency, str]] = []
    name = ""
    for line in data.decode().splitlines():
        if head := re.match(r'\s*\[submodule "(.*)"\]', line):
            name = head[1]
        if line.strip():
            found.append((Dependency("submodules", name), line.strip()))
    return gathered(found)


# --- YAML, as far as it is simple ---


class _ManifestLine(NamedTuple):
    indent: int
    text: str


_NOT_SIMPLE = re.compile(r"^\s*(?:<<:|[&*!?|>%@]|---|\.\.\.)|:\s+[&*!|>]|^\s*-\s+[&*!\[{|>?]|\t")


def _simple_lines(data: bytes) -> list[_ManifestLine]:
    """Return the lines with content. Anything that indentation alone does not settle is odd."""
    found: list[_ManifestLine] = []
    for number, raw in enumerate(data.decode().removeprefix("\ufeff").splitlines()):
        line = re.sub(r"(?:^|\s)#.*", "", raw).rstrip()
        if not line.strip() or (number == 0 and line == "---"):
            continue
        found.append(_ManifestLine(len(line) - len(line.lstrip(" ")), line.strip()))
        if _NOT_SIMPLE.search(line) and found[-1].indent == 0:
            raise OddManifestError("is YAML that only a parser can read")
    return found


def _sections(data: bytes, names: Iterable[str]) -> Iterator[tuple[str, list[_ManifestLine]]]:
    """Yield the lines below each of the top-level keys.

    A key that occurs twice, or a value that only a YAML parser can read, is odd.
    """
    wanted = tuple(names)
    section, seen = "", set[str]()
    inner: dict[str, list[_ManifestLine]] = {}
    for line in _simple_lines(data):
        is_item = line.text.startswith("- ") or line.text == "-"
        if line.indent == 0 and not (is_item and section):
            key, colon, rest = line.text.partition(":")
            section = key.strip().strip("\"'")
            if not colon or section in seen:
                raise OddManifestError("is YAML that only a parser can read")
            seen.add(section)
            if section in wanted and rest.strip() not in ("", "{}", "[]", "null", "~"):
                raise OddManifestError(f"{section} is written in one line")
            inner[section] = []
        else:
            inner.setdefault(section, []).append(line)
    for name in wanted:
        lines = inner.get(name, [])
        if any(_NOT_SIMPLE.search(line.text) for line in lines):
            raise OddManifestError("is YAML that only a parser can read")
        yield name, lines


def pubspec(data: bytes) -> Dependencies:
    """Read Dart and Flutter."""
    return gathered(_keyed(data, ("dependencies", "dev_dependencies", "dependency_overrides")))


def pnpm_workspace(data: bytes) -> Dependencies:
    """Read what a pnpm workspace pins for its packages."""
    pairs = list(_keyed(data, ("catalog", "catalogs", "overrides")))
    behind = [pair for entry, text in pairs for pair in aliases(entry.table, text)]
    return gathered([*pairs, *behind])


def _keyed(data: bytes, names: Iterable[str]) -> Iterator[tuple[Dependency, str]]:
    for section, lines in _sections(data, names):
        outer = min((line.indent for line in lines), default=0)
        name = ""
        for line in lines:
            key, colon, rest = line.text.partition(":")
            if not colon:
                raise OddManifestError("is YAML that only a parser can read")
            name = key.strip("\"' ") if line.indent == outer or section == "catalogs" else name
            yield Dependency(section, name), rest.strip() if line.indent == outer else line.text


def environment_yml(data: bytes) -> Dependencies:
    """Read Conda. What pip adds stands deeper in the same list."""
    found: list[tuple[Dependency, str]] = []
    for section, lines in _sections(data, ("dependencies",)):
        for line in lines:
            item = line.text.removeprefix("-").strip().strip("\"'")
            if not line.text.startswith("- "):
                raise OddManifestError("is YAML that only a parser can read")
            if item != "pip:":
                name = requirement_name(item.rpartition("::")[2])
                found.append((Dependency(section, name), item))
    return gathered(found)


# --- programs: what is recognised in them is never all there may be ---

Recogniser = Callable[[bytes], Dependencies]


def _recognise(*patterns: str) -> Recogniser:
    compiled = tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)

    def read(data: bytes) -> Dependencies:
        text = data.decode(errors="replace")
        hits = (found for form in compiled for found in form.finditer(text))
        return gathered((Dependency("program", found[1]), found[0].strip()) for found in hits)

    return read


gemfile = _recognise(
    r"""^[ \t]*(?:gem|pod)[ \t(]+["']([^"'\n]+)["'].*$""",
    r"""^[^#\n]*\.add_(?:runtime_|development_)?dependency[ \t(]+["']([^"'\n]+)["'].*$""",
)
gradle = _recognise(
    r"""^[ \t]*(?:\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[aA]nnotationProcessor)"""
    r"""|compile|classpath|kapt|ksp)[ \t(]+(?:(?:enforcedP|p)latform\()?["']([^"':\n]+:[^"':\n]+).*$""",
    r"""^[ \t]*id[ \t(]+["']([^"'\n]+)["'].*$""",
)
mix = _recognise(r"""^[ \t\[]*\{:(\w+),.*$""")
swift = _recognise(r"""^[ \t]*\.package\((?:[^)\n]*?)(?:url|path):\s*"([^"\n]+)".*$""")
sbt = _recognise(r"""^[^/\n]*"([^"\n]+"\s*%{1,3}\s*"[^"\n]+)".*$""")
setup_py = _recognise(r"""["']([A-Za-z][\w.-]*)(?:\[[\w, -]*\])?\s*(?:[<>=!~]=|[<>])[^"'\n]*["']""")
