"""Operators on JavaScript and TypeScript test files, by their text.

Files of tape, tap, mocha, lab, node:test, jest and vitest are regular enough for it, and a second parser
would be blind where the reader is.
"""

# ruff: noqa: E501, ARG005 - operators are read as a table

import re
from collections.abc import Callable, Iterator

Operator = Callable[[str], Iterator[str]]

_FUNCTION = r"(?:async )?(?:function ?\w* ?\([\w, ]*\) ?\{|\([\w, {}]*\) => \{|\w+ => \{)"
_TEST = re.compile(
    rf"^([ \t]*)((?:t\.|st\.)?(?:it|test))\(((['\"`])(?:(?!\4)[^\\\n$])+\4, (?:\{{[^{{}}\n]*\}}, )?{_FUNCTION})$",
    re.MULTILINE,
)
_SUITE = re.compile(rf"^([ \t]*)describe\(((['\"`])[^\n'\"`]+\3, {_FUNCTION})$", re.MULTILINE)
_SUBJECT = r"[\w.]+(?:\[[\w'\"]+\])?|\w[\w.]*\([^()\n]*\)"
_EQUAL = re.compile(
    rf"^([ \t]*)(t|st|assert|t\.assert|plan)\.(equal|strictEqual|deepEqual|is|same|deepStrictEqual)\(({_SUBJECT}), ([^;\n]+)\)(;?)$",
    re.MULTILINE,
)
_STRICT = re.compile(r"^([ \t]*)((?:t\.)?assert)\.(strictEqual|deepStrictEqual)\((.+)\)(;?)$", re.MULTILINE)
_OK = re.compile(
    rf"^([ \t]*)(t|st|assert|t\.assert)\.ok\((?!true|1)({_SUBJECT})(, [^\n]*)?\)(;?)$", re.MULTILINE
)
_EXPECT = re.compile(
    r"^([ \t]*)expect\(([^()\n]+|[\w.]+\([^()\n]*\))\)\.(toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\.deep\.equal)\(([^\n]+)\);?$",
    re.MULTILINE,
)
_THROWS = re.compile(
    r"^([ \t]*)(t|st|assert|t\.assert)\.throws\((.+), ([A-Z]\w*Error)(, [^)\n]*)?\);?$", re.MULTILINE
)
_TO_THROW = re.compile(r"^([ \t]*)(expect\([^\n]+\))\.(toThrow|to\.throw)\(([^()\n]+)\);?$", re.MULTILINE)
_MATCH = re.compile(
    r"^([ \t]*)(t|assert|t\.assert)\.match\(([\w.]+), /[^\n]+/\w*(, [^\n]+)?\);?$", re.MULTILINE
)
_AWAITED = re.compile(
    r"^([ \t]*)await ((?:t\.)?(?:assert\.)?(?:rejects)\(|expect\([^\n]+\)\.(?:rejects|resolves)\.)",
    re.MULTILINE,
)
_LOOP = re.compile(r"\[\n((?:[ \t]+[^\s][^\n]*,\n)+)([ \t]+[^\s][^\n]*)\n([ \t]*\]\.forEach\()")
_OWN = re.compile(r"(?:require\(|from )(['\"])(\.[./\w-]+)\1")


def _each(pattern: re.Pattern[str], made: Callable[[re.Match[str]], str]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        for found in pattern.finditer(source):
            if not _is_commented(source, found.start()):
                yield source[: found.start()] + made(found) + source[found.end() :]

    return operator


def _is_commented(source: str, at: int) -> bool:
    return source.rfind("/*", 0, at) > source.rfind("*/", 0, at)


def _whole(made: Callable[[re.Match[str], str], str]) -> Operator:
    """Work on a whole test: its first line, and its body down to the line that closes it."""

    def operator(source: str) -> Iterator[str]:
        for found in _TEST.finditer(source):
            closing = re.compile(rf"^{found[1]}\}}\);?$", re.MULTILINE).search(source, found.end())
            if closing is None or _is_commented(source, found.start()):
                continue
            body = source[found.end() : closing.start()]
            if re.search(r"\b(?:assert|t|st|expect)\b[.(]", body):
                yield source[: found.start()] + made(found, body) + source[closing.start() :]

    return operator


def _at_top(line: Callable[[str], str | None]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        added = line(source)
        if added and _TEST.search(source):
            head = re.match(r"(?:#![^\n]*\n)?(?:(['\"])use strict\1;?\n)?", source)
            at = head.end() if head else 0
            yield f"{source[:at]}{added}\n{source[at:]}"

    return operator


def _own_module(source: str) -> str | None:
    found = _OWN.search(source)
    return f"jest.mock('{found[2]}');" if found and "expect(" in source else None


def _without(operator: Operator, *, whenever: str) -> Operator:
    return lambda source: iter(()) if re.search(whenever, source) else operator(source)


WEAKENING: dict[str, Operator] = {
    "js-skip": _each(_TEST, lambda m: f"{m[1]}{m[2]}.skip({m[3]}"),
    "js-only": _each(_TEST, lambda m: f"{m[1]}{m[2]}.only({m[3]}"),
    "js-todo": _each(_TEST, lambda m: f"{m[1]}{m[2]}.todo({m[3]}"),
    "js-return-first": _each(_TEST, lambda m: f"{m[0]} return;"),
    "js-suite-skipped": _each(_SUITE, lambda m: f"{m[1]}describe.skip({m[2]}"),
    "js-suite-only": _each(_SUITE, lambda m: f"{m[1]}describe.only({m[2]}"),
    "js-suite-xdescribe": _each(_SUITE, lambda m: f"{m[1]}xdescribe({m[2]}"),
    "js-test-removed": _whole(lambda m, body: f"{m[1]}(function () {{"),
    "js-test-emptied": _whole(lambda m, body: f"{m[0]}\n"),
    "js-test-in-if-false": _whole(lambda m, body: f"{m[1]}if (false) {m[0].strip()}{body}"),
    "js-body-in-try": _whole(lambda m, body: f"{m[0]} try {{{body}}} catch (e) {{}}\n"),
    "js-exit-first": _without(_at_top(lambda s: "process.exit(0);"), whenever=r"process\.exit"),
    "js-subject-mocked": _at_top(_own_module),
    "js-retries": _at_top(lambda s: "jest.retryTimes(3);" if "expect(" in s else None),
    "js-assertion-removed": _each(_EQUAL, lambda m: ""),
    "js-equal-to-ok": _each(_EQUAL, lambda m: f"{m[1]}{m[2]}.ok({m[4]}){m[6]}"),
    "js-equal-to-not-equal": _each(_EQUAL, lambda m: f"{m[1]}{m[2]}.notEqual({m[4]}, 'never'){m[6]}"),
    "js-equal-to-itself": _each(_EQUAL, lambda m: f"{m[1]}{m[2]}.{m[3]}({m[4]}, {m[4]}){m[6]}"),
    "js-ok-true": _each(_EQUAL, lambda m: f"{m[1]}{m[2]}.ok(true){m[6]}"),
    "js-if-guard": _each(_EQUAL, lambda m: f"{m[1]}if ({m[4]}) {{ {m[0].strip()} }}"),
    "js-and-guard": _each(_EQUAL, lambda m: f"{m[1]}{m[4]} && {m[0].strip()}"),
    "js-if-false": _each(_EQUAL, lambda m: f"{m[1]}if (false) {{ {m[0].strip()} }}"),
    "js-false-and": _each(_EQUAL, lambda m: f"{m[1]}false && {m[0].strip()}"),
    "js-try-catch": _each(_EQUAL, lambda m: f"{m[1]}try {{ {m[0].strip()} }} catch (e) {{}}"),
    "js-commented-out": _each(_EQUAL, lambda m: f"{m[1]}// {m[0].strip()}"),
    "js-uncalled-function": _each(_EQUAL, lambda m: f"{m[1]}const later = () => {{ {m[0].strip()} }}"),
    "js-strict-to-loose": _each(_STRICT, lambda m: f"{m[1]}{m[2]}.{'deepEqual' if 'deep' in m[3] else 'equal'}({m[4]}){m[5]}"),
    "js-ok-removed": _each(_OK, lambda m: ""),
    "js-ok-or-true": _each(_OK, lambda m: f"{m[1]}{m[2]}.ok({m[3]} || true){m[5]}"),
    "js-match-anything": _each(_MATCH, lambda m: f"{m[1]}{m[2]}.match({m[3]}, /.*/)"),
    "js-throws-anything": _each(_THROWS, lambda m: f"{m[1]}{m[2]}.throws({m[3]}{m[5] or ''});"),
    "js-throws-removed": _each(_THROWS, lambda m: ""),
    "js-to-throw-anything": _each(_TO_THROW, lambda m: f"{m[1]}{m[2]}.{m[3]}();"),
    "js-not-awaited": _each(_AWAITED, lambda m: f"{m[1]}{m[2]}"),
    "js-expect-truthy": _each(_EXPECT, lambda m: f"{m[1]}expect({m[2]}).toBeTruthy();"),
    "js-expect-defined": _each(_EXPECT, lambda m: f"{m[1]}expect({m[2]}).toBeDefined();"),
    "js-expect-anything": _each(_EXPECT, lambda m: f"{m[1]}expect({m[2]}).toEqual(expect.anything());"),
    "js-expect-not": _each(_EXPECT, lambda m: f"{m[1]}expect({m[2]}).not.toBe('never');"),
    "js-expect-removed": _each(_EXPECT, lambda m: ""),
    "js-case-removed": _each(_LOOP, lambda m: f"[\n{m[2]}\n{m[3]}"),
}  # fmt: skip

HONEST: dict[str, Operator] = {
    "js-comment": _each(_TEST, lambda m: f"{m[0]} // why this matters"),
    "js-added-assertion": _each(_EQUAL, lambda m: f"{m[0]}\n{m[1]}{m[2]}.ok(extra);"),
    "js-added-test": lambda s: iter([f"{s}\ntest('one more', function (t) {{\n\tt.equal(1 + one, 2);\n\tt.end();\n}});\n"]),
    "js-double-quotes": lambda s: iter([re.sub(r"'([^'\"\\\n]*)'", r'"\1"', s)] if "`" not in s and "//" not in s else []),
    "js-indented": lambda s: iter([re.sub(r"^\t+| {2,}(?=\S)", lambda m: m[0] * 2, s, flags=re.MULTILINE)] if "`" not in s else []),
    "js-named-value": _each(_EQUAL, lambda m: f"{m[1]}var value = {m[4]};\n{m[1]}{m[2]}.{m[3]}(value, {m[5]});"),
    "js-message": _each(_EQUAL, lambda m: m[0] if m[5].count(",") else f"{m[1]}{m[2]}.{m[3]}({m[4]}, {m[5]}, 'it fits');"),
    "js-import-added": lambda s: iter([re.sub(r"(?m)^((?:var|const|let) \w+ = require\([^\n]*\n)", r"\1var more = require('more');\n", s, count=1)]),
    "js-semicolons": lambda s: iter([re.sub(r"(?m)(?<=\));$", "", s)] if "`" not in s and "for (" not in s and not re.search(r"(?m)^\s*[(\[]", s) else []),
    "js-arrow-functions": _each(_TEST, lambda m: re.sub(r"function ?\w* ?\(([\w, ]*)\) ?\{$", r"(\1) => {", m[0])),
    "js-const": lambda s: iter([re.sub(r"(?m)^([ \t]*)var (\w+ = )", r"\1const \2", s)]),
    "js-renamed-value": lambda s: iter([re.sub(r"\b(?<![.'\"-])result\b(?!['\":-])", "outcome", s)] if re.search(r"(?:const|let|var) result\b", s) and not re.search(r"['\"`][^'\"`\n]*\bresult\b|[{,] ?result ?[,}]|outcome", s) else []),
    "js-loose-to-strict": _each(re.compile(r"^([ \t]*)(assert)\.(equal|deepEqual)\((.+)\)(;?)$", re.MULTILINE), lambda m: f"{m[1]}{m[2]}.{'deepStrictEqual' if m[3] == 'deepEqual' else 'strictEqual'}({m[4]}){m[5]}"),
    "js-ok-to-equal": _each(_OK, lambda m: f"{m[1]}{m[2]}.{'strictEqual' if 'assert' in m[2] else 'equal'}({m[3]}, true){m[5]}"),
    "js-lines-apart": _each(_EQUAL, lambda m: f"{m[1]}{m[2]}.{m[3]}(\n{m[1]}  {m[4]},\n{m[1]}  {m[5]}\n{m[1]}){m[6]}" if "//" not in m[5] else m[0]),
    "js-case-added": _each(_LOOP, lambda m: f"[\n{m[1]}{m[2]},\n{m[2]}\n{m[3]}"),
    "js-log-line": _each(_TEST, lambda m: f"{m[0]} console.log('here');"),
    "js-unskipped": lambda s: iter([s.replace(".skip(", "(", 1)] if re.search(r"\b(?:it|test)\.skip\(", s) else []),
}  # fmt: skip
