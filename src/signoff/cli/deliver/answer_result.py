"""What `answer` and `submit` share: print whether an answer was accepted, and resume the run."""

from signoff.cli.shared.command import Output
from signoff.cli.shared.progress import Progress
from signoff.cli.shared.run_driver import conclude, drive
from signoff.cli.shared.violations import violation_text
from signoff.domain.ports import RunFolder
from signoff.engine.run.kit import Kit
from signoff.runs.people.given_answers import AnswerReceipt
from signoff.wiring import person


def settle(kit: Kit, folder: RunFolder, say: Output, accepted: AnswerReceipt, *, resume: bool) -> int:
    """Print whether an answer was accepted. With `resume`, drive the run on and print how it ended instead.

    A driver that holds the run reads the answer itself, so then nothing is resumed here.
    """
    # A driver that was alive a moment ago may have ended without looking into its inbox again.
    driven = accepted.relayed and folder.is_locked()
    going_on = accepted.accepted and not driven
    document: dict[str, object] = {
        "accepted": accepted.accepted,
        "violations": accepted.violations,
        "next": f"signoff runs resume {folder.run_id}" if going_on and not resume else "",
    }
    said = f"{accepted.halt}: {accepted.answer}" if accepted.accepted else f"{accepted.halt}: not accepted"
    if resume and going_on:
        say.note(said)
        progress = Progress(say)
        return conclude(kit, folder, say, drive(kit, folder, say, person(), progress), **document)
    document.update(run_id=folder.run_id, halt=accepted.halt, answer=accepted.answer)
    say.result(document, "\n".join((said, *(violation_text(v) for v in accepted.violations))))
    if document["next"]:
        say.note(f"go on with: {document['next']}")
    elif driven:
        say.note("the driver of the run will read it")
    return 0 if accepted.accepted else 1
