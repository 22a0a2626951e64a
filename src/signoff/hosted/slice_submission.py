"""Hand in a slice of a hosted run by command, in place of editing the state file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.base.violations import Severity
from signoff.domain.run.events import Claimed
from signoff.domain.state_file.work_claims import RefinedPrompt
from signoff.hosted.flow.hosted_slices import look_at
from signoff.text.json.decode import decode
from signoff.text.json.json_text import DecodeCode, read_json
from signoff.text.json.violation_list import fault
from signoff.text.redaction import redact

if TYPE_CHECKING:
    from signoff.domain.base.violations import Violation
    from signoff.domain.ports import Blobs
    from signoff.domain.run.halts import Halt
    from signoff.hosted.flow.hosted_view import HostedView


def slice_claim(
    view: HostedView, blobs: Blobs, halt: Halt, data: bytes, by: str
) -> Claimed | tuple[Violation, ...]:
    """Make the claim that answers a directive, or return everything that is wrong with it.

    The data is first JSON, then perhaps wrapped in the slice's name, then of the slice's own shape. Each test
    returns its violations at once, since the next one would only repeat them.
    """
    text, value, faults = read_json(data)
    errors = tuple(one for one in faults if one.severity is Severity.ERROR)
    if text is None or errors:
        return errors
    if isinstance(value, dict) and set(value) == {halt.id}:
        value = value[halt.id]  # the slice with its name around it, as the state file has it
    if halt.id == "input":
        refined = decode(msgspec.json.encode(value), RefinedPrompt)
        if refined.value is None:
            return refined.violations
        value = {**view.input.data, **msgspec.to_builtins(refined.value)}
    else:
        found = look_at(halt.id, value)
        if not found.is_fit:
            message = found.fault or f"`{halt.id}` is empty"
            return (fault(DecodeCode.INVALID, message, f"/{halt.id}", fix="see the schema of the directive"),)
    return Claimed(
        key=EffectKey(halt.id), answer=blobs.put(redact(msgspec.json.encode(value))), kind="slice", by=by
    )
