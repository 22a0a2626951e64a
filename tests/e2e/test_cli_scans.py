"""`secrets`, `risk` and `tests gap`: exit codes, documents, and where a change may come from."""

import hashlib
from pathlib import Path

import pytest
from clibench import Bench, empty_bench

# Put together here, so that no scanner of repositories takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
ADDS_TOKEN = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -3 +3,2 @@\n x\n+t = '{TOKEN}'\n"
COMBINED = "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n"
VIEW = 'import SwiftUI\nstruct HomeView: View {\n    var body: some View { Text("x") }\n}\n'


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = empty_bench(tmp_path)
    made.commit(README_dot_md="# x\n", calc_dot_py="def total():\n    return 1\n")
    return made


def write(bench: Bench, name: str, text: str | bytes) -> Path:
    path = bench.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- secrets ---


def test_a_secret_in_a_file_exits_1_and_is_never_shown(bench: Bench) -> None:
    write(bench, "src/a.py", f"x = 1\nt = '{TOKEN}'\n")

    said = bench("secrets", "src/a.py", "--json")

    assert said.code == 1
    assert said.document["findings"] == [
        {"path": "src/a.py", "line": 2, "rule": "github-token", "redacted": "ghp_… (40 characters)"}
    ]
    for shown in (said, bench("secrets", "src")):
        assert shown.code == 1
        assert TOKEN[4:12] not in shown.out + shown.err


def test_clean_files_exit_0(bench: Bench) -> None:
    said = bench("secrets", "--json")

    assert (said.code, said.document["findings"], said.document["files"]) == (0, [], 2)


def test_without_paths_the_working_tree_is_scanned_but_not_what_is_ignored(bench: Bench) -> None:
    write(bench, ".gitignore", "ignored.txt\n")
    write(bench, "ignored.txt", TOKEN)
    write(bench, "untracked.txt", TOKEN)

    said = bench("secrets", "--json")

    assert [finding["path"] for finding in said.document["findings"]] == ["untracked.txt"]


def test_only_the_added_lines_of_a_diff_count(bench: Bench) -> None:
    diff = write(bench, "x.diff", ADDS_TOKEN)

    for said in (
        bench("secrets", diff, "--json"),
        bench("secrets", "-", "--json", stdin=ADDS_TOKEN.encode()),
    ):
        assert said.code == 1
        assert [(f["path"], f["line"]) for f in said.document["findings"]] == [("a.py", 4)]
    removed = ADDS_TOKEN.replace("+t", "-t").replace("-3 +3,2", "-3,2 +3")
    assert bench("secrets", "-", stdin=removed.encode()).code == 0


def test_plain_text_on_standard_input_needs_no_quotes(bench: Bench) -> None:
    value = "Zx9Kq2Lm8Vn4Bt7RwYc3" + "Hd6Jf1Gs5Pq0TuEa8Nb2"

    said = bench("secrets", "-", "--json", stdin=f"SECRET_KEY={value}\n".encode())

    assert said.code == 1
    assert [(f["line"], f["rule"]) for f in said.document["findings"]] == [(1, "generic-secret")]
    assert bench("secrets", "-", stdin=b"SECRET_KEY=$OTHER_KEY_2026\n").code == 0


def test_a_file_that_only_quotes_a_diff_is_scanned_whole(bench: Bench) -> None:
    write(bench, "notes.md", f"token {TOKEN}\n{ADDS_TOKEN.replace(TOKEN, 'x')}")

    assert bench("secrets", "notes.md").code == 1


def test_text_that_only_passes_for_a_diff_is_scanned_all_the_same(bench: Bench) -> None:
    """One line at the top of a file must not hide the rest of it."""
    write(bench, "a.txt", f"diff --git a/x b/x\n\ntoken {TOKEN}\n")

    said = bench("secrets", "a.txt", "--json")

    assert [(f["path"], f["line"]) for f in said.document["findings"]] == [("a.txt", 3)]


def test_what_is_staged_is_scanned_and_what_is_not_is_left_alone(bench: Bench) -> None:
    write(bench, "a.py", f"t = '{TOKEN}'\n")
    assert bench("secrets", "--staged").code == 0

    bench.git("add", ".")
    said = bench("secrets", "--staged", "--json")

    assert said.code == 1
    assert said.document["findings"][0]["path"] == "a.py"


def test_attributes_do_not_hide_a_staged_secret(bench: Bench) -> None:
    write(bench, ".gitattributes", "*.py binary\n")
    write(bench, "a.py", f"t = '{TOKEN}'\n")
    bench.git("add", ".")

    assert bench("secrets", "--staged").code == 1


def test_the_first_commit_can_be_scanned(tmp_path: Path) -> None:
    bench = empty_bench(tmp_path)
    write(bench, "a.py", f"t = '{TOKEN}'\n")
    bench.git("add", ".")

    assert bench("secrets", "--staged").code == 1


def test_binary_files_are_passed_over_and_two_byte_text_is_read(bench: Bench) -> None:
    write(bench, "d/a.bin", b"\0\1" + TOKEN.encode())
    write(bench, "d/b.txt", f"t = '{TOKEN}'\n".encode("utf-16"))

    said = bench("secrets", "d", "--json")

    assert said.document["skipped"] == [{"path": "d/a.bin", "why": "binary"}]
    assert [finding["path"] for finding in said.document["findings"]] == ["d/b.txt"]


@pytest.mark.parametrize("words", [("nowhere.txt",), ("--staged", "README.md"), ("--allow", "nowhere.toml")])
def test_what_cannot_be_read_exits_2(bench: Bench, words: tuple[str, ...]) -> None:
    assert bench("secrets", *words).code == 2


def test_a_combined_diff_is_refused_by_name(bench: Bench) -> None:
    for words in (("secrets", "-"), ("risk", "-"), ("tests", "gap", "-")):
        said = bench(*words, stdin=COMBINED.encode())
        assert said.code == 2
        assert "error[diff-unreadable]" in said.err
        assert "diff-combined" in said.err


def test_what_is_staged_outside_a_repository_exits_2(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()

    assert bench("secrets", "--staged", cwd=folder).code == 2
    assert bench("secrets", cwd=folder).code == 0


def test_a_known_secret_is_allowed_with_a_reason_only(bench: Bench) -> None:
    write(bench, "a.py", f"t = '{TOKEN}'\n")
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    write(bench, "allow.toml", f'[[allow]]\nsha256 = "{digest}"\nreason = "revoked"\n')
    write(bench, "bare.toml", f'[[allow]]\nsha256 = "{digest}"\n')

    allowed = bench("secrets", "a.py", "--allow", "allow.toml", "--json")
    refused = bench("secrets", "a.py", "--allow", "bare.toml")

    assert (allowed.code, allowed.document["findings"]) == (0, [])
    assert allowed.document["allowed"][0]["reason"] == "revoked"
    assert refused.code == 2
    assert "allow-list-invalid" in refused.err


def test_a_marker_needs_a_reason(bench: Bench) -> None:
    write(bench, "a.py", f"t = '{TOKEN}'  # signoff: allow-secret revoked in May\n")
    write(bench, "b.py", f"t = '{TOKEN}'  # signoff: allow-secret\n")

    assert bench("secrets", "a.py").code == 0
    assert bench("secrets", "b.py").code == 1


# --- risk ---


def test_risk_rates_a_diff_and_stays_advisory(bench: Bench) -> None:
    text = ADDS_TOKEN + ADDS_TOKEN.replace("a.py", "src/auth.py")

    said = bench("risk", "-", "--top", "1", "--json", stdin=text.encode())

    assert said.code == 0
    assert [file["path"] for file in said.document["files"]] == ["src/auth.py"]
    file = said.document["files"][0]
    assert {signal["name"] for signal in file["signals"]} == {
        "security_path",
        "no_test_change",
        "loc_changed",
    }
    assert file["score"] == pytest.approx(sum(s["weight"] * s["value"] for s in file["signals"]))
    assert said.document["total"] == 2


def test_risk_compares_the_working_tree_with_where_it_left_the_base(bench: Bench) -> None:
    bench.git("checkout", "-qb", "feature")
    bench.commit(src__mine_dot_py="def a(): ...\n")
    bench.git("checkout", "-q", "main")
    bench.commit(theirs_dot_py="x = 1\n")
    bench.git("checkout", "-q", "feature")
    write(bench, "untracked.py", "y = 1\n")

    said = bench("risk", "--base", "main", "--json")

    assert {file["path"] for file in said.document["files"]} == {"src/mine.py", "untracked.py"}
    assert {file["path"] for file in bench("risk", "--json").document["files"]} == {"untracked.py"}


def test_a_rename_is_not_called_a_new_file(bench: Bench) -> None:
    bench.commit(old_dot_py="".join(f"x{n} = {n}\n" for n in range(50)))
    bench.git("mv", "old.py", "new.py")

    assert bench("risk", "--json").document["files"] == [
        {"path": "new.py", "score": 0, "signals": [], "generated": False}
    ]


@pytest.mark.parametrize(
    "words",
    [("nowhere.diff",), ("README.md",), ("--base", "nowhere"), ("--top", "0"), ("x.diff", "--base", "main")],
)
def test_a_change_that_cannot_be_read_exits_2(bench: Bench, words: tuple[str, ...]) -> None:
    assert bench("risk", *words).code == 2
    if "--top" not in words:
        assert bench("tests", "gap", *words).code == 2


def test_an_empty_diff_changes_nothing(bench: Bench) -> None:
    assert bench("risk", "-", "--json").document["files"] == []
    assert bench("tests", "gap", "-", "--json").document["findings"] == []
    assert bench("secrets", "-").code == 0


# --- tests gap ---


def test_a_view_without_a_test_exits_1_and_a_function_alone_exits_0(bench: Bench) -> None:
    write(bench, "calc.py", "def total():\n    return 1\n\n\ndef mean():\n    return 2\n")
    plain = bench("tests", "gap", "--json")
    assert plain.code == 0
    assert [set(finding) for finding in plain.document["findings"]] == [
        {"path", "line", "kind", "symbol", "severity", "message"}
    ]
    assert [(f["symbol"], f["line"], f["severity"]) for f in plain.document["findings"]] == [
        ("mean", 5, "suggestion")
    ]

    write(bench, "HomeView.swift", VIEW)
    said = bench("tests", "gap", "--base", "HEAD", "--json")

    assert said.code == 1
    assert {(f["symbol"], f["severity"]) for f in said.document["findings"]} == {
        ("mean", "suggestion"),
        ("HomeView", "important"),
    }
    assert bench("tests", "gap", "--threshold", "1").code == 0


def test_a_test_in_the_tree_closes_the_gap(bench: Bench) -> None:
    bench.commit(tests__test_calc_dot_py="import calc\n\n\ndef test_it():\n    assert calc.mean() == 2\n")
    write(bench, "calc.py", "def total():\n    return 1\n\n\ndef mean():\n    return 2\n")
    bench.git("add", ".")
    diff = bench.git("diff", "--cached") + "\n"

    assert bench("tests", "gap", "--json").document["findings"] == []
    assert bench("tests", "gap", "-", "--json", stdin=diff.encode()).document["findings"] == []


def test_a_test_file_that_never_mentions_the_name_leaves_the_gap(bench: Bench) -> None:
    write(bench, "calc.py", "def total():\n    return 1\n\n\ndef mean():\n    return 2\n")
    write(bench, "tests/test_calc.py", "def test_other():\n    assert True\n")
    bench.git("add", ".")
    diff = bench.git("diff", "--cached") + "\n"

    for said in (
        bench("tests", "gap", "--json"),
        bench("tests", "gap", "-", "--json", stdin=diff.encode()),
    ):
        assert [finding["symbol"] for finding in said.document["findings"]] == ["mean"]


def test_two_folders_are_compared_without_git(bench: Bench, tmp_path: Path) -> None:
    for folder, text in (("before", "def a(): ...\n"), ("after", "def a(): ...\ndef b(): ...\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.py").write_text(text)
    words = ("tests", "gap", "--before", "before", "--after", "after", "--json")

    said = bench(*words, cwd=tmp_path)

    assert [(f["path"], f["symbol"]) for f in said.document["findings"]] == [("m.py", "b")]
    (tmp_path / "after" / "test_m.py").write_text("import m\nm.b()\n")
    assert bench(*words, cwd=tmp_path).document["findings"] == []
    assert bench("tests", "gap", "--before", "before", cwd=tmp_path).code == 2
    assert bench("tests", "gap", "--before", "before", "--after", "nowhere", cwd=tmp_path).code == 2
