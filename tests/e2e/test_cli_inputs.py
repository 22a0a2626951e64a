"""Repositories and tickets as they come: none, bare, detached, dirty, with odd names, empty or huge."""

import json
import os
from collections.abc import Callable

import pytest
from clibench import TICKET, Bench, deliver, plan


def test_a_path_with_spaces_and_umlauts_delivers_like_any_other(new_bench: Callable[[str], Bench]) -> None:
    bench = new_bench("Büro ☕ und Café")
    bench.commit(README="x\n")

    ended = deliver(bench)

    assert ended.code == 0, ended.err
    assert "Büro ☕ und Café" in ended.document["certificate"]


def test_a_repository_without_commits_is_told_the_exact_command(new_bench: Callable[[str], Bench]) -> None:
    bench = new_bench("empty repo")

    said = bench.start("--json")

    assert said.code == 2
    assert said.document["error"]["slug"] == "no-commits"
    assert f'git -C "{bench.root}" commit' in said.document["error"]["fix"]


def test_no_repository_and_a_bare_one_are_exit_2(bench: Bench) -> None:
    outside, bare = bench.root.parent / "outside", bench.root.parent / "bare"
    outside.mkdir()
    bench.git("clone", "-q", "--bare", str(bench.root), str(bare))

    assert bench.start("-C", str(outside), "--json").document["error"]["slug"] == "not-a-repository"
    assert bench.start("-C", str(bare), "--json").document["error"]["slug"] == "bare-repository"


def test_a_detached_head_and_a_dirty_tree_are_fine_and_said(bench: Bench) -> None:
    bench.git("checkout", "-q", "--detach")
    (bench.root / "half done.txt").write_text("x")

    said = bench.start()

    assert said.code == 4
    assert "uncommitted changes are not part of the base: half done.txt" in said.err


def test_a_run_started_in_a_subfolder_is_a_run_of_the_repository(bench: Bench) -> None:
    (bench.root / "deep" / "er").mkdir(parents=True)

    said = bench("run", bench.ticket(), "--agent", "hosted", "--json", cwd=bench.root / "deep" / "er")

    assert said.code == 4
    assert bench("status", "--json").document["run_id"] == said.document["run_id"]


def test_submodules_are_named(bench: Bench, new_bench: Callable[[str], Bench]) -> None:
    other = new_bench("library")
    other.commit(code="x\n")
    bench.git("submodule", "add", "-q", str(other.root), "vendor/library")
    bench.commit(README="with a submodule\n")

    said = bench.start()

    assert said.code == 4
    assert "submodules are known by their commit alone: vendor/library" in said.err


@pytest.mark.parametrize(
    ("name", "content", "slug"),
    [
        ("empty.md", b" \n", "ticket-invalid"),
        ("empty.json", b"", "ticket-invalid"),
        ("broken.json", b'{"id": ', "ticket-invalid"),
        ("wrong.json", b'{"id": [], "title": 7}', "ticket-invalid"),
        ("binary.md", bytes(range(256)), "ticket-invalid"),
        ("huge.md", b"# NOTE-1: Huge\n" + b"x" * 10_000_001, "ticket-invalid"),
    ],
)
def test_a_file_that_is_no_ticket_starts_nothing(name: str, content: bytes, slug: str, bench: Bench) -> None:
    path = bench.root.parent / name
    path.write_bytes(content)

    said = bench("run", path, "--agent", "hosted", "--json")

    assert said.code == 2
    assert said.document["error"]["slug"] == slug
    assert not (bench.root / ".signoff").exists()


def test_a_ticket_without_a_name_is_asked_for_one(bench: Bench) -> None:
    path = bench.root.parent / "nameless.md"
    path.write_text("# Greet people\n\n## Acceptance criteria\n\n- `a.txt` holds `a`\n")

    asked = bench("run", path, "--agent", "hosted", "--json")
    assert (asked.code, asked.document["halt"]["code"]) == (3, "ticket-unclear")

    assert bench("answer", "latest", "id: NOTE-2", "--resume").code == 4


def test_a_folder_a_device_and_a_mistyped_name_are_no_tickets(bench: Bench) -> None:
    for path, slug in (
        (bench.root, "file-unreadable"),
        ("/dev/zero", "file-unreadable"),
        ("tikcet.md", "file-unreadable"),
    ):
        assert bench("run", path, "--agent", "hosted", "--json").document["error"]["slug"] == slug


def test_a_pipe_nobody_writes_to_is_refused_and_not_waited_for(bench: Bench) -> None:
    """Without a terminal nothing ever waits; an open(2) of a FIFO would, for ever."""
    pipe = bench.root.parent / "ticket.fifo"
    os.mkfifo(pipe)

    for words in (
        ("run", pipe, "--agent", "hosted"),
        ("journal", "check", pipe),
        ("journal", "repair", pipe),
    ):
        said = bench(*words, "--json")
        assert (said.code, said.document["error"]["slug"]) == (2, "file-unreadable")
        assert said.document["error"]["why"] == "not a regular file"


def test_a_file_larger_than_any_ticket_is_not_read_to_its_end(bench: Bench) -> None:
    """Such a file would fill the memory before anybody saw that it is no ticket."""
    path = bench.root.parent / "huge"
    with path.open("wb") as file:
        file.truncate(64_000_001)

    said = bench("run", path, "--agent", "hosted", "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "file-too-large")


@pytest.mark.parametrize("place", ["/proc/x", "", "/dev/null/x"])
def test_a_demo_that_cannot_be_kept_where_it_should_is_a_named_error(place: str, bench: Bench) -> None:
    """A folder that cannot be made is the caller's to mend, and no bug of ours."""
    said = bench("demo", "--keep", place, "--json")

    assert (said.code, said.document["error"]["slug"]) in ((2, "keep-not-empty"), (5, "machine-refused"))
    assert place in said.document["error"]["what"]


def test_a_ticket_may_come_from_standard_input_as_the_tracker_gives_it(bench: Bench) -> None:
    issue = b'{"number": 12, "title": "Greet people", "body": "## Acceptance criteria\\n- `a.txt` holds `a`"}'

    said = bench("run", "-", "--agent", "hosted", "--json", stdin=issue)

    assert said.code == 4
    assert said.document["halt"]["directive"]["payload"]["ticket"]["id"] == "#12"


def test_what_a_ticket_says_cannot_steer_the_terminal(bench: Bench) -> None:
    path = bench.root.parent / "ticket.md"
    path.write_text(TICKET.replace("A greeting", "A \x1b]0;owned\x07greeting"))

    said = bench("run", path, "--agent", "hosted")

    assert said.code == 4
    assert "\x1b" not in said.out + said.err
    assert "\ufffd]0;owned\ufffdgreeting" in said.err


def test_words_that_are_not_utf8_are_taken_as_far_as_they_go(bench: Bench) -> None:
    path = os.fsencode(bench.root.parent) + b"/t\xff.md"
    with open(path, "wb") as file:
        file.write(TICKET.encode())

    started = bench("run", os.fsdecode(path), "--agent", "hosted", "--json")

    assert started.code == 4
    ticket = started.document["halt"]["directive"]["payload"]["ticket"]
    assert (ticket["id"], ticket["source"]) == ("NOTE-1", "t\ufffd.md")
    bench.submit(plan(), "--resume")
    assert bench("answer", "latest", os.fsdecode(b"not \xff"), "--json").document["answer"] == "not \ufffd"


def test_a_run_with_an_unknown_agent_does_not_start(bench: Bench) -> None:
    unknown = bench("run", bench.ticket(), "--agent", "robot", "--json")

    assert (unknown.code, unknown.document["error"]["slug"]) == (2, "agent-unknown")


def test_a_run_leaves_the_persons_status_as_it_was(bench: Bench) -> None:
    bench.start()

    assert bench.git("status", "--short", "--untracked-files=all") == ""
    assert (bench.root / ".signoff").stat().st_mode & 0o777 == 0o700


def test_settings_with_a_mistake_stop_the_run_and_are_shown_by_config(bench: Bench) -> None:
    bench.commit(signoff_dot_toml="[checks]\ntimeout = 5\n")

    started = bench.start("--json")
    shown = bench("config", "show", "--json")

    assert (started.code, started.document["error"]["slug"]) == (2, "settings-invalid")
    assert (shown.code, shown.document["error"]["slug"]) == (2, "settings-invalid")
    assert "/checks/timeout (line 2)" in shown.document["error"]["why"]


@pytest.mark.parametrize(
    "moment", ["yesterday", "", "9999-12-31T23:59:59.999Z", "1969-12-31T00:00:00Z", "2026-01-01T00:00:00"]
)
def test_a_cassette_whose_clock_cannot_start_is_no_cassette(moment: str, bench: Bench) -> None:
    path = bench.root.parent / "tape.json"
    path.write_text(json.dumps({"version": 1, "name": "x", "entries": [], "started_at": moment}))

    said = bench("run", bench.ticket(), "--cassette", path, "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "cassette-invalid")
    assert "started_at" in said.document["error"]["why"]
    assert not (bench.root / ".signoff").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan",), "fix: signoff plan TICKET"),
        (("run", "--spec", ""), "--spec is empty"),
        (("run", "--contract", ""), "--contract is empty"),
        (("run", "--persona", "x"), "'senior-engineer', 'qa', 'advisory'"),
    ],
)
def test_a_mistake_in_the_words_is_told_in_the_words_of_the_command(
    words: tuple[str, ...], said: str, bench: Bench
) -> None:
    ran = bench(*words)

    assert (ran.code, said in ran.err) == (2, True), ran.err
