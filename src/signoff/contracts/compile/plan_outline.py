"""A Markdown plan as sections, labelled parts and bullets, each with the line it stands on.

Pure, called by the plan reader. A real parser tells headings from code, so nothing inside a fence or a
comment is taken for either. Texts stay Markdown source: what they mean depends on who reads them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LABEL = re.compile(r"\*\*([^*:\n]{1,80})(?::[ ]?\*\*|\*\*:)(.*)", re.DOTALL)
_BRACKETS = re.compile(r"\([^()]*\)")
_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)", re.DOTALL)
_BLOCK_SCALAR = re.compile(r"[>|][+-]?")


class BlockKind(StrEnum):
    """What a block is."""

    TEXT = "text"
    BULLET = "bullet"
    CODE = "code"


class Block(NamedTuple):
    """A paragraph, an item of a list, or code. Soft line breaks are spaces."""

    kind: BlockKind
    line: int
    source: str


class Part(NamedTuple):
    """A label and what stands under it. The label is empty for text before the first one."""

    label: str
    """In small letters, without colon and brackets."""
    line: int
    blocks: tuple[Block, ...]

    @property
    def source(self) -> str:
        """Return the first block, which is all that a one-line label can hold."""
        return self.blocks[0].source if self.blocks else ""

    @property
    def bullets(self) -> tuple[Block, ...]:
        """Return the items of its lists."""
        return tuple(block for block in self.blocks if block.kind is BlockKind.BULLET)


class Section(NamedTuple):
    """A heading and everything up to the next one. Level 0 is what stands before the first."""

    level: int
    title: str
    line: int
    parts: tuple[Part, ...]


class FrontmatterField(NamedTuple):
    """A value of the frontmatter."""

    line: int
    value: str


class PlanOutline(NamedTuple):
    """A plan taken apart."""

    fields: Mapping[str, FrontmatterField]
    sections: tuple[Section, ...]


def outline(text: str) -> PlanOutline:
    """Parse a page. Every text has an outline, whether it is a plan or not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    size = _frontmatter_size(lines)
    fields = _fields(lines[1 : size - 1]) if size else {}
    # Blank lines in place of the frontmatter keep every later line where it is.
    body = "\n" * size + "\n".join(lines[size:])
    parser = MarkdownIt("commonmark").disable(["reference", "inline", "text_join"])
    builder = _Builder(lines)
    builder.read(parser.parse(body))
    return PlanOutline(fields, builder.sections())


def _frontmatter_size(lines: Sequence[str]) -> int:
    """Return the number of its lines with both rules, or 0 for a page without frontmatter."""
    if lines[0].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "..."))
    size = next(ends, 0)
    # A rule at the top of a page and another one further down is no frontmatter.
    first = next((line for line in lines[1 : max(size - 1, 1)] if line.strip()), "a:")
    return size if _FIELD.fullmatch(first) else 0


def _fields(lines: Sequence[str]) -> dict[str, FrontmatterField]:
    """Parse `key: value` lines. Of two with the same key the first counts."""
    fields: dict[str, FrontmatterField] = {}
    for n, line in enumerate(lines):
        if found := _FIELD.fullmatch(line.rstrip()):
            value = (found[2] or "").strip()
            if _BLOCK_SCALAR.fullmatch(value):
                value = (" " if value[0] == ">" else "\n").join(_indented(lines, n + 1))
            fields.setdefault(found[1].lower().replace("-", "_"), FrontmatterField(n + 2, _scalar(value)))
    return fields


def _indented(lines: Sequence[str], begin: int) -> Iterator[str]:
    for line in (lines[n] for n in range(begin, len(lines))):
        if line.strip() and not line.startswith((" ", "\t")):
            return
        if line.strip():
            yield line.strip()


def _scalar(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            read = json.loads(value)
        except ValueError:
            return value[1:-1]
        return str(read)
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


class _Builder:
    """Collects sections, parts and blocks in the order of the page."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._sections: list[tuple[int, str, int, list[tuple[str, int, list[Block]]]]] = [(0, "", 1, [])]
        self._open = False
        """Whether the next line of text continues the last block."""

    def sections(self) -> tuple[Section, ...]:
        return tuple(
            Section(level, title, line, tuple(Part(label, at, tuple(blocks)) for label, at, blocks in parts))
            for level, title, line, parts in self._sections
        )

    def read(self, tokens: Sequence[Token]) -> None:
        n = 0
        while n < len(tokens):
            token = tokens[n]
            end = n + 1
            while token.nesting == 1 and tokens[end].level > token.level:
                end += 1
            self._read(token, tokens[n + 1 : end])
            n = end + (token.nesting == 1)

    def _read(self, token: Token, inside: Sequence[Token]) -> None:
        """Take in one block of the page with everything inside it.

        One case for each kind of block that CommonMark knows. HTML and link definitions are skipped.
        """
        self._open = False
        line = token.map[0] + 1 if token.map else 1
        match token.type:
            case "heading_open":
                self._heading(token, inside[0].content, line)
            case "paragraph_open":
                self._paragraph(inside[0].content, line)
            case "fence" | "code_block":
                self._add(BlockKind.CODE, line, token.content.strip("\n"))
            case "bullet_list_open" | "ordered_list_open":
                self._list(inside)
            case "blockquote_open":
                for quoted in inside:
                    if quoted.type == "inline":
                        self._add(BlockKind.TEXT, (quoted.map or [0])[0] + 1, _joined(quoted.content))
            case "hr":
                self._label("", line)
            case _:
                pass

    def _heading(self, token: Token, content: str, line: int) -> None:
        # A rule right below a paragraph makes a heading of it, which is wrong for labelled lines.
        if token.markup == "-" and any(_LABEL.match(text) for text in content.split("\n")):
            self._paragraph(content, line)
            self._label("", line + content.count("\n") + 1)
        else:
            self._sections.append((int(token.tag[1:]), _joined(content), line, []))

    def _paragraph(self, content: str, line: int) -> None:
        for n, text in enumerate(content.split("\n")):
            self._line(text.strip(" \t"), line + n)

    def _line(self, text: str, line: int) -> None:
        """Take in one line of a paragraph. A label begins a part, and other text continues the last one."""
        if found := _LABEL.fullmatch(text):
            self._label(" ".join(_BRACKETS.sub("", found[1]).casefold().split()), line)
            self._open = False
            text = found[2].strip(" \t")
            if not text:
                return
        if self._open:
            blocks = self._blocks(line)
            blocks[-1] = blocks[-1]._replace(source=f"{blocks[-1].source} {text}")
        else:
            self._add(BlockKind.TEXT, line, text)
            self._open = True

    def _list(self, inside: Sequence[Token]) -> None:
        """Take in the items of a list. What lies deeper belongs to its item."""
        for token in inside:
            line = token.map[0] + 1 if token.map else 1
            if token.type == "list_item_open":
                if token.level == inside[0].level:
                    self._open = False
                    self._add(BlockKind.BULLET, line, "")
                else:
                    self._append("\n- ")
            elif token.type == "inline":
                self._item_text(token.content, line)
            elif token.type in ("fence", "code_block"):
                self._append(f"\n{token.content}".rstrip("\n"))

    def _item_text(self, content: str, line: int) -> None:
        for n, text in enumerate(content.split("\n")):
            # Markdown takes a label right below a list for more text of its last item; no person does.
            if self._open or (n and self._lines[line + n - 1].startswith("**") and _LABEL.fullmatch(text)):
                self._line(text.strip(" \t"), line + n)
            else:
                self._append(f" {text.strip(' ')}")

    def _append(self, text: str) -> None:
        blocks = self._blocks(1)
        if not blocks:
            self._add(BlockKind.TEXT, self._sections[-1][3][-1][1], "")
        source = blocks[-1].source
        text = text.lstrip(" ") if not source or source.endswith(" ") else text
        blocks[-1] = blocks[-1]._replace(source=source + text)

    def _label(self, label: str, line: int) -> None:
        self._sections[-1][3].append((label, line, []))

    def _blocks(self, line: int) -> list[Block]:
        parts = self._sections[-1][3]
        if not parts:
            self._label("", line)
        return parts[-1][2]

    def _add(self, kind: BlockKind, line: int, source: str) -> None:
        self._blocks(line).append(Block(kind, line, source))


def _joined(content: str) -> str:
    return " ".join(line.strip(" \t") for line in content.split("\n"))
