"""What the guard makes of command lines: every case by itself, then what must hold for all of them."""

import shlex
import time

import pytest
from command_cases import ALLOWED, BLOCKED, TREE_LOST
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.judges.guards.command_guard import CODES, guard_command
from signoff.judges.guards.guard_findings import GuardDecision

PIECES = (
    "git ", "push ", "origin ", "main ", "$(", "${", "`", "'", '"', "\\", "\n", ";", "&&", "|", "(", ")",
    "$((",
    "<<EOF\n", "EOF\n", "{", "}", ",", "X=", "$X ", "case ", "esac ", "sh -c ", "eval ", "xargs ", "find ",
    "-exec ", "rm -rf ", ".git ", "#", "<(", "&>", "$'", "[", "*", "-c ", "..", "for ", "do ",
    "alias a=", "\0",
)  # fmt: skip


def guard(command: str, branch: str = "", role: str = "", protected: tuple[str, ...] = ()) -> GuardDecision:
    return guard_command(command, branch_in=lambda _: branch or None, role=role, protected=protected)


@pytest.mark.parametrize(("command", "branch", "role"), BLOCKED)
def test_what_cannot_be_taken_back_is_blocked(command: str, branch: str, role: str) -> None:
    """A way around the guard, however it is spelled, would be a hole in every repository behind it."""
    said = guard(command, branch, role)

    assert said.decision == "block"
    assert {finding.code for finding in said.findings} <= set(CODES)


@pytest.mark.parametrize(("command", "branch", "role"), ALLOWED)
def test_what_only_looks_dangerous_is_allowed(command: str, branch: str, role: str) -> None:
    """A guard that cries wolf is switched off."""
    assert guard(command, branch, role).decision == "allow"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("git push origin main", "push-protected"),
        ("git push", "push-branch-unknown"),
        ("git push origin +main", "push-forced"),
        ("git push --mirror", "push-forced"),
        ("git push origin :main", "push-deletes"),
        ("git push -d origin main", "push-deletes"),
        ("git branch -D main", "branch-deleted"),
        ("git branch -f main HEAD~3", "branch-moved"),
        ("git branch -M main", "branch-moved"),
        ("git checkout -B main", "branch-moved"),
        ("git update-ref refs/heads/main HEAD~3", "branch-moved"),
        ("git symbolic-ref -d refs/heads/main", "branch-deleted"),
        ("git checkout -B $B", "unreadable"),
        ("git reset --hard", "reset-hard"),
        ("git reset --keep HEAD~1", "reset-hard"),
        ("git clean -f -d", "clean-forced"),
        ("git checkout -- .", "work-discarded"),
        ("git filter-branch HEAD", "history-rewritten"),
        ("git reflog expire --expire=now --all", "reflog-expired"),
        ("git gc --prune=now", "objects-pruned"),
        ("git stash clear", "stash-cleared"),
        ("rm -r -f .git", "repository-removed"),
        ("git push origin $BRANCH", "unreadable"),
        ("git push origin 'main", "unreadable"),
    ],
)
def test_each_finding_has_its_code(command: str, code: str) -> None:
    """People allow findings by code: a wrong one lets something else through."""
    said = guard(command)

    assert [finding.code for finding in said.findings] == [code]
    assert said.reason.endswith(f"[{code}]")
    assert guard_command(command, allowed=(code,)).decision == "allow"


@pytest.mark.parametrize(("command", "code"), TREE_LOST)
def test_the_repository_is_not_lost_by_a_command_that_does_not_name_it(command: str, code: str) -> None:
    """`rm -rf .` takes `.git` along, and so does `find . -delete`."""
    assert code in {finding.code for finding in guard(command, "feature").findings}


def test_more_branches_can_be_protected() -> None:
    assert guard("git push origin release", "feature").decision == "allow"
    assert guard("git push origin release", "feature", protected=("release",)).decision == "block"
    assert guard("git push origin main", "feature", protected=("release",)).decision == "block"


def test_a_role_is_owner_or_none() -> None:
    """A misspelled role must not open the branch."""
    for role in ("", "developer", "owners", "admin"):
        assert guard("git push origin main", "feature", role).decision == "block"
    assert guard("git push origin main", "feature", "owner").decision == "allow"


def test_the_branch_is_looked_up_where_the_command_goes() -> None:
    """`cd ../other && git push` pushes the other folder's branch."""
    branches = {"": "feature", "../other": "main"}

    def decision(command: str) -> str:
        return guard_command(command, branch_in=branches.get).decision

    assert decision("git push") == "allow"
    assert decision("cd ../other && git push") == "block"
    assert decision("git -C ../other push") == "block"
    assert decision("cd ../other; git push") == "block"
    assert decision("cd $WHERE && git push") == "block"


def test_two_findings_are_both_told() -> None:
    said = guard("git push origin main; rm -rf .git")

    assert [finding.code for finding in said.findings] == ["push-protected", "repository-removed"]
    assert said.reason.endswith("(and 1 more)")


def test_a_line_that_cannot_be_read_is_blocked_only_if_it_speaks_of_git() -> None:
    assert guard("echo 'half").decision == "allow"
    assert guard("echo 'half a git").decision == "block"
    assert "quotation mark" in guard("echo 'half a git").reason


def test_an_endless_line_is_said_to_be_too_long() -> None:
    assert "longer than" in guard("git " + "x" * 1_000_001).reason


# --- what holds for every command ---

WRAPPINGS = (
    "cd x && {0}", "({0})", "( {0} )", "{{ {0}\n}}", "true; {0}", "echo hi\n{0}", "if true; then {0}\nfi",
    "for x in 1; do {0}\ndone", "! {0}", "f() {{ {0}\n}}; f",
)  # fmt: skip
WHOLE = tuple(row for row in BLOCKED if "\n" not in row[0] and "#" not in row[0] and not row[0].endswith("&"))


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_nothing_around_a_blocked_command_lets_it_through(wrapping: str) -> None:
    """Wrapping is the easiest way around a guard that matches text."""
    let_through = [row for row in WHOLE if guard(wrapping.format(row[0]), *row[1:]).decision == "allow"]

    assert not let_through


@pytest.mark.parametrize("wrapping", [one for one in WRAPPINGS if not one.startswith("cd ")])
def test_nothing_around_it_saves_a_command_that_loses_the_tree(wrapping: str) -> None:
    """Only a folder that was surely entered makes `rm -rf *` a command about that folder."""
    rows = [command for command, _ in TREE_LOST if not command.startswith("find -")]

    assert not [row for row in rows if guard(wrapping.format(row), "feature").decision == "allow"]


@pytest.mark.parametrize("shell", ["sh -c {}", "bash -lc {}", "eval {}", "env A=1 sh -c {}", "echo {} | sh"])
def test_a_blocked_command_is_blocked_in_a_shell_of_its_own(shell: str) -> None:
    let_through = [
        row for row in BLOCKED if guard(shell.format(shlex.quote(row[0])), *row[1:]).decision == "allow"
    ]

    assert not let_through


@pytest.mark.parametrize("row", BLOCKED)
def test_a_blocked_command_may_be_spoken_of(row: tuple[str, str, str]) -> None:
    """Quoted, it is an argument: a commit message, a pattern, a text to print."""
    command, branch, role = row
    for speech in ("echo {}", "git commit -m {}", "grep -r {} .", "printf '%s' {}"):
        assert guard(speech.format(shlex.quote(command)), branch, role).decision == "allow"


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join) | st.text(max_size=300))
def test_any_text_gets_a_decision(text: str) -> None:
    """A crash in a hook blocks all work, or lets everything through."""
    assert guard(text).decision in ("allow", "block")


@pytest.mark.parametrize(
    "piece", ["$(", "${", "`", "$((", "(", "{a,", "'", '"$(', "git push x", "<<E\n", "X=", "a;"]
)
def test_long_texts_are_read_in_reasonable_time(piece: str) -> None:
    """A guard that takes minutes stops every command of an agent."""
    start = time.monotonic()
    guard("git " + piece * (100_000 // len(piece)))

    assert time.monotonic() - start < 10
