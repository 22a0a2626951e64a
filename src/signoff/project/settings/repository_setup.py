"""Make a repository ready: its settings file and its state folder."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.violations import Severity
from signoff.domain.run.directives import Facts
from signoff.domain.work.settings import SettingOrigin, Settings
from signoff.project.detection.stack_detection import detect
from signoff.project.settings.settings_file import settings_file
from signoff.project.settings.settings_reader import PYPROJECT, SIGNOFF_TOML, read_settings


class WorkingFiles(Protocol):
    """The person's files as they are now, committed or not."""

    @property
    def root(self) -> str:
        """Absolute path of the top."""
        ...

    def paths(self) -> frozenset[str]:
        """List the files git would take, relative to the top."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, or None if there is no such file."""
        ...

    def write_new(self, path: str, data: bytes) -> bool:
        """Write a file that does not exist yet. Return False if it does."""
        ...


class Prepared(NamedTuple):
    """What was created, and what was detected."""

    created: tuple[str, ...]
    facts: Facts
    settings_in: str
    """Which file holds the settings now."""


def prepare_repository(tree: WorkingFiles, prepare_home: Callable[[], tuple[str, ...]]) -> Prepared:
    """Write what is missing and change nothing that exists."""
    settings, origins = working_settings(tree)
    facts = detect(tree.paths(), tree.read, settings.checks)
    created: list[str] = []
    # A signoff.toml wins over [tool.signoff] as a whole, so writing one would switch that off.
    in_pyproject = any(origin.source == PYPROJECT for origin in origins)
    if not in_pyproject and tree.write_new(SIGNOFF_TOML, settings_file(facts).encode()):
        created.append(f"{tree.root}/{SIGNOFF_TOML}")
    created += prepare_home()
    return Prepared(tuple(created), facts, PYPROJECT if in_pyproject else SIGNOFF_TOML)


def working_settings(tree: WorkingFiles) -> tuple[Settings, tuple[SettingOrigin, ...]]:
    """Read the settings of the working tree. A run reads those of its base commit instead."""
    toml, pyproject = tree.read(SIGNOFF_TOML), tree.read("pyproject.toml")
    fix = "correct signoff.toml, or [tool.signoff] in pyproject.toml"
    return usable_settings(toml, pyproject, f"the settings in {tree.root}", fix)


def usable_settings(
    signoff_toml: bytes | None,
    pyproject: bytes | None,
    what: str,
    fix: str = "correct signoff.toml and commit it",
) -> tuple[Settings, tuple[SettingOrigin, ...]]:
    """Return the settings of two files, and where each comes from.

    A mistake raises ConfigError about `what`: nothing that relies on the settings may go on without them.
    """
    found = read_settings(signoff_toml, pyproject)
    if found.settings is None:
        errors = [v for v in found.violations if v.severity is Severity.ERROR]
        places = [f"{v.path or '/'} (line {v.line})" if v.line else v.path or "/" for v in errors]
        why = "; ".join(f"{place}: {v.message}" for place, v in zip(places, errors, strict=True))
        raise ConfigError(f"{what} cannot be used", slug="settings-invalid", why=why, fix=fix)
    return found.settings, found.origins
