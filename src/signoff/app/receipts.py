"""Keep what a check saw: its receipt as a file of the run, its report as a blob."""

import msgspec

from signoff.core.canonical import digest
from signoff.domain.ids import EffectKey
from signoff.domain.outcomes import Checked
from signoff.domain.ports import CheckSeen, RunFolder


def receipt_name(key: EffectKey) -> str:
    """Name the file of a receipt."""
    return f"receipts/{key}.json"


def keep_receipt(folder: RunFolder, seen: CheckSeen, *, is_replay: bool) -> Checked:
    """Write the receipt; its digest stays out of a replayed journal, because times differ."""
    receipt = seen.receipt
    if seen.report is not None:
        blob = folder.blobs.put(msgspec.json.encode(seen.report))
        observation = msgspec.structs.replace(receipt.observation, report=blob)
        receipt = msgspec.structs.replace(receipt, observation=observation)
    body = msgspec.json.format(msgspec.json.encode(receipt), indent=2) + b"\n"
    folder.write(receipt_name(receipt.key), body)
    return Checked(observation=receipt.observation, evidence=None if is_replay else digest(body))
