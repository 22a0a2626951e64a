"""The keys of a ticket: files, symbols, and the words of its subject.

Pure; used by `memory.recall`. The ticket is untrusted text: a path in it is compared with globs and never
opened.
"""

from typing import Final, NamedTuple

from signoff.domain.work.ticket import InputKind, Ticket
from signoff.text.lazy_patterns import pattern

STOP_WORDS: Final = frozenset(
    {
        *("the", "and", "for", "with", "that", "this", "from", "into", "are"),
        *("was", "were", "will", "not", "but", "can", "should", "must", "when"),
        *("then", "than", "have", "has", "its", "our", "you", "your", "all"),
        *("any", "which", "their", "also", "only", "given", "after", "before"),
    }
)

_MAX_BODY: Final = 20_000
"""Characters of a ticket's body that are used."""
_MAX_FILES: Final = 200
_MAX_SYMBOLS: Final = 500
_MAX_PATH: Final = 300
_SHORTEST_SYMBOL: Final = 3

_WORD = pattern(r"[^\W\d_][\w-]{2,}")
_PART = pattern(r"[^\W_]+")
_IDENTIFIER = pattern(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|[A-Za-z]{2}\d")
_QUOTED = pattern(r"`([^`\n]{1,200})`")
_CHAIN = pattern(r"[^\W\d]\w*+(?:(?:\.|::|#|->)[^\W\d]\w*+)*+")
_SEPARATOR = pattern(r"::|#|->")
_BETWEEN_TOKENS = pattern(r"""\]\(|[\s`'"<>,;|]+|\)(?=[\s.,;:]|\Z)|(?<!\S)\(""")
_LINE_NUMBER = pattern(r"(?::\d{1,7}){1,2}\Z|#L\d{1,7}(?:-L?\d{1,7})?\Z")


class Keys(NamedTuple):
    """The keys that memory is searched by."""

    files: tuple[str, ...]
    symbols: frozenset[str]
    identifiers: frozenset[str]
    """The symbols that no sentence contains by chance."""
    title: frozenset[str]
    words: frozenset[str]
    """The words of title and criteria."""
    said: frozenset[str]
    """Every part of a word of the whole ticket. All words of a subject must be among them."""


def keys_of(ticket: Ticket, files: tuple[str, ...] = ()) -> Keys:
    """Return the keys of a ticket. `files` are known to be meant and come first."""
    criteria = "\n".join(ticket.acceptance_criteria)[:_MAX_BODY]
    title = ticket.title[:_MAX_BODY]
    whole = f"{title}\n{criteria}\n{ticket.body[:_MAX_BODY]}"
    named = [*files, *([ticket.source] if ticket.kind is InputKind.FILE else ()), *_tokens(whole)]
    symbols = _symbols(whole)
    return Keys(
        files=_paths(named, is_diff=ticket.kind is InputKind.DIFF),
        symbols=symbols,
        title=words(title),
        words=words(title) | words(criteria),
        identifiers=frozenset(symbol for symbol in symbols if is_identifier(symbol)),
        said=parts(whole),
    )


def words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case: a letter and at least two more characters, no stop words."""
    return frozenset(word.rstrip("-_") for word in _WORD.findall(text.lower())) - STOP_WORDS


def parts(text: str) -> frozenset[str]:
    """Return the parts of words between spaces, dashes and underscores, in lower case."""
    return frozenset(_PART.findall(text.lower()))


def is_identifier(word: str) -> bool:
    """Check whether a word has the shape of a name in code: `RefundService`, `refund_window`, `sha256`."""
    return _IDENTIFIER.search(word) is not None


def symbol_names(symbol: str) -> frozenset[str]:
    """Return the names of a symbol: the whole chain, and each link with the shape of a name in code."""
    chain = _SEPARATOR.sub(".", symbol.strip().removesuffix("()"))
    return frozenset({chain, *(link for link in chain.split(".") if is_identifier(link))})


def _symbols(text: str) -> frozenset[str]:
    found: dict[str, None] = {}
    for span in _QUOTED.findall(text):
        if "/" not in span:
            for symbol in _CHAIN.findall(span):
                chain = _SEPARATOR.sub(".", symbol)
                found.update(dict.fromkeys((chain, *chain.split("."))))
    for symbol in _CHAIN.findall(text):
        if is_identifier(symbol):
            found.update(dict.fromkeys(sorted(symbol_names(symbol))))
    long_enough = [symbol for symbol in found if len(symbol) >= _SHORTEST_SYMBOL]
    return frozenset(long_enough[:_MAX_SYMBOLS])


def _tokens(text: str) -> list[str]:
    return [token for token in _BETWEEN_TOKENS.split(text) if "/" in token or "." in token]


def _paths(tokens: list[str], *, is_diff: bool) -> tuple[str, ...]:
    """Return the tokens that could be a path below the root, without the line number after them."""
    found: dict[str, None] = {}
    for token in tokens:
        if len(found) == _MAX_FILES:
            break
        path = _LINE_NUMBER.sub("", token.strip("!?:*=")).rstrip(".").lstrip("/").removeprefix("./")
        if is_diff and path[:2] in ("a/", "b/"):
            path = path[2:]
        if 0 < len(path) <= _MAX_PATH and "://" not in token and ".." not in path.split("/"):
            found[path] = None
    return tuple(found)
