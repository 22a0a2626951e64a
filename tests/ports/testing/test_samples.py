"""The bundled sample: the same repository everywhere, and cassettes that fit it."""

import json
import os
import sys
from pathlib import Path

import msgspec
import pytest

from signoff.contracts.files.contract_file_check import judge_contract
from signoff.domain.base.violations import Severity
from signoff.domain.run.cassettes import Cassette, CassetteEntry
from signoff.domain.run.directives import Answer, QuestionAsked
from signoff.host.processes.process_door import ask
from signoff.testing.samples import demo_cassette, lay_out_sample, lie_cassette, lie_names, ticket
from signoff.text.json.decode import decode

ENV = {"PATH": os.environ["PATH"]}
LIES = (
    "declared-conftest",
    "deleted-test",
    "false-done",
    "green-new-test",
    "hidden-file",
    "loosened-assert",
    "loosened-pytest",
    "loosened-settings",
    "no-change",
    "skipped-test",
    "vacuous-plan",
    "wrote-state",
)
CASSETTES = [pytest.param(demo_cassette(), id="demo")]
CASSETTES += [pytest.param(lie_cassette(name), id=name) for name in LIES]


def parsed(data: bytes) -> Cassette:
    decoded = decode(data, Cassette)
    assert decoded.violations == ()
    assert decoded.value is not None
    return decoded.value


def answer(entry: CassetteEntry) -> Answer:
    found: Answer = msgspec.json.decode(entry.answer, type=Answer)
    return found


def test_the_repository_is_the_same_commit_everywhere(tmp_path: Path) -> None:
    one, other = (lay_out_sample(str(tmp_path / name), ENV) for name in ("one", "other"))

    assert one == other
    status = ask(("git", "status", "--porcelain"), cwd=str(tmp_path / "one"), env=ENV)
    assert (status.exit_code, status.stdout) == (0, b"")


def test_the_projects_own_tests_pass(tmp_path: Path) -> None:
    lay_out_sample(str(tmp_path), ENV)

    said = ask((sys.executable, "-B", "-m", "pytest", "-q"), cwd=str(tmp_path), env=ENV)

    assert b"4 passed" in said.stdout


def test_the_ticket_names_its_id_and_its_criteria() -> None:
    text = ticket().decode()

    assert text.startswith("# SHOP-12: ")
    assert "## Acceptance criteria" in text


def test_every_lie_is_there() -> None:
    assert lie_names() == LIES


@pytest.mark.parametrize("data", CASSETTES)
def test_every_contract_keeps_the_rules_so_that_only_the_lie_is_wrong(data: bytes) -> None:
    answers = [json.loads(bytes(entry.answer)) for entry in parsed(data).entries]
    found = [judge_contract(json.dumps(a["contract"]).encode()) for a in answers if "contract" in a]

    assert found
    assert [v for judged in found for v in judged.violations if v.severity is Severity.ERROR] == []


@pytest.mark.parametrize("data", CASSETTES)
def test_every_patch_applies_where_the_flow_will_apply_it(tmp_path: Path, data: bytes) -> None:
    lay_out_sample(str(tmp_path), ENV)
    for entry in parsed(data).entries:
        if not entry.patch:
            continue
        args = ("git", "apply", "--verbose", "-")
        applied = ask(args, cwd=str(tmp_path), env=ENV, stdin=entry.patch.encode())
        if applied.exit_code != 0:  # an attempt that was thrown away: the next one starts from the base
            for undo in (("git", "checkout", "-q", "."), ("git", "clean", "-fdq")):
                assert ask(undo, cwd=str(tmp_path), env=ENV).exit_code == 0
            applied = ask(args, cwd=str(tmp_path), env=ENV, stdin=entry.patch.encode())
        assert applied.exit_code == 0, applied.stderr.decode()


def test_the_demo_asks_a_question_and_knows_the_answer() -> None:
    cassette = parsed(demo_cassette())
    asked = [str(entry.key) for entry in cassette.entries if isinstance(answer(entry), QuestionAsked)]

    assert asked == [str(given.halt) for given in cassette.answers]
