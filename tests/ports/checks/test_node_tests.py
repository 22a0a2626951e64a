"""`tests` with Node's own runner, through our reporter."""

import shutil
from pathlib import Path

import pytest
from checkbench import FAIL, PARTIAL, PASS, Bench

from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.ports import CheckSeen
from signoff.domain.work.checks import RunTests

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")

NODE = ("node", "--test")
HEAD = "const test = require('node:test'); const { describe, it, before } = test;\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def run(bench: Bench, *select: str, command: tuple[str, ...] = NODE) -> CheckSeen:
    return bench.run(bench.order(RunTests(select=select), test_command=command))


def ids(seen: CheckSeen) -> dict[str, str]:
    assert seen.report is not None, seen.receipt.observation
    return {case.id: str(case.outcome) for case in seen.report.cases}


def test_cases_are_named_by_file_and_suite(bench: Bench) -> None:
    body = "test('x', () => {}); describe('a < b', () => it('x', () => {}));"
    bench.write("test/a.test.js", HEAD + body + "test('later', { todo: true }, () => {});")
    bench.write("test/b.test.js", HEAD + "test('x', () => {}); test('y', { skip: true }, () => {});")

    seen = run(bench)

    assert seen.receipt.observation.result is PASS
    assert ids(seen) == {
        "test/a.test.js::x": "passed",
        "test/a.test.js::a < b > x": "passed",
        "test/a.test.js::later": "skipped",
        "test/b.test.js::x": "passed",
        "test/b.test.js::y": "skipped",
    }


def test_every_way_to_fail_is_in_the_report(bench: Bench) -> None:
    """Node's own JUnit reporter drops the second and the third."""
    body = (
        "test('plain', () => { throw new Error('\\u0000 <&>'); });\n"
        "test('parent', async (t) => { await t.test('child', () => {}); throw new Error(); });\n"
        "describe('hooked', () => { before(() => { throw new Error(); }); it('inner', () => {}); });\n"
        "test('todo', { todo: true }, () => { throw new Error(); });\n"
    )
    bench.write("test/a.test.js", HEAD + body)
    bench.write("test/b.test.js", "require('not-there');\n")

    seen = run(bench)
    found = ids(seen)

    assert (seen.receipt.observation.result, seen.receipt.observation.exit_code) == (FAIL, 1)
    assert found["test/a.test.js::plain"] == "failed"
    assert found["test/a.test.js::parent"] == "failed"
    assert found["test/a.test.js::parent > child"] == "passed"
    assert "failed" in (found["test/a.test.js::hooked"], found.get("test/a.test.js::hooked > inner"))
    assert found["test/a.test.js::todo"] == "skipped"
    assert found["test/b.test.js::test/b.test.js"] == "failed"


def test_a_file_without_tests_collects_nothing(bench: Bench) -> None:
    """Node itself lists such a file as a passed test."""
    bench.write("test/a.test.js", "console.log('ok 1 - fine');\n")

    seen = run(bench).receipt.observation

    assert (seen.result, seen.exit_code, seen.detail) == (FAIL, 0, "no test was collected")


def test_a_selection_runs_the_files_it_names(bench: Bench) -> None:
    bench.write("test/a.test.js", HEAD + "test('x', () => {});")
    bench.write("test/b.test.js", HEAD + "test('y', () => { throw new Error(); });")
    bench.write("test/empty.test.js", "")

    seen = run(bench, "test/a.test.js", command=(*NODE, "test/a.test.js", "test/b.test.js"))

    assert seen.receipt.observation.result is PASS
    assert ids(seen) == {"test/a.test.js::x": "passed"}
    empty = run(bench, "test/a.test.js", "test/empty.test.js").receipt.observation
    assert (empty.result, empty.detail) == (FAIL, "no test was collected for test/empty.test.js")


def test_a_selected_file_that_does_not_exist_is_a_fact_about_the_work(bench: Bench) -> None:
    seen = run(bench, "test/new.test.js").receipt.observation

    assert (seen.result, seen.failure_reason) == (FAIL, FailureReason.TESTS_FAILED)


def test_a_single_test_cannot_be_selected(bench: Bench) -> None:
    bench.write("test/a.test.js", HEAD + "test('x', () => {});")

    assert run(bench, "test/a.test.js::x").receipt.observation.result is PARTIAL


def test_globs_are_expanded_as_a_shell_would_and_other_reporters_give_way(bench: Bench) -> None:
    bench.write("checks/one.js", HEAD + "test('x', () => {});")
    command = (*NODE, "--test-reporter", "spec", "--test-reporter=tap", "checks/*.js")

    assert ids(run(bench, command=command)) == {"checks/one.js::x": "passed"}
