"""The rules of a contract: its eleven own, all of them at once, and nothing that makes them stumble."""

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from contract_bench import GREP, RUN, Found, contract, document, found, task, warned, with_check
from hypothesis import given, settings
from json_shapes import WORDS, as_json, json_of

from signoff.contracts.clauses.contract_clauses import all_clauses, contract_clauses
from signoff.contracts.files.document_files import read_contract
from signoff.contracts.rules.contract_parts import clauses, gates
from signoff.contracts.rules.format_rules import RULES, ContractCode, check_contract
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.domain.run.directives import Facts
from signoff.domain.work.contract import Contract, ContractPolicy
from signoff.domain.work.strategies import Strategy
from signoff.text.json.violation_list import MAX_VIOLATIONS, MORE_VIOLATIONS


def test_the_formats_own_example_breaks_no_rule() -> None:
    evidence = [
        {
            "path": "src/app/(auth)/signin/page.tsx",
            "matcher": "redirect\\(['\"]/dashboard",
            "description": "d",
        }
    ]
    first = task(
        1,
        files_modify=["src/lib/auth.ts"],
        files_create=["src/lib/auth-schema.ts"],
        files_delete=[],
        acceptance_criteria=["POST /api/auth/signin returns 200 with valid creds"],
        context_files=["src/lib/supabase/server.ts"],
        verification=[
            {"type": "file-exists", "path": "src/lib/auth-schema.ts", "must_contain": "z.object"},
            {"type": "command-exit", "command": "npx", "args": ["tsc", "--noEmit"], "expected_exit": 0},
        ],
    )
    second = task(
        2,
        depends_on=["T1"],
        files_modify=["src/app/(auth)/signin/page.tsx"],
        verification=[{"type": "behavioral", "description": "redirects", "evidence_required": evidence}],
    )

    plan = document(first, second, success_criteria=["User can sign in"])
    for name in ("non_goals", "stop_conditions", "definition_of_done", "assumptions", "out_of_scope"):
        del plan[name]
    subject = msgspec.convert({**plan, "ambiguity_score": None}, Contract)

    assert check_contract(subject, ContractPolicy.SEED) == ()


SEED_RULES: list[tuple[Contract, list[Found]]] = [
    (contract(task(1), task(2, id="T1")), [("duplicate-task-id", 1, "/tasks/1/id")]),
    (contract(task(1, id="t1")), [("bad-task-id", 2, "/tasks/0/id")]),
    (contract(task(1, id="T1\n")), [("bad-task-id", 2, "/tasks/0/id")]),
    (contract(task(1, id="T\N{ARABIC-INDIC DIGIT ONE}")), [("bad-task-id", 2, "/tasks/0/id")]),
    (
        contract(task(1), task(2, depends_on=["T1", "T9"])),
        [("unknown-dependency", 3, "/tasks/1/depends_on/1")],
    ),
    (
        contract(task(1, depends_on=["T1"])),
        [("dependency-cycle", 4, "/tasks/0/depends_on/0"), ("wave-order", 5, "/tasks/0/wave")],
    ),
    (
        contract(task(1, depends_on=["T2"]), task(2, depends_on=["T1"])),
        [("dependency-cycle", 4, "/tasks/1/depends_on/0"), ("wave-order", 5, "/tasks/0/wave")],
    ),
    (contract(task(1), task(2, depends_on=["T1"], wave=1)), [("wave-order", 5, "/tasks/1/wave")]),
    (contract(task(1, verification=[])), [("no-verification", 6, "/tasks/0/verification")]),
    (
        contract(task(1, files_modify=["a", "b"], files_create=["./b"], files_delete=["a"])),
        [
            ("file-listed-twice", 7, "/tasks/0/files_create/0"),
            ("file-listed-twice", 7, "/tasks/0/files_delete/0"),
        ],
    ),
    (contract(success_criteria=[]), [("no-success-criteria", 9, "/success_criteria")]),
    (contract(task(1, action="é" * 501)), [("action-too-long", 10, "/tasks/0/action")]),
]


@pytest.mark.parametrize(("subject", "expected"), SEED_RULES)
def test_a_broken_rule_of_the_format_has_its_number_and_place(
    subject: Contract, expected: list[Found]
) -> None:
    assert found(subject, ContractPolicy.SEED) == expected
    assert found(subject) == expected


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "a|b",
        "a && b",
        "a;b",
        "x>y",
        "$(id)",
        "`id`",
        "a\nb",
        "'a'",
        '"a"',
        "a*",
        "~/x",
        "a\\b",
        "",
        "\0",
    ],
)
def test_rule_8_takes_no_shell_syntax_in_a_command(command: str) -> None:
    assert found(with_check(**{**RUN, "command": command})) == [
        ("shell-syntax", 8, "/tasks/0/verification/0/command")
    ]


@pytest.mark.parametrize(
    "command", ["pytest", "./scripts/check.sh", "/usr/bin/python3.11", "g++", "node_modules/.bin/tsc"]
)
def test_rule_8_takes_the_name_of_any_program(command: str) -> None:
    assert found(with_check(**{**RUN, "command": command, "args": ["-k", "a && b | $c"]})) == []


def test_rule_8_takes_no_nul_in_a_word() -> None:
    assert found(with_check(**{**RUN, "args": ["a", "\0"]})) == [
        ("shell-syntax", 8, "/tasks/0/verification/0/args/1")
    ]


def test_an_action_of_exactly_500_code_points_is_short_enough() -> None:
    assert found(contract(task(1, action="😀" * 500))) == []


def test_rule_11_asks_for_a_path_inside_and_a_regex() -> None:
    evidence = [
        {"path": "/etc/passwd", "description": "d"},
        {"path": "a/../../b", "matcher": "ok", "description": "d"},
        {"path": "a.py", "matcher": "(", "description": "d"},
    ]
    subject = with_check(type="behavioral", description="d", evidence_required=evidence)

    place = "/tasks/0/verification/0/evidence_required"
    assert found(subject) == [
        ("evidence-path", 11, f"{place}/0/path"),
        ("evidence-path", 11, f"{place}/1/path"),
        ("evidence-matcher", 11, f"{place}/2/matcher"),
    ]


def test_all_violations_come_at_once_in_the_order_of_the_rules() -> None:
    subject = contract(
        task(1, verification=[], action="x" * 501, files_create=["src/1.py"]),
        task(2, id="T1", depends_on=["T7"], context_files=["/x"]),
        success_criteria=[],
        ambiguity_score=9,
    )

    assert [(code, rule) for code, rule, _ in found(subject)] == [
        ("duplicate-task-id", 1),
        ("unknown-dependency", 3),
        ("no-verification", 6),
        ("file-listed-twice", 7),
        ("no-success-criteria", 9),
        ("action-too-long", 10),
        ("path-escape", None),
        ("too-ambiguous", None),
    ]


def test_a_cycle_is_shown_from_where_it_starts() -> None:
    subject = contract(
        *(task(n, depends_on=[f"T{n % 3 + 1}"]) for n in (1, 2, 3)), task(4, depends_on=["T1"])
    )

    [cycle] = [v for v in check_contract(subject) if v.rule == 4]

    assert cycle.message == 'a cycle: "T1" → "T2" → "T3" → "T1"'
    assert cycle.path == "/tasks/2/depends_on/0"


def test_a_cycle_is_found_by_whoever_leads_into_it() -> None:
    subject = contract(task(1, depends_on=["T2"]), task(2, depends_on=["T3"]), task(3, depends_on=["T2"]))

    assert [v.path for v in check_contract(subject) if v.rule == 4] == ["/tasks/2/depends_on/0"]


def test_dependencies_may_meet_again_without_a_cycle() -> None:
    diamond = [
        task(1),
        task(2, depends_on=["T1"]),
        task(3, depends_on=["T1"]),
        task(4, depends_on=["T2", "T3"]),
    ]

    assert found(contract(*diamond)) == []


def test_the_ids_the_rules_know_are_those_that_are_judged() -> None:
    subject = contract(
        task(1, verification=[GREP, {**RUN, "id": "own"}], acceptance_criteria=["a", "b"]),
        task(2, acceptance_criteria=["c"]),
        success_criteria=["s", {"id": "C1", "description": "d"}],
        non_goals=["n", {"id": "N1", "description": "d"}],
        stop_conditions=["x", {"id": "S1", "description": "d"}],
    )
    commands = {"build": ("make",), "lint": ("ruff",), "test": ("pytest",)}
    facts = Facts(commands={**commands}, strategies=(Strategy(name="typecheck", argv=("mypy",)),))

    assert {clause.id for clause in clauses(subject)} == {clause.id for clause in contract_clauses(subject)}
    assert {*gates(), *(c.id for c in clauses(subject))} == {c.id for c in all_clauses(subject, facts)}


def test_a_rule_that_is_ours_is_none_of_the_formats() -> None:
    """A file that is valid for its own tools stays valid, however we would have written it."""
    subject = contract(
        task(
            1, files_modify=["../up", "**"], context_files=["/etc"], verification=[{**GREP, "pattern": "("}]
        ),
        task(2, wave=1, files_modify=["../UP"]),
        goal="",
        success_criteria=["works correctly"],
        non_goals=["none"],
        stop_conditions=["when done"],
        definition_of_done="",
        ambiguity_score=9,
    )

    assert found(subject, ContractPolicy.SEED) == []
    assert len(found(subject)) > 10


def test_under_the_formats_own_rules_a_contract_may_be_without_tasks() -> None:
    subject = msgspec.structs.replace(contract(), tasks=())

    assert check_contract(subject, ContractPolicy.SEED) == ()


@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-31T09:00:00Z",
        "2026-01-31T09:00:00+00:00",
        "2026-01-31T09:00Z",
        "2024-02-29T23:59:59.123456789Z",
    ],
)
def test_a_moment_in_utc_is_one(moment: str) -> None:
    assert found(contract(generated_at=moment), ContractPolicy.SEED) == []


@pytest.mark.parametrize(
    "moment",
    [
        "",
        "now",
        "2026-01-31",
        "2026-01-31T09:00:00",
        "2026-01-31 09:00:00Z",
        "2026-01-31T09:00:00+02:00",
        "2026-02-30T09:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T09:00:00Z\n",
        "٢٠٢٦-01-31T09:00:00Z",
        "2026-01-31T09:00:00.٢Z",
    ],
)
def test_a_day_alone_or_another_zone_or_no_moment_at_all_is_refused(moment: str) -> None:
    for policy in ContractPolicy:
        assert found(contract(generated_at=moment), policy) == [("bad-timestamp", None, "/generated_at")]


def test_the_persona_data_is_taken_with_a_warning() -> None:
    subject = contract(task(1, persona="data"), task(2, persona="backend"))

    for policy in ContractPolicy:
        assert found(subject, policy) == []
        assert warned(subject, policy) == [("persona-data", "/tasks/0/persona")]


def test_every_rule_is_named_once() -> None:
    for rules in RULES.values():
        assert len(set(rules)) == len(rules)


def large(count: int) -> list[dict[str, object]]:
    return [
        task(
            n,
            wave=n,
            depends_on=[f"T{n - 1}"] if n > 1 else [],
            files_modify=[f"src/pkg{n}/mod{i}.py" for i in range(5)],
            acceptance_criteria=["The command prints its total and exits with 0"] * 3,
            verification=[
                {**GREP, "pattern": rf"def f{n}\("},
                RUN,
                {"type": "file-exists", "path": f"src/{n}.py"},
                {"type": "tests", "select": [f"tests/test_{n}.py::test_a", f"tests/test_{n}.py::test_b"]},
            ],
        )
        for n in range(1, count + 1)
    ]


def fastest(do: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(3):
        start = time.process_time()
        do()
        times.append(time.process_time() - start)
    return min(times)


def test_a_thousand_tasks_in_a_chain_are_checked_in_no_time() -> None:
    subject = contract(*large(1_000))

    assert check_contract(subject) == ()
    assert fastest(lambda: check_contract(subject)) < 0.2


def test_an_ordinary_contract_is_read_and_checked_between_two_keystrokes() -> None:
    data = as_json(document(*large(3)))

    def read_and_check() -> None:
        read = read_contract(data)
        assert isinstance(read.value, Contract)
        assert check_contract(read.value, given=read.raw) == ()

    assert 2_500 < len(data) < 4_000
    assert fastest(read_and_check) < 0.005


def test_a_thousand_tasks_that_all_depend_on_each_other_are_too() -> None:
    names = [f"T{n}" for n in range(1, 1_001)]
    subject = contract(*({**one, "depends_on": names} for one in large(1_000)))

    start = time.process_time()

    assert len(check_contract(subject)) == MAX_VIOLATIONS + 1
    assert time.process_time() - start < 2


@settings(deadline=None)
@given(json_of(Contract, WORDS))
def test_no_contract_makes_the_rules_stumble(shape: Any) -> None:
    known = {*ContractCode, *PrecisionCode, MORE_VIOLATIONS}
    subject = msgspec.convert(shape, Contract)
    lenient = check_contract(subject, ContractPolicy.SEED)
    strict = check_contract(subject, ContractPolicy.STRICT, given=shape)

    assert set(lenient) <= set(strict)
    for violation in strict:
        assert violation.code in known
        assert violation.rule is None or 1 <= violation.rule <= 11
        assert _is_there(shape, violation.path)


def _is_there(document: Any, pointer: str) -> bool:
    """Follow a pointer; its last step may name a field that was left out."""
    *steps, last = pointer.split("/")[1:]
    for step in steps:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return int(last) < len(document) if isinstance(document, list) else isinstance(document, dict)
