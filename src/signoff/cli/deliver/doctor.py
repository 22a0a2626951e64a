"""The action of `signoff doctor`."""

from signoff.cli.shared.command import Options, Output
from signoff.project.readiness import Examined, examine_ground
from signoff.wiring import ground_of


def run(options: Options, say: Output) -> int:
    """Examine the machine and the repository, and print what is missing."""
    found = examine_ground(ground_of(options.root))
    document = {"ok": found.is_ready, "checks": found.checks, "settings": found.settings}
    say.result(document, doctor_text(found))
    return 0 if found.is_ready else 1


def doctor_text(found: Examined) -> str:
    """Return the text of `signoff doctor`: the checks with their fixes, and the settings that differ.

    A fix is printed only for a check that failed, and settings only if one is not the default.
    """
    width = max(len(check.name) for check in found.checks)
    lines = []
    for check in found.checks:
        mark = "ok" if check.ok else "MISSING" if check.required else "-"
        lines.append(f"{mark:<8}{check.name:<{width}}  {check.detail}")
        if check.fix and not check.ok:
            lines.append(f"{'':<8}{'':<{width}}  fix: {check.fix}")
    set_here = [o for o in found.settings if o.source != "default"]
    if set_here:
        lines += ["", "settings that are not the default:"]
        lines += [f"  {origin.name} = {origin.value}  [{origin.source}]" for origin in set_here]
    return "\n".join(lines)
