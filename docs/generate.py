"""Write everything in the documentation that the code can say itself.

python docs/generate.py           write what is missing or stale
python docs/generate.py --check   write nothing; exit 1 and name each file that is not as it should be

Whole pages: reference/commands.md from the parsers, reference/violations.md from the rules. In pages written
by hand, what stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->` is written from here. The
schemas and the settings page come from `generate_schemas.py`, which this script calls.
"""

import argparse
import ast
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import mock

import generate_schemas
import msgspec

from signoff import __main__ as entry_point
from signoff.cli import command, parsing
from signoff.core import journal_rules
from signoff.domain import (
    cassettes,
    certificate,
    checks,
    contract,
    effects,
    errors,
    events,
    outcomes,
    receipts,
    ticket,
)
from signoff.engine import loop

DOCS = Path(__file__).parent
SOURCE = Path(errors.__file__).parents[1]
NOTICE = "<!-- Written by `python docs/generate.py`; change the code it names instead. -->\n"


class Fact(NamedTuple):
    """One code that the program can report, as the source says it."""

    code: str
    message: str
    fix: str = ""
    rule: str = ""


# --- the source, read as a tree ---


def modules(root: Path = SOURCE) -> Iterator[tuple[Path, ast.Module]]:
    """Give every module of the product, parsed; the bundled sample is somebody else's code."""
    for path in sorted(root.rglob("*.py")):
        if "sample" not in path.relative_to(root).parts:
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def words(node: ast.expr | None, known: Mapping[str, str]) -> str:
    """Give the text of a string expression, with `…` for what is filled in when it is said."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(words(part, known) for part in parts)
        case ast.Name(id=name):
            return known.get(name, "…")
        case ast.IfExp(body=one, orelse=other):
            return f"{words(one, known)}; or: {words(other, known)}"
        case None:
            return ""
        case _:
            return "…"


def assigned(function: ast.FunctionDef) -> Iterator[tuple[ast.Call, dict[str, str]]]:
    """Give each call in a function, with the strings that its local names stand for at that point."""
    known: dict[str, str] = {}
    steps = (node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.NamedExpr | ast.Call))
    for node in sorted(steps, key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(node, ast.Call):
            yield node, dict(known)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = words(node.value, {})


def callee(call: ast.Call) -> str:
    """Give the last part of the name that is called."""
    return ast.unparse(call.func).rpartition(".")[2]


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Give every function and method of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Give the value of a keyword argument."""
    return next((word.value for word in call.keywords if word.arg == name), None)


# --- errors ---


class Slug(NamedTuple):
    """A slug, the kind of error it comes with, and the exit code."""

    name: str
    kind: str
    exit_code: int


_NOT_RAISED = {"interrupted": command.INTERRUPTED, "crash": command.OUR_BUG}
"""What the command line says by itself when nothing a person could put right was raised."""


def slugs() -> tuple[Slug, ...]:
    """Give every slug the program can show, sorted: raised, passed on as a default, or said by the CLI."""
    found: dict[str, str] = {}
    for _, tree in modules():
        for node in ast.walk(tree):
            for name, kind in _slugs_at(node):
                if name not in found or hasattr(errors, kind):
                    found[name] = kind
    return tuple(_slug(name, kind) for name, kind in sorted(found.items()))


def _slugs_at(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Call():
            kind = callee(node)
            yield from ((name, kind) for name in _strings(keyword(node, "slug")))
            if kind == "error" and len(node.args) > 1:
                yield from ((name, kind) for name in _strings(node.args[0]))
        case ast.arguments():
            for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
                if argument.arg == "slug":
                    yield from ((name, "") for name in _strings(default))
        case ast.Constant(value=str() as text):
            yield from ((name, "") for name in re.findall(r"\berror\[([a-z][a-z-]+)\]", text))


def _slug(name: str, kind: str) -> Slug:
    """Find the family; a lock passes its slug on to a conflict, and what is only printed is about usage."""
    if name in _NOT_RAISED:
        return Slug(name, "none", _NOT_RAISED[name])
    family = kind if hasattr(errors, kind) else "ConflictError" if kind == "FileLock" else "UsageError"
    return Slug(name, family, getattr(errors, family).exit_code)


def _strings(node: ast.expr | None) -> Iterator[str]:
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def slug_table() -> str:
    """Give the table of all slugs with their family and exit code."""
    rows = ((f"[`{slug.name}`](#{slug.name})", slug.kind, str(slug.exit_code)) for slug in slugs())
    return table(("slug", "kind", "exit code"), rows)


# --- violations and findings ---


def facts(called: str, module_names: Iterable[str], enum_name: str = "") -> tuple[Fact, ...]:
    """Give what a function that makes violations or findings is called with, one entry per code."""
    found: dict[str, Fact] = {}
    for name in module_names:
        path = SOURCE / name
        tree = ast.parse(path.read_text(encoding="utf-8"))
        codes = _members(enum_name)
        for function in functions(tree):
            for call, known in assigned(function):
                fact = _fact(call, known, codes) if callee(call) == called else None
                if fact is not None:
                    found[fact.code] = _joined(found.get(fact.code), fact)
    return tuple(found.values())


def _members(enum_name: str) -> Mapping[str, str]:
    """Give the values of an enum of the core by its members' names, as the source writes them."""
    for path, tree in modules(SOURCE / "core") if enum_name else ():
        if any(isinstance(node, ast.ClassDef) and node.name == enum_name for node in tree.body):
            module = importlib.import_module(f"signoff.core.{path.stem}")
            return {f"{enum_name}.{m.name}": str(m.value) for m in getattr(module, enum_name)}
    return {}


_MESSAGE_AT = {"_finding": 2, "Fault": 5}
"""Which positional argument is the message, where it is not the second."""


def _fact(call: ast.Call, known: Mapping[str, str], codes: Mapping[str, str]) -> Fact | None:
    first = call.args[0] if call.args else keyword(call, "code")
    code = codes.get(ast.unparse(first), "") if first is not None and codes else words(first, {})
    if not code or "…" in code:
        return None
    message = keyword(call, "message") or call.args[_MESSAGE_AT.get(callee(call), 1)]
    rule = keyword(call, "rule")
    return Fact(
        code,
        words(message, known),
        words(keyword(call, "fix"), known),
        ast.unparse(rule) if rule is not None else "",
    )


def _joined(first: Fact | None, second: Fact) -> Fact:
    if first is None:
        return second
    return first._replace(message=_or(first.message, second.message), fix=_or(first.fix, second.fix))


def _or(one: str, other: str) -> str:
    texts = [text for text in (*one.split(" / "), other) if text not in ("", "…")]
    return " / ".join(dict.fromkeys(texts))


_COMPUTED = {
    "evidence-path": "the path is empty, absolute, leaves the repository or names `.git` or `.signoff`",
    "evidence-matcher": "the matcher is no Python regular expression",
    "path-escape": "the path is empty, absolute, leaves the repository or names `.git` or `.signoff`",
    "bad-regex": "the pattern is no Python regular expression",
    "invalid": "the decoder refused it, in its own words",
    "protected-path": "the change touches the project's bar, or a path that the settings protect",
    "unknown-field": "the field is not known; a warning, but an error in settings",
}
"""What is meant where the source puts the message together from parts."""

VIOLATIONS_INTRO = f"""\
{NOTICE}
# Violations and findings

A violation is a fact about a file that was judged: a code, a severity, a JSON pointer, a line, a message and
a fix. Lists are complete up to 1,000 entries; a last entry with the code `more-violations` says that there
are more. Warnings alone do not make a file invalid. A finding is a fact about a change: a code, a path, a
message.

`…` stands for the value in question. The `rule` column has the number of the format rule where there is one.
"""


def violations_page() -> str:
    """Give the page of every code that a check, a gate or a reader can report."""
    contract_codes = facts("fault", ["core/contract_rules.py"], "ContractCode")
    readers = ["core/json_text.py", "core/type_walk.py", "core/decode.py", "core/settings.py"]
    decode_codes = facts("fault", readers, "DecodeCode") + facts("fault", readers, "SettingsCode")
    choice = Fact("unknown-value", "must be one of …, not …", "write one of …")
    by_code = {fact.code: fact for fact in (*decode_codes, choice, choice._replace(code="unknown-tag"))}
    names = (*_members("DecodeCode").values(), *_members("SettingsCode").values())
    finders = ["core/scope.py", "core/secret_scan.py", "core/test_reports.py", "app/carrying.py"]
    findings = facts("_finding", finders) + facts("Finding", finders)
    rows = [VIOLATIONS_INTRO]
    rows += _facts_section(
        "Contracts",
        "Rules a proposed contract must keep, from `core/contract_rules.py`. Any error sends the plan back.",
        contract_codes,
    )
    rows += _facts_section(
        "Tickets",
        "Why the `refine` step will not start, from `core/tickets.py`.",
        facts("fault", ["core/tickets.py"], "TicketCode"),
    )
    rows += _facts_section(
        "Reading files",
        "What can be wrong with a JSON or TOML file before any rule is asked.",
        tuple(by_code[name] for name in names),
    )
    rows += _journal_section()
    rows += _facts_section(
        "Verifying a sign-off",
        "What `signoff report RUN --verify` and `--rerun` can find, from `app/verifying.py`. Journal codes "
        "come first: a journal that is not sound is not read any further.",
        facts("_violation", ["app/verifying.py"]),
    )
    rows += _facts_section(
        "Findings about a change",
        "What the gates and a capture can find. Findings are handed back to the agent as rework.",
        findings,
    )
    return "".join(rows)


def _facts_section(title: str, intro: str, found: tuple[Fact, ...]) -> list[str]:
    with_fix = any(fact.fix for fact in found)
    with_rule = any(fact.rule for fact in found)
    head = ("code", *(["rule"] if with_rule else []), "what is said", *(["fix"] if with_fix else []))
    body = (
        (
            f"`{fact.code}`",
            *([fact.rule] if with_rule else []),
            _COMPUTED.get(fact.code) or fact.message,
            *([fact.fix] if with_fix else []),
        )
        for fact in found
    )
    return [f"\n## {title}\n\n{intro}\n\n", table(head, body)]


def _journal_section() -> list[str]:
    rows = (
        (f"`{code}`", rule.severity, str(rule.number or ""), rule.meaning, rule.fix)
        for code, rule in journal_rules.RULES.items()
    )
    beside = ((f"`{f.code}`", "error", "", f.message, "") for f in facts("Fault", ["cli/journal.py"]))
    intro = "What `signoff journal check` can find, from `core/journal_rules.py`."
    return [
        f"\n## Journals\n\n{intro}\n\n",
        table(("code", "severity", "rule", "meaning", "fix"), (*rows, *beside)),
    ]


# --- commands ---


class _Built(Exception):  # noqa: N818 - carries a parser out of the call that made it
    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def parser_of(name: str) -> argparse.ArgumentParser:
    """Give the parser that `signoff NAME` really uses: have it made, and stop before it parses a word."""

    def stop(parser: argparse.ArgumentParser, *_: object) -> None:
        raise _Built(parser)

    module = importlib.import_module(f"signoff.cli.{name}")
    with mock.patch.object(parsing.Parser, "parse_intermixed_args", stop):
        try:
            parsing.parse(module, name, [], argparse.Namespace())
        except _Built as built:
            return built.parser
    raise AssertionError(f"signoff {name} has no parser")


COMMANDS_INTRO = f"""\
{NOTICE}
# Commands

`signoff COMMAND --help` says the same on the terminal. Results go to standard output, messages for people to
standard error. Without a terminal no command waits for input: it exits 3 and names the command that answers.
`--json` and `-C DIR` may also stand before the command. [Exit codes](exit-codes.md) have a page of their own.

"""


def commands_page() -> str:
    """Give the page of all commands, from their parsers."""
    parts = [COMMANDS_INTRO]
    rows = ((f"[`signoff {name}`](#signoff-{name})", text) for name, text in entry_point.COMMANDS.items())
    parts.append(table(("command", "does"), rows))
    for name in entry_point.COMMANDS:
        parser = parser_of(name)
        title, _, rest = (parser.description or "").strip().partition("\n")
        parts.append(f"\n## signoff {name}\n\n{title}\n")
        if rest.strip():
            parts.append(f"\n```text\n{rest.strip(chr(10)).rstrip()}\n```\n")
        parts.append(f"\n```text\n{synopsis(name, parser)}\n```\n\n")
        parts.append(table(("argument", "meaning"), map(_argument, shown_actions(parser))))
    return "".join(parts)


def shown_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Give the arguments in the order a reader wants them: positional first, the common ones last."""
    common = ("--json", "--root", "--help")
    actions = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    actions = [action for action in actions if "--help" not in action.option_strings]

    def rank(action: argparse.Action) -> int:
        return 2 if set(common) & set(action.option_strings) else 1 if action.option_strings else 0

    return sorted(actions, key=rank)


def synopsis(name: str, parser: argparse.ArgumentParser) -> str:
    """Write the usage line ourselves: argparse words it differently from one Python to the next."""
    parts = []
    for action in shown_actions(parser):
        said = value_of(action)
        if action.option_strings:
            flag = action.option_strings[-1]
            said = f"{flag} {said}".strip()
            parts.append(said if action.required else f"[{said}]")
        else:
            parts.append(said if action.nargs not in ("?", "*") else f"[{said}]")
    return " ".join((f"signoff {name}", *parts))


def value_of(action: argparse.Action) -> str:
    """Give the placeholder of an argument's value; empty for a switch."""
    if action.nargs == 0:
        return ""
    if action.metavar:
        return str(action.metavar) if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices:
        return "|".join(str(choice) for choice in action.choices)
    return action.dest.upper()


def _argument(action: argparse.Action) -> tuple[str, str]:
    value = value_of(action)
    names = ", ".join(f"{flag} {value}".strip() for flag in action.option_strings) or value
    text = (action.help or "").replace("%(default)s", str(action.default))
    if action.choices and action.metavar:
        text += f" (one of {', '.join(str(choice) for choice in action.choices)})"
    return f"`{names}`", text


# --- records ---


_PLAIN: Mapping[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    types.NoneType: "null",
    msgspec.Raw: "any JSON value",
}


def type_name(kind: Any) -> str:
    """Say a field's type in a few words."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, typing.NewType):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{member.value}`" for member in kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return type_name(arguments[0])
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if origin is tuple:
        return f"list of {type_name(arguments[0])}"
    if origin is dict:
        return f"object of {type_name(arguments[1])} by {type_name(arguments[0])}"
    if origin in (typing.Union, types.UnionType):
        if len(arguments) > 4:
            return "tagged object"
        return " or ".join(type_name(one) for one in arguments)
    return f"`{kind.__name__}`"


def fields_table(record: type[msgspec.Struct], *, tag: bool = False) -> str:
    """Give the table of a record's fields with the docstrings beneath them."""
    info = msgspec.structs.fields(record)
    hints = typing.get_type_hints(record, include_extras=True)
    rows = []
    config = record.__struct_config__
    if tag and config.tag is not None:
        rows.append((f"`{config.tag_field}`", f"`{config.tag}`", "always", ""))
    for field in info:
        default = default_of(field)
        rows.append(
            (f"`{field.encode_name}`", type_name(hints[field.name]), default, _meaning(record, field.name))
        )
    if not rows:
        return "No fields.\n"
    return table(("field", "type", "default", "meaning"), rows)


def default_of(field: Any) -> str:
    """Give a field's default as JSON; `required` where there is none."""
    if field.required:
        return "required"
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return f"`{msgspec.json.encode(value).decode()}`"


def _meaning(record: type, name: str) -> str:
    for owner in record.__mro__:
        if owner.__module__.startswith("signoff."):
            source = inspect.getsource(sys.modules[owner.__module__])
            if said := generate_schemas.field_docs(source).get((owner.__name__, name)):
                return said
    return ""


def records_section(union: Any, level: str = "###") -> str:
    """Give a section for each record of a tagged union."""
    parts = []
    for record in typing.get_args(union):
        about = " ".join((record.__doc__ or "").split())
        parts.append(f"{level} `{record.__struct_config__.tag}`\n\n{about}\n\n{fields_table(record)}")
    return "\n".join(parts)


def effect_table() -> str:
    """Give every effect with what it does and what may come of it."""
    rows = (
        (f"`{record.__struct_config__.tag}`", " ".join((record.__doc__ or "").split()))
        for record in typing.get_args(effects.Effect)
    )
    return table(("`do`", "effect"), rows)


# --- pages and blocks ---


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Give a Markdown table."""
    names = tuple(head)
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def source_of(function: object) -> str:
    """Give a function's source as a code block."""
    assert callable(function)
    return f"```python\n{inspect.getsource(function)}```\n"


def pages() -> dict[str, str]:
    """Give every page that is generated as a whole."""
    return {"reference/commands.md": commands_page(), "reference/violations.md": violations_page()}


def blocks() -> dict[str, dict[str, str]]:
    """Give what is generated inside pages written by hand, by page and name."""
    return {
        "explanation/the-loop.md": {"drive": source_of(loop.drive), "effects": effect_table()},
        "reference/errors.md": {"slugs": slug_table()},
        "reference/events.md": {
            "events": records_section(events.Event),
            "outcomes": records_section(outcomes.Outcome),
            "observation": fields_table(receipts.Observation),
        },
        "reference/cassettes.md": {
            "cassette": fields_table(cassettes.Cassette),
            "entry": fields_table(cassettes.CassetteEntry),
            "answer": fields_table(cassettes.CassetteAnswer),
        },
        "reference/contracts.md": {
            "contract": fields_table(contract.Contract),
            "task": fields_table(contract.Task),
            "checks": records_section(checks.ContractCheck),
            "evidence": fields_table(checks.Evidence),
            "criterion": fields_table(contract.Criterion),
            "non-goal": fields_table(contract.NonGoal),
            "stop-condition": fields_table(contract.StopCondition),
        },
        "reference/tickets.md": {"ticket": fields_table(ticket.Ticket)},
        "reference/files.md": {
            "receipt": fields_table(receipts.Receipt),
            "predicate": fields_table(certificate.Predicate),
        },
    }


def with_blocks(text: str, named: Mapping[str, str]) -> str:
    """Give a page with its generated blocks filled in; a block without its two marks is a mistake."""
    for name, content in named.items():
        begin, end = f"<!-- generated: {name} -->\n", f"<!-- end of {name} -->"
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise SystemExit(f"no place for the generated block {name!r}")
        text = f"{head}{begin}\n{content}\n{end}{tail}"
    return text


def wanted() -> dict[Path, str]:
    """Give every page as it should be."""
    found = {DOCS / name: text for name, text in pages().items()}
    for name, named in blocks().items():
        path = DOCS / name
        found[path] = with_blocks(path.read_text(encoding="utf-8"), named)
    return found


def stale() -> list[str]:
    """Name every file that is not as it should be."""
    found = [
        str(path.relative_to(DOCS))
        for path, text in wanted().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    schemas = generate_schemas.differences(generate_schemas.generated(), generate_schemas.REFERENCE)
    return [*found, *(f"reference/{line}" for line in schemas)]


def main(arguments: list[str]) -> int:
    """Write or check; give the exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    found = stale()
    for name in found:
        print(name, file=sys.stderr)
    if arguments:
        return 1 if found else 0
    for path, text in wanted().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    generate_schemas.write(generate_schemas.generated(), generate_schemas.REFERENCE)
    print(f"{len(found)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
