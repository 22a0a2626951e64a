"""Split a text into words: what is said, apart from quotations, code, and names of things.

Pure. A word keeps the sentence, the clause and the part (up to a comma) it stands in, so that `grammar` can
find its object and the reach of a "not". A quotation is one mark, because quoted words order nothing.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import cache, lru_cache
from typing import Final, NamedTuple

from signoff.text.phrases import is_invisible, word_set

MARK: Final = "\N{WHITE SQUARE}"
"""The text of a word that stands for a quotation, a piece of code or an address."""

LONGEST_TEXT: Final = 200_000
"""Characters. A longer text is refused, not split into words."""


class WordKind(Enum):
    """The kinds of words."""

    PLAIN = "plain"
    NAME = "name"
    """A path, an identifier, a flag: the name of a thing, whatever words it is made of."""
    NUMBER = "number"
    CODE = "code"
    QUOTE = "quote"


class TextWord(NamedTuple):
    """One word, folded to compare it, and where it stands."""

    text: str
    raw: str
    """The word as it was written, or the content of a quotation."""
    kind: WordKind
    sentence: int
    clause: int
    part: int


class SpokenText(NamedTuple):
    """A text as it is said."""

    words: tuple[TextWord, ...]
    texts: tuple[str, ...]
    """The words alone, folded."""
    asked: frozenset[int]
    """The sentences that end in a question mark."""


EXTENSIONS: Final = word_set("""
    bash bat blade.php c cc cfg conf cpp cs css csv cjs dart env ex exs go gql graphql gradle h hpp htm
    html ini ipynb java js json jsonl jsx kt less lock lua md mdx mjs mk php pl po proto ps1 py pyi pyx
    rb rs rst sass scala scss sh sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zig
""")

_FOLDERS: Final = word_set("""
    . .. ~ .github api app apps assets backend bin cmd components config database db docs features
    frontend infra internal lib libs migrations models packages pages pkg public resources routes
    scripts services spec src static styles templates test tests tools utils views web
""")
_PRODUCTS: Final = word_set("""
    bitbucket dynamodb facebook github gitlab graphql javascript linkedin mariadb mongodb mysql nosql
    openapi paypal postgresql powershell rabbitmq sqlite stackoverflow typescript websocket wordpress
    youtube
""")
_ABBREVIATIONS: Final = word_set("e.g i.e vs approx incl excl cf")
_DOTTED_PARTS: Final = 2


# No opening mark is tried against more than one closing mark: reading stays linear.
_TOKENS: Final = r"""
        (?P<fence>^[ \t]*(?P<mark>```|~~~)[\s\S]*?^[ \t]*(?P=mark)[`~]*[ \t]*$)
      | (?P<hidden><!--(?:(?!<!--)[\s\S])*?-->)
      | (?P<quote_line>^[ \t]*>[^\n]*$)
      | (?P<code>``[^`\n]+``|`[^`\n]+(?:\n[^`\n]+)*`)
      | (?P<quote>
            (?<!\w)"(?=\S)[^"\n]*(?:\n(?![ \t]*\n)[^"\n]*)*"(?!\w)
          | FURTHER_QUOTES
          | (?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)
        )
      | (?P<url>\b[a-zA-Z][a-zA-Z0-9+.-]{1,15}://[^\s<>"`]+)
      | (?P<call>[\w.]+\(\))
      | (?P<sentence>[!?…。！？]+ | \n[ \t]*\n\s* | \n[ \t]*(?:[-*+•]|\d{1,3}[.)]|\#{1,6})[ \t]+)
      | (?P<clause>[;()\[\]{}<>|—–] | \n(?=[ \t]*[A-Z]))
      | (?P<comma>[,、，])
      | (?P<chunk>[^\s,;!?()\[\]{}<>"“”«»|…—–`、，。！？]+)
"""
_FURTHER_QUOTES: Final = (
    r"“[^“”]*” | «[^«»]*» | „[^„“”]*[“”] | 「[^「」]*」 | ‘[^‘’]*(?:(?<=\w)’(?=\w)[^‘’]*)*’(?!\w)"
)


@cache
def _tokens(*, is_ascii: bool) -> re.Pattern[str]:
    """Return the pattern of all tokens, for ASCII text without those that cannot occur in it.

    A set that holds characters of other scripts takes long to compile: without them it is one tenth.
    """
    source = _TOKENS.replace("FURTHER_QUOTES", r"(?!)" if is_ascii else _FURTHER_QUOTES)
    if is_ascii:
        source = source.encode("ascii", "ignore").decode()
    return re.compile(source, re.VERBOSE | re.MULTILINE)


@cache
def _name() -> re.Pattern[str]:
    return re.compile(
        r"""
        (?:\.{1,2}|~)?/[\w.@~*+{}:-][\w./@~*+{}:-]*   # /api/users, ./a, ~/b
      | \w[\w-]*(?:\\\w+)+                            # App\Models\User
      | \w+(?:::\w+)+                                 # Foo::bar
      | \$?\w*[^\W_]_\w+ | __\w+__ | _\w*[^\W_]       # snake_case
      | [a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+         # camelCase
      | [a-z](?:[A-Z][a-z0-9]+){2,}
      | (?:[A-Z][a-z0-9]+){2,} | [A-Z]{2,}[a-z]+(?:[A-Z][a-z0-9]+)+
      | --?[a-zA-Z][\w-]*                             # --flag
      | [\#@$][\w-]+
        """,
        re.VERBOSE,
    )


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"[v<>=~^$€£+-]*\d[\d.,:/x%-]*(?:px|ms|s|kb|mb|gb|%|em|rem)?", re.IGNORECASE)


def plain_text(text: str) -> str:
    """Return the text in plain letters, without invisible characters, but with its line breaks."""
    if text.isascii():
        return text.replace("\r", "")
    seen = "".join(char for char in text if not is_invisible(char) and char != "\r")
    folded = unicodedata.normalize("NFKC", seen)
    return re.sub("[\u2010\u2011]", "-", re.sub("(?<=\\w)’(?=\\w)", "'", folded))


@lru_cache(maxsize=16)
def read_words(text: str) -> SpokenText:
    """Split a text into words.

    Only the beginning of a text longer than `LONGEST_TEXT` is read.
    """
    return _WordReader().read(plain_text(text[:LONGEST_TEXT]))


class _WordReader:
    """A walk over a text that counts sentences, clauses and parts."""

    def __init__(self) -> None:
        self._words: list[TextWord] = []
        self._asked: set[int] = set()
        self._sentence = self._clause = self._part = 0

    def read(self, text: str) -> SpokenText:
        for match in _tokens(is_ascii=text.isascii()).finditer(text):
            self._see(match.lastgroup or "", match[0])
        texts = tuple(word.text for word in self._words)
        return SpokenText(tuple(self._words), texts, frozenset(self._asked))

    def _see(self, group: str, found: str) -> None:
        """Add what one token of `_TOKENS` stands for: words, or the end of a sentence, clause or part.

        Quotes, code and addresses become one word, MARK, and `raw` keeps their text: what they say is no part
        of the sentence around them.
        """
        match group:
            case "fence" | "mark":
                self._end_sentence()
                self._add(MARK, found, WordKind.CODE)
                self._end_sentence()
            case "quote_line":
                self._add(MARK, found.lstrip(" \t>"), WordKind.QUOTE)
                self._end_sentence()
            case "code":
                self._add(MARK, found.strip("`"), WordKind.CODE)
            case "quote":
                self._add(MARK, found[1:-1], WordKind.QUOTE)
            case "url":
                self._add(MARK, found, WordKind.QUOTE)
            case "call":
                self._add(found.casefold(), found, WordKind.NAME)
            case "sentence":
                self._end_sentence(is_question="?" in found or "？" in found)
            case "clause":
                self._end_clause()
            case "comma":
                self._part += 1
            case "chunk":
                self._see_chunk(found)
            case _:
                pass

    def _see_chunk(self, chunk: str) -> None:
        """Add the words of a piece without spaces.

        Marks of emphasis go, a full stop behind it ends the sentence unless it abbreviates, and a
        dash alone ends the clause.
        """
        bare = chunk.rstrip("*~.:'").lstrip("*~'")
        ending = chunk[len(chunk.rstrip("*~.:'")) :]
        if len(bare) > 1 and bare[0] == bare[-1] == "_" and not bare.startswith("__"):
            bare = bare.strip("_")
        if not bare.strip("-=>&+/\\#"):
            if "&" in bare:
                self._add("and", bare, WordKind.PLAIN)
            elif "-" in bare or not bare:
                self._end_clause()
            return
        for piece in _pieces(bare):
            self._see_piece(piece)
        if "." in ending and bare.casefold() not in _ABBREVIATIONS:
            self._end_sentence()
        elif ":" in ending:
            self._end_clause()

    def _see_piece(self, piece: str) -> None:
        if not piece:
            self._end_sentence()
        elif _number().fullmatch(piece):
            self._add(piece.casefold(), piece, WordKind.NUMBER)
        elif is_name(piece):
            self._add(piece.casefold(), piece, WordKind.NAME)
        else:
            self._add(piece.casefold(), piece, WordKind.PLAIN)

    def _add(self, text: str, raw: str, kind: WordKind) -> None:
        self._words.append(TextWord(text, raw, kind, self._sentence, self._clause, self._part))

    def _end_clause(self) -> None:
        self._clause += 1
        self._part += 1

    def _end_sentence(self, *, is_question: bool = False) -> None:
        if is_question and self._words and self._words[-1].sentence == self._sentence:
            self._asked.add(self._sentence)
        self._sentence += 1
        self._end_clause()


def is_name(piece: str) -> bool:
    """Check whether this is the name of a thing in the code rather than a word of the language."""
    if piece.isalpha() and (piece.islower() or piece[1:].islower()):
        return False  # as nearly every word
    if piece.casefold() in _PRODUCTS:
        return False
    return _name().fullmatch(piece) is not None or _is_file(piece) or _is_path(piece)


def ending(path: str) -> str:
    """Return the ending of a file name without the dot, with `blade.php` as one ending."""
    name = path.replace("\\", "/").rpartition("/")[2].casefold()
    return "blade.php" if name.endswith(".blade.php") else name.rpartition(".")[2] if "." in name else ""


def _is_file(piece: str) -> bool:
    stem, dot, last = piece.rpartition(".")
    if not dot or "/" in piece:
        return False
    if last.casefold() in EXTENSIONS:
        return True
    parts = piece.split(".")
    return bool(stem) and last[:1].islower() and all(part.isidentifier() for part in parts if part)


def _is_path(piece: str) -> bool:
    parts = piece.split("/")
    if len(parts) < _DOTTED_PARTS:
        return False
    return (
        (len(parts) > _DOTTED_PARTS and all(parts[:-1]) and ending(piece) in EXTENSIONS)
        or parts[0] in _FOLDERS
        or ending(piece) in EXTENSIONS
        or piece.endswith("/")
    )


def _pieces(bare: str) -> Iterator[str]:
    """Split `drop/delete` and words that a missing space has joined.

    An empty piece stands for the end of a sentence.
    """
    if is_name(bare) or _number().fullmatch(bare):
        yield bare
        return
    for n, sentence in enumerate(re.split(r"(?<=[a-z])\.(?=[A-Z])", bare)):
        if n:
            yield ""
        for joined in sentence.split("/"):
            yield from filter(
                None, (word.strip("*~'") for word in re.split(r"(?<!:):(?!:)|=|\+(?=\w)", joined))
            )
