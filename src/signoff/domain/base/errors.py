"""Errors that a person can put right.

    SignoffError            exit 2: could not start
    ├── UsageError          the words of the command
    ├── ConfigError         settings, files, repository state
    ├── ConflictError       another process holds it, or it changed underneath
    ├── WaitingError        exit 3: only a person on a terminal can go on
    └── InfrastructureError exit 5: a tool is missing or did not answer

Facts about the user's work are never raised. They are values with a code and a place. Each `slug`
has an entry in docs/reference/errors.md. Rendered only in `cli/`.
"""


class SignoffError(Exception):
    """Something a person can put right: what happened, why, and how to mend it."""

    exit_code = 2

    def __init__(self, what: str, *, slug: str, why: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.slug = slug
        self.why = why
        self.fix = fix


class UsageError(SignoffError):
    """The words of the command do not make sense."""


class ConfigError(SignoffError):
    """Settings, an input file or the repository is not as it must be."""


class ConflictError(SignoffError):
    """Another process holds what is asked for, or it changed since it was read."""


class WaitingError(SignoffError):
    """A person is needed, and there is no terminal to ask on."""

    exit_code = 3


class InfrastructureError(SignoffError):
    """A tool is missing, timed out or gave something unreadable."""

    exit_code = 5
