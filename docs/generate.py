"""Write everything in the documentation that follows from the code.

python docs/generate.py           write what is missing or stale
python docs/generate.py --check   write nothing; exit 1 and name each file that is not as it should be

Whole pages: reference/commands.md from the parsers, reference/violations.md from the rules (that one in
`generate_violations.py`). In pages written by hand, what stands between `<!-- generated: NAME -->` and
`<!-- end of NAME -->` is written from here. The schemas and the settings page come from
`generate_schemas.py`, which this script calls.
"""

import argparse
import ast
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import mock

import generate_schemas
import generate_violations
import msgspec
from generate_source import NOTICE, callee, keyword, modules, table

from signoff.cli.shared import argument_parser, command
from signoff.commands import COMMANDS
from signoff.contracts.files.contract_seal import SealCode
from signoff.domain.base import errors
from signoff.domain.evidence import receipts, verification
from signoff.domain.run import cassettes, certificate, effects, events, ledger, outcomes
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.state_file import work_slices
from signoff.domain.work import checks, contract, spec, sprints, ticket, work_state
from signoff.engine import loop
from signoff.ledger.ledger_failures import MEANINGS, status_of
from signoff.wiring import price_list

DOCS = Path(__file__).parent
# --- errors ---


class Slug(NamedTuple):
    """A slug, the kind of error it comes with, and the exit code."""

    name: str
    kind: str
    exit_code: int


_NOT_RAISED = {"interrupted": command.INTERRUPTED, "crash": command.OUR_BUG}
"""Slugs that the command line shows by itself, without an error of ours."""

_REFUSALS = (SealCode.SEAL_BROKEN, SealCode.PLAN_DRIFTED)
"""Violations for which a contract is not used at all: their codes become slugs, `slug=broken.code`."""


def slugs() -> tuple[Slug, ...]:
    """Return every slug the program can show, sorted: raised, a default, or printed by the CLI."""
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
            slug = keyword(node, "slug")
            yield from ((name, kind) for name in _strings(slug))
            if isinstance(slug, ast.Attribute) and slug.attr == "code":
                yield from ((code.value, kind) for code in _REFUSALS)
            if kind == "unusable":
                yield from ((name, "ConfigError") for name in _strings(node.args[2]))
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
    """Return the table of all slugs with their family and exit code."""
    rows = ((f"[`{slug.name}`](#{slug.name})", slug.kind, str(slug.exit_code)) for slug in slugs())
    return table(("slug", "kind", "exit code"), rows)


# --- commands ---


class _Built(Exception):  # noqa: N818 - takes a parser out of the call that made it
    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser that `signoff NAME` really uses: it is made, and stopped before it parses a word."""

    def stop(parser: argparse.ArgumentParser, *_: object) -> None:
        raise _Built(parser)

    module = command.arguments_of(name)
    with mock.patch.object(argument_parser.Parser, "parse_intermixed_args", stop):
        try:
            argument_parser.parse(module, name, [], argparse.Namespace())
        except _Built as built:
            return built.parser
    raise AssertionError(f"signoff {name} has no parser")


COMMANDS_INTRO = f"""\
{NOTICE}
# Commands

`signoff COMMAND --help` shows the same on the terminal. Results go to standard output, messages for people to
standard error. Without a terminal no command waits for input: it exits 3 and names the command that answers.
`--json` and `-C DIR` may also stand before the command. [Exit codes](exit-codes.md) have a page of their own.

"""


def commands_page() -> str:
    """Return the page of all commands, from their parsers."""
    parts = [COMMANDS_INTRO]
    rows = ((f"[`signoff {name}`](#signoff-{name})", text) for name, text in COMMANDS.items())
    parts.append(table(("command", "does"), rows))
    for name in COMMANDS:
        parser = parser_of(name)
        title, _, rest = (parser.description or "").strip().partition("\n")
        parts.append(f"\n## signoff {name}\n\n{title}\n")
        if rest.strip():
            parts.append(f"\n```text\n{rest.strip(chr(10)).rstrip()}\n```\n")
        parts.append(f"\n```text\n{synopsis(name, parser)}\n```\n\n")
        parts.append(table(("argument", "meaning"), map(_argument, shown_actions(parser))))
    return "".join(parts)


def shown_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments in reading order: positional ones first, the common ones last."""
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
    """Return the placeholder of an argument's value, or nothing for a switch."""
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
    object: "any JSON value",
}


def type_name(kind: Any) -> str:
    """Return a field's type in a few words."""
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
    if origin in (tuple, list):
        return f"list of {type_name(arguments[0])}"
    if origin is dict:
        return f"object of {type_name(arguments[1])} by {type_name(arguments[0])}"
    if origin in (typing.Union, types.UnionType):
        if len(arguments) > 4:
            return "tagged object"
        return " or ".join(type_name(one) for one in arguments)
    return f"`{kind.__name__}`"


def fields_table(record: type[msgspec.Struct], *, tag: bool = False) -> str:
    """Return the table of a record's fields with the docstrings beneath them as meaning."""
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
    """Return a field's default as JSON, or `required`."""
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
    """Return a section for each record of a tagged union."""
    parts = []
    for record in typing.get_args(union):
        about = " ".join((record.__doc__ or "").split())
        parts.append(f"{level} `{record.__struct_config__.tag}`\n\n{about}\n\n{fields_table(record)}")
    return "\n".join(parts)


def effect_table() -> str:
    """Return the table of every effect and what it does."""
    rows = (
        (f"`{record.__struct_config__.tag}`", " ".join((record.__doc__ or "").split()))
        for record in typing.get_args(effects.Effect)
    )
    return table(("`do`", "effect"), rows)


def price_table() -> str:
    """Return the built-in prices."""
    listed = price_list()

    def cell(usd: float | None) -> str:
        return "unknown" if usd is None else f"{usd:g}"

    rows = (
        (
            ", ".join(f"`{name}`" for name in entry.models),
            cell(entry.input),
            cell(entry.output),
            cell(entry.cache_read),
            cell(entry.cache_write),
        )
        for entry in listed.prices
    )
    header = ("models", "input", "output", "cache read", "cache write")
    return f"As of {listed.as_of}, {listed.unit}.\n\n{table(header, rows)}"


def failure_table() -> str:
    """Return the table of failures, with what may follow: a retry, another agent."""
    rows = (
        (
            f"`{each}`",
            MEANINGS[each],
            f"`{row.reason}`",
            f"`{status_of(each)}`",
            "yes" if row.retryable else "no",
            "yes" if row.may_fall_back else "no",
        )
        for each, row in TREATMENT.items()
    )
    headings = (
        "`failure_class`",
        "means",
        "`failure_reason`",
        "`status`",
        "tried again",
        "another agent may be asked",
    )
    return table(headings, rows)


# --- pages and blocks ---


def source_of(function: object) -> str:
    """Return a function's source as a code block."""
    assert callable(function)
    return f"```python\n{inspect.getsource(function)}```\n"


def pages() -> dict[str, str]:
    """Return every page that is generated as a whole."""
    return {
        "reference/commands.md": commands_page(),
        "reference/violations.md": generate_violations.violations_page(),
    }


def blocks() -> dict[str, dict[str, str]]:
    """Return what is generated inside pages written by hand, by page and name."""
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
            "forbidden-pattern": fields_table(checks.ForbiddenPattern),
        },
        "reference/specs.md": {
            "spec": fields_table(spec.Spec),
            "feature": fields_table(spec.Feature),
            "question": fields_table(spec.ClarificationQuestion),
            "option": fields_table(spec.QuestionOption),
            "resolved": fields_table(spec.ResolvedClarification),
            "sprint": fields_table(sprints.Sprint),
            "sprint-criterion": fields_table(sprints.SprintCriterion),
        },
        "reference/prices.md": {"prices": price_table()},
        "reference/ledger.md": {"record": fields_table(ledger.LedgerRecord), "failures": failure_table()},
        "reference/tickets.md": {"ticket": fields_table(ticket.Ticket)},
        "reference/work-state.md": {
            "state": fields_table(work_state.WorkState),
            "input": fields_table(work_state.WorkInput),
            "stack": fields_table(work_slices.Stack),
            "ui_audit": fields_table(work_slices.UiAudit),
            "ui_design": fields_table(work_slices.UiDesign),
            "ui_review": fields_table(work_slices.UiReview),
            "a11y": fields_table(work_slices.A11y),
            "preview": fields_table(work_slices.Preview),
            "ui_polish": fields_table(work_slices.UiPolish),
            "contract": fields_table(work_slices.MixedContract),
            "stitch": fields_table(work_slices.Stitch),
        },
        "reference/files.md": {
            "receipt": fields_table(receipts.Receipt),
            "predicate": fields_table(certificate.Predicate),
            "verification": fields_table(verification.Verification),
            "verified-clause": fields_table(verification.VerifiedClause),
            "review-item": fields_table(verification.ReviewItem),
        },
    }


def with_blocks(text: str, named: Mapping[str, str]) -> str:
    """Return a page with its generated blocks filled in. A block without its two marks is an error."""
    for name, content in named.items():
        begin, end = f"<!-- generated: {name} -->\n", f"<!-- end of {name} -->"
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise SystemExit(f"no place for the generated block {name!r}")
        text = f"{head}{begin}\n{content}\n{end}{tail}"
    return text


def wanted() -> dict[Path, str]:
    """Return every page as it should be."""
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
    """Write or check, and return the exit code."""
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
