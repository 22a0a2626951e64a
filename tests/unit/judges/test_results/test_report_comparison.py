"""Reading JUnit XML, and comparing reports by test id."""

from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.evidence.receipts import CaseOutcome, Counts, ReportedTest, TestReport
from signoff.judges.test_results.report_comparison import (
    compare,
    counts,
    new_ids,
    parse_junit,
    red_green,
)
from signoff.text.formats.junit_xml import ReportFault, UnreadableReport

P, F, E, S = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.ERROR, CaseOutcome.SKIPPED


def report(**cases: CaseOutcome) -> TestReport:
    """Make a report; `tests.m` is the class unless the name has one: `m__x` is `tests.m::x`."""
    return TestReport(
        cases=tuple(ReportedTest(id="tests." + n.replace("__", "::"), outcome=o) for n, o in cases.items())
    )


def with_unloaded(module: str, outcome: CaseOutcome, rest: TestReport | None = None) -> TestReport:
    case = ReportedTest(id=f"::{module}", outcome=outcome)
    return TestReport(cases=(case, *(rest.cases if rest else ())))


def suite(inner: str, attributes: str = "") -> bytes:
    return f"<testsuites><testsuite {attributes}>{inner}</testsuite></testsuites>".encode()


def case(name: str, inner: str = "", classname: str = "m") -> str:
    return f'<testcase classname="{classname}" name="{name}">{inner}</testcase>'


def read(data: bytes, root: str = "") -> dict[str, CaseOutcome]:
    found = parse_junit(data, root)
    assert isinstance(found, TestReport), found
    return {each.id: each.outcome for each in found.cases}


def fault(data: bytes) -> ReportFault:
    found = parse_junit(data)
    assert isinstance(found, UnreadableReport), found
    return found.fault


# --- reading ---


def test_each_outcome_is_read_from_its_element() -> None:
    data = suite(
        case("ok")
        + case("bad", "<failure>x</failure>")
        + case("broken", "<error/>")
        + case("left", '<skipped type="pytest.xfail"/>'),
        'tests="4" failures="1" errors="1" skipped="1"',
    )

    assert read(data) == {"m::ok": P, "m::bad": F, "m::broken": E, "m::left": S}


def test_ids_count_once_and_the_worst_outcome_stands() -> None:
    """A retry that passes in the end, or a teardown that fails after a pass, is not a pass."""
    data = suite(case("x") + case("x", "<failure/>") + case("x") + case("y") + case("y", "<error/>"))

    found = parse_junit(data)

    assert isinstance(found, TestReport)
    assert counts(found) == Counts(collected=2, failed=1, errors=1)


def test_suites_may_be_nested_to_any_depth() -> None:
    depth = 2000
    data = b"<testsuite>" * depth + case("x").encode() + b"</testsuite>" * depth

    assert read(data) == {"m::x": P}


def test_nodes_own_report_is_told_apart_by_its_suites() -> None:
    data = (
        b'<testsuites><testcase name="ok" classname="test"/>'
        b'<testsuite name="outer" tests="2" failures="1"><testsuite name="inner" tests="2" failures="1">'
        b'<testcase name="ok" classname="test"/><testcase name="x" classname="test"><failure/></testcase>'
        b'</testsuite><testcase name="ok" classname="test"/></testsuite>'
        b'<testcase name="later" classname="test"><skipped type="todo"/><failure/></testcase>'
        b"<!-- tests 5 --></testsuites>"
    )

    assert read(data) == {
        "test::ok": P,
        "outer > inner::ok": P,
        "outer > inner::x": F,
        "outer::ok": P,
        "test::later": S,
    }


def test_a_python_module_called_test_keeps_its_class_name() -> None:
    data = suite('<testcase classname="test" name="test_x" file="test.py"/>', 'name="pytest"')

    assert read(data) == {"test::test_x": P}


def test_the_folder_is_taken_off_absolute_names() -> None:
    data = suite(case("/tmp/t1/test/a.js", classname="/tmp/t1/test/a.js"))

    assert read(data, "/tmp/t1") == {"test/a.js::test/a.js": P}


def test_a_test_that_is_listed_and_not_run_is_skipped() -> None:
    data = suite('<testcase classname="Foo" name="DISABLED_x" status="notrun"/>', 'tests="1"')

    assert read(data) == {"Foo::DISABLED_x": S}


def test_a_suite_that_fails_as_such_is_an_error() -> None:
    assert read(suite("<error/>", 'name="setup" errors="1"')) == {"::setup": E}


def test_no_tests_at_all_is_an_empty_report_and_not_a_fault() -> None:
    assert read(b"<testsuites/>") == {}
    assert read(suite("", 'tests="0" failures="0"')) == {}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ReportFault.UNPARSABLE),
        (b"5 passed", ReportFault.UNPARSABLE),
        (b"<html><body/></html>", ReportFault.UNPARSABLE),
        (suite(case("x"))[:-3], ReportFault.UNPARSABLE),
        (suite(case("x")) + b"<more/>", ReportFault.UNPARSABLE),
        (suite("<testcase classname='m'/>"), ReportFault.UNPARSABLE),
        (suite(case("x", case("y"))), ReportFault.UNPARSABLE),
        (suite(case("x"), 'tests="many"'), ReportFault.UNPARSABLE),
        (suite(case("x"), 'tests="-1"'), ReportFault.UNPARSABLE),
        (b'<?xml version="1.0" encoding="utf-7"?><testsuites/>', ReportFault.UNPARSABLE),
        (b'<?xml version="1.0" encoding="no-such"?><testsuites/>', ReportFault.UNPARSABLE),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><testsuites/>', ReportFault.DOCTYPE),
        (suite("", 'tests="3"'), ReportFault.CASES_MISSING),
        (b'<testsuites tests="3"/>', ReportFault.CASES_MISSING),
        (suite("", 'errors="1"'), ReportFault.CASES_MISSING),
        (suite(case("x"), 'tests="1" failures="1"'), ReportFault.CONTRADICTORY),
        (suite(case("x", "<failure/>"), 'tests="1" failures="0" errors="0"'), ReportFault.CONTRADICTORY),
        (suite(case("x") + case("y"), 'tests="1"'), ReportFault.CONTRADICTORY),
    ],
)
def test_what_cannot_be_read_in_full_is_a_named_fault(data: bytes, expected: ReportFault) -> None:
    assert fault(data) is expected


def test_pytest_may_count_more_than_it_lists() -> None:
    """Passing subtests and a teardown that fails after a pass are counted and have no case of their own."""
    data = suite(case("x") + case("y", "<error/>"), 'tests="9" failures="0" errors="1" skipped="0"')

    assert read(data) == {"m::x": P, "m::y": E}


@given(st.binary(max_size=200))
def test_arbitrary_bytes_never_crash_the_reader(data: bytes) -> None:
    assert isinstance(parse_junit(data), TestReport | UnreadableReport)


ELEMENTS = st.recursive(
    st.tuples(
        st.sampled_from(["testcase", "failure", "error", "skipped", "testsuite", "testsuites", "x"]),
        st.dictionaries(
            st.sampled_from(["name", "classname", "tests", "failures", "errors", "file", "status"]),
            st.sampled_from(["", "0", "1", "2", "x", "test", "-3"]),
        ),
        st.just(()),
    ),
    lambda inner: st.tuples(
        st.sampled_from(["testsuites", "testsuite", "testcase"]),
        st.dictionaries(st.sampled_from(["name", "tests", "failures"]), st.sampled_from(["0", "1", "a"])),
        st.lists(inner, max_size=4).map(tuple),
    ),
    max_leaves=12,
)


def written(element: tuple[str, dict[str, str], tuple[object, ...]]) -> str:
    tag, attributes, children = element
    inner = "".join(written(child) for child in children)  # type: ignore[arg-type]
    return f"<{tag} {' '.join(f'{k}={quoteattr(v)}' for k, v in attributes.items())}>{inner}</{tag}>"


@given(ELEMENTS)
def test_arbitrary_elements_never_crash_the_reader(
    element: tuple[str, dict[str, str], tuple[object, ...]],
) -> None:
    found = parse_junit(written(element).encode())

    if isinstance(found, TestReport):
        total = counts(found)
        assert total.collected == total.passed + total.failed + total.errors + total.skipped


@given(st.integers(min_value=0, max_value=120))
def test_a_report_cut_off_anywhere_is_never_a_smaller_report(length: int) -> None:
    whole = suite(case("x") + case("y", "<failure/>"), 'tests="2" failures="1"')

    assert length >= len(whole) or isinstance(parse_junit(whole[:length]), UnreadableReport)


# --- integrity ---


def codes(findings: tuple[object, ...]) -> list[str]:
    return [getattr(each, "code", "") for each in findings]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (P, P, []),
        (P, F, []),
        (F, P, []),
        (S, S, []),
        (S, P, []),
        (P, None, ["test-deleted"]),
        (F, None, ["test-deleted"]),
        (S, None, ["test-deleted"]),
        (P, S, ["test-skipped"]),
        (F, S, ["test-skipped"]),
        (E, S, ["test-skipped"]),
    ],
)
def test_a_test_of_the_base_must_still_run(
    before: CaseOutcome, after: CaseOutcome | None, expected: list[str]
) -> None:
    final = report(m__new=P) if after is None else report(m__x=after, m__new=P)

    assert codes(compare(report(m__x=before), final)) == expected


@pytest.mark.parametrize("outcome", [E, S])
def test_a_module_that_cannot_be_loaded_any_more_hides_its_tests(outcome: CaseOutcome) -> None:
    final = with_unloaded("tests.m", outcome)

    findings = compare(report(m__x=P, n__y=P), final)

    assert codes(findings) == ["test-not-collected", "test-deleted"]


def test_a_module_that_could_not_be_loaded_on_the_base_owes_nothing() -> None:
    assert compare(with_unloaded("tests.m", E), report(m__x=P)) == ()


def test_a_runner_that_leaves_class_names_empty_is_compared_all_the_same() -> None:
    base = TestReport(cases=(ReportedTest(id="::x", outcome=P),))

    assert codes(compare(base, report())) == ["test-deleted"]


@pytest.mark.parametrize(
    ("permitted", "expected"),
    [
        ("tests/m.py::x", []),
        ("tests.m::x", []),
        ("tests/m.py", []),
        ("tests/m.py::y", ["test-deleted"]),
        ("tests", ["test-deleted"]),
        ("", ["test-deleted"]),
        (".", ["test-deleted"]),
        ("*::*", ["test-deleted"]),
    ],
)
def test_only_named_tests_are_permitted_to_go(permitted: str, expected: list[str]) -> None:
    assert codes(compare(report(m__x=P), report(), [permitted])) == expected


@pytest.mark.parametrize(
    "permitted",
    [
        *("tests::", "::", "::tests", ".::tests", "tests:: ", "tests.unit", "tests.unit::", "tests::unit"),
        *(
            "tests.py",
            "tests/unit.py",
            "tests.py::unit",
            "./tests.unit",
            "tests.unit/",
            "tests/unit/::test_a::",
        ),
    ],
)
@pytest.mark.parametrize("test_id", ["tests.unit.test_a::test_x", "tests.unit.test_a.TestC::test_x"])
def test_no_folder_is_permitted_to_go_however_it_is_written(permitted: str, test_id: str) -> None:
    """Else one entry of a plan is a blank cheque for every test of the project."""
    base = TestReport(cases=(ReportedTest(id=test_id, outcome=P),))

    assert codes(compare(base, report(), [permitted])) == ["test-deleted"]


@pytest.mark.parametrize(
    ("permitted", "test_id"),
    [
        ("tests.unit.test_a", "tests.unit.test_a.TestC::test_x"),
        ("tests/unit/test_a.py", "tests.unit.test_a.TestC::test_x"),
        ("tests/unit/checks.py", "tests.unit.checks.TestC::test_x"),
        ("tests.unit.test_a.TestC", "tests.unit.test_a.TestC::test_x"),
        ("tests/test_a.py::TestC::test_x", "tests.test_a.TestC::test_x[1]"),
        ("tests/test_a.py::case::test_x", "tests.test_a.case::test_x"),
        ("shop/tests.py", "shop.tests.CartTest::test_x"),
        ("com.shop.CartTest", "com.shop.CartTest::adds"),
        ("src/a.test.ts", "src/a.test.ts::outer > x"),
        ("src/a.test.ts::outer", "src/a.test.ts::outer > x"),
    ],
)
def test_a_file_a_class_or_a_test_may_be_permitted_to_go(permitted: str, test_id: str) -> None:
    base = TestReport(cases=(ReportedTest(id=test_id, outcome=P),))

    assert compare(base, report(), [permitted]) == ()


@pytest.mark.parametrize(
    ("permitted", "test_id"),
    [("com.shop", "com.shop.CartTest::adds"), ("src/a.py", "src/a.test.ts::x"), ("x.y", "x.y/z::test")],
)
def test_a_package_of_another_language_is_a_folder_too(permitted: str, test_id: str) -> None:
    base = TestReport(cases=(ReportedTest(id=test_id, outcome=P),))

    assert codes(compare(base, report(), [permitted])) == ["test-deleted"]


# --- red and green ---


@pytest.mark.parametrize(
    ("on_base_tests", "on_final", "expected"),
    [
        (F, P, []),
        (E, P, []),
        (P, P, ["new-test-vacuous"]),
        (S, P, ["new-test-not-red"]),
        (None, P, ["new-test-not-run"]),
        (F, F, ["new-test-not-green"]),
        (F, S, ["new-test-not-green"]),
        (F, None, ["new-test-not-green"]),
        (P, F, ["new-test-not-green", "new-test-vacuous"]),
    ],
)
def test_a_new_test_must_fail_before_and_pass_after(
    on_base_tests: CaseOutcome | None, on_final: CaseOutcome | None, expected: list[str]
) -> None:
    before = report() if on_base_tests is None else report(m__x=on_base_tests)
    after = report() if on_final is None else report(m__x=on_final)

    assert codes(red_green(before, after, ["tests.m::x"])) == expected


def test_a_module_that_cannot_be_imported_on_the_base_is_red_for_its_tests_alone() -> None:
    final = report(m__x=P, other__y=P)

    findings = red_green(with_unloaded("tests.m", E), final, new_ids(report(), final))

    assert [f.message.split(": ")[0] for f in findings] == ["tests.other::y"]


def test_a_skipped_module_is_not_red() -> None:
    findings = red_green(with_unloaded("tests.m", S), report(m__x=P), ["tests.m::x"])

    assert codes(findings) == ["new-test-not-run"]


def test_a_file_that_vitest_could_not_load_is_red() -> None:
    before = TestReport(cases=(ReportedTest(id="src/a.test.ts::src/a.test.ts", outcome=F),))
    final = TestReport(cases=(ReportedTest(id="src/a.test.ts::outer > x", outcome=P),))

    assert red_green(before, final, new_ids(TestReport(cases=()), final)) == ()


@pytest.mark.parametrize("guard", ["tests/m.py::x", "tests.m::x", "tests/m.py::*", "tests/*", "tests/m.py"])
def test_a_guard_may_pass_before_and_must_pass_after(guard: str) -> None:
    assert red_green(report(m__x=P), report(m__x=P), ["tests.m::x"], [guard]) == ()
    assert codes(red_green(report(m__x=P), report(m__x=F), ["tests.m::x"], [guard])) == ["new-test-not-green"]


@pytest.mark.parametrize("guard", ["", "::", ".", "./", "/", " ", "tests::", "::x", "*::", "::*"])
def test_a_guard_with_an_empty_part_guards_nothing(guard: str) -> None:
    """Else an empty text in a plan lets every new test pass on the base."""
    findings = red_green(report(m__x=P), report(m__x=P), ["tests.m::x"], [guard])

    assert codes(findings) == ["new-test-vacuous"]


def test_new_tests_are_those_the_base_does_not_have() -> None:
    final = with_unloaded("tests.z", S, report(m__x=P, m__y=F))

    assert new_ids(report(m__x=F), final) == ("tests.m::y",)


def test_a_very_long_id_does_not_fill_the_journal() -> None:
    long = "m::test[" + "x" * 5000 + "]"

    finding = compare(TestReport(cases=(ReportedTest(id=long, outcome=P),)), report())[0]

    assert len(finding.message) < 400
