"""Write reference/violations.md from the rules: every code for a file, a journal or a change."""

import ast
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from generate_source import (
    NOTICE,
    SOURCE,
    assigned,
    callee,
    functions,
    keyword,
    modules,
    table,
    tabled,
    words,
)

from signoff.contracts.compile.plan_gaps import GapCode
from signoff.contracts.compile.upgrade import UpgradeCode
from signoff.contracts.files.contract_seal import SealCode
from signoff.contracts.rules.contract_codes import ContractCode
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.contracts.rules.sprint_rules import SprintCode
from signoff.hosted.state_file.state_faults import StateFault
from signoff.intake.ticket_files import TicketCode
from signoff.judges.journal.journal_rules import JournalCode
from signoff.project.settings.settings_reader import SettingsCode
from signoff.specs.replan_rules import ReplanCode
from signoff.specs.spec_rules import SpecCode
from signoff.text.json.json_text import DecodeCode


class Fact(NamedTuple):
    """One code that the program can report, as the source says it."""

    code: str
    message: str
    fix: str = ""
    rule: str = ""


def facts(called: str, module_names: Iterable[str], kind: type[StrEnum] | None = None) -> tuple[Fact, ...]:
    """Return what a function that makes violations or findings is called with, one entry per code."""
    found: dict[str, Fact] = {}
    codes = {f"{kind.__name__}.{code.name}": str(code.value) for code in kind} if kind else {}
    for name in module_names:
        path = SOURCE / name
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [*tabled(tree), *(call for function in functions(tree) for call in assigned(function))]
        for call, known in calls:
            fact = _fact(call, known, codes) if callee(call) == called else None
            if fact is not None:
                found[fact.code] = _joined(found.get(fact.code), fact)
    return tuple(found.values())


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
    "invalid": "the message of the decoder that refused it",
    "protected-path": "the change touches what the project is judged by, or a path that the settings protect",
    "forbidden-added": "an added line matches a pattern that a non-goal forbids; it is not quoted",
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


PAGES: Mapping[str, tuple[type[StrEnum], ...]] = {
    "contract-rules": (ContractCode, PrecisionCode, SealCode, SprintCode, UpgradeCode),
    "spec-rules": (SpecCode, ReplanCode),
    "plan-format": (GapCode,),
}
"""Pages written by hand on which each code of these has a heading, an example and a way to put it right."""

HERE = (DecodeCode, SettingsCode, StateFault, TicketCode, JournalCode)
"""Whose codes have a row on this page."""


def rule_codes(page: str) -> tuple[str, ...]:
    """Return every code that belongs on a page, once each."""
    return tuple(dict.fromkeys(code.value for kind in PAGES[page] for code in kind))


def violations_page() -> str:
    """Return the page of every code that a check, a gate or a reader can report."""
    readers = [
        "text/json/json_text.py",
        "text/json/type_faults.py",
        "text/json/decode.py",
        "project/settings/settings_reader.py",
    ]
    decode_codes = facts("fault", readers, DecodeCode) + facts("fault", readers, SettingsCode)
    choice = Fact("unknown-value", "must be one of …, not …", "write one of …")
    by_code = {fact.code: fact for fact in (*decode_codes, choice, choice._replace(code="unknown-tag"))}
    rows = [VIOLATIONS_INTRO]
    rows += _pointer_section(
        "Contracts",
        "Rules of contracts and sprint contracts, of their seals and their plans; each with an example and a "
        "way to put it right in [contract rules](contract-rules.md).",
        "contract-rules",
    )
    rows += _pointer_section(
        "Specs",
        "Rules of specs, of answers to their questions and of re-plans, in [spec rules](spec-rules.md).",
        "spec-rules",
    )
    rows += _pointer_section(
        "Plans",
        "What `signoff contract compile` finds missing in a Markdown plan, or worth a look, in "
        "[plan format](plan-format.md). These are gaps: they have a line of the plan and no JSON pointer.",
        "plan-format",
    )
    rows += _facts_section(
        "Tickets",
        "Why the `refine` step will not start, from `intake/ticket_files.py`.",
        facts("fault", ["intake/ticket_files.py"], TicketCode),
    )
    rows += _facts_section(
        "Reading files",
        "What can be wrong with a JSON or TOML file before any rule is applied.",
        tuple(by_code[code.value] for code in (*DecodeCode, *SettingsCode)),
    )
    rows += _facts_section(
        "State files",
        "What can be wrong with the [state file](work-state.md) of a hosted run, beside the above.",
        _state_facts(),
    )
    rows += _journal_section()
    rows += _facts_section(
        "Verifying a sign-off",
        "What `signoff report RUN --verify` and `--rerun` can find (`runs/inspect/certificate_check.py`). "
        "Journal codes come first: a journal that is not sound is not read any further.",
        facts("_violation", ["runs/inspect/certificate_check.py"]),
    )
    rows += _facts_section(
        "Findings about a change",
        "What the gates, the non-goals and a capture can find. Findings are handed back to the agent as "
        "rework.",
        findings(),
    )
    return "".join(rows)


def _state_facts() -> tuple[Fact, ...]:
    """Return the codes of a state file. Those for an unknown word are made in one place."""
    readers = ("hosted/state_file/state_file_format.py", "hosted/state_file/slice_faults.py")
    said = {fact.code: fact for fact in facts("fault", readers, StateFault)}
    choice = Fact("", "must be one of …, not …", "write one of these")
    return tuple(said.get(code.value) or choice._replace(code=code.value) for code in StateFault)


def findings() -> tuple[Fact, ...]:
    """Return what can be found in a change, from every module that makes a finding."""
    made: dict[str, Fact] = {}
    for path, tree in modules():
        name = str(path.relative_to(SOURCE))
        if any(callee(node) == "Finding" for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for fact in facts("_finding", [name]) + facts("Finding", [name]):
                made[fact.code] = _joined(made.get(fact.code), fact)
    return tuple(made.values())


def _pointer_section(title: str, intro: str, page: str) -> list[str]:
    links = " · ".join(f"[`{code}`]({page}.md#{code})" for code in rule_codes(page))
    return [f"\n## {title}\n\n{intro}\n\n{links}\n"]


def _facts_section(title: str, intro: str, found: tuple[Fact, ...]) -> list[str]:
    with_fix = any(fact.fix for fact in found)
    with_rule = any(fact.rule for fact in found)
    head = ("code", *(["rule"] if with_rule else []), "message", *(["fix"] if with_fix else []))
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
        (f"`{code}`", code.severity, str(code.number or ""), code.meaning, code.fix) for code in JournalCode
    )
    beside = ((f"`{f.code}`", "error", "", f.message, "") for f in facts("Fault", ["cli/judge/journal.py"]))
    intro = "What `signoff journal check` can find, from `judges/journal/journal_rules.py`."
    return [
        f"\n## Journals\n\n{intro}\n\n",
        table(("code", "severity", "rule", "meaning", "fix"), (*rows, *beside)),
    ]
