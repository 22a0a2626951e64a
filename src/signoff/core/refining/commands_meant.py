"""Destruction asked for in so many words: a sentence that begins with it, or a command to be run. Pure.

Beside the reading of `vetoes`, which follows verbs to their objects. Here the whole sentence is held against
a few shapes; each needs the order at its beginning and the thing at the end of what is named, so that a
"database helper" or a feature that deletes something is let alone.
"""

import re
from collections.abc import Iterator
from functools import cache

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|(?m:^[ \t]*>.*$)|\"[^\"]*\"|“[^”]*”|'[^']* [^']*'|`[^`]*\s[^`]*`", re.DOTALL
)
"""What nobody asks for: code, and the words of others. A single name in backticks is a name."""
_POLITE = (
    r"(?:please\s+|now\s+|then\s+|just\s+|go\s+and\s+|we\s+(?:need|want|have)\s+to\s+"
    r"|there\s+is\s+no\s+reason\s+not\s+to\s+)*"
)
_VERB = (
    r"(?:delete|remove|drop|erase|destroy|wipe|purge|empty|flush|reset|format|truncate|nuke|get\s+rid\s+of)"
)
_END = (
    r"(?=\s*(?:$|[,.;:!?)]"
    r"|\s(?:and|from|in|on|of|at|before|older|that|which|who|with|without|for|where|to)\b))"
)
_LIVE = r"(?:production|prod|live)"
_STORES = (
    r"(?:database|db|disk|bucket|cluster|namespace|volume|backups?|server|environment|data|records|tables?)"
)
_WHOLE = r"(?:all|every|each|the\s+entire|the\s+whole|entire)"
_PEOPLE = (
    r"(?:users?|accounts?|customers?|orders?|records?|rows?|data|uploads?|files|director(?:y|ies)|folders?)"
)
_NAMED = r"(?!(?:a|an|the|this|that|each|every|lookup|summary|pivot|hash|symbol|temporary|temp)\b)\w+"
_RUN = r"(?:run|execute|issue|perform|launch|do)\s+"
_SQL = r"(?:delete\s+from\s+\w+|drop\s+(?:table|database|schema|column)\s+\w+|truncate\s+table\s+\w+)"
_LOUD = r"(?-i:DELETE FROM|DROP TABLE|DROP DATABASE|DROP SCHEMA|DROP COLUMN|TRUNCATE TABLE)\s+\w+"
_COMMAND = (
    r"(?:kubectl\s+delete\s+\w+|terraform\s+destroy|aws\s+s3\s+(?:rm|rb)\b|redis-cli\s+flush\w+"
    r"|rm\s+-\w*[rf]\w*)"
)
_GONE = (
    r"(?:\b(?:from|on)\s+(?:the\s+)?(?:server|database|disk|bucket)\b|\bthat\s+ha(?:s|ve)\s+not\b"
    r"|\bfor\s+good\b)"
)
_SHAPES = (
    rf"(?:{_RUN})?(?:{_COMMAND}|{_LOUD})",
    rf"{_RUN}{_SQL}",
    rf"{_VERB}\s+(?:\S+\s+){{0,6}}?{_LIVE}\s+(?:\S+\s+){{0,2}}?{_STORES}{_END}",
    rf"{_VERB}\s+(?:\S+\s+){{0,8}}?(?:from|in|on)\s+(?:the\s+)?{_LIVE}{_END}",
    rf"{_VERB}\s+{_WHOLE}\s+(?:\S+\s+){{0,2}}?{_PEOPLE}{_END}.*{_GONE}",
    rf"(?:delete|remove|drop|empty|truncate|erase)\s+the\s+{_NAMED}\s+table(?:$|[.;!]|\s+(?:from|in)\s+the\s+(?:database|db)\b)",
    r"drop\s+(?:the\s+)?column\s+\w+",
    rf"(?:format|wipe|erase)\s+(?:the\s+)?(?:disk|drive|volume|server){_END}",
    rf"get\s+rid\s+of\s+all\s+(?:\S+\s+)?data{_END}",
)


@cache
def _meant() -> re.Pattern[str]:
    return re.compile(f"{_POLITE}(?:{'|'.join(_SHAPES)})", re.IGNORECASE)


def commands_meant(text: str) -> Iterator[str]:
    """Give each sentence that asks for destruction outright, cut to what asks for it."""
    for sentence in _SENTENCE.split(_QUOTED.sub("…", text[:20_000])):
        plain = " ".join(sentence.replace("`", "").strip(" -*#>").split())[:400]
        if found := _meant().match(plain):
            yield found[0]
