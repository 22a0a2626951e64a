"""Read the report that a runner writes for programs: JUnit XML, or JSON.

Pure. Read are the JSON of jest, vitest, pytest-json-report, eslint and ruff, and the JSON lines of
`go test -json` and of cargo's `--message-format=json`. A report that cannot be read in full is no report.
"""

from typing import Any

from msgspec.structs import replace

from signoff.domain.base.violations import Severity
from signoff.domain.evidence.receipts import CaseOutcome, Counts
from signoff.judges.evidence.log_runs import TESTS, Claim, Run, RunEnding, ended
from signoff.text.formats.junit_xml import ReportFault, UnreadableReport, read_junit
from signoff.text.json.json_text import read_json

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DONE = ("pass", "fail", "skip")
_LARGEST = 20_000_000


def looks_like_report(data: bytes) -> bool:
    """Check whether a file given as a log may be a report. If it cannot be read, it is taken for a log."""
    return data[:4096].removeprefix(_BYTE_ORDER_MARK).lstrip()[:1] in (b"<", b"{", b"[")


def read_report(data: bytes) -> Run | str:
    """Return the run that a report tells of, or why it cannot be told. Never raises, whatever the bytes.

    The first byte tells XML from JSON. What is not one JSON document may still be a stream with one JSON
    object per line, and the error named is that of the more likely format.
    """
    if len(data) > _LARGEST:
        return f"it is longer than {_LARGEST:,} bytes, the most that is read"
    body = data.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not body:
        return "it is empty"
    if body.startswith(b"<"):
        return _junit(body)
    read = read_json(body, _LARGEST)
    if read.text is not None and not any(v.severity is Severity.ERROR for v in read.violations):
        return _document(read.value)
    events = _events(body)
    if isinstance(events, str):
        why = next((str(v.message) for v in read.violations), "it is not JSON")
        return events if body.startswith(b"{") and b"\n" in body.strip() else why
    return _stream(events)


# --- JUnit XML ---


def _junit(data: bytes) -> Run | str:
    report = read_junit(data)
    if isinstance(report, UnreadableReport) and report.fault is ReportFault.CONTRADICTORY:
        return Run(runner="junit", kinds=TESTS, end=RunEnding.TORN, detail=report.detail)
    if isinstance(report, UnreadableReport):
        return f"{report.fault}: {report.detail}"
    # Every case counts, also two of one id; a file of Node's without tests is no test that passed.
    is_empty = [case.is_empty_file and case.outcome is CaseOutcome.PASSED for case in report.cases]
    outcomes = [case.outcome for case, skip in zip(report.cases, is_empty, strict=True) if not skip]
    counts = Counts(
        collected=len(outcomes),
        passed=outcomes.count(CaseOutcome.PASSED),
        failed=outcomes.count(CaseOutcome.FAILED),
        errors=outcomes.count(CaseOutcome.ERROR),
        skipped=outcomes.count(CaseOutcome.SKIPPED),
    )
    return Run(runner="junit", kinds=TESTS, end=ended(counts), counts=counts, unlisted=report.unlisted)


# --- one document ---


def _document(value: object) -> Run | str:
    """Recognise the runner by the keys only it writes, and read its document.

    One case per format. An empty list is what eslint and ruff both write when they checked nothing or found
    nothing, so it is EMPTY and never a pass.
    """
    if isinstance(value, dict) and {"numTotalTests", "testResults"} <= value.keys():
        return _jest(value)
    if isinstance(value, dict) and "exitcode" in value and isinstance(value.get("summary"), dict):
        return _pytest(value)
    match value:
        case {"Action": _} | {"reason": _}:
            return _stream([value])
        case []:
            detail = "an empty list names no file that was checked"
            return Run(runner="", kinds=(Claim.LINT,), end=RunEnding.EMPTY, detail=detail)
        case [{"filePath": _, "messages": _}, *_]:
            return _eslint(list(value))
        case [{"code": _, "filename": _, "message": _}, *_]:
            counts = Counts(collected=len(value), errors=len(value))
            return Run(runner="ruff", kinds=(Claim.LINT,), end=RunEnding.RED, counts=counts)
        case _:
            return "it is JSON, and of no runner that is known here"


def _whole(value: object) -> int:
    """Return a count, or -1 for what is not one: negative figures make the report unreadable."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else -1


def _jest(value: dict[str, Any]) -> Run | str:
    """Compare three things that jest and vitest each say by themselves: figures, listed tests, `success`.

    A report in which they disagree is TORN. `success: false` without a failed test is RED, as an unmet
    coverage threshold fails a run that way.
    """
    names = ("numTotalTests", "numPassedTests", "numFailedTests", "numPendingTests")
    total, passed, failed, pending = (_whole(value.get(name)) for name in names)
    todo = _whole(value.get("numTodoTests", 0))
    if min(total, passed, failed, pending, todo) < 0:
        return "a count is missing or no number"
    broken = max(_whole(value.get("numRuntimeErrorTestSuites", 0)), 0)
    if not failed and not broken and value.get("numFailedTestSuites"):
        broken = max(_whole(value.get("numFailedTestSuites")), 1)
    counts = Counts(collected=total, passed=passed, failed=failed, errors=broken, skipped=pending + todo)
    runner = "jest" if "numRuntimeErrorTestSuites" in value else "vitest"
    made = Run(runner=runner, kinds=TESTS, end=ended(counts), counts=counts)
    listed = _listed(value.get("testResults"))
    if value.get("success") is not True and not failed and not broken:
        return replace(made, end=RunEnding.RED, detail="it says success: false")
    if total != passed + failed + pending + todo or (listed is not None and listed != (total, failed)):
        return replace(made, end=RunEnding.TORN, detail="the figures and the tests listed do not go together")
    if value.get("success") is True and (failed or broken):
        return replace(made, end=RunEnding.TORN, detail="success, with failures")
    return made


def _listed(results: object) -> tuple[int, int] | None:
    """Count the tests listed and those of them that failed, or return None if the report lists no tests."""
    if not isinstance(results, list) or not all(isinstance(suite, dict) for suite in results):
        return (-1, -1)
    if not all(isinstance(suite.get("assertionResults"), list) for suite in results):
        return None
    tests = [test for suite in results for test in suite["assertionResults"]]
    said = [test.get("status") if isinstance(test, dict) else None for test in tests]
    return len(said), said.count("failed")


def _pytest(value: dict[str, Any]) -> Run | str:
    summary = value["summary"]
    said = {
        word: _whole(summary.get(word, 0))
        for word in ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    }
    total, collected = _whole(summary.get("total")), _whole(summary.get("collected", summary.get("total")))
    if min(total, collected, *said.values()) < 0:
        return "a count is missing or no number"
    counts = Counts(
        collected=total,
        passed=said["passed"] + said["xpassed"],
        failed=said["failed"],
        errors=said["error"],
        skipped=said["skipped"] + said["xfailed"],
    )
    end = ended(counts)
    is_bad = value["exitcode"] != 0 and end is not RunEnding.EMPTY
    if sum(said.values()) != total or (value["exitcode"] == 0 and end is RunEnding.RED):
        detail = "the figures and the exit code do not go together"
        return Run(runner="pytest", kinds=TESTS, end=RunEnding.TORN, counts=counts, detail=detail)
    return Run(runner="pytest", kinds=TESTS, end=RunEnding.RED if is_bad else end, counts=counts)


def _eslint(value: list[Any]) -> Run | str:
    """Count the errors of each file, which must be those that are listed.

    A report whose figures differ from its messages cannot be trusted, and is TORN. Warnings do not count.
    """
    files = [item for item in value if isinstance(item, dict)]
    errors = [_whole(item.get("errorCount")) for item in files]
    if len(files) < len(value) or min(errors) < 0:
        return "a file without its errorCount"
    listed = sum(
        1 for item in files for m in item["messages"] if isinstance(m, dict) and m.get("severity") == 2
    )
    count = sum(errors)
    counts = Counts(collected=len(files), passed=sum(1 for n in errors if not n), errors=count)
    end = RunEnding.TORN if listed != count else RunEnding.RED if count else RunEnding.GREEN
    return Run(runner="eslint", kinds=(Claim.LINT,), end=end, counts=counts)


# --- one document per line ---


def _events(body: bytes) -> list[Any] | str:
    found: list[Any] = []
    for n, row in enumerate(body.splitlines(), 1):
        if row.strip():
            read = read_json(row, _LARGEST)
            if read.text is None or not isinstance(read.value, dict):
                return f"line {n} is no JSON object"
            found.append(read.value)
    return found


def _stream(events: list[Any]) -> Run | str:
    if any("Action" in event for event in events):
        return _go(events)
    if any(
        event.get("reason") in ("build-finished", "compiler-artifact", "compiler-message") for event in events
    ):
        return _cargo(events)
    return "these are JSON lines, and of no runner that is known here"


def _go(events: list[Any]) -> Run | str:
    """Fold `go test -json`: every package and test that began must have come to an end.

    The last event of a test or package is its state. One that stays at `run`, or a package without an end,
    means the stream was cut.
    """
    tests: dict[tuple[str, str], str] = {}
    packages: dict[str, str] = {}
    has_failed_build = False
    for event in events:
        action, package, test = (str(event.get(key, "")) for key in ("Action", "Package", "Test"))
        has_failed_build |= action == "build-fail"
        if test and (action in _DONE or action == "run"):
            tests[(package, test)] = action
        elif not test and package:
            packages[package] = action if action in _DONE else packages.get(package, "")
    said = list(tests.values())
    counts = Counts(
        collected=len(said), passed=said.count("pass"), failed=said.count("fail"), skipped=said.count("skip")
    )
    is_red = has_failed_build or "fail" in packages.values() or counts.failed
    is_cut = not packages or "" in packages.values() or "run" in said
    end = RunEnding.RED if is_red else RunEnding.CUT if is_cut else ended(counts)
    return Run(runner="go test", kinds=TESTS, end=end, counts=counts)


def _cargo(events: list[Any]) -> Run | str:
    errors = 0
    ends: list[object] = []
    for event in events:
        message = event.get("message")
        if event.get("reason") == "compiler-message" and isinstance(message, dict):
            errors += message.get("level") == "error" and message.get("code") is not None
        elif event.get("reason") == "build-finished":
            ends.append(event.get("success"))
    counts = Counts(errors=errors)
    if not ends:
        end = RunEnding.CUT
    elif any(value is not True for value in ends):
        end = RunEnding.RED
    else:
        end = RunEnding.TORN if errors else RunEnding.GREEN
    return Run(runner="cargo", kinds=(Claim.BUILD,), end=end, counts=counts)
