"""Contracts and specs as they stand in files: the record, and everything else that was there.

Pure. A document is changed in `raw`, and the record is never written: so unknown fields, the file's own
spelling and the order of its keys survive. Pointers and names in violations are the file's own.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.contract import Contract
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.text.json.camel_case import JsonObject, camel, field_names, is_camel, pointer_in, to_snake
from signoff.text.json.decode import convert
from signoff.text.json.json_lines import located
from signoff.text.json.json_text import DecodeCode, read_json
from signoff.text.json.shape_repair import repaired
from signoff.text.json.violation_list import fault

T = TypeVar("T")

_NO_DOCUMENT: Final = frozenset(
    {
        DecodeCode.TOO_LARGE,
        DecodeCode.NOT_UTF8,
        DecodeCode.TOO_DEEP,
        DecodeCode.SYNTAX_ERROR,
        DecodeCode.DUPLICATE_KEY,
        DecodeCode.NOT_A_NUMBER,
        DecodeCode.LONE_SURROGATE,
    }
)
"""What keeps a file from saying one thing to every reader: there is nothing in it to judge."""

_MUST_NOT_BE_EMPTY: Final = (6, 9)
"""Numbers of the rules that ask for at least one of something."""

_SPRINT_KEYS: Final = frozenset(
    {
        *("contractId", "contract_id", "sprintNumber", "sprint_number"),
        *("successCriteria", "nonGoals", "stopConditions", "definitionOfDone"),
    }
)

_NAME: Final = re.compile(r"`([a-z][a-z0-9_]*)`")


class Document(NamedTuple, Generic[T]):
    """A file that was read."""

    value: T | None
    """The record. None if the shape is wrong, and then `violations` has an error."""
    raw: JsonObject | None
    """What stands in the file, as it is spelt there. None if that is not a JSON object."""
    text: str
    violations: tuple[Violation, ...]
    """What is wrong with its shape."""
    is_camel: bool = False
    is_readable: bool = True
    """False where it is no JSON on which every reader agrees."""
    mended: T | None = None
    """The nearest thing to the record where `value` is None, for rules to look at and for nothing else."""

    def placed(self, found: Iterable[Violation]) -> tuple[Violation, ...]:
        """Return violations about the record as violations of the file: in its spelling, with its lines."""
        listed = tuple(found)
        if self.is_camel:
            listed = tuple(
                replace(
                    violation,
                    path=pointer_in(violation.path, self.raw),
                    message=_with_own_names(violation.message),
                    fix=_with_own_names(violation.fix),
                )
                for violation in listed
            )
        return tuple(located(listed, self.text)) if listed and self.text else listed


def read_contract(data: bytes) -> Document[Contract | Sprint]:
    """Parse a contract of ours, a plan contract or a sprint contract. Never raises on any bytes."""
    return _read(data, lambda raw: Sprint if is_sprint(raw) else Contract)


def read_spec(data: bytes) -> Document[Spec]:
    """Parse a spec in either spelling. Never raises on any bytes."""
    return _read(data, lambda _: Spec)


def read_record(data: bytes, kind: type[T]) -> Document[T]:
    """Read any other record from a file of its own."""
    return _read(data, lambda _: kind)


def is_sprint(raw: JsonObject) -> bool:
    """Check whether this is meant to be a sprint contract."""
    return "tasks" not in raw and not _SPRINT_KEYS.isdisjoint(raw)


def _read(data: bytes, choose: Callable[[JsonObject], Any]) -> Document[Any]:
    text, parsed, before = read_json(data)
    if text is None or any(violation.code in _NO_DOCUMENT for violation in before):
        found = tuple(located(before, text)) if text else before
        return Document(None, None, "", found, is_readable=False)
    if not isinstance(parsed, dict):
        wrong = fault(DecodeCode.WRONG_TYPE, "must be an object", fix="write a JSON object")
        return Document(None, None, text, (*before, wrong))
    kind = choose(parsed)
    spelt = is_camel(parsed, kind)
    ours = to_snake(parsed, kind) if spelt else parsed
    ours = _with_aliases(ours) if kind is Contract else ours
    value, violations = convert(ours, kind, is_shallow=True)
    mended = repaired(ours, kind, violations) if value is None else None
    document = Document(value, parsed, text, (), spelt, mended=mended)
    return document._replace(violations=document.placed((*before, *violations)))


def _with_aliases(document: Any) -> Any:
    """Let a criterion call its id `criterion_id`, as a sprint's criteria do."""
    criteria = document.get("success_criteria")
    if not isinstance(criteria, list):
        return document
    renamed = [
        {"id" if key == "criterion_id" else key: value for key, value in item.items()}
        if isinstance(item, dict) and "id" not in item
        else item
        for item in criteria
    ]
    return {**document, "success_criteria": renamed}


def _with_own_names(text: str) -> str:
    """Return a sentence with the fields it names in camelCase."""
    return _NAME.sub(lambda name: f"`{camel(name[1])}`" if name[1] in _field_names() else name[0], text)


@cache
def _field_names() -> frozenset[str]:
    return field_names(Contract) | field_names(Sprint) | field_names(Spec)


def beside(found: Iterable[Violation], shape: Iterable[Violation]) -> tuple[Violation, ...]:
    """Return what rules say about a mended record, less what they say about the places that were mended.

    A rule that something must be there stands where the field is missing: that is what it is about.
    """
    wrong = {v.path: v.code for v in shape if v.severity is Severity.ERROR}
    kept = []
    for violation in found:
        above = next((path for path in wrong if (violation.path + "/").startswith(path + "/")), None)
        is_missing = above is not None and wrong[above] == DecodeCode.MISSING_FIELD
        if above is None or (is_missing and violation.rule in _MUST_NOT_BE_EMPTY):
            kept.append(violation)
    return tuple(kept)


def has_errors(violations: Iterable[Violation]) -> bool:
    """Check whether any of these is an error and not a warning."""
    return any(violation.severity is Severity.ERROR for violation in violations)
