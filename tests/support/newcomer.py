"""An interpreter like a newcomer's: the product and pytest, none of our development tools.

Our own environment has pytest plugins that take a second to load, in every test run of every delivery.
"""

import atexit
import os
import shutil
import sys
import tempfile
import venv
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import signoff

_NEEDED = ("msgspec", "pytest", "pluggy", "iniconfig", "packaging", "pygments")


@cache
def newcomer_python() -> str:
    """Make the environment once per process; give the path of its interpreter."""
    folder = Path(tempfile.mkdtemp(prefix="newcomer-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    venv.create(folder, symlinks=True, with_pip=False)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    (site / "signoff.pth").write_text(f"{Path(signoff.__file__).parent.parent}\n")
    for name in _NEEDED:
        for top in _top_level(name):
            (site / top.name).symlink_to(top)
    shutil.copy(shutil.which("true") or "/bin/true", folder / "bin" / "pytest")
    return os.path.join(folder, "bin", "python")


def _top_level(name: str) -> set[Path]:
    """Give the folders and files a distribution has put beside the others."""
    files = distribution(name).files or []
    tops = {Path(str(file.locate())) for file in files if len(file.parts) == 1}
    folders = {file.parts[0] for file in files if len(file.parts) > 1 and file.parts[0] != ".."}
    root = Path(str(distribution(name).locate_file("")))
    return tops | {root / folder for folder in folders}
