"""`file-exists` and `grep-match` on real files."""

import os
import time
from pathlib import Path

import pytest
from checkbench import EXECUTION_ERROR, FAIL, PARTIAL, PASS, UNMET, Bench

from signoff.checks import regex, regex_worker
from signoff.domain.evidence.receipts import Result
from signoff.domain.work.checks import Expectation, FileExists, GrepMatch

PRESENT, ABSENT = Expectation.PRESENT, Expectation.ABSENT


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


# --- file-exists ---


def test_a_file_that_is_there_passes_and_one_that_is_not_fails(bench: Bench) -> None:
    bench.write("src/a.py", "x = 1\n")

    assert bench.see(FileExists(path="src/a.py")).result is PASS
    assert bench.see(FileExists(path="./src//a.py")).result is PASS
    missing = bench.see(FileExists(path="src/b.py"))
    assert (missing.result, missing.failure_reason) == (FAIL, UNMET)


def test_a_folder_is_not_a_file(bench: Bench) -> None:
    bench.write("src/a.py", "")

    seen = bench.see(FileExists(path="src"))

    assert (seen.result, seen.detail) == (FAIL, "src is not a file")


def test_a_text_is_looked_for_as_bytes(bench: Bench) -> None:
    bench.write("data.bin", b"\xff\x00caf\xc3\xa9\xff")

    assert bench.see(FileExists(path="data.bin", must_contain="café")).result is PASS
    assert bench.see(FileExists(path="data.bin", must_contain="tea")).result is FAIL


@pytest.mark.parametrize(
    "path", ["/etc/hostname", "../outside.txt", "a/../../outside.txt", "", "a\0b", "x" * 5000]
)
def test_a_path_cannot_leave_the_tree_by_its_words(bench: Bench, path: str) -> None:
    bench.folder.with_name("outside.txt").write_text("here")

    seen = bench.see(FileExists(path=path))

    assert (seen.result, seen.failure_reason) == (FAIL, UNMET)


def test_a_path_cannot_leave_the_tree_through_a_link(bench: Bench) -> None:
    bench.folder.with_name("outside.txt").write_text("here")
    bench.write("real.txt", "here")
    (bench.folder / "out.txt").symlink_to("../outside.txt")
    (bench.folder / "up").symlink_to("..")
    (bench.folder / "in.txt").symlink_to("real.txt")
    (bench.folder / "loop").symlink_to("loop")

    assert "leads out of the tree" in bench.see(FileExists(path="out.txt")).detail
    assert "leads out of the tree" in bench.see(FileExists(path="up/outside.txt")).detail
    assert bench.see(FileExists(path="in.txt")).result is PASS
    assert bench.see(FileExists(path="loop")).result is FAIL


# --- grep-match ---


@pytest.mark.parametrize(
    ("text", "pattern", "expect", "expected"),
    [
        ("a = 1\nb = 2\n", r"^b = \d$", PRESENT, PASS),
        ("a = 1\nb = 2\n", r"^c", PRESENT, FAIL),
        ("a = 1\nb = 2\n", r"^c", ABSENT, PASS),
        ("a = 1\nb = 2\n", r"^b", ABSENT, FAIL),
        ("a = 1\nb = 2\n", r"1\s+b", PRESENT, FAIL),
        ("a = 1\r\nb = 2\r\n", r"1$", PRESENT, PASS),
        ("a\x0bb\n", r"^b", PRESENT, FAIL),
        ("(", r"(", PRESENT, PARTIAL),
        ("a", r"a{99999999999999}", ABSENT, PARTIAL),
    ],
)
def test_a_pattern_is_searched_line_by_line(
    bench: Bench, text: str, pattern: str, expect: Expectation, expected: str
) -> None:
    bench.write("a.py", text)

    assert bench.see(GrepMatch(path="a.py", pattern=pattern, expect=expect)).result == expected


def test_the_first_hit_is_named(bench: Bench) -> None:
    bench.write("src/a.py", "x\n")
    bench.write("src/b.py", "x\nTODO\nTODO\n")

    seen = bench.see(GrepMatch(path="src/**/*.py", pattern="TODO", expect=ABSENT))

    assert seen.detail == "'TODO' is on 2 lines, first src/b.py:2"


@pytest.mark.parametrize("path", ["src", "src/", "./src/**", "**/*.py", "src/*/a.py", "src/deep/a.py"])
def test_a_glob_or_folder_reaches_the_files_below(bench: Bench, path: str) -> None:
    bench.write("src/deep/a.py", "needle")

    assert bench.see(GrepMatch(path=path, pattern="needle", expect=PRESENT)).result is PASS


def test_no_file_is_a_failure_where_something_must_be_and_undecided_where_nothing_may_be(
    bench: Bench,
) -> None:
    """Absence from no files at all would be the easiest pass there is."""
    present = bench.see(GrepMatch(path="src/*.py", pattern="x", expect=PRESENT))
    absent = bench.see(GrepMatch(path="src/*.py", pattern="x", expect=ABSENT))

    assert (present.result, present.failure_reason) == (FAIL, UNMET)
    assert (absent.result, absent.failure_reason) == (PARTIAL, EXECUTION_ERROR)
    assert absent.detail == "no file matches src/*.py"
    assert bench.see(GrepMatch(path="gone.py", pattern="x", expect=ABSENT)).result is PARTIAL


def test_a_nul_hides_nothing_that_must_be_absent_and_shows_nothing_that_must_be_there(bench: Bench) -> None:
    bench.write("a.bin", b"needle\0")
    bench.write("b.txt", b"caf\xe9\n")
    bench.write("wide.txt", "wide".encode("utf-16-le"))

    def seen(pattern: str, path: str = "*", expect: Expectation = ABSENT) -> Result:
        return bench.see(GrepMatch(path=path, pattern=pattern, expect=expect)).result

    assert [seen("needle"), seen("wide"), seen("other")] == [FAIL, FAIL, PASS]
    assert seen("needle", expect=PRESENT) is FAIL
    assert seen("other", "*.bin") is PARTIAL


def test_a_pattern_that_takes_for_ever_is_stopped(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex, "TIME_LIMIT_S", 0.5)
    bench.write("a.txt", "a" * 60 + "b")

    began = time.monotonic()
    seen = bench.see(GrepMatch(path="a.txt", pattern=r"(a+)+$", expect=ABSENT))

    assert (seen.result, seen.failure_reason) == (PARTIAL, EXECUTION_ERROR)
    assert "longer than 0.5 s" in seen.detail
    assert time.monotonic() - began < 7


def test_a_link_that_leads_out_of_the_tree_is_not_read(bench: Bench) -> None:
    bench.folder.with_name("outside.txt").write_text("needle")
    bench.write("a.txt", "nothing")
    (bench.folder / "b.txt").symlink_to("../outside.txt")
    (bench.folder / "up").symlink_to("..")

    assert bench.see(GrepMatch(path="*.txt", pattern="needle", expect=PRESENT)).result is FAIL
    assert bench.see(GrepMatch(path="*.txt", pattern="needle", expect=ABSENT)).result is PARTIAL
    assert bench.see(GrepMatch(path="b.txt", pattern="needle", expect=PRESENT)).result is FAIL
    assert bench.see(GrepMatch(path="up/*.txt", pattern="needle", expect=PRESENT)).result is FAIL
    assert bench.see(GrepMatch(path="../*.txt", pattern="needle", expect=PRESENT)).result is FAIL
    assert bench.see(GrepMatch(path="*/../../*.txt", pattern="needle", expect=PRESENT)).result is FAIL


def test_a_wildcard_does_not_reach_into_dependencies_unless_they_are_named(bench: Bench) -> None:
    bench.write("node_modules/x/a.js", "eval(")
    bench.write("src/a.js", "")

    assert bench.see(GrepMatch(path="**/*.js", pattern=r"eval\(", expect=ABSENT)).result is PASS
    assert bench.see(GrepMatch(path="node_modules/**", pattern=r"eval\(", expect=ABSENT)).result is FAIL


@pytest.mark.parametrize(
    "path", ["src/**/*.{ts,tsx}", "{src,lib}/**", "src/{deep,other}", "src/deep/b.{tsx,ts}"]
)
def test_a_glob_may_hold_alternatives(bench: Bench, path: str) -> None:
    bench.write("src/a.js", "needle")
    bench.write("src/deep/b.tsx", "needle")

    assert bench.see(GrepMatch(path=path, pattern="needle", expect=PRESENT)).result is PASS
    assert bench.see(GrepMatch(path=path, pattern="nothing", expect=PRESENT)).result is FAIL
    assert bench.see(GrepMatch(path="{docs,lib}/*.md", pattern="needle", expect=PRESENT)).result is FAIL


def test_a_file_that_cannot_be_read_is_an_error_and_not_a_file_without_hits() -> None:
    said = regex_worker.answer({"pattern": "x", "files": ["/no/such/file"], "by_line": True})

    assert said == {"error": "/no/such/file: No such file or directory"}


def test_a_name_in_another_encoding_is_searched_too(bench: Bench) -> None:
    with open(os.fsencode(bench.folder) + b"/caf\xe9.txt", "wb") as file:
        file.write(b"needle")

    seen = bench.see(GrepMatch(path="*.txt", pattern="needle", expect=PRESENT))

    assert seen.result is PASS
    assert seen.detail.isprintable()
