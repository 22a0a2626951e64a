"""A spec with its sprints, read from all their files, for `signoff run --spec`."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from signoff.cli.shared.contract_files import contract_of, unusable, usable
from signoff.cli.shared.files import project_root, read_file
from signoff.contracts.files.contract_file_check import judge_contract
from signoff.contracts.files.document_files import Document, has_errors, read_contract, read_spec
from signoff.domain.base.errors import ConfigError
from signoff.domain.base.violations import Violation
from signoff.domain.work.contract import Contract
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.specs.spec_rules import check_spec
from signoff.specs.sprint_order import SprintStage, in_order
from signoff.specs.sprint_tickets import as_proposed
from signoff.wiring import contract_folders


class SpecRead(NamedTuple):
    """A spec, its sprints in the order in which they can be delivered, and the violations of both."""

    document: Document[Spec]
    spec: Spec
    stages: tuple[SprintStage, ...]
    violations: tuple[Violation, ...]

    @property
    def is_valid(self) -> bool:
        """Whether it has no violations but warnings."""
        return not has_errors(self.violations)


def read_whole_spec(path: str, root: str) -> SpecRead:
    """Read a spec and the contracts of its sprints.

    A file that is no spec at all is an error; anything else is in `violations`.
    """
    document = read_spec(read_file(path))
    spec = document.value
    if spec is None:
        raise unusable(path, document.violations, "spec-invalid", "is not a spec")
    folders = tuple(dict.fromkeys(contract_folders(path, project_root(root))))
    items = spec.sprints or tuple(_beside(folders, spec))
    stages = tuple(_stages(items, folders))
    # Sprints that are named by their ids are judged as if they stood in the spec.
    words = {stage.id: stage.sprint for stage in stages if stage.sprint is not None}
    named = tuple(words.get(item, item) if isinstance(item, str) else item for item in items)
    found = document.placed(check_spec(replace(spec, sprints=named)))
    return SpecRead(document, spec, in_order(stages), (*document.violations, *found))


def _beside(folders: tuple[str, ...], spec: Spec) -> Iterator[Sprint]:
    """Yield the sprint contracts in files of their own that name this spec.

    The spec need not name them.
    """
    for folder in folders:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            found = read_contract(read_file(os.path.join(folder, name))) if name.endswith(".json") else None
            if found is not None and isinstance(found.value, Sprint) and found.value.spec_id == spec.spec_id:
                yield found.value


def _stages(items: tuple[str | Sprint, ...], folders: tuple[str, ...]) -> Iterator[SprintStage]:
    before: tuple[str, ...] = ()
    for item in items:
        name = item if isinstance(item, str) else item.contract_id
        path = _file_of(name, folders)
        sprint = item if isinstance(item, Sprint) else None
        contract = None
        if path is not None:
            read = read_contract(read_file(path)).value
            if isinstance(read, Contract):
                contract = _complete(path)
            elif sprint is None:
                judged = judge_contract(read_file(path))
                if not isinstance(judged.document.value, Sprint):
                    raise unusable(path, judged.violations, "contract-invalid", "is not a contract")
                sprint = judged.document.value
        if sprint is None and contract is None:
            raise ConfigError(
                f"there is no contract of sprint {name}",
                slug="sprint-unknown",
                why=f"the spec names it by its id, and no {name}.json lies in {' or '.join(folders)}",
                fix="write the sprint there, or into the spec",
            )
        # A contract says nothing of other sprints; the spec lists them in the order they need.
        yield SprintStage(name, sprint, contract, sprint.depends_on if sprint is not None else before)
        before = (name,)


def _file_of(name: str, folders: tuple[str, ...]) -> str | None:
    if not name or os.sep in name or "\0" in name or name.startswith("."):
        return None
    paths = (os.path.join(folder, f"{name}.json") for folder in folders)
    return next((path for path in paths if os.path.isfile(path)), None)


def _complete(path: str) -> bytes:
    """Return a contract that can be delivered as it is.

    A contract that breaks a rule is an error.
    """
    data = read_file(path)
    judged = usable(path, data)
    if not judged.ok:
        raise unusable(path, judged.violations, "contract-invalid", "breaks the rules of a contract")
    return as_proposed(data, contract_of(judged, path))
