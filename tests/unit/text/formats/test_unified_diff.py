"""Diffs as records: nothing is lost, nothing is taken for what it is not, and what cannot be read is said."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from signoff.text.formats.unified_diff import Diff, DiffKind, FileDiff, looks_like_diff, parse_diff

GIT_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
}


def only(diff: Diff) -> FileDiff:
    assert diff.problems == []
    assert len(diff.files) == 1
    return diff.files[0]


def git(folder: Path, *words: str) -> bytes:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false")
    done = subprocess.run(["git", *who, *words], cwd=folder, env=GIT_ENV, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def applied(old: str, file: FileDiff) -> str:
    """Apply the hunks to the old content."""
    lines = old.split("\n")
    ended = old.endswith("\n")
    if ended or not old:
        lines.pop()
    out: list[str] = []
    at = 0
    for hunk in file.hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        if start > at:
            ended = start < len(lines) or old.endswith("\n")
        out += lines[at:start]
        at = start
        for line in hunk.lines:
            if line.mark != "+":
                assert lines[at] == line.text
                at += 1
            if line.mark != "-":
                out.append(line.text)
                assert line.new == len(out)
                ended = line.has_newline
    rest = lines[at:]
    if rest:
        ended = old.endswith("\n")
    text = "\n".join([*out, *rest])
    return text + "\n" if ended and (out or rest) else text


LINE = st.text(st.sampled_from("ab+-@ \\\r\té"), max_size=6)
CONTENT = st.builds(
    lambda lines, ended: "\n".join(lines) + ("\n" if ended and lines else ""),
    st.lists(
        st.one_of(LINE, st.sampled_from(["--- a/x", "+++ b/x", "@@ -1 +1 @@", "diff --git a/x b/x"])),
        max_size=14,
    ),
    st.booleans(),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(old="\n@", new="\n", context="-U0")
@given(old=CONTENT, new=CONTENT, context=st.sampled_from(["-U0", "-U1", "-U3"]))
def test_the_hunks_of_git_make_the_new_file_of_the_old_one(
    tmp_path: Path, old: str, new: str, context: str
) -> None:
    """Differential: what we read of git's own output must be the change git described."""
    (tmp_path / "a").write_bytes(old.encode())
    (tmp_path / "b").write_bytes(new.encode())
    text = git(tmp_path, "diff", "--no-index", "--text", context, "a", "b").decode()
    if not text:
        return
    parsed = parse_diff(text)
    assert parsed.problems == []
    assert applied(old, parsed.files[0]) == new


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


def test_renames_modes_and_binaries_are_read_from_real_git(tmp_path: Path) -> None:
    repo = tmp_path
    git(repo, "init", "-q")
    (repo / "old name.py").write_text("".join(f"line {n}\n" for n in range(20)))
    (repo / "gone.py").write_text("x\n")
    (repo / "run.sh").write_text("x\n")
    (repo / "b.bin").write_bytes(b"\0\1")
    (repo / "tré\t.py").write_text("x\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "one")
    (repo / "old name.py").rename(repo / "new name.py")
    (repo / "gone.py").unlink()
    (repo / "run.sh").chmod(0o755)
    (repo / "b.bin").write_bytes(b"\0\2")
    (repo / "tré\t.py").write_text("y\n")
    (repo / "empty.py").write_text("")
    (repo / "b").mkdir()
    (repo / "b" / "x.py").write_text("z\n")
    git(repo, "add", ".")
    for words in ((), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/")):
        text = git(repo, "diff", "--cached", "-M", *words).decode("utf-8", "surrogateescape")
        files = {file.path: file for file in parse_diff(text).files}

        assert {path: file.kind for path, file in files.items()} == {
            "new name.py": DiffKind.RENAMED,
            "gone.py": DiffKind.DELETED,
            "run.sh": DiffKind.MODIFIED,
            "b.bin": DiffKind.MODIFIED,
            "tré\t.py": DiffKind.MODIFIED,
            "empty.py": DiffKind.ADDED,
            "b/x.py": DiffKind.ADDED,
        }
        assert files["new name.py"].old_path == "old name.py"
        assert files["b.bin"].is_binary
        assert not files["b/x.py"].old_path
        assert files["gone.py"].removed[0].text == "x"


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
