"""The signoff.toml that `init` writes is one that signoff reads."""

from signoff.domain.run.directives import Facts
from signoff.project.settings.settings_file import settings_file
from signoff.project.settings.settings_reader import read_settings


def uncommented(page: str) -> str:
    """Take the settings that stand there as comments for said."""
    lines = page.splitlines()
    return "\n".join(line[2:] if line.startswith("# ") and " = " in line else line for line in lines)


def test_what_was_detected_is_written_out_and_read_back() -> None:
    facts = Facts(commands={"test": ("make", 'say "hi"', "ä\\b")}, sources={"test": "Makefile"})

    found = read_settings(settings_file(facts).encode(), None)

    assert found.violations == ()
    assert found.settings is not None
    assert found.settings.checks.test == ("make", 'say "hi"', "ä\\b")
    assert found.settings.checks.build is None


def test_every_comment_is_a_setting_that_exists() -> None:
    found = read_settings(uncommented(settings_file(Facts())).encode(), None)

    assert found.violations == ()
    assert found.settings is not None
    assert found.settings.agent.command == ("my-agent", "--json")
