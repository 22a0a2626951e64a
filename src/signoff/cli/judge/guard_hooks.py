"""The JSON that an agent's host gives its hooks on standard input: the call of a tool.

`guard` loads this for hooks and files only: a command given as a word needs none of this.
"""

from signoff.cli.shared.command import Options
from signoff.cli.shared.files import read_file


def hook_call() -> dict[str, object]:
    """Read the call from standard input.

    Anything else than the call of a tool is an error, so that the guard blocks.
    """
    import json

    data = read_file("-")
    try:
        call = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise hook_unreadable(f"it is no JSON: {error}"[:200]) from None
    if not isinstance(call, dict) or not isinstance(call.get("tool_input"), dict):
        raise hook_unreadable("it has no tool_input")
    return call


def of_hook(call: dict[str, object], name: str) -> str | None:
    """Return one field of the tool's input, or None if it is not there."""
    given = call["tool_input"]
    value = given.get(name) if isinstance(given, dict) else None
    if value is not None and not isinstance(value, str):
        raise hook_unreadable(f"tool_input.{name} is no text")
    return value


def folder_of(options: Options, call: dict[str, object]) -> str:
    """Return the folder in which the tool would run."""
    cwd = call.get("cwd")
    return cwd if isinstance(cwd, str) and cwd else options.root


def hook_unreadable(why: str) -> Exception:
    """Return the error for JSON that is not what hosts give their hooks."""
    from signoff.domain.base.errors import UsageError

    return UsageError(
        "the hook's call cannot be read",
        slug="hook-unreadable",
        why=why,
        fix="pass the host's JSON unchanged",
    )


def edited(call: dict[str, object], place: str) -> tuple[str, str]:
    """Return the text before and after a call: of the whole file where the edit fits it, else of its pieces.

    A call writes the whole content, makes one edit, or makes a list of edits that are applied in order.
    """
    current = _current(place)
    content = of_hook(call, "content")
    if content is not None:
        return current or "", content
    given = call["tool_input"]
    assert isinstance(given, dict)
    edits = given.get("edits", [given])
    if not isinstance(edits, list) or not edits:
        raise hook_unreadable("its edits are no list")
    pairs = [_pair(edit) for edit in edits]
    after = current
    for old, new, is_everywhere in pairs:
        if after is None or (old and old not in after):
            return "\n;\n".join(old for old, _, _ in pairs), "\n;\n".join(new for _, new, _ in pairs)
        after = after.replace(old, new, -1 if is_everywhere else 1) if old else after + "\n" + new
    return current or "", after or ""


def _pair(edit: object) -> tuple[str, str, bool]:
    old, new = (
        (edit.get("old_string", ""), edit.get("new_string")) if isinstance(edit, dict) else (None, None)
    )
    if not isinstance(old, str) or not isinstance(new, str):
        raise hook_unreadable("an edit has no new_string")
    assert isinstance(edit, dict)
    return old, new, bool(edit.get("replace_all"))


def _current(place: str) -> str | None:
    from signoff.domain.base.errors import UsageError

    try:
        return sql_text(read_file(place))
    except UsageError:  # not there yet, or not ours to read: then everything counts as added
        return None


def sql_text(data: bytes) -> str:
    """Return the text of a file, with marks that no statement holds for bytes that are no text.

    A mark of UTF-16 before something else becomes a NUL, for which the guard blocks.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _utf_16(data) or "\0" + data[2:].decode("utf-8", "replace")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _utf_16(data: bytes) -> str:
    """Return the text of bytes in UTF-16, empty if they are not.

    A good part of SQL is ASCII, whose every second byte is zero in UTF-16. Other bytes would decode to
    Chinese.
    """
    if data.count(0) * 8 < len(data) - 2:
        return ""
    try:
        return data.decode("utf-16").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return ""
