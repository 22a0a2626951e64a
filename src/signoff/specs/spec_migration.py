"""The migration of older spec files into today's shape. Pure.

Anything it does not know is kept as it stands. A file that cannot be migrated comes back untouched, with its
violations. It reads no clock: a file in today's shape comes back unchanged, however often it is migrated.
"""

import re
from typing import Final, NamedTuple

from msgspec.structs import replace

from signoff.contracts.files.document_files import Document
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.spec import Complexity, Priority, Spec, SpecMode, SpecStatus
from signoff.text.json.camel_case import JsonObject, camel, is_camel, to_snake
from signoff.text.json.decode import convert
from signoff.text.json.violation_list import below, shown

PRIORITIES: Final = {
    "must": Priority.MUST_HAVE,
    "should": Priority.SHOULD_HAVE,
    "could": Priority.NICE_TO_HAVE,
}
_NAMES: Final = frozenset(Spec.__struct_fields__)
_HUMP = re.compile(r"[A-Z]")
_SMALL: Final = 1
_MIDDLING: Final = 3


class MigratedSpec(NamedTuple):
    """A spec in today's shape, or as it was where `violations` has anything."""

    raw: JsonObject
    changes: tuple[str, ...]
    """One phrase per change, empty for a file in today's shape."""
    violations: tuple[Violation, ...]


def migrate(raw: JsonObject) -> MigratedSpec:
    """Migrate a camelCase spec of any age into today's shape.

    One in our own spelling is only checked. Pointers of violations are into the file as it is, which is
    what has to be mended.
    """
    if not is_camel(raw, Spec) and any(name != camel(name) for name in raw.keys() & _NAMES):
        return MigratedSpec(raw, (), _errors(convert(raw, Spec).violations))
    migration = _Migration(raw)
    document = migration.document
    value, found = convert(to_snake(document, Spec), Spec)
    placed = Document(value, document, "", (), is_camel=True).placed(_errors(found))
    if placed:
        return MigratedSpec(raw, (), tuple(migration.before(violation) for violation in placed))
    return MigratedSpec(document, tuple(migration.changes), ())


def _errors(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    # Unknown keys are kept as they are.
    return tuple(violation for violation in found if violation.severity is Severity.ERROR)


class _Migration:
    """A copy of the document on its way, with what was done to it."""

    def __init__(self, raw: JsonObject) -> None:
        self.document = dict(raw)
        self.changes: list[str] = []
        self._renamed: dict[str, str] = {}
        self._top_level()
        self._features()
        self._missing()

    def before(self, violation: Violation) -> Violation:
        """Return a violation of the migrated document with its pointer into the original."""
        for new, old in self._renamed.items():
            if violation.path == new or violation.path.startswith(f"{new}/"):
                return replace(violation, path=old + violation.path[len(new) :])
        return violation

    def _top_level(self) -> None:
        self._rename(self.document, "id", "specId")
        if not self._rename(self.document, "projectType", "mode") and "mode" not in self.document:
            self._set(self.document, "mode", str(SpecMode.GREENFIELD))
        if self._rename(self.document, "nonFunctional", "nonFunctionalRequirements"):
            listed = self.document["nonFunctionalRequirements"]
            if isinstance(listed, list):
                self.document["nonFunctionalRequirements"] = [
                    {"requirement": item} if isinstance(item, str) else item for item in listed
                ]

    def _features(self) -> None:
        features = [dict(item) if isinstance(item, dict) else item for item in self._listed("features")]
        for n, feature in enumerate(features):
            if isinstance(feature, dict):
                self._feature(feature, below("/features", n))
        if features:
            self.document["features"] = features

    def _feature(self, feature: JsonObject, path: str) -> None:
        self._rename(feature, "id", "featureId", path)
        priority = feature.get("priority")
        if isinstance(priority, str) and priority in PRIORITIES:
            self._set(feature, "priority", str(PRIORITIES[priority]), path)
        sprints = feature.get("estimatedSprints")
        if type(sprints) is int and not _has(feature, "estimatedComplexity"):
            larger = Complexity.MEDIUM if sprints <= _MIDDLING else Complexity.HIGH
            complexity = Complexity.LOW if sprints <= _SMALL else larger
            self._set(feature, "estimatedComplexity", str(complexity), path)

    def _missing(self) -> None:
        """Fill in what the shape asks for and older files left out."""
        document = self.document
        if "features" not in document:
            self._set(document, "features", [])
        if "status" not in document:
            resolved = {_question_id(item) for item in self._listed("resolvedClarifications")}
            asks = any(_question_id(one) not in resolved for one in self._listed("clarificationQuestions"))
            self._set(document, "status", str(SpecStatus.NEEDS_CLARIFICATION if asks else SpecStatus.DRAFT))
        if "createdAt" in document and not _has(document, "updatedAt"):
            self._set(document, "updatedAt", document["createdAt"])

    def _listed(self, name: str) -> list[object]:
        listed = self.document.get(name)
        return listed if isinstance(listed, list) else []

    def _rename(self, target: JsonObject, old: str, new: str, path: str = "") -> bool:
        """Rename a key in its place, unless the new name is there already."""
        if old not in target or _has(target, new):
            return False
        entries = [(new if key == old else key, value) for key, value in target.items()]
        target.clear()
        target.update(entries)
        self._renamed[f"{path}/{new}"] = f"{path}/{old}"
        self.changes.append(f"{path}/{old} → {new}")
        return True

    def _set(self, target: JsonObject, name: str, value: object, path: str = "") -> None:
        target[name] = value
        said = shown(value) if isinstance(value, str) else "empty"
        self.changes.append(f"{path}/{name}: {said}")


def _has(target: JsonObject, name: str) -> bool:
    """Check whether a field is there, in either spelling."""
    return name in target or _HUMP.sub(lambda hump: f"_{hump[0].lower()}", name) in target


def _question_id(item: object) -> object:
    name = item.get("questionId", item.get("question_id")) if isinstance(item, dict) else None
    return name if isinstance(name, str) else None
