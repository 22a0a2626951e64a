"""What a cycle of `signoff work` loads. A host waits for each of them, and most of the wait is importing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from clibench import Bench
from hostbench import Host, calculator

NEVER = {
    *("argparse", "asyncio", "concurrent.futures", "logging", "pathlib", "shutil"),
    *("subprocess", "tempfile", "threading", "hashlib", "tomllib"),
    *(
        "signoff.domain.ports",
        "signoff.domain.run.directives",
        "signoff.domain.work.contract",
        "signoff.domain.schemas",
    ),
    *(
        "signoff.memory.recall",
        "signoff.storage.memory_pass",
        "signoff.host.git.git_door",
        "signoff.host.processes.process_door",
    ),
    *("signoff.hosted.watch.watched_steps", "signoff.checks.runner"),
    *(
        "signoff.hosted.report.work_report_page",
        "signoff.hosted.report.work_report_facts",
        "signoff.project.settings.repository_setup",
    ),
}
"""What no cycle on a ticket needs before there are files to look at, or a report to render."""

RULES = {
    *(
        "signoff.intake.refinement.intake_gate",
        "signoff.intake.refinement.answered_input",
        "signoff.intake.refinement.text_words",
    ),
    *("signoff.text.vague_words", "signoff.intake.ticket_files", "signoff.host.processes.quick_process"),
}
"""What only the first cycle needs, and one that brings something new about what is wanted."""


@pytest.fixture
def host(bench: Bench) -> Host:
    return calculator(bench)


def loaded(host: Host, *words: str) -> set[str]:
    """Run a cycle and give the modules it loaded."""
    code = (
        "import sys; from signoff.__main__ import main; main(sys.argv[1:]); "
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run(
        (sys.executable, "-S", "-c", code, "work", *words),
        cwd=host.bench.root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("[halt] "), ran
    return set(ran.stderr.split())


def test_the_first_cycle_loads_nothing_it_does_not_need(host: Host, tmp_path: Path) -> None:
    """One import at the top of the wrong module would make every host wait."""
    ticket = tmp_path / "ticket.json"
    ticket.write_text('{"id": "A-1", "title": "Multiply two numbers", "acceptance_criteria": ["2 * 3 is 6"]}')
    assert loaded(host, "--ticket-file", str(ticket)) & NEVER == set()


def test_a_later_cycle_does_not_refine_again(host: Host) -> None:
    """What refining came to is in the journal; its rules are a third of everything there is to load."""
    host.begin()
    assert loaded(host) & (NEVER | RULES) == set()


def test_something_new_about_what_is_wanted_is_refined(host: Host) -> None:
    """What is kept must not outlive what it was made from."""
    host.begin({"id": "A-1", "title": "Multiply two numbers", "acceptance_criteria": []})
    host.write(
        input={**host.state["input"], "data": {**host.state["input"]["data"], "title": "Divide numbers"}}
    )
    assert loaded(host) >= {"signoff.intake.refinement.intake_gate"}
    assert not loaded(host) & RULES
