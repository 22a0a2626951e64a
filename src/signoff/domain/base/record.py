"""The one base of every record: frozen, keyword-only, and compared by value.

Pure. Fields left at their default are not written, so a record and its file stay as small as what
was said. A field docstring stands beneath each field that needs one.
"""

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frozen record. Copy it with `msgspec.structs.replace`."""
