"""The score of a prompt: what earns points, what does not, and what a band means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.work.refinement import Band, Dimension
from signoff.intake.refinement.confidence import is_anchored, is_weak, score, weakest
from signoff.intake.refinement.text_words import read_words

CRITERIA = (
    "When the price is 1.005 the helper must return 1.01",
    "Given a negative price it should raise ValueError",
    "The README lists the helper",
)
GOAL, SCOPE, EVIDENCE, STACK, REVERSAL = Dimension


def test_a_clear_prompt_has_full_marks() -> None:
    """Nobody could ever start without a question."""
    found = score("Add a formatPrice helper in src/utils/price.py that rounds to two decimals", CRITERIA)

    assert (found.score, found.band, found.ui_intent) == (1.0, Band.HIGH, False)
    assert list(found.dimensions.values()) == [2, 2, 2, 2, 2]
    assert [reason.partition(":")[0] for reason in found.reasons] == list(Dimension)


@pytest.mark.parametrize(
    "prompt",
    [
        "make it better",
        "fix it",
        "Improve things",
        "Improve the app",
        "clean stuff up",
        "Do something about the code",
        "Make everything faster please now",
        "The build is slow",
        "something with auth",
        "We need the thing",
        "Upgrade the dependencies",
        "improve",
        "Ajoute un bouton",
        "How does the cache work?",
        '"Add a flag to src/cli.py"',
    ],
)
def test_a_vague_prompt_is_low_whatever_criteria_were_made_up(prompt: str) -> None:
    """The one question would never be asked."""
    assert score(prompt, CRITERIA).band is Band.LOW


@pytest.mark.parametrize(
    "prompt",
    [
        "Could you please add a --quiet flag to src/cli.py?",
        "Rewrite src/a.py so that it reads lines lazily",
        "I'd like you to rename `load` in src/a.py to `read`",
        "In src/a.py rename the function load to read",
        "feat(cli): support a --quiet flag in src/cli.py",
        "We need to handle empty lists in src/parser.py",
        "Delete the dead function foo in src/a.py",
        "Do not drop the users table, rename the column email to mail in db/schema.sql",
        "Replace the lookup in `src/a.py` with a dictionary",
        "Upgrade django to 5.0 in requirements.txt",
        "Return the address as feedback from src/geo.py in UTF-8",
        "Convert marginal values in src/tax.py to decimals",
    ],
)
def test_a_prompt_that_says_what_and_where_is_high(prompt: str) -> None:
    """Politeness, a listed verb or a harmless word would cost a question."""
    found = score(prompt, CRITERIA)

    assert (found.score, found.band) == (1.0, Band.HIGH), found.reasons


@pytest.mark.parametrize(
    ("prompt", "dimension", "points"),
    [
        ("The address book is a long one", GOAL, 0),
        ("Add X to src/a.py and then remove Y", GOAL, 1),
        ("Fix the login", GOAL, 1),
        ("Fix the login for users with plus signs", GOAL, 2),
        ("Improve the performance of imports of large files", SCOPE, 1),
        ("Improve the performance of large numbers", SCOPE, 0),
        ("Add a button for the retry", SCOPE, 1),
        ("Add a database index", STACK, 0),
        ("Collect the feedback of visitors in src/a.py", STACK, 2),
        ("Add an index on the orders table", STACK, 2),
        ("Store sessions in redis for src/auth.py", STACK, 2),
        ("Use redis for the login sessions", STACK, 1),
        ("Drop the users table in db/schema.sql", REVERSAL, 0),
        ("Send emails to all customers from src/mail.py", REVERSAL, 0),
        ("Drop the email column in db/schema.sql", REVERSAL, 0),
        ("Add refund support to src/refunds.py", REVERSAL, 1),
        ("Add a recharge step to src/battery.py", REVERSAL, 2),
        ("Add a config option to src/settings.py", REVERSAL, 1),
        ("Purge the cache on logout in src/auth.py", REVERSAL, 1),
        ("Delete the unused import in src/auth.py", REVERSAL, 2),
    ],
)
def test_a_dimension_counts_what_it_should(prompt: str, dimension: Dimension, points: int) -> None:
    """A substring, or a word in another sense, would decide."""
    assert score(prompt, CRITERIA).dimensions[dimension] == points


@pytest.mark.parametrize(
    ("criteria", "points"),
    [
        ((), 0),
        (("TBD", "works correctly"), 0),
        (("It should be fast", "It should be user-friendly"), 0),
        (CRITERIA[:1], 1),
        (CRITERIA[:2], 1),
        ((CRITERIA[0],) * 3, 1),
        (CRITERIA, 2),
        ((*CRITERIA, "The page should load quickly"), 1),
        (("The list is sorted by name", "Authentication is by token", "The log names the user"), 1),
    ],
)
def test_criteria_count_when_they_can_be_checked(criteria: tuple[str, ...], points: int) -> None:
    """Whoever writes the criteria would write their own grade."""
    assert score("Add a flag to src/cli.py now", criteria).dimensions[EVIDENCE] == points


@pytest.mark.parametrize(
    ("criterion", "anchored"),
    [
        ("When the list is empty it is hidden", True),
        ("It must be sorted", True),
        ("`parse` returns 3", True),
        ("Authentication by token is offered", False),
        ("A list of names is expectedly long", False),
        ("Whenever possible, names are cut", False),
    ],
)
def test_an_anchor_is_a_whole_word_or_a_value(criterion: str, anchored: bool) -> None:
    """`authentication` holds `then`."""
    assert is_anchored(criterion) is anchored


def test_an_adjective_with_a_measure_can_be_checked() -> None:
    """A measured criterion would be refused for its adjective."""
    assert is_weak("The search answers quickly")
    assert not is_weak("The search answers quickly, within 200 ms")


def test_a_dimension_at_zero_is_never_high() -> None:
    """A mass deletion with a path and three criteria would start in silence."""
    found = score("Drop the users table in db/schema.sql", CRITERIA)

    assert (found.score, found.band) == (0.8, Band.MEDIUM)
    assert weakest(found) is REVERSAL


def test_a_diff_without_words_needs_a_confirmation() -> None:
    """A diff alone would say what is wanted."""
    found = score("", CRITERIA, anchors=("src/a.py",))

    assert (found.score, found.band) == (0.7, Band.MEDIUM)


PROMPTS = st.sampled_from(
    ("Add a flag to src/cli.py", "make it better", "Drop the users table", "Fix the login page", "", "x" * 50)
) | st.text(max_size=60)


@given(PROMPTS, st.lists(st.sampled_from((*CRITERIA, "TBD", "It should be nice", "a list of all names"))))
def test_a_criterion_that_can_be_checked_never_lowers_the_score(prompt: str, criteria: list[str]) -> None:
    """Saying more would be punished."""
    before = score(prompt, tuple(criteria))

    after = score(prompt, (*criteria, "When the input is empty the command must exit with 2"))

    assert after.score >= before.score


@given(PROMPTS, st.lists(st.text(max_size=40), max_size=5))
def test_the_score_is_the_sum_and_the_band_follows_it(prompt: str, criteria: list[str]) -> None:
    """A reader could not recompute a verdict."""
    found = score(prompt, tuple(criteria))

    assert set(found.dimensions.values()) <= {0, 1, 2}
    assert found.score == round(sum(found.dimensions.values()) / 10, 4)
    assert len(found.reasons) == len(Dimension)
    assert (found.band is Band.LOW) == (found.score < 0.5)
    if found.band is Band.HIGH:
        assert found.score >= 0.8
        assert 0 not in found.dimensions.values()


@given(st.sampled_from(("Add a flag to src/cli.py", "Drop the users table", "Make the button red")))
def test_quoting_a_prompt_takes_its_goal_away(prompt: str) -> None:
    """Quoted text would be taken for an order."""
    found = score(f'"{prompt}"', CRITERIA)

    assert found.dimensions[GOAL] == 0
    assert not found.ui_intent
    assert read_words(f'"{prompt}"').words[0].raw == prompt
