"""What to do next with an audit: an answer for every log and all files, and an end to following it."""

import itertools

import pytest
from audit_bench import (
    BUG_LIST,
    CODE_ONLY,
    COUNTS,
    END,
    INDEX,
    NO_DOCS,
    PHASES,
    PRODUCTS,
    RUN,
    START,
    Files,
    Record,
    as_log,
    complete,
    failure,
    phase,
    phase_end,
    phase_start,
    valid_runs,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.audits.audit_phases import BUGS, count_bugs, is_done
from signoff.audits.audit_resume import FRESH, Action, ResumeDecision, next_step
from signoff.judges.journal.journal_check import check_audit, check_journal

TERMINAL = {Action.COMPLETE, Action.ABORTED, Action.INVALID_LOG}
HEAD = [INDEX, START]


def decide(log: bytes | list[Record], files: Files) -> ResumeDecision:
    data = log if isinstance(log, bytes) else as_log(log)
    check, audit = check_audit([data])
    return next_step(check, audit, lambda phase: is_done(phase, files), lambda: count_bugs(files))


def done_up_to(phase: int) -> Files:
    return Files({path: text for n in range(1, phase + 1) for path, text in PRODUCTS[n].items()})


@pytest.mark.parametrize(
    ("records", "files", "action", "number"),
    [
        ([INDEX], Files(), Action.FRESH, 1),
        (HEAD, Files(), Action.START_PHASE, 1),
        ([*HEAD, CODE_ONLY], Files(), Action.START_PHASE, 1),
        ([*HEAD, phase_start(1)], Files(), Action.RERUN_PHASE, 1),
        ([*HEAD, phase_start(1)], done_up_to(1), Action.APPEND_PHASE_END, 1),
        ([*HEAD, phase_start(1), failure(1)], done_up_to(1), Action.APPEND_PHASE_END, 1),
        ([*HEAD, *phase(1)], done_up_to(1), Action.START_PHASE, 2),
        ([*HEAD, *phase(1)], Files(), Action.RERUN_PHASE, 1),
        ([*HEAD, *phase(1), phase_start(2)], done_up_to(1), Action.RERUN_PHASE, 2),
        ([*HEAD, *PHASES[:8], phase_start(5)], done_up_to(3), Action.RERUN_PHASE, 4),
        ([*HEAD, *PHASES[:8], phase_start(5)], done_up_to(4), Action.RERUN_PHASE, 5),
        ([*HEAD, *PHASES], complete(), Action.APPEND_RUN_END, None),
        ([*HEAD, *PHASES], done_up_to(5), Action.RERUN_PHASE, 6),
        (RUN, complete(), Action.COMPLETE, None),
        (RUN, done_up_to(3), Action.RERUN_PHASE, 4),
        ([*HEAD, NO_DOCS], Files(), Action.ABORTED, None),
        ([*HEAD, *phase(1), phase_start(2), failure(2, recoverable=False)], complete(), Action.ABORTED, 2),
        ([*HEAD, {**END, "status": "failed"}], Files(), Action.ABORTED, None),
        ([*HEAD, {**END, "status": "aborted"}], Files(), Action.ABORTED, None),
        ([*HEAD, END], complete(), Action.INVALID_LOG, None),
        ([*HEAD, phase_start(2)], complete(), Action.INVALID_LOG, None),
        ([INDEX, phase_start(1)], complete(), Action.INVALID_LOG, None),
        ([{"event": "_index", "flow": "deliver"}], complete(), Action.INVALID_LOG, None),
    ],
)
def test_each_situation_has_its_answer(
    records: list[Record], files: Files, action: Action, number: int | None
) -> None:
    assert decide(records, files)[:2] == (action, number)


def test_phase_5_of_an_audit_without_bugs_is_done_once_it_has_started() -> None:
    files = Files({**done_up_to(4), BUGS: "No confirmed bugs\n"})

    assert decide([*HEAD, *PHASES[:8], phase_start(5)], files)[:2] == (Action.APPEND_PHASE_END, 5)


def test_a_bug_list_of_another_length_makes_phase_6_due_again() -> None:
    files = Files({**complete(), BUGS: BUG_LIST.replace("### BUG-002", "## BUG-002")})

    assert decide([*HEAD, *PHASES], files)[:2] == (Action.RERUN_PHASE, 6)


def test_a_torn_last_line_is_no_reason_to_give_up() -> None:
    log = as_log([*HEAD, *phase(1)])

    assert decide(log + b'{"ts":"2026-', done_up_to(1))[:2] == (Action.START_PHASE, 2)
    assert decide(log + b"garbage\n", done_up_to(1)).action is Action.INVALID_LOG


@pytest.mark.parametrize("log", [b"", b"{}\n", b"\xff\n", b"[]"])
def test_a_log_that_is_none_is_invalid(log: bytes) -> None:
    assert decide(log, complete()).action is Action.INVALID_LOG


def follow(log: list[Record], files: Files) -> list[ResumeDecision]:
    """Do what is decided, as an honest runner would, until there is nothing left to do."""
    taken: list[ResumeDecision] = []
    for _ in range(40):
        decision = decide(log, files) if log else FRESH
        taken.append(decision)
        number = decision.phase or 0
        match decision.action:
            case Action.FRESH:
                log = [INDEX, START, phase_start(1)]
                files.update(PRODUCTS[1])
            case Action.START_PHASE:
                log = [*log, phase_start(number)]
                files.update(PRODUCTS[number])
            case Action.RERUN_PHASE if log[-1]["event"] == "run_end":
                log = [INDEX, START]  # what has its end is continued in a log of its own
            case Action.RERUN_PHASE:
                log = [*log, failure(number), phase_start(number)]
                files.update(PRODUCTS[number])
            case Action.APPEND_PHASE_END:
                counts = {**COUNTS[6], "bugs_md_count": count_bugs(files)} if number == 6 else COUNTS[number]
                log = [*log, phase_end(number, key_counts=counts)]
            case Action.APPEND_RUN_END:
                log = [*log, END]
            case _:
                return taken
        errors = [fault for fault in check_journal([as_log(log)]).violations if fault.severity == "error"]
        assert errors == []
    raise AssertionError(f"no end: {[decision[:2] for decision in taken[-6:]]}")


SUBSETS = [
    Files({path: text for n in chosen for path, text in PRODUCTS[n].items()})
    for size in range(7)
    for chosen in itertools.combinations(range(1, 7), size)
]


@pytest.mark.parametrize("length", range(len(RUN) + 1))
def test_following_the_answers_from_any_prefix_and_any_files_comes_to_completion(length: int) -> None:
    for files in SUBSETS:
        assert follow(RUN[:length], Files(files))[-1].action is Action.COMPLETE


@given(valid_runs(), st.data(), st.sampled_from(SUBSETS))
@settings(max_examples=150, deadline=None)
def test_following_them_from_a_run_that_tried_phases_again_does_too(
    run: list[Record], data: st.DataObject, files: Files
) -> None:
    length = data.draw(st.integers(0, len(run)))

    assert follow(run[:length], Files(files))[-1].action is Action.COMPLETE


@given(
    st.lists(st.sampled_from([*RUN, failure(1), failure(None, recoverable=False), NO_DOCS]), max_size=14),
    st.sampled_from(SUBSETS),
)
@settings(max_examples=200, deadline=None)
def test_every_log_has_an_answer_that_ends_or_names_its_phase(records: list[Record], files: Files) -> None:
    decision = decide([INDEX, *records], files)

    assert decision.reason
    assert decision.action in TERMINAL | {Action.APPEND_RUN_END} or decision.phase in range(1, 7)
