"""Every code of a rule is documented, and what its page says is so: each example is run."""

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from types import ModuleType
from typing import NamedTuple

import pytest
from rule_pages import (
    PAGES,
    REFERENCE,
    Entry,
    Json,
    changed,
    data,
    entries,
    every_entry,
    named,
    said,
    sections,
)

import signoff
from signoff.contracts.compile.upgrade import upgrade
from signoff.contracts.files.contract_file_check import judge_contract
from signoff.contracts.files.document_files import read_contract, read_spec
from signoff.contracts.rules.sprint_rules import SprintAt, check_sprints
from signoff.domain.base.violations import Violation
from signoff.domain.work.contract import ContractPolicy
from signoff.domain.work.sprints import Sprint
from signoff.specs.replan_rules import check_replan
from signoff.specs.spec_answers import why_not
from signoff.specs.spec_rules import check_spec


def codes(found: Iterable[Violation]) -> set[str]:
    return {violation.code for violation in found}


def only(found: Iterable[Violation], one: Entry) -> Violation:
    """Give the violation of this code; what else the example gives, the entry must name."""
    listed = list(found)
    assert codes(listed) - named(one) == {one.code}, [(v.code, v.path, v.message) for v in listed]
    return next(violation for violation in listed if violation.code == one.code)


# --- every code has its entry ---


@pytest.fixture(name="script")
def load_script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(REFERENCE.parent))
    return importlib.import_module("generate_violations")


@pytest.mark.parametrize("page", PAGES)
def test_every_code_has_an_entry_and_every_entry_a_code(script: ModuleType, page: str) -> None:
    assert sorted(one.code for one in entries(page)) == sorted(script.rule_codes(page))


def test_every_list_of_codes_belongs_to_a_page(script: ModuleType) -> None:
    """A new enum of codes that no page knows would be documented nowhere."""
    placed = {kind for kinds in script.PAGES.values() for kind in kinds} | set(script.HERE)

    assert {kind.__name__ for kind in code_lists()} - {kind.__name__ for kind in placed} == set()


def code_lists() -> Iterator[type[StrEnum]]:
    rooms = ("contracts", "intake", "specs", "project", "judges", "text", "hosted", "engine")
    paths = [f"{folder}/{room}" for folder in signoff.__path__ for room in rooms]
    found = (
        module
        for path in paths
        for module in pkgutil.walk_packages([path], f"signoff.{path.rsplit('/', 1)[-1]}.")
    )
    for module in found:
        for name, value in vars(importlib.import_module(module.name)).items():
            if (
                name.endswith("Code")
                and name != "HaltCode"
                and isinstance(value, type)
                and issubclass(value, StrEnum)
            ):
                yield value


@pytest.mark.parametrize("page", PAGES)
def test_an_entry_says_what_it_means_and_how_it_is_put_right(page: str) -> None:
    for one in entries(page):
        meaning, fix, more = one.prose.partition("Put it right: ")
        assert len(meaning) > 20, one.code
        assert fix, one.code
        assert more.endswith("."), one.code


# --- contracts ---


class ContractPage(NamedTuple):
    """The documents of the page."""

    contract: Json
    plan: bytes
    sprint: Json
    beside: Json


@pytest.fixture(name="page", scope="module")
def contract_page() -> ContractPage:
    found = sections("contract-rules")
    (contract,) = found["The example contract"].blocks
    (plan,) = found["Seals and plans"].blocks
    (sprint,) = found["Sprint contracts"].blocks
    (beside,) = found["Between sprints"].blocks
    first = json.loads(sprint)
    return ContractPage(json.loads(contract), plan.encode(), first, changed(first, json.loads(beside)))


def judged_sprints(documents: dict[str, Json], policy: ContractPolicy) -> tuple[Violation, ...]:
    """Judge each with the other beside it, as in a folder; and both at once, as a program may."""
    read = {name: read_contract(data(document)).value for name, document in documents.items()}
    sprints = {name: value for name, value in read.items() if isinstance(value, Sprint)}
    found: list[Violation] = []
    for name, document in documents.items():
        others = [sprint for other, sprint in sprints.items() if other != name]
        found += judge_contract(data(document), policy, siblings=others.copy).violations
    if policy is ContractPolicy.STRICT:
        found += check_sprints([SprintAt(sprint, f"/{name}") for name, sprint in sprints.items()])
    return tuple(found)


def judge(
    page: ContractPage, one: Entry, text: str, *more: str
) -> Callable[[ContractPolicy], tuple[Violation, ...]]:
    """Give what judges the example as its section says, under either policy."""
    patches = [json.loads(part) for part in (text, *more)]
    match one.section:
        case "Between sprints":
            files = {"sprint-1.json": page.sprint, "sprint-2.json": page.beside}
            for patch in patches:
                files |= {name: changed(files[name], changes) for name, changes in patch.items()}
            return lambda policy: judged_sprints(files, policy)
        case "Upgrading":
            subject = _all_changed(page.contract, patches)
            return lambda _: upgrade(subject).violations
        case "Sprint contracts":
            subject = _all_changed(page.sprint, patches)
            return lambda policy: judge_contract(data(subject), policy).violations
        case _:
            subject = _all_changed(page.contract, patches)
            return lambda policy: judge_contract(data(subject), policy, plan=page.plan).violations


def _all_changed(document: Json, patches: list[Json]) -> Json:
    for patch in patches:
        document = changed(document, patch)
    return document


def test_the_example_contracts_keep_every_rule(page: ContractPage) -> None:
    for policy in ContractPolicy:
        assert judge_contract(data(page.contract), policy, plan=page.plan).violations == ()
        assert judged_sprints({"one": page.sprint, "two": page.beside}, policy) == ()


@every_entry("contract-rules")
def test_a_mistake_in_a_contract_is_what_the_page_says(page: ContractPage, entry: Entry) -> None:
    severity, policy, rule = said(entry.meta)
    judges = judge(page, entry, entry.example)
    found = only(judges(ContractPolicy.STRICT), entry)

    assert (found.severity, found.rule) == (severity, rule)
    if policy:
        asked = entry.code in codes(judges(ContractPolicy.SEED))
        assert asked == (policy == "seed and strict"), "which policy asks"


@every_entry("contract-rules")
def test_the_correction_of_a_contract_corrects_it(page: ContractPage, entry: Entry) -> None:
    assert judge(page, entry, entry.example, entry.fix)(ContractPolicy.STRICT) == ()


# --- specs ---


class SpecPage(NamedTuple):
    """The documents of the page."""

    spec: Json
    answer: Json


@pytest.fixture(name="specs", scope="module")
def spec_page() -> SpecPage:
    found = sections("spec-rules")
    (spec,) = found["The example spec"].blocks
    (answer,) = found["Answers"].blocks
    return SpecPage(json.loads(spec), json.loads(answer))


def judged_spec(page: SpecPage, one: Entry, *texts: str) -> tuple[Violation, ...]:
    patches = [json.loads(text) for text in texts]
    before = read_spec(data(page.spec)).value
    assert before is not None
    if one.section == "Answers":
        given = _all_changed(page.answer, patches)
        wrong = why_not(before, given["question_id"], given["answer"])
        return () if wrong is None else (wrong,)
    document = read_spec(data(_all_changed(page.spec, patches)))
    assert document.value is not None, document.violations
    found = (*document.violations, *check_spec(document.value))
    return (*found, *check_replan(before, document.value)) if one.section == "Re-plans" else found


def test_the_example_spec_keeps_every_rule(specs: SpecPage) -> None:
    document = read_spec(data(specs.spec))

    assert document.violations == ()
    assert document.value is not None
    assert check_spec(document.value) == ()
    assert check_replan(document.value, document.value) == ()


@every_entry("spec-rules")
def test_a_mistake_in_a_spec_is_what_the_page_says(specs: SpecPage, entry: Entry) -> None:
    found = only(judged_spec(specs, entry, entry.example), entry)

    assert (found.severity, found.rule) == (said(entry.meta).severity, None)


@every_entry("spec-rules")
def test_the_correction_of_a_spec_corrects_it(specs: SpecPage, entry: Entry) -> None:
    assert judged_spec(specs, entry, entry.example, entry.fix) == ()
