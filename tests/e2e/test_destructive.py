"""Through the CLI: nothing destructive starts without a person, and a question starts no run."""

from pathlib import Path

from clibench import Bench

CRITERIA = "\n\n## Acceptance criteria\n\n- `hello.txt` holds `hello`\n"


def ticket(bench: Bench, title: str) -> Path:
    path = bench.root.parent / "wanted.md"
    path.write_text(f"# X-1: {title}{CRITERIA}")
    return path


def test_what_destroys_something_waits_for_a_word_typed_on_a_terminal(bench: Bench) -> None:
    path = ticket(bench, "Drop the users table in production")

    asked = bench("run", path, "--agent", "hosted", "--yes", "--json")

    assert (asked.code, asked.document["halt"]["code"]) == (3, "destructive_intent")
    assert asked.document["halt"]["id"] == "refine/destructive"
    assert "“Drop the users table”" in asked.document["halt"]["question"]
    relayed = bench("answer", "latest", "go on", "--resume", "--json")
    assert (relayed.code, relayed.document["error"]["slug"]) == (3, "answer-needs-terminal")
    assert bench("answer", "latest", "sure", "--json").document["error"]["slug"] == "answer-unknown"
    assert "memory/recall" not in bench("journal", "show", "latest", "--json").out

    typed = bench.typed("runs", "resume", "latest", say=(("Only a person at a terminal", "go on"),))

    assert typed.code == 4, typed.err


def test_who_gives_up_gets_a_refusal_and_a_report(bench: Bench) -> None:
    bench("run", ticket(bench, "Delete all user records from the database"), "--agent", "hosted", "--yes")

    assert bench("answer", "latest", "give up", "--resume").code == 1

    assert "destroys something" in bench("report", "latest").out


def test_an_honest_ticket_that_deletes_something_starts(bench: Bench) -> None:
    assert bench("run", ticket(bench, "Remove a user from a group"), "--agent", "hosted").code == 4


def test_a_question_starts_no_run(bench: Bench) -> None:
    said = bench("run", "--prompt", "How does the cache work?", "--agent", "hosted", "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "prompt-is-question")
    assert not (bench.root / ".signoff").exists()
