"""Which steps carry a want, what kind of task it is, and whether it is one at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.work.refinement import TaskType
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import DirectiveSet, Intent
from signoff.intake.refinement.envelopes import read_input
from signoff.intake.refinement.question_guard import is_question
from signoff.intake.refinement.requests import Want
from signoff.intake.refinement.route import classify, ui_words
from signoff.intake.refinement.task_types import task_type

BACKEND, BUILD, IMPROVE, TRIVIAL, MIXED = Intent


def prompt(text: str) -> Want:
    return read_input(InputKind.PROMPT, {"raw": text})


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Change the button color to blue", TRIVIAL),
        ("Rename the Save button to Store", TRIVIAL),
        ("Tweak the padding of the footer", TRIVIAL),
        ("Make the primary button red", TRIVIAL),
        ("Update the user query so text search works on the report view", BACKEND),
        ("Change the button and add a new settings modal backed by an api endpoint", MIXED),
        ("Change the button and add a new settings modal", BUILD),
        ("Add an endpoint and a button for exports", MIXED),
        ("Add a settings page", BUILD),
        ("Create a new dashboard screen for the admins", BUILD),
        ("Add dark mode", BUILD),
        ("Improve the layout of the dashboard page", IMPROVE),
        ("Polish the header", IMPROVE),
        ("Make the app responsive", IMPROVE),
        ("Show the error on the login form", IMPROVE),
        ("Handle the click event on the card", IMPROVE),
        ("The page must not show the logout button to guests", IMPROVE),
        ("Fix the switch statement in parser", BACKEND),
        ("Create a table view in SQL", BACKEND),
        ("Translate the docs to Polish", BACKEND),
        ("Add a semiconductor lexicon lookup", BACKEND),
        ("Add marginal tax to the report", BACKEND),
        ("Do not touch the UI, fix the parser", BACKEND),
        ("No UI changes, only the endpoint", BACKEND),
        ("Without changing the layout, speed up the query", BACKEND),
        ("Set the Authorization header", BACKEND),
        ('Fix the "button" string', BACKEND),
        ("Fix `button.color` parsing", BACKEND),
        ("Refactor src/button/color.py", BACKEND),
        ("Add a feature toggle", BACKEND),
        ("Let users view their orders", BACKEND),
        ("The number is rounded to two digits", BACKEND),
        ("Add validation of credit card numbers", BACKEND),
        ("Leave the sidebar alone and speed up the import", BACKEND),
    ],
)
def test_words_decide_about_the_route(text: str, intent: Intent) -> None:
    """Work would go through steps that do not check it."""
    assert classify(prompt(text)).intent is intent


def test_a_route_names_what_decided_it_and_what_else_it_could_have_been() -> None:
    """A person could not see why, or what to ask for instead."""
    route = classify(prompt("Add an endpoint and a button for exports"))

    assert route.signals == ("button", "endpoint")
    assert route.directive_set is DirectiveSet.MIXED
    assert route.alternatives == (DirectiveSet.UI, DirectiveSet.BACKEND)


@pytest.mark.parametrize(
    ("paths", "intent"),
    [
        (("db/a.sql",), BACKEND),
        (("web/a.css",), IMPROVE),
        (("web/a.blade.php",), IMPROVE),
        (("app/a.php",), BACKEND),
        (("web/a.tsx", "app/a.py"), MIXED),
    ],
)
def test_a_diff_and_a_file_are_routed_by_what_their_files_end_in(
    paths: tuple[str, ...], intent: Intent
) -> None:
    """A diff of SQL would be sent to the steps for pages."""
    diff = "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n" for path in paths
    )

    assert classify(read_input(InputKind.DIFF, {"raw": diff})).intent is intent
    if len(paths) == 1:
        assert classify(read_input(InputKind.FILE, {"path": paths[0]})).intent is intent


@given(st.lists(st.sampled_from(("button", "css", "the page", "Add a modal", "dark mode")), min_size=1))
def test_quoting_a_text_removes_its_signals(words: list[str]) -> None:
    """Quoted words would route the work."""
    text = " ".join(words)

    assert ui_words(text)
    assert ui_words(f'"{text}"') == ui_words(f"`{text}`") == ()


@pytest.mark.parametrize(
    "text",
    [
        "How does the cache work?",
        "How does the cache work",
        "Why is the login slow?",
        "What is the difference between A and B?",
        "What's the purpose of src/a.py?",
        "Explain the retry logic",
        "Please explain how the parser works",
        "Can you explain the retry logic?",
        "Could you tell me how the cache works?",
        "Is it possible to use redis here?",
        "Should we add an index?",
        "Login fails. Why?",
        "Where is the config loaded?",
        "Do we have tests for the parser?",
        "I wonder how the cache works",
        "How to add a column?",
        "Which files handle login?",
        "Describe how the parser works",
        "Why does it drop the users table?",
    ],
)
def test_a_question_is_a_question(text: str) -> None:
    """A run would be started where an answer was wanted."""
    assert is_question(prompt(text))


@pytest.mark.parametrize(
    "text",
    [
        "Can you add a cache?",
        "Could you fix the login?",
        "Could you please add a flag?",
        "Why does login fail? Please fix it",
        "Why does login fail? Fix it.",
        "Would you mind adding a flag?",
        "Would it be possible to add a flag?",
        "Can we add dark mode?",
        "Why don't we add a cache?",
        "How about adding a cache?",
        "When the user clicks, show a toast",
        "Explain the retry logic in the README",
        "Document how the cache works",
        "The export must contain a header row",
        "Login is broken",
        "I want to export reports",
        'Add a page that answers "How does it work?"',
    ],
)
def test_a_request_is_no_question(text: str) -> None:
    """A polite request would be answered, and nothing done."""
    assert not is_question(prompt(text))


def test_a_ticket_with_criteria_is_never_a_question() -> None:
    """A title put as a question would stop a ticket that says what is wanted."""
    data = {"id": 1, "title": "Why is login slow?", "acceptance_criteria": ["Login takes less than 200 ms"]}

    assert not is_question(read_input(InputKind.TICKET, {**data}))
    assert is_question(read_input(InputKind.TICKET, {**data, "acceptance_criteria": []}))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"title": "Fix https://www.figma.com/file/x", "labels": ["bug"]}, TaskType.COMPONENT),
        ({"title": "Do what tasks/refactor-auth.md says", "labels": ["bug"]}, TaskType.REFACTOR),
        ({"title": "Add x", "labels": [{"name": "type: bug"}]}, TaskType.BUGFIX),
        ({"title": "Add x", "labels": ["good first issue", "tech debt"]}, TaskType.REFACTOR),
        ({"key": "A-1", "fields": {"summary": "Add x", "issuetype": {"name": "Bug"}}}, TaskType.BUGFIX),
        ({"key": "A-1", "fields": {"summary": "Fix x", "issuetype": {"name": "Story"}}}, TaskType.FEATURE),
        ({"key": "A-1", "fields": {"summary": "Fix x", "issuetype": {"name": "Task"}}}, TaskType.BUGFIX),
        ({"title": "Add x", "branch": "hotfix/login"}, TaskType.BUGFIX),
        ({"title": "Add x", "branch": "chore/deps"}, TaskType.CHORE),
        ({"title": "Fix the crash on logout"}, TaskType.BUGFIX),
        ({"title": "Add error handling to the importer"}, TaskType.FEATURE),
        ({"title": "Rename the parser class"}, TaskType.REFACTOR),
        ({"title": "Clean up the importer"}, TaskType.REFACTOR),
        ({"title": "Bump django to 5.0"}, TaskType.CHORE),
        ({"title": "Update the dependencies"}, TaskType.CHORE),
        ({"title": "Create an avatar component"}, TaskType.COMPONENT),
        ({"title": "Login crashes with an empty password"}, TaskType.BUGFIX),
        ({"title": "Prefix handling"}, TaskType.FEATURE),
        ({}, TaskType.FEATURE),
    ],
)
def test_the_first_source_that_says_so_decides_the_kind_of_task(
    data: dict[str, object], kind: TaskType
) -> None:
    """A weaker sign would overrule a stronger one."""
    assert task_type(read_input(InputKind.TICKET, data)) is kind


@pytest.mark.parametrize(
    ("diff", "kind"),
    [
        ("diff --git a/README.md b/README.md\n@@ -1 +1 @@\n", TaskType.CHORE),
        ("diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n", TaskType.REFACTOR),
        ("--- /dev/null\n+++ b/src/Avatar.tsx\n@@ -0,0 +1 @@\n", TaskType.COMPONENT),
        ("--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n", TaskType.FEATURE),
    ],
)
def test_a_diff_says_what_kind_of_task_it_is_by_its_files(diff: str, kind: TaskType) -> None:
    """Housekeeping would be delivered as a feature."""
    assert task_type(read_input(InputKind.DIFF, {"raw": diff})) is kind
