"""Read what an evaluator cites again, from the tree it was to look at."""

import msgspec

from signoff.app.job import Job
from signoff.core.weighing import weigh
from signoff.domain.directives import Evaluation
from signoff.domain.effects import WeighFindings
from signoff.domain.outcomes import FindingsWeighed


def weigh_findings(job: Job, effect: WeighFindings) -> FindingsWeighed:
    """Keep the findings that stand; how many were invented is on the record as well."""
    answer = msgspec.json.decode(job.folder.blobs.get(effect.answer), type=Evaluation)
    files = {entry.path for entry in job.kit.repository.entries(effect.tree)}

    def read(path: str) -> bytes | None:
        return job.kit.repository.read(effect.tree, path) if path in files else None

    weighed = weigh(answer.findings, read)
    kept = Evaluation(findings=weighed.standing)
    body = job.folder.blobs.put(msgspec.json.encode(kept)) if weighed.standing else None
    return FindingsWeighed(
        tree=effect.tree, findings=body, standing=len(weighed.standing), invented=weighed.invented
    )
