"""The sprint contracts a spec carries: each by itself, all together, and as parts of this spec.

Pure; for `core.spec_rules`. A spec may name sprints by their ids instead: then these are judged in their own
files, and here the ids only count as sprints one may depend on.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from signoff.core.spec_codes import SpecCode
from signoff.core.sprint_rules import SprintAt, SprintCode, check_sprint, check_sprints
from signoff.core.violations import below, fault, shown
from signoff.domain.contract import Policy
from signoff.domain.spec import Spec
from signoff.domain.sprints import Sprint
from signoff.domain.violations import Violation


def sprints_are_precise(spec: Spec) -> Iterator[Violation]:
    """Give what is wrong with each sprint by itself."""
    for sprint, path in _sprints(spec):
        for violation in check_sprint(sprint, Policy.STRICT):
            yield replace(violation, path=path + violation.path)


def sprints_fit_together(spec: Spec) -> Iterator[Violation]:
    """Give what is wrong between them; what one named by its id would settle is let alone."""
    sprints = list(_sprints(spec))
    named = {sprint for sprint in spec.sprints if isinstance(sprint, str)}
    settled = set()
    for sprint, path in sprints:
        for n, name in enumerate(sprint.depends_on):
            if name in named:
                settled.add((SprintCode.UNKNOWN_SPRINT, below(path, "depends_on", n)))
                settled.add((SprintCode.FIRST_SPRINT_WAITS, below(path, "depends_on")))
    for violation in check_sprints(sprints):
        code = violation.code
        # A sprint of another spec is an error here, and named below.
        if code != SprintCode.MIXED_SPECS and (code, violation.path) not in settled:
            yield violation


def sprints_are_of_this_spec(spec: Spec) -> Iterator[Violation]:
    """A sprint in a spec is about that spec and its features."""
    known = {feature.feature_id for feature in spec.features}
    for sprint, path in _sprints(spec):
        if sprint.spec_id != spec.spec_id:
            message = f"{shown(sprint.spec_id)} is another spec than this one, {shown(spec.spec_id)}"
            fix = f"write {shown(spec.spec_id)}, or move the sprint to its own spec"
            yield fault(SpecCode.FOREIGN_SPRINT, message, below(path, "spec_id"), fix=fix)
        for n, name in enumerate(sprint.features):
            if name not in known:
                message = f"there is no feature {shown(name)}"
                fix = "name a feature of this spec"
                yield fault(SpecCode.UNKNOWN_FEATURE, message, below(path, "features", n), fix=fix)


def _sprints(spec: Spec) -> Iterator[SprintAt]:
    for n, sprint in enumerate(spec.sprints):
        if isinstance(sprint, Sprint):
            yield SprintAt(sprint, below("/sprints", n))
