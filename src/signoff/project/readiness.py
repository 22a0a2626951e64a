"""Check whether this machine and this repository are ready, and report what is missing."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from signoff.domain.base.errors import InfrastructureError, SignoffError
from signoff.domain.machine.diagnosis import Diagnosis
from signoff.domain.machine.sandbox_records import Level, SandboxOffer
from signoff.domain.work.settings import SettingOrigin, Settings
from signoff.project.agent_search import AGENTS
from signoff.text.truncation import short
from signoff.text.version_text import untested, version_in

OLDEST_PYTHON = (3, 11)
_LONGEST_VERSION = 80


class DiagnosedMachine(Protocol):
    """What can be asked of a machine."""

    def version_of(self, program: str) -> str | None:
        """Return the first line of `program --version`, "" if it prints nothing, None if it is not on PATH.

        Raises InfrastructureError if the program does not answer.
        """
        ...


class DiagnosedProject(NamedTuple):
    """What is examined. Each function raises a `SignoffError` that a person can put right."""

    machine: DiagnosedMachine
    python: tuple[int, ...]
    git: Callable[[], str]
    """Returns the version of git. Raises what a person can fix."""
    repository: Callable[[], str]
    """Returns where the repository is, and on which commit. Raises what a person can fix."""
    settings: Callable[[], tuple[Settings, tuple[SettingOrigin, ...]]]
    sandbox: Callable[[], SandboxOffer]
    tested: Mapping[str, str] = MappingProxyType({})
    """The versions of agents' programs that were tested."""


class Examined(NamedTuple):
    """Result of the examination."""

    checks: tuple[Diagnosis, ...]
    settings: tuple[SettingOrigin, ...]

    @property
    def is_ready(self) -> bool:
        """Whether everything that is needed is there."""
        return all(check.ok for check in self.checks if check.required)


def examine_ground(ground: DiagnosedProject) -> Examined:
    """Examine everything. One fault does not hide another."""
    agents = tuple(_agents(ground.machine, ground.tested))
    settings, origins = _settings(ground)
    return Examined(
        (
            _python(ground.python),
            _asked("git", ground.git),
            _asked("repository", ground.repository, required=False),
            settings,
            _sandbox(ground.sandbox()),
            *agents,
            _any_agent(agents),
        ),
        origins,
    )


def _python(version: tuple[int, ...]) -> Diagnosis:
    ok = version >= OLDEST_PYTHON
    return Diagnosis(
        name="python",
        ok=ok,
        detail=".".join(map(str, version)),
        required=True,
        fix="" if ok else f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or later",
    )


def _asked(name: str, ask: Callable[[], str], *, required: bool = True) -> Diagnosis:
    try:
        return Diagnosis(name=name, ok=True, detail=ask(), required=required)
    except SignoffError as error:
        detail = f"{error.what}: {error.why}" if error.why else error.what
        return Diagnosis(name=name, ok=False, detail=detail, required=required, fix=error.fix)


def _settings(ground: DiagnosedProject) -> tuple[Diagnosis, tuple[SettingOrigin, ...]]:
    origins: tuple[SettingOrigin, ...] = ()

    def read() -> str:
        nonlocal origins
        _, origins = ground.settings()
        sources = sorted({origin.source for origin in origins})
        return "from " + ", ".join(sources)

    return _asked("settings", read), origins


def _sandbox(found: SandboxOffer) -> Diagnosis:
    best = max(found.levels, key=lambda level: level.rank)
    refused = "; ".join(f"{level}: {why}" for level, why in found.refused.items())
    return Diagnosis(
        name="sandbox",
        ok=best.rank >= Level.LANDLOCK.rank,
        detail=f"{best}" + (f" ({refused})" if refused else ""),
        fix="" if best is Level.BWRAP else "install bubblewrap for the strongest level",
    )


def _agents(machine: DiagnosedMachine, tested: Mapping[str, str]) -> Iterator[Diagnosis]:
    for name in AGENTS:
        try:
            version = machine.version_of(name)
        except InfrastructureError as error:
            detail = f"it does not answer: {error.why or error.what}"
            yield Diagnosis(name=f"agent {name}", ok=False, detail=detail, fix=error.fix)
            continue
        if version is None:
            yield Diagnosis(name=f"agent {name}", ok=False, detail="not on PATH")
            continue
        said = short(version, _LONGEST_VERSION) or "prints no version"
        note = untested(name, version_in(version), tested.get(name, ""))
        yield Diagnosis(name=f"agent {name}", ok=True, detail=f"{said} (note: {note})" if note else said)


def _any_agent(agents: tuple[Diagnosis, ...]) -> Diagnosis:
    found = [each.name.removeprefix("agent ") for each in agents if each.ok]
    return Diagnosis(
        name="agents",
        ok=bool(found),
        detail=", ".join(found) or "none found",
        fix="" if found else "install one, use --agent command with a program of yours, or --agent hosted",
    )
