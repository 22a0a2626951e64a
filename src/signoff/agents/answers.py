"""Find the answer in what an agent said last. Pure.

An answer is the last JSON object of the text that decodes as one of the answers its directive allows,
between fences or bare. Prose is never read for meaning, and an object within another is no answer.
"""

import json
import re
from collections.abc import Iterator

from signoff.domain.run.directive_answers import raw_answer_type
from signoff.domain.run.directives import Directive
from signoff.text.json.decode import decode

_LONGEST_TEXT = 2_000_000
_MOST_WASTE = 1_000_000_000
"""Characters that attempts may read in vain, about a second: braces can be hostile."""
_NESTED_COST = 100_000
_OPENING = re.compile(r'\{\s{0,100}"')


def find_answer(directive: Directive, text: str) -> bytes | None:
    """Return the last answer in the text as it is written there, or None."""
    kinds = raw_answer_type(directive.payload)
    for candidate in reversed(list(_objects(text[-_LONGEST_TEXT:]))):
        data = candidate.encode(errors="replace")
        if decode(data, kinds).value is not None:
            return data
    return None


def _objects(text: str) -> Iterator[str]:
    """Yield every outermost JSON object with a kind, in order."""
    reader = json.JSONDecoder()
    waste = 0
    opening = _OPENING.search(text)
    while opening and waste < _MOST_WASTE:
        start = opening.start()
        try:
            value, end = reader.raw_decode(text, start)
        except json.JSONDecodeError as error:
            waste += error.pos  # it counts the lines from the beginning of the text
            end = start + 1
        except (RecursionError, ValueError):  # nested without end; a number of too many digits
            waste += _NESTED_COST
            end = start + 1
        else:
            if isinstance(value, dict) and "kind" in value:
                yield text[start:end]
        opening = _OPENING.search(text, end)
