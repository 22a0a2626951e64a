"""The action of `signoff config`."""

from signoff.cli.shared.command import Options, Output
from signoff.project.settings.repository_setup import working_settings
from signoff.wiring import project


def run(options: Options, say: Output) -> int:
    """List the settings."""
    tree = project(options.root)
    _, origins = working_settings(tree)
    width = max(len(origin.name) for origin in origins)
    rows = [f"{o.name:<{width}} = {o.value or '(not set)'}  [{o.source}]" for o in origins]
    say.result({"root": tree.root, "from": "working tree", "settings": origins}, "\n".join(rows))
    say.note(f"from the files in {tree.root}; a run reads them from its base commit")
    return 0
