"""Entries of memory as people write them: notes with front matter, lines of JSON."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.work.memory import MemoryKind
from signoff.memory.memory_entries import MAX_TEXT, MemoryEntry, read_lines, read_note

KIND = MemoryKind.ARCHITECTURE_DECISIONS


def note(text: str, path: str = "memory/no-orm.md") -> MemoryEntry:
    (found,) = read_note(text, KIND, path).entries
    return found


def line(**fields: object) -> MemoryEntry:
    read = read_lines(json.dumps(fields).encode(), KIND, "m.jsonl", 10)
    assert read.problems == ()
    return read.entries[0]


def test_a_plain_note_is_named_after_its_file() -> None:
    found = note("# No ORM\n\nQueries are\nwritten by hand.\n")

    assert (found.id, found.subject) == ("architecture-decisions/no-orm", "no-orm")
    assert found.text == "No ORM Queries are written by hand."
    assert (found.globs, found.symbols, found.is_superseded) == ((), (), False)


@pytest.mark.parametrize(
    "front",
    [
        '---\nid: ADR-7\nfiles: src/**, "lib/{a,b}/*.py"\nsymbols: Db\n---\n',
        "---\nid: 'ADR-7'\nauthor: me\nfiles: [src/**, 'lib/{a,b}/*.py']\nsymbols: [Db]\n---\n",
        "---\nid: ADR-7\nfiles:\n  - src/**\n  - lib/{a,b}/*.py\nsymbols:\n- Db\n---\n",
        "---\r\nid: ADR-7\r\nfiles: src/**, lib/{a,b}/*.py\r\nsymbols: Db\r\n---\r\n",
        "id: ADR-7\nfiles: src/**, lib/{a,b}/*.py\nsymbols: Db\n",
        "\ufeffid: ADR-7\nfiles: src/**, lib/{a,b}/*.py\nsymbols: Db\n\n",
    ],
)
def test_front_matter_says_what_a_note_is_about(front: str) -> None:
    found = note(front + "# No ORM\n")

    assert (found.id, found.globs, found.symbols) == ("ADR-7", ("src/**", "lib/{a,b}/*.py"), ("Db",))
    assert found.text == "No ORM", "what is front matter is not text"


def test_a_rule_that_nobody_closes_is_text() -> None:
    assert note("---\nid: ADR-7\nmore").text == "--- id: ADR-7 more"
    assert note("Status: we wait\nid: is a word").text == "Status: we wait id: is a word"


@pytest.mark.parametrize("front", ["status: superseded", "status: Superseded ", "superseded_by: ADR-8"])
def test_a_note_can_be_superseded(front: str) -> None:
    assert note(f"---\n{front}\n---\ntext").is_superseded
    assert note(f"{front}\ntext").is_superseded


def test_a_note_is_current_unless_it_says_otherwise() -> None:
    assert not note("status: accepted\ntext").is_superseded


def test_an_empty_note_is_a_problem() -> None:
    assert read_note("---\nid: A\n---\n \n", KIND, "x.md").problems == ("x.md: has no text",)


@pytest.mark.parametrize("glob", ["**", "*", "**/*", "./**", "", "a\nb", "x" * 300])
def test_a_glob_that_tells_no_files_apart_is_dropped(glob: str) -> None:
    assert line(id="A", text="t", files=[glob]).globs == ()


def test_a_line_says_it_in_one_of_four_fields() -> None:
    assert [line(id="A", **{field: "so"}).text for field in ("text", "body", "rule", "symptom")] == ["so"] * 4
    assert line(id="A", rule="do", symptom="if", text="do").text == "do — if"


def test_a_line_has_its_keys() -> None:
    found = line(id=7, text="t", files="src/**, lib/**", symbols=["Db"], key="src/db", owner={"a": 1})

    assert found == MemoryEntry(
        "7", KIND, "m.jsonl", "t", subject="src/db", globs=("src/**", "lib/**", "src/db"), symbols=("Db",)
    )


def test_a_line_without_an_id_keeps_its_name_wherever_it_stands() -> None:
    one, moved = read_lines(b'{"text":"t"}\n\n{"text":"t"}', KIND, "m.jsonl", 10).entries

    assert one.id == moved.id
    assert one.id.startswith("architecture-decisions/")
    assert line(text="u").id != one.id


@pytest.mark.parametrize("by", ["B", True, 3, ["B"]])
def test_a_line_can_be_superseded(by: object) -> None:
    assert line(id="A", superseded_by=by).is_superseded
    assert not line(id="A", text="t", superseded_by=None).is_superseded


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        b"[]",
        b'{"id":{}}',
        b'{"id":"A"}',
        b'{"id":"A","text":7}',
        b'{"text":"\xff"}',
        b'{"text":"\\ud800"}',
        b'{"text":"a","x":' + b"[" * 5_000,
    ],
)
def test_a_bad_line_is_a_problem_with_its_place_and_the_others_count(bad: bytes) -> None:
    read = read_lines(bad + b'\n{"id":"B","text":"t"}\n', KIND, "m.jsonl", 10)

    assert [found.id for found in read.entries] == ["B"]
    assert [problem.partition(" ")[0] for problem in read.problems] == ["m.jsonl:1:"]


def test_many_bad_lines_are_counted() -> None:
    assert len(read_lines(b"{\n" * 100, KIND, "m.jsonl", 100).problems) == 6


def test_no_more_lines_are_read_than_asked_for() -> None:
    data = b'{"text":"a"}\n\n{"text":"b"}\n{"text":"c"}\n'

    assert [found.text for found in read_lines(data, KIND, "m", 2).entries] == ["a", "b"]
    assert read_lines(data, KIND, "m", 2).is_cut
    assert not read_lines(data, KIND, "m", 3).is_cut


KEYS = st.sampled_from(["id", "text", "files", "symbols", "key", "superseded_by", "status", "body"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner),
    max_leaves=4,
)


@given(st.binary() | st.dictionaries(KEYS, VALUES).map(lambda fields: json.dumps(fields).encode()))
def test_no_bytes_of_a_file_raise(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for read in (read_lines(data, KIND, "m.jsonl", 10), read_note(text, KIND, "n.md")):
        assert all(
            len(found.text) <= MAX_TEXT and found.id and found.text.isprintable() for found in read.entries
        )
        msgspec.json.encode((read.entries, read.problems))


@given(
    st.lists(
        st.sampled_from(["---", "id: A", "files: a, [b", "- c", "status:", "text", "", "{,{,"]), max_size=12
    )
)
def test_no_front_matter_raises(lines: list[str]) -> None:
    read = read_note("\n".join(lines), KIND, "n.md")

    assert len(read.entries) + len(read.problems) == 1
