"""What was found out about a machine and a repository before anything is asked of them. Pure records."""

from signoff.domain.base.record import Record


class Diagnosis(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    required: bool = False
    """Nothing works without it. What is not required only narrows what can be done."""
    fix: str = ""
