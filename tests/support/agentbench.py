"""A real checkout of the sample project, and directives to work on in it; for the tests beside this file."""

import itertools
import os
from pathlib import Path

from signoff.domain.base.typed_ids import EffectKey, TaskId
from signoff.domain.run.agents import AgentRequest
from signoff.domain.run.directives import Directive, WorkRequest
from signoff.domain.work.contract import Task
from signoff.host.places.repository import GitRepository
from signoff.testing.samples import lay_out_sample

KEY = EffectKey("implement/T1/attempt-1/dispatch-1")


class AgentBench:
    """The sample project in a temporary folder; tests share it, and each gets checkouts of its own."""

    def __init__(self, tmp_path: Path) -> None:
        home = tmp_path / "home"
        home.mkdir()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        self.root = tmp_path / "shop"
        self._logs = tmp_path / "logs"
        self._numbers = itertools.count()
        self.commit = lay_out_sample(str(self.root), self.env)
        self.repository = GitRepository(str(self.root), str(self.root / ".signoff"), self.env)

    def request(self, key: EffectKey = KEY, timeout_s: float = 30) -> AgentRequest:
        """Give a directive with a checkout and logs that no other request has."""
        number = next(self._numbers)
        checkout = self.repository.checkout(f"run-{number}", self.commit)
        logs = str(self._logs / str(number))
        return AgentRequest(directive=directive(key), checkout=checkout, logs=logs, timeout_s=timeout_s)


def directive(key: EffectKey = KEY) -> Directive:
    task = Task(id=TaskId("T1"), title="Discount codes", wave=1, verification=())
    return Directive(key=key, payload=WorkRequest(task=task, goal="Customers can use discount codes"))
