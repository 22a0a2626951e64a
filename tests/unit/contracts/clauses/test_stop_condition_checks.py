"""Stop conditions read from their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.contracts.clauses.stop_condition_checks import COMMAND_TIMEOUT_MS, Leaning, read_stop_condition
from signoff.domain.work.checks import CommandExit, FileExists


def command(*argv: str) -> CommandExit:
    return CommandExit(
        command=argv[0], args=argv[1:], expected_exit=0, timeout_ms=COMMAND_TIMEOUT_MS, guard=True
    )


def file(path: str) -> FileExists:
    return FileExists(path=path, guard=True)


UNDERSTOOD = {
    "`npm test` passes": command("npm", "test"),
    "`npm test` exits with 0": command("npm", "test"),
    "When `npm test` succeeds, the work is done.": command("npm", "test"),
    "`pytest -k 'one or two'` is green": command("pytest", "-k", "one or two"),
    "`./scripts/verify.sh` exits 0": command("./scripts/verify.sh"),
    "`make check` exits with code 0": command("make", "check"),
    "`bash scripts/verify.sh` passes": command("bash", "scripts/verify.sh"),
    "`python -m pytest -c pytest.ini` passes": command("python", "-m", "pytest", "-c", "pytest.ini"),
    "`python scripts/verify.py -c 3` passes": command("python", "scripts/verify.py", "-c", "3"),
    "`node test.js -e 3` passes": command("node", "test.js", "-e", "3"),
    "`npx jest -c jest.json` passes": command("npx", "jest", "-c", "jest.json"),
    "`uv run pytest` passes": command("uv", "run", "pytest"),
    "`script/test` passes": command("script/test"),
    "`pytest -v` passes": command("pytest", "-v"),
    "`deno test` passes": command("deno", "test"),
    "`docs/x.md` exists": file("docs/x.md"),
    "The file docs/x.md exists": file("docs/x.md"),
    "All criteria are met": Leaning.CRITERIA,
    "All required success criteria pass evaluation": Leaning.CRITERIA,
    "Every required criterion is proven": Leaning.CRITERIA,
    "All tests pass": Leaning.TESTS,
    "The whole test suite passes, with the new tests in it": Leaning.TESTS,
    "The test suite passes with the new tests in it": Leaning.TESTS,
    "When the test suite is green, then the work is finished": Leaning.TESTS,
    "The build passes": Leaning.BUILD,
    "The build succeeds.": Leaning.BUILD,
    "Lint passes": Leaning.LINT,
    "The linter is clean": Leaning.LINT,
    "Every check passes": Leaning.CHECKS,
    "All checks of the contract pass": Leaning.CHECKS,
}

NOT_UNDERSTOOD = [
    "",
    "When done",
    "The work is done",
    "It works",
    "`npm test` fails",
    "`npm test` passes twice",
    "`npm test` passes on Windows",
    "`npm test` passes, or the flaky test is skipped",
    "`npm test` exits with 1",
    "`npm test` does not pass",
    "`npm test && npm run lint` passes",
    "`npm test | tee log` passes",
    "`CI=1 npm test` passes",
    "`cd app` passes",
    "`echo done` passes",
    "`true` passes",
    "`/usr/bin/true` passes",
    "`false` passes",
    "`sh -c true` passes",
    "`bash -lc 'npm test'` passes",
    "`bash` passes",
    "`bin/sh -c true` passes",
    "`env true` passes",
    "`env npm test` passes",
    "`sudo npm test` passes",
    "`time npm test` passes",
    "`nohup npm test` passes",
    "`timeout 5 true` passes",
    "`xargs npm test` passes",
    "`python -c pass` passes",
    "`python3.12 -Ic pass` passes",
    "`python -W error -c pass` passes",
    "`python` passes",
    "`.venv/bin/python -c pass` passes",
    "`node -e 1` passes",
    "`node --eval=1` passes",
    "`node -r ./setup.js -p 1` passes",
    "`perl -ne 1` passes",
    "`ruby -e 1` passes",
    "`php -r 1` passes",
    "`deno eval 1` passes",
    "`ls` passes",
    "`ls src` passes",
    "`cat x` passes",
    "`pwd` passes",
    "`date` passes",
    "`sleep 1` passes",
    "`:` passes",
    "`echo ok` passes",
    "`printf ok` passes",
    "`npx true` passes",
    "`npx -y bash -c true` passes",
    "`uv run python -c pass` passes",
    "`poetry run true` passes",
    "`npm exec -- true` passes",
    "`npm --version` passes",
    "`pytest --help` passes",
    "`../outside.sh` passes",
    "`src/[ab].py` exists",
    "`suite.py` passes",
    "`` passes",
    "npm test passes",
    "`npm test` and `npm run lint` pass",
    "`docs/*.md` exists",
    "`docs/` exists",
    "`docs/x.md` exists and is complete",
    "`../x.md` exists",
    "`greeting` exists",
    "Most tests pass",
    "All tests pass except the slow ones",
    "All tests of the shop pass",
    "All criteria are met or waived",
    "All optional criteria are met",
    "The build passes on CI",
    "Somebody approved it",
    "A person has looked at the page",
]


@pytest.mark.parametrize("sentence", UNDERSTOOD)
def test_a_sentence_that_is_understood_whole_says_what_shows_it(sentence: str) -> None:
    assert read_stop_condition(sentence) == UNDERSTOOD[sentence]


@pytest.mark.parametrize("sentence", NOT_UNDERSTOOD)
def test_a_sentence_with_anything_else_in_it_is_shown_by_nothing(sentence: str) -> None:
    assert read_stop_condition(sentence) is None


@given(st.text())
def test_no_text_is_too_odd_to_be_looked_at(text: str) -> None:
    read_stop_condition(text)


@given(st.text(alphabet=st.characters(exclude_characters="`")))
def test_no_command_is_too_odd_to_be_looked_at(text: str) -> None:
    read_stop_condition(f"`{text}` passes")


@given(st.sampled_from(list(UNDERSTOOD)), st.text(min_size=1))
def test_a_further_clause_never_changes_what_shows_it(sentence: str, trail: str) -> None:
    """A condition that was cut off would let the work end too early."""
    assert read_stop_condition(f"{sentence.rstrip('.')} {trail}") in (None, UNDERSTOOD[sentence])
