"""The records of agents that ran."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_shapes import ANY_JSON

from signoff.domain.base.violations import Severity
from signoff.domain.evidence.receipts import FailureReason, Result
from signoff.domain.run.ledger import AgentStatus, AgentType, LedgerRecord
from signoff.engine.journal_format import MAX_LINE
from signoff.ledger.ledger_rules import LedgerCheck, check_ledger

ONE = "01HXY8N3W2K7Q5MZP9V4F8R6T1"
TWO = "01HXY8P5R8K7Q5MZP9V4F8R6T2"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def record(**changes: object) -> dict[str, Any]:
    whole = {
        "schema_version": 1,
        "run_id": ONE,
        "skill_invocation_id": "sk_42",
        "agent_type": "builder",
        "model": "claude-sonnet-4-6",
        "project": "acme-portal",
        "status": "success",
        "started_at": "2026-04-28T14:32:11Z",
        "finished_at": "2026-04-28T14:34:02Z",
        "duration_ms": 111_000,
    }
    return {key: value for key, value in {**whole, **changes}.items() if value is not ...}


def verifier(**changes: object) -> dict[str, Any]:
    return record(agent_type="verifier", verifier_score=2, **changes)


def check(*records: object) -> LedgerCheck:
    return check_ledger([b"".join(json.dumps(one).encode() + b"\n" for one in records)])


def codes(found: LedgerCheck) -> dict[str, Severity]:
    return {violation.code: violation.severity for violation in found.violations}


def test_a_plain_record_is_valid_without_a_word() -> None:
    assert check(record()) == LedgerCheck(ok=True, is_readable=True, records=1, violations=())


def test_every_field_of_the_format_is_known() -> None:
    whole = record(
        agent_type="verifier",
        parent_run_id=None,
        session_id="s",
        agent_name="x",
        effort="max",
        phase=2,
        milestone=1,
        task_id="T1",
        wave=1,
        input_tokens=1,
        output_tokens=1,
        cache_read_tokens=1,
        cache_creation_tokens=1,
        tool_calls_count=0,
        files_changed=["src/a.ts"],
        commit_sha="a3f5e1c",
        verifier_score=5,
        verification_result="pass",
        failure_class="quota",
        cost_usd=0.02,
        effect_key="implement/T1/attempt-1",
    )
    assert check(whole).violations == ()


def test_there_are_ten_types_six_statuses_and_sixteen_reasons() -> None:
    assert (len(AgentType), len(AgentStatus), len(FailureReason)) == (10, 6, 16)


@pytest.mark.parametrize(
    "name",
    [
        *("schema_version", "run_id", "skill_invocation_id", "agent_type", "model", "project"),
        *("status", "started_at", "finished_at", "duration_ms"),
    ],
)
def test_each_required_field_is_missed(name: str) -> None:
    found = check(record(**{name: ...}))
    assert not found.ok
    assert [(v.code, v.path, v.line) for v in found.violations] == [("missing-field", "/" + name, 1)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schema_version": 2}, "unknown-value"),
        ({"schema_version": "1"}, "wrong-type"),
        ({"run_id": "run-1"}, "bad-run-id"),
        ({"run_id": ONE + "0"}, "bad-run-id"),
        ({"run_id": "8" + ONE[1:]}, "bad-run-id"),
        ({"run_id": ONE[:-1] + "U"}, "bad-run-id"),
        ({"agent_type": "critic"}, "unknown-value"),
        ({"status": "ok"}, "unknown-value"),
        ({"effort": "extreme"}, "unknown-value"),
        ({"failure_reason": "because"}, "unknown-value"),
        ({"verification_result": "yes"}, "unknown-value"),
        ({"agent_type": "verifier", "verifier_score": 0}, "out-of-range"),
        ({"agent_type": "verifier", "verifier_score": 6}, "out-of-range"),
        ({"status": "failure", "failure_reason": "unknown", "failure_detail": "x" * 501}, "wrong-length"),
        ({"duration_ms": "111000"}, "wrong-type"),
        ({"duration_ms": True}, "wrong-type"),
        ({"model": " "}, "empty-field"),
        ({"input_tokens": -1}, "negative-number"),
        ({"started_at": "2026-04-28"}, "bad-timestamp"),
        ({"started_at": "2026-04-28T14:32:11"}, "bad-timestamp"),
        ({"started_at": "2026-04-28T16:32:11+02:00"}, "bad-timestamp"),
        ({"started_at": "2026-02-30T14:32:11Z"}, "bad-timestamp"),
        ({"started_at": 5}, "wrong-type"),
        ({"finished_at": "2026-04-28T14:32:10Z", "duration_ms": 0}, "finished-before-started"),
        ({"duration_ms": 112_001}, "duration-mismatch"),
        ({"duration_ms": 109_999}, "duration-mismatch"),
        ({"failure_reason": "tests-failed"}, "reason-with-success"),
        ({"verifier_score": 3}, "verifier-field"),
        ({"verification_result": "pass"}, "verifier-field"),
        ({"files_changed": ["/etc/passwd"]}, "path-escape"),
        ({"files_changed": ["src/../../x"]}, "path-escape"),
        ({"files_changed": ["C:\\x"]}, "path-escape"),
        ({"files_changed": [""]}, "path-escape"),
        ({"status": "failure", "failure_reason": "unknown", "log_file": "../x.log"}, "path-escape"),
        ({"commit_sha": "HEAD"}, "bad-commit"),
        ({"retry_of": ONE}, "self-reference"),
        ({"status": "failure"}, "reason-missing"),
        ({"agent_type": "verifier", "verification_result": "fail"}, "reason-missing"),
    ],
)
def test_what_analytics_could_not_rely_on_is_an_error(change: dict[str, object], code: str) -> None:
    found = check(record(**change))
    assert not found.ok
    assert codes(found)[code] is Severity.ERROR


def test_half_a_second_lost_by_rounding_is_tolerated() -> None:
    assert check(record(duration_ms=112_000)).ok
    assert check(record(started_at="2026-04-28T14:32:11.600Z", duration_ms=110_400)).violations == ()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"agent_type": "verifier", "verification_result": "partial"}, "reason-missing"),
        ({"status": "timeout", "log_file": f".planning/agent-runs/{TWO}.log"}, "log-of-another-run"),
        ({"agent_type": "custom"}, "custom-without-name"),
        ({"log_file": ".planning/agent-runs/x.log"}, "log-with-success"),
        ({"files_changed": ["a", "a"]}, "duplicate-file"),
        ({"parent_run_id": ONE + "0"}, "bad-reference"),
        ({"parent_run_id": TWO}, "unknown-reference"),
        ({"retry_of": TWO}, "unknown-reference"),
        ({"lane": 3}, "unknown-field"),
        ({"prompt_tokens": 3}, "unknown-field"),
        ({"exit_code": 3}, "unknown-field"),
        ({"input": 3}, "unknown-field"),
        ({"usage": {"input": 12, "output": 5, "prompt_tokens": 3, "text": ""}}, "unknown-field"),
    ],
)
def test_what_is_only_odd_is_a_warning(change: dict[str, object], code: str) -> None:
    found = check(record(**change))
    assert found.ok
    assert codes(found) == {code: Severity.WARNING}


# --- status, result and reason ---


def test_a_verifier_that_ran_cleanly_succeeded_though_the_code_failed() -> None:
    found = check(verifier(verification_result="fail", failure_reason="verification-criteria-unmet"))
    assert found.violations == ()
    found = check(verifier(verification_result="partial", failure_reason="verification-execution-error"))
    assert found.violations == ()


def test_the_same_as_a_failure_is_read_with_a_warning() -> None:
    """Older ledgers hold it so."""
    found = check(
        verifier(status="failure", verification_result="fail", failure_reason="verification-criteria-unmet")
    )
    assert found.ok
    assert codes(found) == {"verifier-status": Severity.WARNING}


def test_a_pass_has_no_reason_to_have_failed() -> None:
    found = check(verifier(status="failure", verification_result="pass", failure_reason="tests-failed"))
    assert codes(found) == {"reason-with-pass": Severity.ERROR}


def test_a_result_without_its_reason_or_with_another_is_noticed() -> None:
    assert codes(check(verifier(verification_result="fail"))) == {"reason-missing": Severity.ERROR}
    assert codes(check(verifier(verification_result="partial"))) == {"reason-missing": Severity.WARNING}
    mixed = verifier(verification_result="partial", failure_reason="verification-criteria-unmet")
    assert codes(check(mixed)) == {"reason-mismatch": Severity.WARNING}


@pytest.mark.parametrize("path", [f".planning/agent-runs/{ONE}.log", f"logs/{ONE.lower()}/all.txt"])
def test_a_log_is_known_by_the_id_of_its_run(path: str) -> None:
    assert check(record(status="timeout", log_file=path)).violations == ()


# --- privacy ---


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prompt", "Add a total"),
        ("userPrompt", "Add a total"),
        ("llm_response", "Done"),
        ("stdout", "1 passed"),
        ("command_output", "1 passed"),
        ("git-diff", "x"),
        ("fileContents", {"a": "b"}),
        ("messages", [{"role": "user"}]),
        ("notes", "x" * 501),
        ("notes", ["x" * 300, {"more": "x" * 300}]),
        ("notes", "diff --git a/x b/x"),
        ("notes", SECRET),
        ("failure_detail", "@@ -1,2 +1,2 @@\n-a\n+b"),
        ("failure_detail", f"could not push with {SECRET}"),
        ("agent_name", "x" * 501),
        ("input", "Add a total"),
        ("messages", ["Add a total"]),
        ("extra", {"prompt": "Add a total"}),
        ("extra", [{"deeper": {"llmResponse": ["Done"]}}]),
        ("extra", {"notes": ["diff --git a/x b/x"]}),
        ("extra", {"notes": {"why": SECRET}}),
        ("extra", {"x" * 501: 1}),
        ("cost_usd", {"prompt": "Add a total"}),
        ("effect_key", SECRET),
    ],
)
def test_content_is_private(name: str, value: object) -> None:
    """A ledger travels with the repository; what users typed must not."""
    found = check(record(status="failure", failure_reason="unknown", **{name: value}))
    assert not found.ok
    assert codes(found)["private-content"] is Severity.ERROR


# --- lines and references ---


def test_a_parent_ends_after_its_children() -> None:
    child = record(run_id=TWO, parent_run_id=ONE)
    assert check(child, record()).violations == ()
    assert check(record(), child).violations == ()


def test_two_records_of_one_run_are_noticed_on_the_second() -> None:
    found = check(record(), record(run_id=TWO), record(run_id=ONE.lower()))
    assert [(v.code, v.line) for v in found.violations] == [("duplicate-run-id", 3)]


def test_every_bad_line_is_named_and_the_others_are_still_judged() -> None:
    good = json.dumps(record()).encode()
    data = b"\n".join((b"not json", good, b"", b"[1]", b'{"a":1,"a":2}', b"\xff", good[:40]))
    found = check_ledger([data])
    assert (found.ok, found.is_readable, found.records) == (False, True, 1)
    assert [(v.line, v.code) for v in found.violations] == [
        (1, "not-json"),
        (3, "blank-line"),
        (4, "not-an-object"),
        (5, "duplicate-key"),
        (6, "not-utf8"),
        (7, "torn-line"),
    ]


def test_a_last_line_without_its_newline_is_read_and_noticed() -> None:
    found = check_ledger([json.dumps(record()).encode()])
    assert (found.ok, found.records, codes(found)) == (True, 1, {"no-newline": Severity.WARNING})


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (b'{"a":1,"a":2}', "duplicate-key"),
        (b'{"a":NaN}', "not-json"),
        (b"[1]", "not-an-object"),
        (b'{"a":"\xff"}', "not-utf8"),
        (b'{"a":', "torn-line"),
        (b'{"a":"\xc3', "torn-line"),
    ],
)
def test_only_a_last_line_that_breaks_off_is_torn(last: bytes, code: str) -> None:
    """The others are whole, and somebody wrote them so."""
    found = check_ledger([json.dumps(record()).encode() + b"\n" + last])
    assert [(v.line, v.code) for v in found.violations] == [(2, code)]


@pytest.mark.parametrize("data", [b"\n", b"\n\n \t\r\n", b"  ", b"\xef\xbb\xbf\n"])
def test_blank_lines_are_no_more_a_ledger_than_nothing(data: bytes) -> None:
    found = check_ledger([data])
    assert (found.ok, found.is_readable, found.records) == (False, True, 0)
    assert codes(found)["empty-ledger"] is Severity.ERROR


def test_a_byte_order_mark_is_read_over_and_noticed() -> None:
    good = b"\xef\xbb\xbf" + json.dumps(record()).encode() + b"\n"
    found = check_ledger([good])
    assert (found.ok, found.records, codes(found)) == (True, 1, {"byte-order-mark": Severity.WARNING})
    assert [(v.line, v.code) for v in check_ledger([good, good]).violations] == [
        (1, "byte-order-mark"),
        (2, "not-json"),
    ]


def test_nothing_is_no_valid_ledger() -> None:
    found = check_ledger([])
    assert (found.ok, found.is_readable, codes(found)) == (False, True, {"empty-ledger": Severity.ERROR})
    assert not check_ledger([b"binary \x00 rubbish\n"]).is_readable


def test_a_line_that_is_too_long_is_said_aloud_and_not_read() -> None:
    long = json.dumps(record(files_changed=["x" * 50] * 2_000)).encode()
    assert len(long) > MAX_LINE
    found = check_ledger([long + b"\n" + json.dumps(record()).encode() + b"\n"])
    assert [(v.line, v.code) for v in found.violations] == [(1, "line-too-long")]
    assert found.records == 1


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_no_bytes_crash_it(chunks: list[bytes]) -> None:
    check_ledger(chunks)


@given(
    st.dictionaries(
        st.sampled_from((*LedgerRecord.__struct_fields__, "prompt", "x")),
        ANY_JSON | st.sampled_from([*AgentType, *AgentStatus, *Result, *FailureReason, ONE, TWO, 1, -1]),
        max_size=6,
    )
)
def test_no_record_crashes_it_and_a_broken_one_is_never_valid(changes: dict[str, object]) -> None:
    found = check({**record(), **changes})
    assert found.ok is not any(v.severity is Severity.ERROR for v in found.violations)
