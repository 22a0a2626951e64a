"""Names of things, as distinct types so that a tree id is never passed for a commit id. Pure."""

from typing import NewType

RunId = NewType("RunId", str)
"""A ULID: sortable by the moment it was drawn."""

EffectKey = NewType("EffectKey", str)
"""Derived from what the effect is for, never drawn: `implement/T2/attempt-1/dispatch-1`."""

HaltId = NewType("HaltId", str)
"""The key under which a halt is answered, derived like an effect key."""

TaskId = NewType("TaskId", str)
ClauseId = NewType("ClauseId", str)

TreeId = NewType("TreeId", str)
"""Git tree id: what a receipt is about."""

CommitId = NewType("CommitId", str)

Digest = NewType("Digest", str)
"""`sha256:` and 64 hex digits."""
