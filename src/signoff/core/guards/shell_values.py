"""What a command line itself says its variables hold. Pure; used by `shell_commands`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from signoff.core.guards.shell_parts import Word

_MOST = 100
_LONGEST = 300
_DECLARE = ("export", "local", "declare", "readonly", "typeset")


class Values:
    """Variables that the text sets exactly once, to words it spells out; all others are unknown."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, str | None] = {"PWD": ".", "HOME": "~"}

    def note(self, words: "list[Word]") -> None:
        """Keep what a command of nothing but assignments sets."""
        first = words[0].text if words else ""
        if first in ("for", "select", "read") and len(words) > 1:
            for word in words[1:]:
                self._known[word.text] = None
            return
        for word in _assignments(words):
            name = word.assigned
            value = word.text.partition("=")[2]
            if name in self._known:
                self._known[name] = None
            elif len(self._known) < _MOST:
                # Set again further on, perhaps before a function runs that uses it: then nobody knows.
                once = self._text.count(name + "=") == 1 and self._text.count(name + "+=") == 0
                self._known[name] = value if once and len(value) <= _LONGEST else None

    def of(self, name: str, *, is_quoted: bool) -> tuple[str, str] | None:
        """Give the value and how the shell sees its characters; None if it is not known."""
        value = self._known.get(name)
        if value is None:
            return None
        if is_quoted:
            return value, "q" * len(value)
        return value, "".join("s" if char in " \t\n" else "b" for char in value)


def _assignments(words: "list[Word]") -> "Iterable[Word]":
    rest = words[1:] if words and words[0].text in _DECLARE else words
    sets = [word for word in rest if word.assigned]
    return sets if len(sets) == len(rest) else ()
