"""`signoff tests integrity`: exit codes, documents, and where a change may come from."""

from pathlib import Path

import pytest
from clibench import Bench, empty_bench

BEFORE = (
    "from shop import total\n\n\ndef test_total():\n    assert total(1) == 3\n\n\n"
    "def test_two():\n    assert total(2) == 4\n"
)
WEAK = BEFORE.replace(" == 3", " is not None")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = empty_bench(tmp_path)
    made.commit(shop_dot_py="def total(x):\n    return x + 2\n", tests__test_shop_dot_py=BEFORE)
    return made


def weaken(bench: Bench, text: str = WEAK) -> None:
    (bench.root / "tests" / "test_shop.py").write_text(text)


def test_an_untouched_tree_exits_0_and_a_weakened_test_1(bench: Bench) -> None:
    assert bench("tests", "integrity").code == 0
    weaken(bench)

    said = bench("tests", "integrity", "--base", "HEAD", "--json")

    assert said.code == 1
    assert [set(finding) for finding in said.document["findings"]] == [
        {"path", "line", "kind", "symbol", "severity", "message"}
    ]
    found = said.document["findings"][0]
    assert (found["path"], found["line"], found["kind"], found["symbol"]) == (
        "tests/test_shop.py",
        5,
        "assertion-loosened",
        "test_total",
    )
    assert "== 3" in found["message"]
    assert "is not None" in found["message"]


def test_a_diff_is_judged_with_the_file_around_it_and_alone(bench: Bench, tmp_path: Path) -> None:
    weaken(bench)
    diff = (bench.git("diff") + "\n").encode()
    (tmp_path / "empty").mkdir()

    for folder in (bench.root, tmp_path / "empty"):
        said = bench("tests", "integrity", "-", "--json", stdin=diff, cwd=folder)
        assert (said.code, [f["kind"] for f in said.document["findings"]]) == (1, ["assertion-loosened"])


def test_two_folders_are_compared_without_git(bench: Bench, tmp_path: Path) -> None:
    for folder, text in (("before", BEFORE), ("after", BEFORE.replace("def test_two", "def old_two"))):
        (tmp_path / folder / "tests").mkdir(parents=True)
        (tmp_path / folder / "tests" / "test_shop.py").write_text(text)

    said = bench("tests", "integrity", "--before", "before", "--after", "after", "--json", cwd=tmp_path)

    assert (said.code, [(f["kind"], f["symbol"]) for f in said.document["findings"]]) == (
        1,
        [("deleted", "test_two")],
    )


def test_a_permission_lets_the_named_test_change(bench: Bench) -> None:
    weaken(bench)
    assert bench("tests", "integrity", "--permit", "test_total").code == 0
    assert bench("tests", "integrity", "--permit", "test_two").code == 1


def test_what_is_not_judged_is_named_and_fails_only_when_strict(bench: Bench) -> None:
    bench.commit(tests__a_test_dot_rs="assert!(a);\n")
    (bench.root / "tests" / "a_test.rs").write_text("assert!(b);\n")

    said = bench("tests", "integrity", "--json")

    assert (said.code, [f["path"] for f in said.document["not_judged"]]) == (0, ["tests/a_test.rs"])
    assert bench("tests", "integrity", "--strict").code == 5


def test_what_cannot_be_read_exits_2(bench: Bench) -> None:
    assert bench("tests", "integrity", "nowhere.diff").code == 2
    assert bench("tests", "integrity", "-", stdin=b"no diff at all").code == 2
    assert bench("tests", "integrity", "--base", "nowhere").code == 2
    assert bench("tests", "integrity", "--before", "x").code == 2


def test_a_test_file_that_cannot_be_read_is_named_and_never_passed_over(bench: Bench) -> None:
    for name, data in (("before", b"def test_a(): assert 1\n"), ("after", b"def test_a(): pass\0\n")):
        (bench.root / name / "tests").mkdir(parents=True)
        (bench.root / name / "tests" / "test_a.py").write_bytes(data)

    said = bench("tests", "integrity", "--before", "before", "--after", "after", "--strict", "--json")

    assert said.code == 5
    assert [item["path"] for item in said.document["not_judged"]] == ["tests/test_a.py"]
