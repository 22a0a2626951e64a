"""Facts about the user's work: what is wrong, where, and under which code. Pure records."""

from signoff.domain.base.record import Record


def shown(path: str) -> str:
    r"""Return a path as text that any file can hold. Bytes that are not UTF-8 are written as `\xff`.

    Paths inside the engine are exact, with such bytes as surrogates, and a record must never hold those.
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Finding(Record, frozen=True, kw_only=True):
    """One thing that is wrong with a change."""

    code: str
    message: str
    path: str = ""
    line: int | None = None
