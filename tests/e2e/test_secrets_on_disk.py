"""Nothing shaped like a credential reaches the disk, whichever way it comes in."""

import json
from pathlib import Path

from clibench import TICKET, Bench, deliver, plan

PLANTED = "ghp_" + "a1B2" * 9


def found_below(folder: Path) -> list[str]:
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and PLANTED.encode() in path.read_bytes()
    ]


def test_a_credential_in_ticket_answer_or_submission_is_replaced_before_it_is_written(bench: Bench) -> None:
    ticket = bench.root.parent / "leaky.md"
    ticket.write_text(TICKET + f"\nUse the token {PLANTED}.\n")
    bench("run", ticket, "--agent", "hosted", "--yes")
    asked = bench.submit({"kind": "question", "question": f"Is {PLANTED} right?"}, "--resume", "--json")
    assert asked.code == 3, asked.err
    bench("answer", "latest", f"yes, {PLANTED}", "--resume")
    assert bench.submit(plan(why=f"because of {PLANTED}"), "--resume", "--json").code == 4

    assert found_below(bench.root / ".signoff") == []
    assert "[redacted]" in json.dumps(bench("runs", "show", "latest", "--json").document)


def test_a_run_without_credentials_is_as_it_was(bench: Bench) -> None:
    assert deliver(bench).code == 0
    assert b"[redacted]" not in b"".join(
        path.read_bytes() for path in (bench.root / ".signoff" / "runs").rglob("*.json*")
    )
