"""signoff.toml as `init` writes it: the detected commands, and the rest as comments. Pure."""

import json

from signoff.domain.run.directives import Facts
from signoff.domain.work.strategies import WhenBase

_HEAD = """\
# Settings of signoff; everything is optional, and `signoff config show` says what is in force.
# Commit this file: a run reads it from its base commit, so that no agent can weaken the checks.

[checks]
# What must pass, each a list of words that is run without a shell.
"""

_REST = """\
# preset = "python-api"            # what such a project must pass: nextjs, react-vite, api-node, go, rust
# test_report = "report.xml"       # JUnit XML that the test command writes, for runners signoff does not know
# carry = [".venv"]                # dependency folders that checks need beside a clean tree
# timeout_s = 600
# protected = ["infra/**"]         # further files that no agent may change
# extra = [{ name = "contract-tests", kind = "api", command = ["make", "contract-tests"] }]

[plan]
# approve = "person"               # or "policy": plans that pass the rules are approved without asking

[agent]
# name = "hosted"                  # or "command"; a flag on the command line wins
# command = ["my-agent", "--json"] # reads a directive as JSON on stdin, answers as JSON on stdout
# timeout_s = 1800
# env = ["MY_AGENT_TOKEN"]         # environment variables the agent may see

[evaluate]
# agent = false                    # true: an agent looks for what green checks do not show
# required = false                 # true: without its answer the result could not be judged

[limits]
# parallel = 4
# plan_revisions = 2
# rework = 3
# retries = 3
"""

_EXAMPLES = {
    "test": ("make", "test"),
    "build": ("make", "build"),
    "lint": ("make", "lint"),
    "typecheck": ("make", "typecheck"),
}


def settings_file(facts: Facts) -> str:
    """Return the file. It spells out detected commands, so that the commit shows what a result must pass."""
    return _HEAD + "".join(_command(facts, name) for name in _EXAMPLES) + _REST


def _command(facts: Facts, name: str) -> str:
    argv, source = facts.commands.get(name), facts.sources.get(name, "the tree")
    for one in facts.strategies:
        if one.name == name:
            argv, source = one.argv, one.source
    if argv is None:
        return f"# {name} = {_words(_EXAMPLES[name])}\n"
    if facts.counts_when.get(name) is WhenBase.PASSES:
        counts = "as a comment, it counts where the base passes it"
        return f"# {name} = {_words(argv)}  # found in {source}; {counts}\n"
    return f"{name} = {_words(argv)}  # found in {source}\n"


def _words(argv: tuple[str, ...]) -> str:
    return json.dumps(argv, ensure_ascii=False)
