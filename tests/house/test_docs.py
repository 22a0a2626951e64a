"""The documentation says what the program does: nothing is missing from it, stale in it, or made up."""

import argparse
import importlib
import json
import re
import shlex
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from signoff.cli.shared.argument_parser import parse
from signoff.cli.shared.command import arguments_of
from signoff.commands import COMMANDS
from signoff.domain.base.errors import SignoffError
from signoff.domain.run.events import EVENT_TYPES
from signoff.domain.run.halts import HaltCode
from signoff.project.settings.settings_reader import read_settings
from signoff.testing.samples import lie_names

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "AGENTS.md", ROOT / "CHANGELOG.md"))
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

WORDS = """
agent ambiguity answer approver attempt base base+tests blob capture cassette certificate check
checkout citation claim clause contract delegation digest directive dispatch drift driver effect event final
final+base-tests finding flow fold gap gate guard halt inbox intent journal key ledger level lock
non-goal observation outcome place plan policy predicate re-plan receipt relayed replay rework room round
run seal settings slip spec sprint standing state step supervisor task terminal ticket tree triage vacuous
verdict verification view violation waiver wave
"""


class Block(NamedTuple):
    """A fenced block: what it is tagged with, and its text."""

    tag: str
    text: str


def blocks(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(tag, text) for tag, text in found]


def prose(page: Path) -> str:
    """Give a page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def headings(page: Path) -> list[str]:
    return [line.lstrip("#").strip() for line in prose(page).split("\n") if line.startswith("#")]


def anchor(heading: str) -> str:
    """Give a heading's anchor as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.fixture(name="script")
def load_script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("generate")


# --- what is generated ---


def test_generated_pages_are_fresh(script: ModuleType) -> None:
    """When this fails: `make docs`, and look at the difference."""
    assert script.stale() == []


def test_a_stale_page_is_named_and_mended(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for page in DOCS.rglob("*.md"):
        copy = tmp_path / page.relative_to(DOCS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(page.read_bytes())
    monkeypatch.setattr(script, "DOCS", tmp_path)
    monkeypatch.setattr(script.generate_schemas, "REFERENCE", tmp_path / "reference")
    # Generated once: only what is compared and written is under test here, and a generation costs seconds.
    monkeypatch.setattr(script, "pages", cache(script.pages))
    monkeypatch.setattr(script, "blocks", cache(script.blocks))
    script.main([])
    (tmp_path / "reference/commands.md").write_text("nothing")
    loop = tmp_path / "explanation/the-loop.md"
    loop.write_text(loop.read_text().replace("running", "walking"))
    capsys.readouterr()

    assert script.main(["--check"]) == 1
    assert capsys.readouterr().err.split() == ["reference/commands.md", "explanation/the-loop.md"]
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_the_loop_is_printed_as_it_is(script: ModuleType) -> None:
    page = (DOCS / "explanation/the-loop.md").read_text(encoding="utf-8")

    assert "def drive(\n    flow: Flow, log: LoopLog" in page
    assert "while not flow.finished(log.state):" in page


# --- everything has its entry ---


def test_every_slug_has_an_entry_and_every_entry_a_slug(script: ModuleType) -> None:
    documented = headings(DOCS / "reference/errors.md")[1:]

    assert sorted(documented) == sorted(slug.name for slug in script.slugs())


def test_every_halt_code_has_an_entry_and_every_entry_a_code() -> None:
    assert sorted(headings(DOCS / "reference/halts.md")[1:]) == sorted(HaltCode)


def test_every_command_has_a_section_with_its_arguments(script: ModuleType) -> None:
    page = DOCS / "reference/commands.md"

    assert [h for h in headings(page) if h.startswith("signoff ")] == [f"signoff {name}" for name in COMMANDS]
    for name in COMMANDS:
        for action in script.shown_actions(script.parser_of(name)):
            for flag in action.option_strings:
                assert f"`{flag}" in page.read_text() or f", {flag}" in page.read_text(), (name, flag)


def test_every_event_type_has_a_section() -> None:
    found = headings(DOCS / "reference/events.md")

    assert [name for name in EVENT_TYPES if f"`{name}`" not in found] == []


def test_the_glossary_has_every_word() -> None:
    page = (DOCS / "reference/glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE)[1:]

    assert set(WORDS.split()) - set(rows) == set()
    assert rows == sorted(rows), "words in order are words found"
    assert len(set(rows)) == len(rows), "one word, one meaning"


def test_every_lie_of_the_sample_is_in_the_readme() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")

    assert [name for name in lie_names() if f"| `{name}` |" not in page] == []


def test_the_readme_begins_with_the_two_commands() -> None:
    top = (ROOT / "README.md").read_text(encoding="utf-8").split("\n")[:15]

    assert any("make demo" in line for line in top)
    assert any("make test" in line for line in top)


def test_every_decision_is_in_the_list_of_decisions() -> None:
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (DOCS / "adr/README.md").read_text(encoding="utf-8"))

    assert listed == sorted(page.name for page in (DOCS / "adr").glob("[0-9]*.md"))


@pytest.mark.parametrize("page", sorted(DOCS.glob("adr/[0-9]*.md")), ids=lambda page: page.stem)
def test_a_decision_has_its_four_parts_and_a_status(page: Path) -> None:
    title, *sections = headings(page)

    assert title.startswith(f"{page.name[:4]}: ")
    assert sections == ["Context", "Decision", "Cost", "Turned down"]
    assert re.search(r"^Status: (proposed|accepted|superseded by \[\d{4}\])", page.read_text(), re.MULTILINE)


# --- nothing is made up ---


def parts(line: str) -> list[str]:
    """Give the single commands of a `$ ` line; redirections are the shell's."""
    if not line.startswith("$ "):
        return []
    return [re.sub(r"\s*[<>].*", "", part).strip() for part in re.split(r"&&|\|", line[2:])]


def commands_shown(page: Path) -> list[str]:
    lines = [line for block in blocks(page) if block.tag == "console" for line in block.text.split("\n")]
    return [part for line in lines for part in parts(line) if part.startswith("signoff ")]


@pytest.mark.parametrize("page", [page for page in PAGES if commands_shown(page)], ids=lambda page: page.stem)
def test_the_commands_on_a_page_are_ones_the_program_takes(page: Path) -> None:
    faults = []
    for line in commands_shown(page):
        _, name, *words = shlex.split(line)
        if name not in COMMANDS:
            faults.append(f"{page.relative_to(ROOT)}: {line}: there is no command {name}")
            continue
        try:
            parse(arguments_of(name), name, words, argparse.Namespace())
        except SignoffError as error:
            faults.append(f"{page.relative_to(ROOT)}: {line}: {error.what}")

    assert not faults, "\n".join(faults)


def test_tutorial_and_how_to_pages_show_commands() -> None:
    pages = (*DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md"))

    assert [page.name for page in pages if not any(block.tag == "console" for block in blocks(page))] == []


def faults_of_links(page: Path) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith(("http://", "https://")):
            continue
        path, _, fragment = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists():
            yield f"link to {target}: it is not there"
        elif fragment and fragment not in [anchor(heading) for heading in headings(place)]:
            yield f"link to {target}: the page has no such heading"


def faults_of_code(page: Path) -> Iterator[str]:
    for block in blocks(page):
        try:
            match block.tag:
                case "python":
                    compile(block.text, page.name, "exec")
                case "json":
                    json.loads(block.text)
                case "toml":
                    read = read_settings(block.text.encode(), None)
                    assert read.settings is not None, read.violations
                case _:
                    pass
        except (SyntaxError, ValueError, AssertionError) as error:
            yield f"{block.tag} block that cannot be read: {error}\n{block.text}"


def faults_of_names(page: Path) -> Iterator[str]:
    """Paths of somebody's disk mean nothing to a reader, and say more than they should."""
    for found in re.findall(r"(?<![\w.])/(?:work|home|root|Users)/\S*", page.read_text(encoding="utf-8")):
        yield f"name of a machine: {found}"


def faults_of_markers(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for found in re.findall(r"<!-- (?!generated: |end of |Written by ).*", text):
        yield f"marker left behind: {found}"
    if "TODO:" in text:
        yield "marker left behind: TODO:"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_page_has_working_links_readable_code_and_nothing_private_or_unfinished(page: Path) -> None:
    checks = (faults_of_links, faults_of_code, faults_of_names, faults_of_markers)

    faults = [f"{page.relative_to(ROOT)}: {fault}" for check in checks for fault in check(page)]

    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        (
            "validators",
            (
                "reviews.review_rules",
                "reviews.triage_rules",
                "ledger.ledger_rules",
                "audits.bug_lists",
                "audits.calibration",
                "judges.citation_check",
            ),
        ),
        ("audits", ("audits.audit_phases",)),
    ],
)
def test_every_code_of_a_judge_is_on_its_page(page: str, kinds: tuple[str, ...]) -> None:
    text = (DOCS / f"reference/{page}.md").read_text(encoding="utf-8")
    found = [
        code.value
        for name in kinds
        for kind in vars(importlib.import_module(f"signoff.{name}")).values()
        if isinstance(kind, type) and issubclass(kind, StrEnum) and kind.__module__.endswith(f".{name}")
        for code in kind
    ]

    assert found
    assert [code for code in found if f"`{code}`" not in text] == []
