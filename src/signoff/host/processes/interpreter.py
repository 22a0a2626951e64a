"""The Python that runs a project's own tests: its environment if it has one, else the one on PATH."""

import os
import shutil
from collections.abc import Mapping

_OWN = (".venv/bin/python", "venv/bin/python")


def find_python(root: str, env: Mapping[str, str], own: str) -> str:
    """Return the interpreter for `python` in a project's commands.

    The project's own environment comes first, then the one the product runs under (`own`) if it can
    run pytest, then whatever PATH offers.
    """
    for name in _OWN:
        candidate = os.path.join(root, name)
        if os.access(candidate, os.X_OK):
            return candidate
    # Looked for beside the interpreter, because starting one takes long.
    if os.path.exists(os.path.join(os.path.dirname(own), "pytest")):
        return own
    return shutil.which("python3", path=env.get("PATH")) or own
