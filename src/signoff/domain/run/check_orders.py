"""What is handed to the checks room. Pure records."""

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.work.checks import Check, Citation, Place
from signoff.domain.work.settings import SandboxSettings


class AddedLine(Record, frozen=True, kw_only=True):
    """One line that a change added."""

    path: str
    """As git knows it, exact."""
    line: int
    text: str


class CheckOrder(Record, frozen=True, kw_only=True):
    """One check to be run on one materialised tree."""

    key: EffectKey
    clause: ClauseId
    check: Check
    place: Place
    tree: TreeId
    contract: Digest | None
    folder: str
    """Absolute path of the materialised tree."""
    logs: str
    """Absolute path prefix, unique to this check: `<prefix>.out`, `.err`, `.slip`, `.xml`."""
    timeout_s: float
    test_command: tuple[str, ...] = ()
    """The project's test command, for `tests`. Empty means that it has no known one."""
    test_report: str | None = None
    """Where that command leaves a JUnit report, relative to the tree, when it is not pytest."""
    citations: tuple[Citation, ...] = ()
    carried: dict[str, Digest] = {}
    added: tuple[AddedLine, ...] = ()
    """What the change added, for a `diff-predicate` that forbids something in it."""
    sandbox: SandboxSettings = SandboxSettings()
    """How far the check's program is to be confined."""
    in_place: bool = False
    """The folder is the person's own: its repository and our records in it are not the check's to change."""
