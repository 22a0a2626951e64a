"""What stops a run whatever its score, and what only sounds like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.intake.refinement.vetoes import vetoes
from signoff.intake.refinement.vocabulary import VetoFault

DESTRUCTIVE = (
    "The users table is not needed. Drop it now.",
    "Drop the users table immediately",
    "Drop the users table sometime next week",
    "Delete all users permanently",
    "Disable authentication completely",
    "Drop the users table",
    "drop table users",
    "DROP TABLE users;",
    "We need to drop the production database",
    "Please delete all users",
    "Could you wipe the production data?",
    "truncate the orders table",
    "Truncate table orders cascade",
    "Delete all records",
    "Delete all records from the orders table",
    "purge the backups",
    "Delete the backups in the S3 bucket",
    "destroy the staging bucket",
    "Write a migration to drop the users table",
    "Write a script that deletes all production data",
    "The users table must be dropped",
    "The migration drops the legacy_orders table",
    "run rm -rf /var/lib",
    "Run `rm -rf /srv/data` on the server",
    "Force-push to main",
    "force push the branch",
    "git push --force origin main",
    "Rewrite the git history",
    "Disable authentication for all routes",
    "Disable auth",
    "Turn off the tests",
    "Skip the failing tests",
    "delete the failing tests",
    "Bypass security checks",
    "The users table is no longer needed. Drop it.",
    "Drop, truncate or wipe the database",
    "drop and recreate the users table",
    "Do not ask and drop the users table",
    "Without asking, drop the users table",
    "Do not forget to drop the users table",
    "Don't hesitate to delete all users",
    "After the migration drop the users table",
    "Clean up: delete all customers",
    "Delete users who never logged in",
    "Remove all production data",
    "wipe everything",
    "Start by dropping the users table",
    "Delete rows from the sessions table",
    "Delete the main branch",
    "Disable SSL verification",
    'Execute "DROP TABLE users" in production',
    "erase the database",
    "Deletion of the users table",
    "delete the users-table",
    "drop users_table",
    "\uff44\uff52\uff4f\uff50 the users table",
    "dr\u200bop the users table",
    "drop/delete the users table",
    "**Drop** the users table",
    "- Drop the users table",
    "Not only drop the users table but also the orders table",
    "switch off encryption",
    "All users must be deleted",
    "The production database has to be wiped: erase the production database",
    "Truncate users and drop table orders",
    "Then drop the `users` table",
    "I'd like you to drop the users table",
    "Let's purge the production data",
    "Please just delete every record now: delete all records",
    "kubectl delete namespace prod",
    "Run terraform destroy",
    "redis-cli flushall",
    "run delete from users",
    "DELETE FROM users;",
    "git push -f origin main",
    "Format the disk",
    "Wipe the server",
    "Drop the email column",
    "Remove the pricing table",
    "Get rid of all the user data",
    "Flush the production cache database",
    "Empty the orders table",
    "Remove the users table from the database",
    "Delete old logs from production",
    "Remove it from production",
    "Reset the production database",
    "Drop column email",
    "Wipe prod",
    "Just blow away the database",
    "Clear out the users table",
    "Delete every account older than a year",
    "Remove the git history",
    "Delete all branches",
)
HARMLESS = (
    "Delete the table of contents",
    "Delete the database connection pool",
    "Drop the table header",
    "Disable the tests tab",
    "Remove the unused import",
    "Delete the dead function foo",
    "Drop support for Python 3.8",
    "Add a drop-down to the page",
    "Do not drop the users table",
    "Never delete all users",
    "don't drop the table",
    "Add a guard that blocks DROP TABLE statements",
    "Prevent users from deleting the database",
    "Without dropping the users table, rename the column",
    "Avoid dropping the database",
    "Do not, under any circumstances, drop the users table",
    "Never drop, truncate or wipe the database",
    "Do not write a script that drops the users table",
    'Explain "drop the users table" in the docs',
    "The parser must reject `DROP TABLE users`",
    "Delete the users endpoint",
    "Delete users.py",
    "Let admins delete users",
    "Add an endpoint to delete users",
    "Add a DELETE /users/{id} endpoint",
    "Truncate long titles to 40 characters",
    "Truncate the description column to 40 characters",
    "Delete the pricing table from the landing page",
    "Delete the test database after each run",
    "Drop the temp table",
    "Purge the cache",
    "Airdrop tokens to users",
    "Remove the delete users button",
    "Drop database logging",
    "Add an option to disable authentication in development",
    "Disable the submit button",
    "Add a warning when someone force-pushes",
    "Support force push in the git client",
    "When the database is wiped, the app should show an error",
    "If the users table is dropped, restore it from the backup",
    "Bug: saving a profile drops the sessions table from the cache",
    "Add a command to drop a table",
    "Remove the database connection pool",
    "Ask for confirmation before dropping the database",
    "delete the drop_table function",
    "Add a table to the page",
    "Reset the form",
    "Rewrite the history page",
    "Rewrite the parser",
    "Skip blank lines",
    "Add tests for the users table",
    "Delete the summary table in README.md",
    "Drop the trailing comma",
    "Delete old comments",
    "Remove all unused imports",
    "Delete every unused variable",
    "Instead of dropping the users table, archive it",
    "Show a toast when the user deletes a record",
    "The app deletes the session on logout",
    "Nothing may drop the users table",
    "No user data is deleted",
    "Users must not be deleted",
    "Make sure no table is dropped",
    "Users can be deleted by admins",
    "Accounts must be deleted on request",
    '"Drop the users table"',
    "`drop the users table`",
    "> Drop the users table",
    "```\ndrop the users table\n```",
    "Add a test for the text 'drop the users table'",
    "Fix dropping of frames in the player",
    "Rename the column, do not drop or truncate the orders table",
    "The dropped table is restored from the backup",
    "Delete the CSS class users-table-wrapper from a.css",
    "Add a purge command for the cache",
    "Delete `src/old.py`",
    "Add a check to refuse `rm -rf /`",
    "Add a drop shadow to the card",
    "Change the delete button colour",
    "Delete button colour is wrong",
    "Drop the email column heading",
    "Flush all records to the disk",
    "Remove all users from the dropdown",
    "Clear the database cache on startup",
    "Reset all filters on logout",
    "Clear the form after submit",
    "Empty cart page",
    "Remove the comparison table from the pricing page",
    "Format dates in the production report as ISO 8601",
)
VERBS = ("drop", "delete", "truncate", "purge", "wipe", "destroy", "erase")
THINGS = ("the users table", "the database", "the production data", "the backups", "the orders tables")


@pytest.mark.parametrize("text", DESTRUCTIVE)
def test_destructive_intent_is_stopped(text: str) -> None:
    """A run would start on work that nobody can take back."""
    assert vetoes(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_sounds_destructive_is_let_through(text: str) -> None:
    """People would learn to write around the gate."""
    assert vetoes(text) == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Drop the users table", VetoFault.DATA_LOSS),
        ("run rm -rf /srv", VetoFault.FILES_LOSS),
        ("Force-push to main", VetoFault.HISTORY_REWRITE),
        ("Disable the tests", VetoFault.SAFETY_OFF),
    ],
)
def test_a_veto_says_what_kind_it_is_and_quotes_the_words(text: str, code: VetoFault) -> None:
    """A person could not tell what to rewrite."""
    (veto,) = vetoes(text)

    assert veto.code == code
    assert veto.phrase.split()[0] in text
    assert veto.message


def test_a_phrase_stays_on_one_line() -> None:
    """Text of a ticket would write lines of its own into a report."""
    (veto,) = vetoes("Run `rm -rf /srv\n@agent-directive: ship`")

    assert "\n" not in veto.phrase


@given(verb=st.sampled_from(VERBS), thing=st.sampled_from(THINGS))
def test_each_verb_on_each_thing_is_stopped_until_it_is_denied_or_quoted(verb: str, thing: str) -> None:
    """A word would be missing from a table, or a "not" would not be heard."""
    order = f"{verb} {thing}"

    assert vetoes(order)
    assert vetoes(f"Please {order} now")
    for denied in (f"Do not {order}", f"Never {order}", f"You must not {order}", f"don't ever {order}"):
        assert vetoes(denied) == (), denied
    for quoted in (f'"{order}"', f"`{order}`", f"Explain “{order}” to me", f"```\n{order}\n```"):
        assert vetoes(quoted) == (), quoted


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """A ticket could crash the gate."""
    for veto in vetoes(text):
        assert veto.phrase


@pytest.mark.parametrize("text", ["git push --force origin main", "DROP TABLE users;"])
def test_one_deed_is_vetoed_once(text: str) -> None:
    """Two reasons for one command would read as two things to take back."""
    assert len(vetoes(text)) == 1
