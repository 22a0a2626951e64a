"""Which tests a name covers, and which paths are tests."""

import pytest

from signoff.domain.evidence.receipts import CaseOutcome, ReportedTest, TestReport
from signoff.judges.test_results.report_comparison import covers, is_test_path, was_collected


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
        ("", "tests.test_a::test_x", False),
        ("::", "tests.test_a::test_x", False),
        ("tests::", "tests.test_a::test_x", False),
        ("::tests", "tests.test_a::test_x", False),
        ("./", "tests.test_a::test_x", True),
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
        "shop/tests.py",
        "shop/test.py",
        "test/x.py",
        "test/data/expected.json",
        "tests/fixtures/a.bin",
        "pkg/testdata/golden.txt",
        "spec/cart_spec.rb",
        "specs/a.md",
        "web/cart_spec.ts",
        "web/a.spec.vue",
        "web/a.test.svelte",
        "src/test/java/shop/Helper.java",
        "shop/CartTest.java",
        "shop/HTTPTest.java",
        "shop/CartTests.cs",
        "shop/CartIT.java",
        "shop/TestCart.java",
        "Tests/ShopTests/Cart.swift",
        "cart_test.dart",
    ],
)
def test_test_files_are_known_by_their_names(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "src/a.py",
            "src/latest.py",
            "contest.py",
            "contest/x.py",
            "src/testing/a.py",
            "attests/a.py",
            "a.go",
        ),
        *(
            "testing/a.py",
            "src/Contest.java",
            "src/AUDIT.java",
            "src/Latest.java",
            "src/spec.py",
            "src/attest.js",
        ),
        *("inspec/a.py", "src/testament.py", "fixtures/a.json", "src/Testimony.java", "src/testutil.go"),
    ],
)
def test_other_files_are_not(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    ("path", "test_id", "expected"),
    [
        ("shop/tests.py", "shop.tests::test_x", True),
        ("shop/tests.py", "shop.tests.CartTest::test_x", True),
        ("shop/tests.py", "::shop.tests", True),
        ("src/shop/tests.py", "shop.tests::test_x", True),
        ("src/shop/tests.py", "shop.tests.CartTest::test_x", True),
        ("backend/tests/test_a.py", "test_a::test_x", True),
        ("shop/tests.py", "shop.tests_more::test_x", False),
        ("shop/tests.py", "shop.tests.test_a::test_x", False),
        ("shop/tests.py", "tests.unit.test_a::test_x", False),
        ("shop/tests.py", "other.shop.tests::test_x", False),
        ("tests/test_a.py", "tests.test_b::test_a", False),
        ("tests/expected.json", "tests.expected::test_x", False),
    ],
)
def test_a_file_was_collected_when_the_report_has_a_case_of_it(
    path: str, test_id: str, expected: bool
) -> None:
    """Else a file that no runner looks at passes for a test."""
    assert was_collected(path, report(test_id)) is expected


def test_folders_are_left_out_of_all_ids_or_of_none() -> None:
    """Else a file at the root answers for every file of its name."""
    assert was_collected("hidden/test_a.py", report("test_a::test_x"))
    assert not was_collected("hidden/test_a.py", report("test_a::test_x", "hidden.test_b::test_x"))
    assert not was_collected("tests/test_a.py", report())


def report(*ids: str) -> TestReport:
    return TestReport(cases=tuple(ReportedTest(id=each, outcome=CaseOutcome.PASSED) for each in ids))
