"""Operators on Go test files, by their text: gofmt makes all of them look alike."""

# ruff: noqa: E501, ARG005 - operators are read as a table

import re
from collections.abc import Callable, Iterator

Operator = Callable[[str], Iterator[str]]

_TEST = re.compile(r"^func (Test\w+)\((\w+) \*testing\.T\) \{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
_IF = re.compile(
    r"^(\t+)if ((?:[^{};\n]+; )?)([^{}\n;]+) \{\n\1\t(t\.(?:Errorf|Error|Fatalf|Fatal)\([^\n]*\))\n\1\}\n",
    re.MULTILINE,
)
_ASSERT = re.compile(
    r"^(\t+)(assert|require)\.(Equal)\(t, (\"[^\"\n]*\"|[\w.]+), ([\w.]+(?:\([^(),\n]*\))?)\)\n", re.MULTILINE
)
_TRUE = re.compile(
    r"^(\t+)(assert|require)\.(True|False|NoError|Contains|Len|Nil)\(t, ([^\n]+)\)\n", re.MULTILINE
)
_ERROR = re.compile(
    r"^(\t+)(assert|require)\.(EqualError|ErrorIs|ErrorContains)\(t, (\w+), ([^\n]+)\)\n", re.MULTILINE
)
_RUN = re.compile(
    r"^(\t+)t\.Run\(([^\n]+), func\(t \*testing\.T\) \{\n(.*?)^\1\}\)\n", re.MULTILINE | re.DOTALL
)
_RANGE = re.compile(
    r"^(\t+)for ([\w, ]+) := range (tests|cases|testCases|tcs|testcases|tt|table|data) \{\n", re.MULTILINE
)
_ROWS = re.compile(
    r"(:= |= )(\[\](?:struct \{\n(?:[^\n}]*\n)+?\t*\}|\w+))\{\n(\t+\{[^\n]*\},\n)((?:\t+\{[^\n]*\},\n)+)"
)
_OUTPUT = re.compile(r"^\t// (?:Unordered output|Output):[^\n]*\n(?:\t//[^\n]*\n)*", re.MULTILINE)
_PACKAGE = re.compile(r"^package \w+$", re.MULTILINE)
_INSISTS = re.compile(r"\bt\.(?:Error|Fatal|Fail)|\b(?:assert|require)\.|\bt\.Run\(")


def _each(pattern: re.Pattern[str], made: Callable[[re.Match[str]], str]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        for found in pattern.finditer(source):
            yield source[: found.start()] + made(found) + source[found.end() :]

    return operator


def _inside(pattern: re.Pattern[str], made: Callable[[re.Match[str]], str]) -> Operator:
    """Work on what stands in tests, not in benchmarks and helpers."""

    def operator(source: str) -> Iterator[str]:
        for test in _TEST.finditer(source):
            for found in pattern.finditer(source, test.start(), test.end()):
                if _INSISTS.search(source, found.end(), test.end()):
                    yield source[: found.start()] + made(found) + source[found.end() :]

    return operator


def _tests(made: Callable[[re.Match[str]], str]) -> Operator:
    """Work on tests that insist on something by themselves."""

    def operator(source: str) -> Iterator[str]:
        for found in _TEST.finditer(source):
            if _INSISTS.search(found[3]):
                yield source[: found.start()] + made(found) + source[found.end() :]

    return operator


def _first(line: str) -> Operator:
    return _tests(
        lambda m: f"func {m[1]}({m[2]} *testing.T) {{\n{line.replace('T.', m[2] + '.')}\n{m[3]}}}\n"
    )


def _tag(line: str) -> Operator:
    def operator(source: str) -> Iterator[str]:
        if _TEST.search(source) and (package := _PACKAGE.search(source)):
            yield f"{source[: package.start()]}{line}\n\n{source[package.start() :]}"

    return operator


def _main(body: str) -> Operator:
    def operator(source: str) -> Iterator[str]:
        if "func TestMain(" not in source and _TEST.search(source):
            yield f"{source}\nfunc TestMain(m *testing.M) {{\n{body}\n}}\n"

    return operator


def _logged(call: str) -> str:
    return re.sub(r"\.(?:Error|Fatal)(f?)\(", r".Log\1(", call, count=1)


def _renamed(old: str, new: str) -> Operator:
    def operator(source: str) -> Iterator[str]:
        is_local = re.search(rf"\t{old}(?:, \w+)* :=", source) and not re.search(
            rf"\b{new}\b|\b{old}:|\.{old}\b", source
        )
        if is_local:
            yield re.sub(rf"\b{old}\b(?![^\"\n]*\"[^\"\n]*$)", new, source)

    return operator


WEAKENING: dict[str, Operator] = {
    "go-skip": _first('\tT.Skip("later")'),
    "go-skip-now": _first("\tT.SkipNow()"),
    "go-skip-short": _first('\tif testing.Short() {\n\t\tT.Skip("slow")\n\t}'),
    "go-return-short": _first("\tif testing.Short() {\n\t\treturn\n\t}"),
    "go-skip-by-environment": _first('\tif os.Getenv("CI") != "" {\n\t\tT.Skip("not here")\n\t}'),
    "go-return-first": _first("\treturn"),
    "go-test-hidden": _tests(lambda m: m[0].replace("func Test", "func hidden", 1)),
    "go-test-removed": _tests(lambda m: ""),
    "go-test-emptied": _tests(lambda m: f"func {m[1]}({m[2]} *testing.T) {{\n}}\n"),
    "go-test-commented-out": _tests(lambda m: re.sub(r"(?m)^", "// ", m[0])),
    "go-build-tag": _tag("//go:build never"),
    "go-build-ignore": _tag("// +build ignore"),
    "go-main-exits": _main("\tos.Exit(0)"),
    "go-main-runs-nothing": _main('\tfmt.Println("ok")'),
    "go-main-ignores": _main("\tm.Run()\n\tos.Exit(0)"),
    "go-error-to-log": _each(_IF, lambda m: m[0].replace(m[4], _logged(m[4]), 1)),
    "go-check-removed": _each(_IF, lambda m: f"{m[1]}_ = {m[3].split(' ')[0].lstrip('!')}\n"),
    "go-check-false-and": _each(_IF, lambda m: m[0].replace(f"{m[2]}{m[3]} {{", f"{m[2]}false && {m[3]} {{", 1)),
    "go-check-commented-out": _each(_IF, lambda m: re.sub(r"(?m)^(?=\t)", "//", m[0])),
    "go-check-narrowed": _each(_IF, lambda m: m[0].replace(f"{m[3]} {{", f"testing.Verbose() && ({m[3]}) {{", 1)),
    "go-check-emptied": _each(_IF, lambda m: m[0].replace(m[4], "", 1)),
    "go-assert-removed": _each(_ASSERT, lambda m: ""),
    "go-assert-itself": _each(_ASSERT, lambda m: f"{m[1]}{m[2]}.Equal(t, {m[5]}, {m[5]})\n"),
    "go-assert-not-nil": _each(_ASSERT, lambda m: f"{m[1]}{m[2]}.NotNil(t, {m[5]})\n"),
    "go-assert-not-equal": _each(_ASSERT, lambda m: f'{m[1]}{m[2]}.NotEqual(t, "never", {m[5]})\n'),
    "go-assert-guarded": _each(_ASSERT, lambda m: f"{m[1]}if {m[5]} != nil {{\n\t{m[0]}{m[1]}}}\n"),
    "go-assert-true-removed": _each(_TRUE, lambda m: ""),
    "go-assert-true-true": _each(_TRUE, lambda m: f"{m[1]}{m[2]}.True(t, true)\n"),
    "go-any-error": _each(_ERROR, lambda m: f"{m[1]}{m[2]}.Error(t, {m[4]})\n"),
    "go-subtest-skipped": _each(_RUN, lambda m: m[0].replace("{\n", f"{{\n{m[1]}\tt.Skip()\n", 1)),
    "go-subtest-removed": _each(_RUN, lambda m: "" if _INSISTS.search(m[3]) else m[0]),
    "go-loop-breaks": _inside(_RANGE, lambda m: f"{m[0]}{m[1]}\tbreak\n"),
    "go-loop-continues": _inside(_RANGE, lambda m: f"{m[0]}{m[1]}\tcontinue\n"),
    "go-loop-over-part": _inside(_RANGE, lambda m: m[0].replace(f"range {m[3]} {{", f"range {m[3]}[:1] {{")),
    "go-case-removed": _each(_ROWS, lambda m: m[0].removesuffix(m[4]) + "".join(m[4].splitlines(keepends=True)[1:])),
    "go-cases-removed": _each(_ROWS, lambda m: m[0].removesuffix(m[4])),
    "go-output-removed": _each(_OUTPUT, lambda m: ""),
}  # fmt: skip

HONEST: dict[str, Operator] = {
    "go-comment": _tests(lambda m: f"// {m[1]} says what is promised.\n{m[0]}"),
    "go-parallel": _tests(lambda m: m[0] if "Parallel()" in m[0] else m[0].replace("{\n", f"{{\n\t{m[2]}.Parallel()\n", 1)),
    "go-added-test": lambda s: iter([f"{s}\nfunc TestOneMoreOfThem(t *testing.T) {{\n\tif got := one(1); got != 2 {{\n\t\tt.Errorf(\"got %d\", got)\n\t}}\n}}\n"]),
    "go-added-check": _each(_IF, lambda m: f"{m[0]}{m[1]}if extra() != 3 {{\n{m[1]}\tt.Fatal(\"no\")\n{m[1]}}}\n"),
    "go-message": _each(_IF, lambda m: m[0].replace('("', '("now: ', 1)),
    "go-error-to-fatal": _each(_IF, lambda m: m[0].replace("t.Error", "t.Fatal", 1)),
    "go-fatal-to-error": _each(_IF, lambda m: m[0].replace("t.Fatal", "t.Error", 1)),
    "go-log-added": _each(_IF, lambda m: m[0].replace(m[4], f'{m[4]}\n{m[1]}\tt.Logf("state: %v", state)', 1)),
    "go-case-added": _each(_ROWS, lambda m: f"{m[0]}{m[3]}"),
    "go-main-added": _main("\tsetup()\n\tos.Exit(m.Run())"),
    "go-main-with-teardown": _main("\tsetup()\n\tcode := m.Run()\n\tteardown()\n\tos.Exit(code)"),
    "go-import-added": lambda s: iter([s.replace("import (\n", 'import (\n\t"more"\n', 1)]),
    "go-renamed-got": _renamed("got", "actual"),
    "go-renamed-err": _renamed("res", "response"),
    "go-assert-to-require": _each(_ASSERT, lambda m: m[0].replace("assert.", "require.", 1)),
    "go-assert-message": _each(_ASSERT, lambda m: f'{m[1]}{m[2]}.Equal(t, {m[4]}, {m[5]}, "it fits")\n'),
    "go-named-value": _each(_ASSERT, lambda m: f"{m[1]}value := {m[5]}\n{m[1]}{m[2]}.Equal(t, {m[4]}, value)\n"),
    "go-exactly": _each(_ASSERT, lambda m: m[0].replace(".Equal(", ".Exactly(", 1)),
    "go-subtest-logs": _each(_RUN, lambda m: m[0].replace("{\n", f'{{\n{m[1]}\tt.Log("here")\n', 1)),
    "go-blank-lines": _each(_IF, lambda m: f"\n{m[0]}\n"),
    "go-helper-added": lambda s: iter([f"{s}\nfunc newThing(t *testing.T) string {{\n\tt.Helper()\n\treturn \"thing\"\n}}\n"]),
}  # fmt: skip
