"""The action of `signoff init`."""

import msgspec

from signoff.cli.shared.command import Options, Output
from signoff.project.settings.repository_setup import Prepared, prepare_repository
from signoff.wiring import prepare_home, working_tree


def run(options: Options, say: Output) -> int:
    """Write what is missing."""
    tree = working_tree(options.root)
    prepared = prepare_repository(tree, lambda: prepare_home(tree.root))
    facts = prepared.facts
    detected = {
        "stacks": facts.stacks,
        "commands": facts.commands,
        "sources": facts.sources,
        "guides": facts.guides,
        "strategies": [msgspec.to_builtins(one) for one in facts.strategies],
        "notes": facts.notes,
    }
    document = {"created": prepared.created, "detected": detected, "settings": prepared.settings_in}
    say.result(document, _text(prepared))
    if any(path.endswith("signoff.toml") for path in prepared.created):
        say.note("next: review signoff.toml and commit it; a run uses the settings of its base commit")
    return 0


def _text(prepared: Prepared) -> str:
    facts = prepared.facts
    lines = [f"created {path}" for path in prepared.created] or [
        "everything exists already, nothing was changed"
    ]
    lines.append("stack: " + (", ".join(facts.stacks) or "not recognised"))
    for name in ("build", "lint", "test"):
        argv = facts.commands.get(name)
        found = f"{' '.join(argv)} (from {facts.sources.get(name, 'the tree')})" if argv else "none found"
        lines.append(f"{name}: {found}")
    for one in facts.strategies:
        when = " and counts where the base passes it" if one.name in facts.counts_when else ""
        lines.append(f"{one.name}: {' '.join(one.argv)} (from {one.source}{when})")
    lines += [f"module guide: {guide}" for guide in facts.guides]
    lines += [f"note: {note}" for note in facts.notes]
    return "\n".join(lines)
