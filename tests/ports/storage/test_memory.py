"""Curated memory as it lies on disk: what is read, what is left out, and that it is said."""

import json
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signoff.domain.work.memory import MemoryKind, Recollection
from signoff.domain.work.ticket import Ticket
from signoff.storage import memory_pass as subject
from signoff.storage.memory import NotesMemory

TICKET = Ticket(id="S-1", title="Refund window", body="src/billing/refund.py")
ABOUT: dict[str, object] = {"files": ["src/billing/**"], "text": "Refunds are booked once"}


class Repository:
    """A repository with memory files, by their path below the root."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, content: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def recall(self, ticket: Ticket = TICKET, files: tuple[str, ...] = ()) -> Recollection:
        return NotesMemory(str(self.root / ".signoff")).recall(ticket, files)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def lines(*entries: dict[str, object]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def test_a_repository_without_memory_has_nothing_to_say(repository: Repository) -> None:
    assert repository.recall() == Recollection()


def test_notes_and_lines_of_every_kind_are_found(repository: Repository) -> None:
    for kind in MemoryKind:
        repository.write(f".signoff/memory/{kind}/booked.md", "files: src/billing/**\nBooked once")
        repository.write(f".signoff/memory/{kind}.jsonl", lines({"id": f"L-{kind}", **ABOUT}))
    repository.write(".signoff/memory/.gitkeep", "")

    found = repository.recall()

    assert [(hit.type, hit.path, hit.source, hit.score) for hit in found.hits] == [
        (kind, f".signoff/memory/{kind}{rest}", "repo", 1.0)
        for kind in MemoryKind
        for rest in ((".jsonl", "/booked.md"))
    ]
    assert (found.looked_at, found.problems) == (8, ())


def test_a_flat_note_is_a_historical_pattern_found_by_its_name(repository: Repository) -> None:
    """As notes were kept before there were kinds."""
    repository.write(".signoff/memory/refund-window.md", "# Thirty days\n")
    repository.write(".signoff/memory/shipping.md", "# Two days\n")

    found = repository.recall()

    assert [(hit.id, hit.entry) for hit in found.hits] == [
        ("historical-patterns/refund-window", "Thirty days")
    ]
    assert found.looked_at == 2


def test_files_that_are_given_are_keys(repository: Repository) -> None:
    repository.write(
        ".signoff/memory/domain-invariants.jsonl", lines({"id": "A", "text": "t", "files": "lib/*"})
    )

    assert repository.recall().hits == ()
    assert [hit.id for hit in repository.recall(files=("lib/a.py",)).hits] == ["A"]


def test_a_line_that_cannot_be_read_is_named_with_its_place(repository: Repository) -> None:
    repository.write(".signoff/memory/domain-invariants.jsonl", "{\n" + lines({"id": "A", **ABOUT}))

    found = repository.recall()

    assert [hit.id for hit in found.hits] == ["A"]
    assert len(found.problems) == 1
    assert found.problems[0].startswith(".signoff/memory/domain-invariants.jsonl:1: ")


def test_yaml_of_other_tools_is_named_and_not_read(repository: Repository) -> None:
    """Silence would look like a memory that holds nothing."""
    repository.write("agents/memory/domain-invariants.yml", "- id: A")
    repository.write("agents/memory/incident-learnings/one.yaml", "id: B")
    repository.write("agents/memory/other.yml", "")

    found = repository.recall()

    assert [problem.partition(" is ")[0] for problem in found.problems] == [
        "not read: agents/memory/domain-invariants.yml",
        "not read: agents/memory/incident-learnings/one.yaml",
    ]


def test_what_is_of_no_kind_is_named(repository: Repository) -> None:
    repository.write(".signoff/memory/lessons.jsonl", "")
    repository.write(".signoff/memory/lessons/a.md", "text")
    repository.write(".signoff/memory/domain-invariants/deep/a.md", "text")

    assert len(repository.recall().problems) == 3


def test_links_and_pipes_are_not_followed(repository: Repository) -> None:
    """A link could put any file of the machine into a prompt, and a pipe would hold up the run for ever."""
    repository.write("outside.md", "files: src/billing/**\nsecret")
    repository.write(".signoff/memory/a.md", "files: src/billing/**\nplain")
    folder = repository.root / ".signoff/memory"
    (folder / "link.md").symlink_to(repository.root / "outside.md")
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()

    found = repository.recall()

    assert [hit.entry for hit in found.hits] == ["plain"]
    assert len(found.problems) == 3
    assert "not read: .signoff/memory/pipe.md is not a plain file" in found.problems


def test_a_folder_that_is_a_link_is_not_read(repository: Repository) -> None:
    repository.write("elsewhere/a.md", "files: src/billing/**\nsecret")
    (repository.root / ".signoff").mkdir()
    (repository.root / ".signoff/memory").symlink_to(repository.root / "elsewhere")

    assert repository.recall() == Recollection(problems=("not read: .signoff/memory is a link",))


def test_a_folder_of_a_kind_that_is_a_link_is_not_read(repository: Repository) -> None:
    repository.write("elsewhere/a.md", "files: src/billing/**\nsecret")
    (repository.root / ".signoff/memory").mkdir(parents=True)
    (repository.root / ".signoff/memory/domain-invariants").symlink_to(repository.root / "elsewhere")

    found = repository.recall()

    assert (found.hits, len(found.problems)) == ((), 1)


def test_a_file_in_place_of_the_folder_is_a_problem(repository: Repository) -> None:
    repository.write(".signoff/memory", "text")

    assert repository.recall().problems == ("not read: .signoff/memory: Not a directory",)


def test_a_long_file_is_cut_at_a_line_and_that_is_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "MAX_BYTES", 150)
    entries = [{"id": f"A-{n}", **ABOUT} for n in range(4)]
    repository.write(".signoff/memory/domain-invariants.jsonl", lines(*entries))

    found = repository.recall()

    assert [hit.id for hit in found.hits] == ["A-0"]
    assert [problem.partition(":")[2] for problem in found.problems] == [
        " only the first 150 bytes were looked at"
    ]


def test_no_more_than_so_many_entries_are_looked_at_and_that_is_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "MAX_ENTRIES", 3)
    repository.write(
        ".signoff/memory/domain-invariants.jsonl", lines(*({"id": f"A-{n}", **ABOUT} for n in range(2)))
    )
    repository.write(
        ".signoff/memory/incident-learnings.jsonl", lines(*({"id": f"B-{n}", **ABOUT} for n in range(2)))
    )
    repository.write(".signoff/memory/z.md", "text")

    found = repository.recall()

    assert [hit.id for hit in found.hits] == ["A-0", "A-1", "B-0"]
    assert found.looked_at == 3
    assert [problem for problem in found.problems if "incident-learnings" in problem] == list(found.problems)


def test_what_is_cut_does_not_depend_on_the_order_of_a_folder(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "MAX_ENTRIES", 2)
    for name in "dgbfaceh":
        repository.write(f".signoff/memory/{name}.md", "files: src/billing/**\ntext")

    assert [hit.id[-1] for hit in repository.recall().hits] == ["a", "b"]


def test_no_more_than_so_many_bytes_are_read(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "MAX_TOTAL", 100)
    for name in "abc":
        repository.write(f".signoff/memory/{name}.md", "x" * 60)

    found = repository.recall()

    assert found.looked_at == 2
    assert len(found.problems) == 1


def test_a_name_that_is_no_text_can_be_recorded(repository: Repository) -> None:
    repository.write(".signoff/memory/x.md", "files: src/billing/**\nplain")
    os.rename(
        os.fsencode(repository.root / ".signoff/memory/x.md"),
        os.fsencode(repository.root) + b"/.signoff/memory/\xff\n.md",
    )

    found = repository.recall()

    assert len(found.hits) == 1
    assert found.hits[0].path.isprintable()
    msgspec.json.encode(found)


NAMES = st.sampled_from(
    [
        *(f"{kind}.jsonl" for kind in MemoryKind),
        *(f"{kind}/refund.md" for kind in MemoryKind),
        "refund.md",
        "window.md",
        "other.txt",
    ]
)
BODIES = st.binary(max_size=80) | st.sampled_from(
    [b"files: src/**\nt", b'{"id":"A","text":"t","files":"src/**"}\n{', b"id: A\nsuperseded_by: B\n"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.dictionaries(NAMES, BODIES, max_size=8))
def test_any_bytes_are_read_and_the_order_of_writing_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    found = []
    for names in (list(files), list(reversed(files))):
        repository = Repository(tmp_path_factory.mktemp("repository"))
        for name in names:
            repository.write(f".signoff/memory/{name}", files[name])
        found.append(repository.recall())

    assert found[0] == found[1]
    assert len(found[0].hits) <= 12
    assert all(problem.isprintable() for problem in found[0].problems)
    msgspec.json.encode(found[0])
