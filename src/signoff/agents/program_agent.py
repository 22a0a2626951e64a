"""What the backends share that run one program of this machine for each directive.

The program runs under the process door, so a driver that dies leaves an outcome slip to adopt or a program to
end. Its home is a folder of this dispatch alone, in which the credentials of the settings lie while it runs.
"""

from abc import ABC, abstractmethod

from signoff.agents.environment import secrets_in
from signoff.agents.private_home import Credentials, home_variables, lay_out
from signoff.agents.profiles.base import Launch
from signoff.domain.machine.process_records import ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import SandboxRequest
from signoff.domain.ports import Processes
from signoff.domain.run.agents import AgentReply, AgentRequest


class ProgramAgent(ABC):
    """Runs one program for every directive."""

    def __init__(
        self, processes: Processes, env: dict[str, str], named: tuple[str, ...], credentials: Credentials
    ) -> None:
        self._processes = processes
        self._env = env
        self._named = named
        self._credentials = credentials

    @abstractmethod
    def _launch(self, request: AgentRequest) -> Launch:
        """Return how the program is started."""

    @abstractmethod
    def _reply(self, outcome: ProcessOutcome, request: AgentRequest) -> AgentReply:
        """Return what its end means."""

    def _box(self, request: AgentRequest) -> SandboxRequest | None:
        return request.sandbox

    def dispatch(self, request: AgentRequest) -> AgentReply:
        """Run the program in the checkout, to its end."""
        home, launch = home_of(request), self._launch(request)
        lay_out(home, launch.folders, launch.files)
        self._credentials.lend(home)
        # The variables that the settings name are the person's own, unless they would let a planner write.
        chosen = {name: value for name, value in self._env.items() if name in self._named}
        try:
            outcome = self._processes.run(
                ProcessRequest(
                    argv=launch.argv,
                    cwd=request.checkout,
                    env={**self._env, **home_variables(home), **launch.env, **chosen, **launch.held},
                    timeout_s=request.timeout_s,
                    idle_timeout_s=request.silence_s,
                    stdout_path=request.logs + ".out",
                    stderr_path=request.logs + ".err",
                    slip_path=_slip(request),
                    stdin=launch.stdin,
                    output_limit=request.output_limit,
                    secrets=secrets_in(self._env, self._named),
                    sandbox=self._box(request),
                )
            )
        finally:
            self._credentials.take_back(home)
        return self._reply(outcome, request)

    def recover(self, request: AgentRequest) -> AgentReply | None:
        """End what an earlier driver left running, then read its slip if there is one."""
        outcome = self._processes.recover(_slip(request))
        self._credentials.take_back(home_of(request))
        if outcome is None and self.was_started(request):
            return AgentReply(stopped=True, sandbox=self._processes.held(_slip(request)))
        return None if outcome is None else self._reply(outcome, request)

    def was_started(self, request: AgentRequest) -> bool:
        """Check whether an earlier driver got as far as starting the program."""
        return self._processes.was_started(_slip(request))


def home_of(request: AgentRequest) -> str:
    """Return the private home of a dispatch."""
    return request.home or request.logs + ".home"


def _slip(request: AgentRequest) -> str:
    return request.logs + ".slip"
