"""Make this repository ready: write signoff.toml and .signoff/, and say what was detected.

Detects the stack and its build, test and lint commands from the files as they lie there, so a repository
without commits will do. Changes nothing that exists; running it again writes what is missing.

examples:
  signoff init
  signoff init -C ../shop --json
"""

import argparse

from signoff.app.preparing import Prepared, prepare_repository
from signoff.cli.command import Options, Say
from signoff.wiring import prepare_home, working_tree


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none of its own."""
    del parser


def run(options: Options, say: Say) -> int:
    """Write what is missing."""
    tree = working_tree(options.root)
    prepared = prepare_repository(tree, lambda: prepare_home(tree.root))
    facts = prepared.facts
    detected = {
        "stacks": facts.stacks,
        "commands": facts.commands,
        "sources": facts.sources,
        "guides": facts.guides,
        "notes": facts.notes,
    }
    document = {"created": prepared.created, "detected": detected, "settings": prepared.settings_in}
    say.result(document, _text(prepared))
    if any(path.endswith("signoff.toml") for path in prepared.created):
        say.note("next: look signoff.toml over and commit it; a run uses the settings of its base commit")
    return 0


def _text(prepared: Prepared) -> str:
    facts = prepared.facts
    lines = [f"created {path}" for path in prepared.created] or [
        "everything is there already; nothing changed"
    ]
    lines.append("stack: " + (", ".join(facts.stacks) or "not recognised"))
    for name in ("build", "lint", "test"):
        argv = facts.commands.get(name)
        found = f"{' '.join(argv)} (from {facts.sources.get(name, 'the tree')})" if argv else "none found"
        lines.append(f"{name}: {found}")
    lines += [f"module guide: {guide}" for guide in facts.guides]
    lines += [f"note: {note}" for note in facts.notes]
    return "\n".join(lines)
