"""Make several words of one with braces, `{a,b}`, as bash does. Pure; used by `shell_commands`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.core.guards.shell_parts import Word

_LONGEST = 300
_MOST = 64


def expand_braces(word: "Word", hole: str) -> "list[Word]":
    """Give the words; what would be too many, or a range such as `{1..9}`, is one word with a hole."""
    if "{" not in word.text:
        return [word]
    if len(word.text) > _LONGEST:
        is_bare = any(char == "{" and kind == "b" for char, kind in zip(word.text, word.mask, strict=True))
        return [word._replace(text=hole, mask="b")] if is_bare and "," in word.text else [word]
    done: list[Word] = []
    waiting = [(word, 0)]
    while waiting:
        current, start = waiting.pop()
        group = _group(current, start)
        if group is None:
            done.append(current)
        elif len(done) + len(waiting) > _MOST:
            return [word._replace(text=hole, mask="b")]
        else:
            begin, commas, end = group
            if commas:
                waiting += reversed([(piece, begin) for piece in _pieces(current, begin, commas, end)])
            elif ".." in current.text[begin:end]:
                waiting.append((_joined(current, begin, end + 1, hole, "b"), begin))
            else:
                waiting.append((current, begin + 1))
    return done


def _pieces(word: "Word", begin: int, commas: list[int], end: int) -> "list[Word]":
    marks = [begin, *commas, end]
    spans = [slice(left + 1, marks[at]) for at, left in enumerate(marks[:-1], 1)]
    return [_joined(word, begin, end + 1, word.text[span], word.mask[span]) for span in spans]


def _joined(word: "Word", begin: int, end: int, text: str, mask: str) -> "Word":
    return word._replace(
        text=word.text[:begin] + text + word.text[end:], mask=word.mask[:begin] + mask + word.mask[end:]
    )


def _group(word: "Word", start: int) -> tuple[int, list[int], int] | None:
    """Find the first bare brace that closes: where it opens, its own commas, where it closes."""
    opened: list[tuple[int, list[int]]] = []
    found: tuple[int, list[int], int] | None = None
    for at in range(start, len(word.text)):
        char = word.text[at] if word.mask[at] == "b" else " "
        if char == "{":
            opened.append((at, []))
        elif char == "," and opened:
            opened[-1][1].append(at)
        elif char == "}" and opened:
            begin, commas = opened.pop()
            if found is None or begin < found[0]:
                found = (begin, commas, at)
            if not opened:
                break
    return found
