"""Diffs as records: nothing is lost, nothing is taken for what it is not, and what cannot be read is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.text.formats.unified_diff import Diff, DiffKind, FileDiff, looks_like_diff, parse_diff


def only(diff: Diff) -> FileDiff:
    assert diff.problems == []
    assert len(diff.files) == 1
    return diff.files[0]


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(
                [
                    *("diff --git a/x b/y", "--- a/x", "+++ b/x", "+++", "@@ -1,2 +1 @@", "@@@ -1 -1 +1 @@"),
                    *(" a", "+b", "-c", "\\ No newline", "", "rename from x", "rename to y", '--- "a\\x'),
                    *("Binary files a and b differ", "new file mode 100644", "GIT binary patch"),
                    *("@@ -0,0 +1,99999999 @@", "\ud800", "Only in x: y"),
                ]
            ),
            max_size=12,
        ).map("\n".join),
    )
)
def test_no_text_makes_the_parser_crash(text: str) -> None:
    diff = parse_diff(text)
    looks_like_diff(text)
    for file in diff.files:
        assert len(file.added) + len(file.removed) <= text.count("\n") + 1


def test_a_plain_diff_is_read_with_its_dates() -> None:
    text = "--- old/a.py\t2026-01-01 10:00:00\n+++ new/a.py\t2026-01-02 10:00:00\n@@ -1 +1 @@\n-a\n+b\n"

    file = only(parse_diff(text))

    assert (file.old_path, file.new_path, file.kind) == ("old/a.py", "new/a.py", DiffKind.MODIFIED)
    assert [(line.new, line.text) for line in file.added] == [(1, "b")]


def test_diff_dash_n_names_a_new_file_at_the_beginning_of_time() -> None:
    text = "--- old/a.py\t1970-01-01 00:00:00.000000000 +0000\n+++ new/a.py\t2026-01-02\n@@ -0,0 +1 @@\n+b\n"

    assert only(parse_diff(text)).kind is DiffKind.ADDED


def test_a_diff_with_windows_line_ends_is_read() -> None:
    text = "diff --git a/a.py b/a.py\r\n--- a/a.py\r\n+++ b/a.py\r\n@@ -1 +1,2 @@\r\n a\r\n+b\r\n"

    file = only(parse_diff(text))

    assert file.path == "a.py"
    assert [line.text for line in file.added] == ["b\r"]


def test_content_that_looks_like_a_header_stays_content() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-q\n+++ b/y\n+@@ -1 +1 @@\n"

    file = only(parse_diff(text))

    assert [line.text for line in file.added] == ["++ b/y", "@@ -1 +1 @@"]
    assert [line.text for line in file.removed] == ["-- a/y", "q"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n",
            "diff-combined",
        ),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n", "diff-damaged"),
        ("@@ -1 +1 @@\n-a\n+b\n", "diff-damaged"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n+a\n+b\n", "diff-damaged"),
        ("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n-b\n+c\n+d\n", "diff-damaged"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, code: str) -> None:
    assert parse_diff(text).problems[0].code == code


def test_a_diff_that_is_too_large_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.text.formats.unified_diff.LARGEST", 10)

    assert parse_diff("x" * 11).problems[0].code == "diff-too-large"


@pytest.mark.parametrize(
    ("text", "is_diff"),
    [
        ("diff --git a/x b/x\n", True),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", True),
        ("commit " + "a" * 40 + "\nAuthor: x\n\n    m\n\ndiff --git a/x b/x\n", True),
        ("\n\ndiff -ru old new\n--- old/x\n+++ new/x\n", True),
        ("# Title\n\n```\ndiff --git a/x b/x\n```\n", False),
        ("commit " + "a" * 40 + " was bad\n", False),
        ("--- \nfront: matter\n", False),
        ("", False),
    ],
)
def test_a_text_is_a_diff_only_from_its_first_line_on(text: str, is_diff: bool) -> None:
    """A file that quotes a diff must be scanned whole: its other lines would go unseen."""
    assert looks_like_diff(text) is is_diff
