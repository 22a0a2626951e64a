"""The gates as workflow commands of GitHub Actions, which shows them beside the lines. Pure.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions — everything that comes from
outside is escaped: a message with a line end in it could otherwise give commands of its own.
"""

from collections.abc import Iterator

from signoff.domain.evidence.gates import FAILING, GateFinding, GateReport, GateSeverity
from signoff.gates.gate_text import gate_text


def annotations(report: GateReport) -> str:
    """Return a command for each new finding, then the text. Advice is only in the text."""
    commands = [*_commands(report)]
    # The text quotes files and messages; until the token comes again, nothing in it is a command.
    token = f"signoff-{report.base[:12] or 'gate'}-{len(commands)}"
    return "\n".join((*commands, f"::stop-commands::{token}", gate_text(report), f"::{token}::"))


def _commands(report: GateReport) -> Iterator[str]:
    for gate in report.gates:
        for finding in gate.findings:
            if not finding.known and finding.severity is not GateSeverity.ADVICE:
                yield _command(finding)
        if gate.unjudged:
            title, said = f"signoff {gate.name}", f"could not be judged: {gate.unjudged}"
            yield f"::error title={_property(title)}::{_data(said)}"


def _command(finding: GateFinding) -> str:
    level = "error" if finding.severity in FAILING else "notice"
    properties = {
        "file": finding.path,
        "line": str(finding.line) if finding.path and finding.line else "",
        "title": f"signoff {finding.gate}: {finding.kind}",
    }
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{level} {said}::{_data(finding.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
