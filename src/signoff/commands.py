"""Every command and what it does, by group, in the order in which they are listed.

Data, loaded by each call.
"""

GROUPS = {
    "deliver": {
        "demo": "show a whole delivery on a bundled repository, with a recorded agent",
        "init": "write signoff.toml and .signoff/, and show what was detected",
        "doctor": "check that this machine is ready: git, agents, sandbox, settings",
        "run": "deliver a ticket, a contract, or the sprints of a spec",
        "work": "run one cycle of a run that your coding agent drives",
        "submit": "hand in the answer to a directive",
        "answer": "answer a question that a run waits for",
        "waive": "overrule a clause, on the record (a person at a terminal)",
        "runs": "list runs, or show, resume, stop, hand off, replay or pin one",
        "status": "show where a run stands and what it waits for",
        "report": "print the delivery report, verify it, or run its checks again",
        "migrate-state": "migrate the state file of a hosted run from version 0 to version 1",
    },
    "plan": {
        "refine": "check a ticket or prompt before any work starts",
        "plan": "make a spec and a contract for a ticket, and stop there",
        "contract": "check, show, compile, seal and verify contracts",
        "spec": "check a spec, answer its questions, migrate older ones",
        "check": "run one check here and now",
    },
    "judge": {
        "gate": "judge the working tree against a base by every deterministic gate",
        "evidence": "check a claim about a build, test or lint run against its log",
        "risk": "rank the files of a change by how much they need a reader",
        "tests": "judge the tests of a change: gap, integrity, redgreen",
        "secrets": "look for credentials in files, a diff, or what is staged",
        "guard": "allow or block a command or a SQL file (for hooks)",
        "review": "check a reviewer's output",
        "triage": "check the output of triage, and correct its `approved`",
        "journal": "check or repair an event log",
        "ledger": "check the records of agents that ran",
        "cite": "verify a citation of a document",
    },
    "audit": {
        "audit": "judge a quality audit by its files, and show how it would resume",
        "calibrate": "judge a calibration cycle, or the recall of a bug list",
    },
    "history": {
        "agents": "list which agents ran, for how long and at what cost",
        "golden": "capture, replay and verify recorded runs as regression tests",
        "config": "show each setting, its value and where it came from",
        "completion": "print a completion script for bash, zsh or fish",
    },
}

COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}


def module_of(name: str, part: str = "") -> str:
    """Return the module that holds a command. With `part` "arguments", the one that holds its help."""
    group = next(group for group, names in GROUPS.items() if name in names)
    return ".".join(("signoff.cli", group, *filter(None, (part,)), name.replace("-", "_")))
