"""A host that drives `signoff work`: a calculator with tests, a state file, and somebody who fills it in."""

import json
from pathlib import Path
from typing import Any

from clibench import Bench, Ran

CALCULATOR = "def add(a, b):\n    return a + b\n"
TESTS = "from calculator import add\n\n\ndef test_adding():\n    assert add(1, 2) == 3\n"
MULTIPLY = CALCULATOR + "\n\ndef multiply(a, b):\n    return a * b\n"
MULTIPLY_TESTS = TESTS.replace("import add", "import add, multiply") + (
    "\n\ndef test_multiplying():\n    assert multiply(2, 3) == 6\n"
)
TICKET = {
    "id": "CALC-1",
    "title": "Multiply two numbers",
    "acceptance_criteria": ["multiply(2, 3) returns 6", "multiply(0, 5) returns 0"],
}


class Host:
    """One host in one folder."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.state_file = bench.root / ".work-state.json"

    def begin(self, ticket: object = TICKET, *words: str) -> Ran:
        """Call with a ticket."""
        path = self.bench.root.parent / "ticket.json"
        path.write_text(json.dumps(ticket))
        return self.bench("work", "--ticket-file", path, *words)

    def prompt(self, text: str, *words: str) -> Ran:
        """Call with free text."""
        path = self.bench.root.parent / "prompt.txt"
        path.write_text(text)
        return self.bench("work", "--prompt-file", path, *words)

    def again(self, *words: str, **slices: object) -> Ran:
        """Write slices into the state file, as hosts do, and call again."""
        if slices:
            self.write(**slices)
        return self.bench("work", *words)

    @property
    def state(self) -> Any:
        """What the state file says."""
        return json.loads(self.state_file.read_text())

    def write(self, **slices: object) -> None:
        """Write slices into the state file."""
        self.state_file.write_text(json.dumps({**self.state, **slices}, indent=2))

    def change(self, code: str = MULTIPLY, tests: str = MULTIPLY_TESTS) -> None:
        """Do the work in the person's own folder."""
        (self.bench.root / "calculator.py").write_text(code)
        (self.bench.root / "test_calculator.py").write_text(tests)

    def journal(self) -> Path:
        """The journal of the newest run."""
        return max((self.bench.root / ".signoff" / "runs").glob("*/journal.jsonl"))

    def to_tests(self) -> Ran:
        """Go through plan and implement, honestly."""
        self.begin()
        self.again(plan=["write multiply", "test it"])
        self.change()
        return self.again(changes=[{"path": "calculator.py", "purpose": "multiply"}])

    def to_report(self) -> Ran:
        """Go through every step, honestly."""
        self.to_tests()
        self.again(tests={"verdict": "success"})
        return self.again(verify={"verdict": "success", "findings": []})


def calculator(bench: Bench) -> Host:
    """Give a host in a repository with a calculator and its tests."""
    bench.commit(
        **{
            "calculator.py": CALCULATOR,
            "test_calculator.py": TESTS,
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            ".gitignore": ".work-state.json\n__pycache__/\n",
        }
    )
    return Host(bench)


def code_of(ran: Ran) -> str:
    """Give the code of a halt from a call with --json."""
    return str(ran.document["code"])
