"""Parse a ticket file, and refuse to start while the ticket is unclear.

Pure. JSON as trackers export it (ours, GitHub's, Jira's) or Markdown as people write it. Everything in a
ticket is untrusted text. Parsing judges nothing, `gate` does.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from signoff.domain.base.violations import Violation
from signoff.domain.work.ticket import Ticket
from signoff.intake.ticket_markdown import read_items, read_page, take_criteria
from signoff.text.json.json_text import DecodeCode, read_json, read_text
from signoff.text.json.violation_list import Findings, below, fault, shown
from signoff.text.phrases import normalised, weight
from signoff.text.vague_words import why_vague

if TYPE_CHECKING:
    from signoff.text.json.decode import Decoded

MIN_TITLE: Final = 3

_LONGEST_ID: Final = 256
"""Bits. Python refuses to write out a number of more than 4,300 digits."""

_MARKDOWN: Final = (".md", ".markdown", ".txt")
_JIRA_HEADING = re.compile(r"^h([1-6])\.[ \t]+", re.MULTILINE)


class TicketCode(StrEnum):
    """The reasons why a ticket is not clear enough to start."""

    MISSING_ID = "missing_id"
    TRIVIAL_TITLE = "trivial_title"
    MISSING_OR_VAGUE_AC = "missing_or_vague_ac"


def parse_ticket(data: bytes, name: str) -> "Decoded[Ticket]":
    """Parse a ticket file.

    The ending of `name` decides how, and for other names the first characters of the text.
    """
    return _from_json(data, name) if is_json_ticket(data, name) else _from_markdown(data, name)


def is_json_ticket(data: bytes, name: str) -> bool:
    """Check whether a ticket file is JSON rather than Markdown."""
    is_markdown = name.lower().endswith(_MARKDOWN)
    return name.lower().endswith(".json") or (
        not is_markdown and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
    )


def ticket_of(value: object, name: str, findings: Findings) -> Ticket:
    """Return the ticket in JSON that was parsed already.

    Never raises: fields of the wrong type are added to `findings`.
    """
    return _TicketReader(findings).ticket(value, name)


def gate(ticket: Ticket) -> tuple[Violation, ...]:
    """Return the reasons why work cannot start yet, or nothing when it can."""
    return Findings(_unclear(ticket)).all()


def restated(ticket: Ticket, answer: str) -> Ticket:
    """Return the ticket as a person stated it anew: `id:` and `title:` lines, all other lines criteria."""
    fields: dict[str, str] = {}
    criteria: list[str] = []
    for line in answer.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() in ("id", "title"):
            fields[name.strip().lower()] = value.strip()
        elif text := line.strip("-* \t"):
            criteria.append(text)
    return replace(
        ticket,
        id=fields.get("id", ticket.id),
        title=fields.get("title", ticket.title),
        acceptance_criteria=tuple(criteria) or ticket.acceptance_criteria,
    )


def _unclear(ticket: Ticket) -> Iterator[Violation]:
    if not normalised(ticket.id):
        yield fault(TicketCode.MISSING_ID, "the ticket has no id", "/id", fix="give it one")
    if weight(normalised(ticket.title)) < MIN_TITLE:
        message = f"the title {shown(ticket.title)} says nothing"
        yield fault(TicketCode.TRIVIAL_TITLE, message, "/title", fix="say in a few words what is wanted")
    if not ticket.acceptance_criteria:
        message = "there are no acceptance criteria"
        fix = "list what must be true when it is done"
        yield fault(TicketCode.MISSING_OR_VAGUE_AC, message, "/acceptance_criteria", fix=fix)
    for n, criterion in enumerate(ticket.acceptance_criteria):
        if why := why_vague(criterion):
            message = f"acceptance criterion {n + 1}, {shown(criterion)}, {why}"
            fix = "say what can be observed, and with which values"
            yield fault(TicketCode.MISSING_OR_VAGUE_AC, message, f"/acceptance_criteria/{n}", fix=fix)


# The types are walked to name a mistake in a file; who only judges a ticket starts without that.
def _from_markdown(data: bytes, name: str) -> "Decoded[Ticket]":
    from signoff.text.json.decode import Decoded

    text, violations = read_text(data)
    if text is None:
        return Decoded(None, violations)
    page = read_page(text)
    ticket = Ticket(
        id=page.id, title=page.title, body=page.body, acceptance_criteria=page.criteria, source=name
    )
    return Decoded(ticket, violations)


def _from_json(data: bytes, name: str) -> "Decoded[Ticket]":
    from signoff.text.json.decode import Decoded
    from signoff.text.json.json_lines import located

    text, value, before = read_json(data)
    if text is None:
        return Decoded(None, before)
    findings = Findings(before)
    ticket = ticket_of(value, name, findings)
    violations = tuple(located(findings.all(), text))
    return Decoded(None if findings.has_errors else ticket, violations)


class _TicketReader:
    """A parser of a tracker's JSON that notes fields of the wrong type and ignores all it does not know."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def ticket(self, value: object, name: str) -> Ticket:
        if not isinstance(value, dict):
            self._findings.add(fault(DecodeCode.WRONG_TYPE, "a ticket is an object", fix="write an object"))
            return Ticket()
        fields = value.get("fields")
        if isinstance(fields, dict):
            id_ = self._name(value, "key", "")
            title, body = self._text(fields, "summary", "/fields"), self._description(fields)
            given = self._criteria(fields, "/fields")
        else:
            id_ = self._name(value, "number", "#") or self._name(value, "id", "")
            title, body = self._text(value, "title", ""), self._text(value, "body", "")
            body = body or self._text(value, "description", "")
            given = self._criteria(value, "")
        criteria, rest = ((), "") if given else take_criteria(body)
        return Ticket(
            id=id_.strip(),
            title=title.strip(),
            body=body.strip() if given else rest,
            acceptance_criteria=given or criteria,
            source=name,
        )

    def _name(self, value: dict[str, object], key: str, prefix: str) -> str:
        found = value.get(key)
        if isinstance(found, int) and not isinstance(found, bool) and found.bit_length() < _LONGEST_ID:
            return f"{prefix}{found}"
        if isinstance(found, str) or found is None:
            return found or ""
        return self._wrong("a string or an integer", below("", key))

    def _text(self, value: dict[str, object], key: str, path: str) -> str:
        found = value.get(key)
        if isinstance(found, str) or found is None:
            return found or ""
        return self._wrong("a string", below(path, key))

    def _description(self, fields: dict[str, object]) -> str:
        found = fields.get("description")
        if isinstance(found, dict):
            return _from_atlassian(found)
        return _JIRA_HEADING.sub(
            lambda match: "#" * int(match[1]) + " ", self._text(fields, "description", "/fields")
        )

    def _criteria(self, value: dict[str, object], path: str) -> tuple[str, ...]:
        key = "acceptanceCriteria" if "acceptanceCriteria" in value else "acceptance_criteria"
        found = value.get(key)
        if isinstance(found, str):
            return read_items(found)
        if isinstance(found, list):
            items = (
                item if isinstance(item, str) else self._wrong("a string", below(path, key, n))
                for n, item in enumerate(found)
            )
            return tuple(" ".join(item.split()) for item in items)
        if found is not None:
            self._wrong("a list of strings", below(path, key))
        return ()

    def _wrong(self, wanted: str, path: str) -> str:
        self._findings.add(fault(DecodeCode.WRONG_TYPE, f"must be {wanted}", path, fix=f"write {wanted}"))
        return ""


def _from_atlassian(node: object) -> str:
    """Return a Jira Cloud description (Atlassian Document Format) as Markdown, as far as tickets need it.

    Recurses over the node types that tell headings, lists and text apart; of any other node only the
    children count.
    """
    if not isinstance(node, dict):
        return ""
    children = node.get("content")
    parts = [_from_atlassian(child) for child in children] if isinstance(children, list) else []
    inner = "".join(parts)
    attributes = node.get("attrs")
    match node.get("type"):
        case "text":
            text = node.get("text")
            return text if isinstance(text, str) else ""
        case "hardBreak":
            return "\n"
        case "paragraph":
            return f"{inner}\n\n"
        case "heading":
            level = attributes.get("level") if isinstance(attributes, dict) else 1
            return f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {inner}\n\n"
        case "listItem" | "taskItem":
            return f"- {' '.join(inner.split())}\n"
        case "bulletList" | "orderedList" | "taskList":
            return f"{inner}\n"
        case "codeBlock":
            return f"```\n{inner}\n```\n\n"
        case _:
            return inner
