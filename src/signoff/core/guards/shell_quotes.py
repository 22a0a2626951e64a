"""The two quotations of a shell that change what is between their marks. Pure; used by `shell_commands`."""

_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")


def backticked(text: str, at: int) -> tuple[str, int]:
    """Give the script between backticks and the place behind it, or -1 if it never ends."""
    script: list[str] = []
    while at < len(text):
        if text[at] == "`":
            return "".join(script), at + 1
        if text[at] == "\\" and text[at + 1 : at + 2] in ("`", "\\", "$"):
            at += 1
        script.append(text[at])
        at += 1
    return "", -1


def ansi_c_quoted(text: str, at: int) -> tuple[str, int]:
    r"""Give the text of `$'…'`, its escapes such as `\n` and `\x67` read, and the place behind it, or -1."""
    said: list[str] = []
    while at < len(text):
        if text[at] == "'":
            return "".join(said), at + 1
        if text[at] != "\\":
            said.append(text[at])
            at += 1
            continue
        char = text[at + 1 : at + 2]
        width = {"x": 2, "u": 4, "U": 8}.get(char, 0)
        if width:
            digits = _digits(text[at + 2 : at + 2 + width], _HEX)
            said.append(_char(int(digits, 16)) if digits else "\\" + char)
            at += 2 + len(digits)
        elif char in _OCTAL:
            digits = _digits(text[at + 1 : at + 4], _OCTAL)
            said.append(_char(int(digits, 8)))
            at += 1 + len(digits)
        else:
            said.append(_ESCAPES.get(char, char))
            at += 2
    return "", -1


def _digits(text: str, allowed: frozenset[str]) -> str:
    for at, char in enumerate(text):
        if char not in allowed:
            return text[:at]
    return text


def _char(number: int) -> str:
    # NUL would end the word in a shell, and is a hole here; surrogates are no text.
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
