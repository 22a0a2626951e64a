"""What a change did to Python tests."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.domain.evidence.case_records import FileSides, IntegrityJudged, WeakeningKind
from signoff.judges.test_integrity.comparison.integrity_verdict import judge
from signoff.judges.test_integrity.python.python_reader import read_python

HEAD = "import pytest\nfrom shop import total, Cart\n\n\n"
OWN = frozenset({"shop"})


def judged(before: str, after: str, *permitted: str, path: str = "tests/test_shop.py") -> IntegrityJudged:
    return judge([FileSides(path, HEAD + before, HEAD + after)], {}, OWN, frozenset(permitted))


def kinds(before: str, after: str) -> set[str]:
    return {str(finding.kind) for finding in judged(before, after).findings}


def test_of(*lines: str) -> str:
    return "def test_it():\n" + "".join(f"    {line}\n" for line in lines)


test_of.__test__ = False  # type: ignore[attr-defined]  # it makes tests and is none


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("assert total(1) == 3", "assert total(1)", "assertion-loosened"),
        ("assert total(1) == 3", "assert total(1) is not None", "assertion-loosened"),
        ("assert total(1) == 3", "assert total(1) >= 3", "assertion-loosened"),
        ("assert total(1) == 3", "assert total(1) in (3, 4)", "assertion-loosened"),
        ("assert total(1) == 3", "assert total(1) == pytest.approx(3)", "assertion-loosened"),
        ("assert total(1) == 3", "if total: assert total(1) == 3", "assertion-loosened"),
        ("assert total(1) == 3", "return\n    assert total(1) == 3", "assertion-loosened"),
        ("assert total(1) == 3", "assert total(1) == 3 or True", "assertion-loosened"),
        ("assert total(1) == 3", "assert (total(1) == 3, 'why')", "assertion-loosened"),
        ("assert total(1) == [1]", "assert len(total(1)) == 1", "assertion-loosened"),
        ("self.assertEqual(total(1), 3)", "self.assertTrue(total(1))", "assertion-loosened"),
        ("assert total(1) == 3\n    total(2)", "total(2)", "assertion-removed"),
        ("assert total(1) == 3", "assert True", "assertion-removed"),
        ("assert total(1) == 3", "pass", "emptied"),
        ("assert abs(total(1)) < 0.1", "assert abs(total(1)) < 0.5", "tolerance-widened"),
        (
            "assert total(1) == pytest.approx(3, abs=0.1)",
            "assert total(1) == pytest.approx(3, abs=1)",
            "tolerance-widened",
        ),
        (
            "with pytest.raises(ValueError): total(1)",
            "with pytest.raises(Exception): total(1)",
            "exception-widened",
        ),
        (
            "with pytest.raises(KeyError): total(1)",
            "with pytest.raises(LookupError): total(1)",
            "exception-widened",
        ),
        (
            "with pytest.raises(ValueError, match='no'): total(1)",
            "with pytest.raises(ValueError): total(1)",
            "exception-widened",
        ),
        ("assert total(1) == 3", "pytest.skip('later')\n    assert total(1) == 3", "skipped"),
    ],
)
def test_a_weaker_body_is_found_by_its_kind(before: str, after: str, kind: str) -> None:
    assert kind in kinds(test_of(before), test_of(after))


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        ("@pytest.mark.skip", "skipped"),
        ("@pytest.mark.skipif(True, reason='x')", "skipped"),
        ("@pytest.mark.xfail", "expected-to-fail"),
        ("@pytest.mark.flaky(reruns=2)", "retries-added"),
        ("@patch('shop.total')", "subject-mocked"),
    ],
)
def test_a_mark_that_weakens_is_found(mark: str, kind: str) -> None:
    plain = test_of("assert total(1) == 3")
    assert kinds(plain, f"{mark}\n{plain}") == {kind}


@pytest.mark.parametrize(
    "after",
    [
        "value = total(1)\n    assert value == 3",
        "assert total(1) == 3, 'it fits'",
        "assert 3 == total(1)",
        "assert total(1) == 3\n    assert total(2) == 4",
        "# a remark\n    assert (total(1)) == 3",
        "with patch('shop.requests.get'):\n        assert total(1) == 3",
    ],
)
def test_an_honest_edit_is_no_finding(after: str) -> None:
    assert judged(test_of("assert total(1) == 3"), test_of(after)).findings == []


def test_another_expected_value_is_said_and_is_no_finding() -> None:
    """Neither is weaker; whether the new value is right is a question for the contract."""
    found = judged(test_of("assert total(1) == 3"), test_of("assert total(1) == 4"))
    assert found.findings == []
    assert [change.symbol for change in found.changed] == ["test_it"]
    assert found.changed[0].message.endswith("`assert total(1) == 3` → `assert total(1) == 4`")


def test_fewer_cases_and_a_test_out_of_collection_are_found() -> None:
    cases = "@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_it(x):\n    assert total(x)\n"
    assert kinds(cases, cases.replace(", 3", "")) == {"parametrisation-shrunk"}
    plain = test_of("assert total(1) == 3")
    assert kinds(plain, plain.replace("test_it", "old_test_it")) == {"deleted"}
    assert kinds(plain, plain + "\n\ntest_it = None\n") == {"deleted"}
    assert kinds(plain, plain.replace("test_it", "test_other")) == {"renamed"}


def test_a_permission_is_for_the_named_test_only() -> None:
    two = test_of("assert total(1) == 3") + "\n\n" + test_of("assert total(2) == 4").replace("_it", "_two")
    weak = two.replace(" == 3", "").replace(" == 4", "")
    assert {f.symbol for f in judged(two, weak, "test_it").findings} == {"test_two"}
    assert {f.symbol for f in judged(two, weak, "tests/test_shop.py::test_two").findings} == {"test_it"}


def test_a_moved_file_is_no_finding_and_a_deleted_one_is() -> None:
    text = HEAD + test_of("assert total(1) == 3")
    moved = [FileSides("tests/test_a.py", text, None), FileSides("tests/unit/test_a.py", None, text)]
    assert judge(moved, {}, OWN).findings == []
    assert [f.kind for f in judge(moved[:1], {}, OWN).findings] == ["file-deleted"]


def test_a_file_that_cannot_be_read_any_more_is_found_and_one_that_never_could_is_named() -> None:
    assert kinds(test_of("assert total(1)"), "def test_it(:\n") == {"deleted"}
    found = judge([FileSides("tests/test_a.py", "def (", "def x(")], {}, OWN)
    assert (found.findings, [f.path for f in found.not_judged]) == ([], ["tests/test_a.py"])


def test_another_language_is_judged_by_size_and_said_to_be() -> None:
    found = judge([FileSides("tests/a_test.rs", "assert!(a);\nassert!(b);\n", "assert!(a);\n")], {}, OWN)
    assert [f.kind for f in found.findings] == ["file-shrunk"]
    assert [f.path for f in found.not_judged] == ["tests/a_test.rs"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="def test(x):\n assert=with'@[],.1", max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    file = read_python("tests/test_x.py", text, frozenset())
    for case in file.cases:
        file.expand(case.id)


@pytest.mark.parametrize(
    "place", ["tests/x.py", "tests/x_checks.py", "tests/_test_x.py", ".hidden/test_x.py"]
)
def test_a_file_moved_to_where_no_runner_looks_is_gone(place: str) -> None:
    text = "def test_a():\n    assert f(1) == 2\n"
    sides = [FileSides("tests/test_x.py", text, None), FileSides(place, None, text)]

    assert [found.kind for found in judge(sides, {}, frozenset()).findings] == [WeakeningKind.FILE_DELETED]


def test_a_file_moved_to_where_the_runner_looks_is_only_moved() -> None:
    text = "def test_a():\n    assert f(1) == 2\n"
    sides = [FileSides("tests/test_x.py", text, None), FileSides("tests/unit/test_y.py", None, text)]

    assert judge(sides, {}, frozenset()).findings == []
