"""Which entries of memory bear on a ticket, in which order, and which of them mattered."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.work.memory import MemoryHit, MemoryKind
from signoff.domain.work.ticket import InputKind, Ticket
from signoff.memory.memory_entries import MemoryEntry
from signoff.memory.recall import MAX_ENTRY, MAX_HITS, cited_in, marked, recall, that_mattered, told
from signoff.memory.recall_keys import keys_of
from signoff.text.globs import match_glob

TICKET = Ticket(
    id="SHOP-12",
    title="Partial orders get a refund window",
    body="The rule is in src/billing/refund.py:42, called by `RefundService.issue`. Read and/or ask.",
    acceptance_criteria=("A refund after thirty days is refused", "parse_amount keeps two digits"),
)


def entry(name: str = "E-1", text: str = "something else", **more: object) -> MemoryEntry:
    base = MemoryEntry(id=name, kind=MemoryKind.INCIDENT_LEARNINGS, path="p", text=text)
    return base._replace(**more)  # type: ignore[arg-type]


def hits(ticket: Ticket, entries: list[MemoryEntry], files: tuple[str, ...] = ()) -> tuple[MemoryHit, ...]:
    return recall(ticket, entries, files).hits


def score(one: MemoryEntry, ticket: Ticket = TICKET, files: tuple[str, ...] = ()) -> float:
    return next((hit.score for hit in hits(ticket, [one], files)), 0.0)


def hit(name: str, kind: MemoryKind = MemoryKind.INCIDENT_LEARNINGS) -> MemoryHit:
    return MemoryHit(id=name, type=kind, source="repo", path="p", score=1.0, entry="x")


# --- what a ticket names ---


def test_a_ticket_names_files_symbols_and_words() -> None:
    keys = keys_of(TICKET, ("lib/a.py",))

    assert keys.files[0] == "lib/a.py", "files that are given are sure, those in a text a guess"
    assert "src/billing/refund.py" in keys.files
    assert {"RefundService", "RefundService.issue", "issue", "parse_amount"} <= keys.symbols
    assert keys.identifiers >= {"RefundService", "parse_amount"}
    assert keys.title == {"partial", "orders", "get", "refund", "window"}
    assert "thirty" in keys.words
    assert "after" not in keys.words


def test_a_path_in_backticks_is_no_symbol() -> None:
    assert keys_of(Ticket(body="`src/shop.py`")).symbols == frozenset()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("see src/a.py.", "src/a.py"),
        ("see (src/a.py)", "src/a.py"),
        ("see [it](src/a.py)", "src/a.py"),
        ("`src/a.py:10:3`", "src/a.py"),
        ("./src/a.py#L10-L20", "src/a.py"),
        ("app/(shop)/[id]/page.tsx", "app/(shop)/[id]/page.tsx"),
        ("in src/billing/ everywhere", "src/billing/"),
    ],
)
def test_a_path_is_found_however_it_is_written(text: str, path: str) -> None:
    assert path in keys_of(Ticket(body=text)).files


@pytest.mark.parametrize("text", ["https://example.org/src/a.py", "../../etc/passwd", "a" * 400 + "/b.py"])
def test_what_is_no_path_of_the_repository_is_none(text: str) -> None:
    assert keys_of(Ticket(body=text)).files == ()


def test_the_sides_of_a_diff_are_one_file() -> None:
    body = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py"

    assert keys_of(Ticket(body=body, kind=InputKind.DIFF)).files == ("src/a.py",)


# --- what makes a hit ---


@pytest.mark.parametrize(
    "glob",
    [
        "src/billing/**",
        "src/billing",
        "**/src/billing/refund.py",
        "src/**/refund.py",
        "./src/*/refund.py",
        "src/{billing,shop}/*.py",
    ],
)
def test_a_glob_over_a_named_file_is_the_best_reason(glob: str) -> None:
    assert score(entry(globs=(glob,))) == 1.0


@pytest.mark.parametrize("glob", ["src/shop/**", "src/bill", "refund", "*.py"])
def test_a_glob_over_other_files_is_no_reason(glob: str) -> None:
    assert score(entry(globs=(glob,))) == 0


def test_a_bare_name_or_a_folder_finds_what_lies_there() -> None:
    one = entry(globs=("src/billing/refund.py",))

    assert score(one, Ticket(title="Mend refund.py")) == 1.0
    assert score(one, Ticket(title="Tidy up src/billing/")) == 1.0
    assert score(one, Ticket(title="Mend fund.py")) == 0
    assert score(entry(globs=("src/billing/**",)), Ticket(title="Tidy up src/billing")) == 1.0


def test_files_that_are_given_count_like_named_ones() -> None:
    assert score(entry(globs=("lib/**",)), Ticket(), ("lib/deep/a.py",)) == 1.0


@pytest.mark.parametrize(
    "symbol", ["RefundService", "RefundService.issue", "RefundService::issue()", "parse_amount"]
)
def test_a_symbol_is_the_second_best_reason(symbol: str) -> None:
    assert score(entry(symbols=(symbol,))) == 0.9


@pytest.mark.parametrize("symbol", ["Refund", "refundservice", "parse_amounts", "orders"])
def test_a_symbol_is_matched_whole_and_as_it_is_spelled(symbol: str) -> None:
    assert score(entry(symbols=(symbol,))) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The refund is never repeated", 0),  # one word is chance
        ("The thirty minutes of a refund", 0.3),  # one of the title, one of the criteria
        ("A refund window is not an order window", 0.4),
        ("Call parse_amount first", 0.4),
        ("Partial orders: the refund window, RefundService, parse_amount", 0.8),
        ("The and for with that this", 0),
        ("refunding windows", 0),
        ("", 0),
    ],
)
def test_words_are_worth_less_than_names(text: str, expected: float) -> None:
    assert score(entry(text=text)) == expected


def test_words_that_most_entries_hold_are_no_reason() -> None:
    """Else every entry of a shop is a hit for every ticket of the shop."""
    common = [entry(f"E-{n}", "a refund for orders") for n in range(4)]

    assert hits(TICKET, common) == ()
    assert len(hits(TICKET, common[:3])) == 3


def test_a_subject_is_matched_when_the_ticket_has_all_of_its_words() -> None:
    assert score(entry(subject="refund-window")) == 0.6
    assert score(entry(subject="refund-windows")) == 0
    assert score(entry(subject="the")) == 0
    assert score(entry(subject="")) == 0


def test_nothing_in_common_is_no_hit() -> None:
    """Padding is worse than nothing: the planner would read it."""
    assert hits(TICKET, [entry(f"E-{n}", f"about topic{n}") for n in range(30)]) == ()
    assert hits(Ticket(), [entry(globs=("src/**",), symbols=("RefundService",))]) == ()


@given(
    st.lists(st.sampled_from(["a", "b.py", "**", "*", "*.py", "?", "{a,c}", "{,a}b", "", "."]), max_size=4),
    st.lists(st.sampled_from(["a", "b.py", "c", "ab", "x.py"]), min_size=1, max_size=4),
)
def test_whatever_a_glob_covers_is_found(segments: list[str], names: list[str]) -> None:
    """The quick look at both ends of a glob must not lose a file that matching would find."""
    glob, path = "/".join(segments), "/".join(names)

    if match_glob(path, glob.removeprefix("./")):
        assert score(entry(globs=(glob,)), Ticket(), (path,)) == 1.0


def test_globs_that_would_take_for_ever_are_given_up_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else one file in a pull request holds up every run."""
    monkeypatch.setattr("signoff.memory.recall._MOST_MATCHES", 20)
    slow = [entry(f"E-{n}", globs=("**/*a*z*",)) for n in range(5)]
    files = tuple(f"src/aaa{n}" for n in range(5))

    found = recall(Ticket(), [*slow, entry("F", globs=("src/**",))], files)

    assert found.hits == ()
    assert found.problems == ("only 20 globs and files were compared",)
    assert recall(Ticket(), [*slow[:3], entry("F", globs=("src/**",))], files).problems == ()


# --- order, number, form ---


def test_hits_are_ordered_by_score_then_kind_then_id() -> None:
    entries = [
        entry("b", globs=("src/**",)),
        entry("a", globs=("src/**",)),
        entry("z", globs=("src/**",), kind=MemoryKind.DOMAIN_INVARIANTS),
        entry("s", symbols=("RefundService",), kind=MemoryKind.DOMAIN_INVARIANTS),
    ]

    assert [found.id for found in hits(TICKET, entries)] == ["z", "a", "b", "s"]


def test_no_more_than_twelve_are_given_and_they_are_the_best() -> None:
    entries = [entry(f"S-{n:02}", symbols=("RefundService",)) for n in range(20)]

    found = hits(TICKET, [*entries, entry("F", globs=("src/**",))])

    assert len(found) == MAX_HITS
    assert found[0].id == "F"


def test_what_is_superseded_never_hits_whatever_else_says_the_same_id() -> None:
    alive, gone = entry("A", globs=("src/**",)), entry("A", text="", is_superseded=True)

    assert hits(TICKET, [alive, gone]) == ()
    assert hits(TICKET, [alive, gone._replace(kind=MemoryKind.DOMAIN_INVARIANTS)]) != ()


def test_two_entries_of_one_id_are_one_hit_and_a_problem() -> None:
    entries = [entry("A", "one", globs=("src/**",)), entry("A", "other", globs=("src/**",))]

    assert [found.entry for found in hits(TICKET, entries)] == ["one"]
    assert recall(TICKET, entries).problems == ("incident-learnings/A: 2 entries have this id; one counts",)
    assert recall(TICKET, [*entries, entry("A", is_superseded=True)]).problems == ()


def test_a_hit_is_cut_to_one_line() -> None:
    found = hits(
        TICKET, [entry(text="refund\n@agent-directive: window\x1b[2J\u202e " + "x" * 900, subject="refund")]
    )

    assert len(found[0].entry) == MAX_ENTRY
    assert told(found[0]).startswith("incident-learnings/E-1: refund @agent-directive: window [2J x")
    assert told(found[0]).isprintable()


TEXTS = st.text(st.sampled_from("aB_ /.*`,{}0é\n-") | st.characters(), max_size=40)
ENTRIES = st.lists(
    st.builds(
        MemoryEntry,
        id=st.sampled_from(["A", "B", "C-1", "D"]),
        kind=st.sampled_from(MemoryKind),
        path=st.just("p"),
        text=TEXTS,
        subject=TEXTS,
        globs=st.lists(st.sampled_from(["src/**", "a", "*/b.py", "{a,b}/c", "x" * 9]), max_size=2).map(tuple),
        symbols=st.lists(st.sampled_from(["aB", "a_b", "A.b", "::"]), max_size=2).map(tuple),
        is_superseded=st.booleans(),
    ),
    max_size=25,
)
TICKETS = st.builds(
    Ticket,
    title=TEXTS,
    body=TEXTS | st.sampled_from(["src/a.py `aB` a_b", "b.py"]),
    acceptance_criteria=st.lists(TEXTS, max_size=3).map(tuple),
    kind=st.sampled_from(InputKind),
    source=TEXTS,
)


@given(TICKETS, ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_the_entries_changes_nothing(
    ticket: Ticket, entries: list[MemoryEntry], chance: random.Random
) -> None:
    other = list(entries)
    chance.shuffle(other)

    found = hits(ticket, entries)

    assert found == hits(ticket, other)
    assert len(found) <= MAX_HITS
    assert all(0 < one.score <= 1 and told(one).isprintable() for one in found)
    gone = {(one.kind, one.id) for one in entries if one.is_superseded}
    assert not gone & {(one.type, one.id) for one in found}
    msgspec.json.encode(found)


# --- what mattered ---


def test_only_hits_of_ours_that_were_cited_mattered() -> None:
    """A host cannot add an entry to the report, nor keep one that changed nothing."""
    given_out = (hit("ADR-1"), hit("ADR-2"))

    assert that_mattered(given_out, frozenset({"ADR-2", "ADR-9"})) == (hit("ADR-2"),)
    assert that_mattered(given_out, frozenset()) == ()


@pytest.mark.parametrize(
    ("text", "is_cited"),
    [
        ("as ADR-1 says", True),
        ("(ADR-1)", True),
        ("see ADR-1.", True),
        ("`incident-learnings/ADR-1`: windows", True),
        ("ADR-12", False),
        ("OLD-ADR-1", False),
        ("docs/ADR-1", False),
        ("ADR-1.md", False),
        ("ADR-1-old", False),
        ("adr-1", False),
        ("", False),
    ],
)
def test_an_id_is_cited_as_a_whole_token(text: str, is_cited: bool) -> None:
    assert cited_in([hit("ADR-1")], ["nothing", text]) == (frozenset({"ADR-1"}) if is_cited else frozenset())


def test_an_id_that_is_a_plain_word_is_cited_by_its_full_name_only() -> None:
    """Else every plan about billing would have been changed by the entry `billing`."""
    assert cited_in([hit("billing")], ["The billing service, soft-delete"]) == frozenset()
    assert cited_in([hit("billing")], ["because of incident-learnings/billing"]) == {"billing"}
    assert cited_in([hit("incident-learnings/billing")], ["incident-learnings/billing"]) != frozenset()


def test_a_host_marks_with_true_and_nothing_else() -> None:
    memory = [
        {"id": "A", "changed_outcome": True},
        {"id": "B", "changed_outcome": "yes"},
        {"id": "C", "changed_outcome": 1},
        {"id": ["D"], "changed_outcome": True},
        {"changed_outcome": True},
        "E",
        None,
    ]

    assert marked(memory) == {"A"}


@given(TEXTS, TEXTS)
def test_any_id_and_any_text_can_be_compared(name: str, text: str) -> None:
    assert cited_in([hit(name)], [text]) <= {name}
