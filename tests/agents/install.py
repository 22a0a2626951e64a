"""Put the real programs into the cache: `python tests/agents/install.py [NAME ...]`, else those of `DEFAULT`.

It never fails for want of a network or of npm: what is missing afterwards is skipped by the tests and
said here.
"""

import json
import platform
import shutil
import subprocess
import sys

from realclis import CACHE, CLIS, Cli

DEFAULT = ("codex", "claude", "goose")
"""Programs without a runtime of their own that start fast."""
_LIMIT_S = 240


def install(cli: Cli) -> str:
    """Install one program in the pinned version, unless it is there; give what to say about it."""
    folder = CACHE / cli.name
    manifest = folder / "package.json"
    wanted = json.dumps({"private": True, "signoff": f"{cli.package} {cli.brings}".strip()})
    # npm adds its own lines to the manifest, so the pin is kept beside it.
    pin = folder / "pinned.json"
    if cli.program.exists() and pin.exists() and pin.read_text() == wanted:
        return f"{cli.name} {cli.version}: there"
    npm = shutil.which("npm")
    if npm is None:
        return f"{cli.name}: skipped, npm is not installed"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    manifest.write_text('{"private": true}')
    words: tuple[str, ...] = (
        npm,
        "install",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
        cli.package,
    )
    words += (cli.brings,) if cli.brings else ()
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"{cli.name}: skipped, npm took longer than {_LIMIT_S} s"
    if done.returncode or not cli.program.exists():
        return f"{cli.name}: skipped, npm ended with {done.returncode}"
    pin.write_text(wanted)
    return f"{cli.name} {cli.version}: installed"


def main(names: list[str]) -> int:
    """Install what is named; give 2 for a name nobody knows."""
    unknown = [name for name in names if name not in CLIS]
    if unknown:
        print(f"no such agent: {', '.join(unknown)}; there are {', '.join(CLIS)}", file=sys.stderr)
        return 2
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print("skipped: the pinned packages are for Linux on x86_64")
        return 0
    for name in names or DEFAULT:
        print(install(CLIS[name]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
