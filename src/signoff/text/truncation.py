"""Make text short enough for a journal record. Pure.

Records stay under 4 KB, and what goes into them comes from agents: a limit counts bytes, not
characters, and nothing is left that JSON would write as an escape several times its size.
"""


def short(text: str, most_bytes: int) -> str:
    """Return the text on one line and in at most so many bytes of JSON, with `…` for what is missing."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    flat = flat.encode("utf-8", "replace").decode()
    if _size(flat) <= most_bytes:
        return flat
    kept = flat.encode()[: most_bytes - 3].decode("utf-8", "ignore")
    while _size(kept) > most_bytes - 3:
        kept = kept[: -max(1, len(kept) // 8)]
    return kept + "…"


def _size(text: str) -> int:
    # The only printable characters JSON escapes are these two.
    return len(text.encode()) + text.count('"') + text.count("\\")
