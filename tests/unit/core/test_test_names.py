"""Which tests a name covers, and which paths are tests."""

import pytest

from signoff.core.test_reports import covers, is_test_path


@pytest.mark.parametrize(
    ("item", "test_id", "expected"),
    [
        ("tests/test_a.py", "tests.test_a::test_x", True),
        ("./tests/test_a.py", "tests.test_a.TestC::test_x", True),
        ("tests/test_a.py", "tests.test_ab::test_x", False),
        ("tests/test_a.py", "::tests.test_a", True),
        ("tests/test_a.py::test_x", "tests.test_a::test_x", True),
        ("tests/test_a.py::test_x", "tests.test_a::test_x[1-2]", True),
        ("tests/test_a.py::test_x", "tests.test_a::test_xy", False),
        ("tests/test_a.py::test_x[1]", "tests.test_a::test_x[1]", True),
        ("tests/test_a.py::test_x[1]", "tests.test_a::test_x[2]", False),
        ("tests/test_a.py::TestC", "tests.test_a.TestC::test_x", True),
        ("tests/test_a.py::TestC::test_x", "tests.test_a.TestC::test_x", True),
        ("tests.test_a.TestC::test_x", "tests.test_a.TestC::test_x", True),
        ("tests", "tests.unit.test_a::test_x", True),
        ("tests/", "tests.unit.test_a::test_x", True),
        (".", "tests.test_a::test_x", True),
        ("tests/unit", "tests.units.test_a::test_x", False),
        ("src/a.test.mjs", "src/a.test.mjs::outer > ok", True),
        ("src/a.test.mjs::outer", "src/a.test.mjs::outer > ok", True),
        ("src/b.test.mjs", "src/a.test.mjs::outer > ok", False),
    ],
)
def test_a_file_folder_class_or_test_covers_its_tests(item: str, test_id: str, expected: bool) -> None:
    assert covers(item, test_id) is expected


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py",
        "src/pkg/a_test.py",
        "conftest.py",
        "src/pkg/conftest.py",
        "tests/data/x.json",
        "src/tests/helper.py",
        "web/__tests__/x.ts",
        "web/a.test.tsx",
        "web/a.spec.mjs",
        "test/helper.js",
        "pkg/a_test.go",
    ],
)
def test_test_files_are_known_by_their_names(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    ["src/a.py", "src/latest.py", "contest.py", "src/testing/a.py", "attests/a.py", "a.go", "test/x.py"],
)
def test_other_files_are_not(path: str) -> None:
    assert not is_test_path(path)
