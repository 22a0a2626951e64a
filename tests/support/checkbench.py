"""A tree on disk, a runner with the real process door, and orders for it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from signoff.checks.runner import Runner
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.evidence.receipts import FailureReason, Observation, Result
from signoff.domain.machine.process_records import ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxOffer
from signoff.domain.ports import CheckSeen, Processes
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.checks import Check, Citation, Place
from signoff.domain.work.settings import SandboxSettings
from signoff.host.files.clock import SystemClock
from signoff.host.processes.process_door import ProcessDoor

PASS, FAIL, PARTIAL = Result.PASS, Result.FAIL, Result.PARTIAL
UNMET, EXECUTION_ERROR = FailureReason.CRITERIA_UNMET, FailureReason.EXECUTION_ERROR


class Bench:
    """One materialised tree, in a path with a space and a letter outside ASCII, and everything around it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "the trée"
        self.folder.mkdir(parents=True)
        self.logs = str(root / "logs" / "check-1")
        (root / "logs").mkdir()
        self.door: Processes = ProcessDoor()
        self.python = sys.executable
        self.sandbox = SandboxSettings(checks=SandboxChoice.NONE)
        """Many of these checks leave traces outside their tree on purpose; boxes have tests of their own."""
        self.env = {"PATH": os.environ["PATH"], "HOME": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def write(self, path: str, text: str | bytes, *, executable: bool = False) -> Path:
        """Put a file into the tree."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        if executable:
            target.chmod(0o755)
        return target

    def order(
        self,
        check: Check,
        *,
        clause: str = "T1/check-1",
        timeout_s: float = 60,
        test_command: tuple[str, ...] = (),
        test_report: str | None = None,
        citations: tuple[Citation, ...] = (),
    ) -> CheckOrder:
        """Make an order for this tree."""
        return CheckOrder(
            key=EffectKey("verify/T1/check-1"),
            clause=ClauseId(clause),
            check=check,
            place=Place.FINAL,
            tree=TreeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
            contract=Digest("sha256:" + "0" * 64),
            folder=str(self.folder),
            logs=self.logs,
            timeout_s=timeout_s,
            test_command=test_command,
            test_report=test_report,
            citations=citations,
            carried={"uv.lock": Digest("sha256:" + "1" * 64)},
            sandbox=self.sandbox,
        )

    def runner(self) -> Runner:
        """Make a runner, as another driver would."""
        return Runner(self.door, SystemClock(), self.env, self.python)

    def run(self, order: CheckOrder) -> CheckSeen:
        """Run an order to its end."""
        seen = self.runner().run(order)
        assert seen is not None
        return seen

    def see(self, check: Check, *, citations: tuple[Citation, ...] = ()) -> Observation:
        """Run a check that needs nothing else, and give what was observed."""
        return self.run(self.order(check, citations=citations)).receipt.observation


class WatchedDoor:
    """A process door that lets a test look at, or replace, each outcome."""

    def __init__(self, inner: Processes, after: Callable[[ProcessRequest, ProcessOutcome], ProcessOutcome]):
        self._inner = inner
        self._after = after
        self.requests: list[ProcessRequest] = []

    def run(self, request: ProcessRequest) -> ProcessOutcome:
        """Run it and hand the outcome to the test."""
        self.requests.append(request)
        return self._after(request, self._inner.run(request))

    def recover(self, slip_path: str) -> ProcessOutcome | None:
        """Pass it on."""
        return self._inner.recover(slip_path)

    def was_started(self, slip_path: str) -> bool:
        """Pass it on."""
        return self._inner.was_started(slip_path)

    def held(self, slip_path: str) -> Level | None:
        """Pass it on."""
        return self._inner.held(slip_path)

    def offer(self) -> SandboxOffer:
        """Pass it on."""
        return self._inner.offer()

    def stop_all(self) -> None:
        """Pass it on."""
        self._inner.stop_all()
