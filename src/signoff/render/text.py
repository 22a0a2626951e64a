"""Small pieces of Markdown shared by the views. Pure."""

from collections.abc import Iterable


def cell(text: str) -> str:
    """Make text safe inside a Markdown table: one line, no pipes, nothing that opens HTML."""
    flat = " ".join(text.split())
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def line(text: str) -> str:
    """Make untrusted text safe as part of one Markdown line."""
    return " ".join(text.split()).replace("<", "&lt;")


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Give a Markdown table; cells are made safe here."""
    heads = [cell(heading) for heading in headings]
    body = [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    return "\n".join((f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *body))


def bullets(items: Iterable[str], empty: str = "none") -> str:
    """Give a bullet list, or a word for nothing."""
    lines = [f"- {line(item)}" for item in items]
    return "\n".join(lines) if lines else f"- {empty}"


def section(title: str, body: str) -> str:
    """Give one section of a page."""
    return f"## {title}\n\n{body}\n"
