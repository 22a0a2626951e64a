"""Which files of a tree the project's own gate commands run, and a change is therefore judged by.

Pure. A file run by its own path or by an interpreter judges the work, as settings do. A file that a test
runner or linter is pointed at is what is judged.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from signoff.text.shell.shell_parts import UnreadableShell, variable_set
from signoff.text.shell.shell_reader import find_commands
from signoff.text.shell.wrappers import inner_start

Reader = Callable[[str], bytes | None]
"""A function that returns the bytes of a file in one tree, or None if that tree has no such file."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_JUDGING = _words(
    "pytest py.test unittest doctest nose2 ward ruff mypy pyright basedpyright pylint flake8 black isort "
    "bandit vulture codespell yamllint compileall py_compile eslint tsc prettier biome jest vitest mocha "
    "ava tap c8 nyc playwright cypress stylelint oxlint xo standard rubocop rspec shellcheck shfmt "
    "golangci-lint gofmt rustfmt markdownlint"
)
"""Programs whose file arguments are what is judged, so that only the files that configure them judge."""
_RUNS_FILES = _words(
    "python pypy node deno tsx ts-node bun sh bash zsh dash ksh fish ruby perl php lua pwsh source ."
)
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_PACKAGERS = ("npm", "yarn", "pnpm", "bun")
_RUN_WORDS = ("run", "run-script", "rum", "urn")
_SCRIPT_CALLERS = ("run-s", "run-p", "npm-run-all", "npm-run-all2", "concurrently")
_RECIPES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "gmake": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": tuple(f"{name}{end}" for name in ("Taskfile", "taskfile") for end in (".yml", ".yaml")),
}
_CONFIGURING = _words(
    "-c --config --config-file --rcfile --rc-file --project --tsconfig --require -r --import --loader "
    "--experimental-loader --setup-files --plugin --rulesdir --ignore-path --env-file --settings "
    "--resolve-plugins-relative-to --reporter --parser --test-reporter"
)
_SETTING_ASIDE = ("ignore", "deselect", "exclude", "extend-exclude", "omit", "include", "cov", "source")
_FOLDER_OPTIONS = ("-C", "--prefix", "--cwd", "--dir", "--directory")
_PRODUCT = re.compile(
    r"(^|/)(src|lib|tests?|__tests__|spec|specs)/|(^|/)(test_[^/]*|[^/]*[._](test|spec)\.[^/]*)$"
)


def bar_files(
    commands: Mapping[str, tuple[str, ...]], paths: frozenset[str], read: Reader
) -> tuple[str, ...]:
    """Return the files of the base tree that the project's gate commands run, as exact paths in order.

    A file that a runner or linter is merely pointed at is never among them: it is judged, and must be free to
    change. The commands inside a Makefile or a shell script are not followed, those of package.json are.
    """
    found = _GateFiles(paths, read)
    for argv in commands.values():
        found.follow(list(argv), "")
    return tuple(sorted(found.files))


class _GateFiles:
    """The files that the commands followed so far run."""

    def __init__(self, paths: frozenset[str], read: Reader) -> None:
        self.files: set[str] = set()
        self._paths = paths
        self._read = read
        self._followed: set[tuple[str, str]] = set()

    def follow(self, argv: list[str], folder: str) -> None:
        """Keep the files that one command runs in a folder of the tree.

        Decides by the program: recipes of `make`, scripts of npm, configuration of a runner or linter, the
        script of an interpreter, and otherwise each argument that is a file.
        """
        words = self._unwrapped(argv, folder)
        if not words:
            return
        program, rest = _program(words[0]), words[1:]
        folder_named = _folder_option(rest, folder)
        if self._keep(words[0], folder) and program not in _RUNS_FILES:
            self._keep_arguments(rest, folder)
            return
        for recipe in _RECIPES.get(program, ()):
            self._keep(recipe, folder_named)
        if program in _SCRIPT_CALLERS:
            for word in rest:
                self._follow_script(word.removeprefix("npm:"), folder)
                self._follow_text(word, folder)
        elif program in _PACKAGERS and self._follow_packager(program, rest, folder_named):
            return
        elif program in _JUDGING or (program == "bun" and rest[:1] == ["test"]):
            self._keep_configuration(rest, folder)
        elif program in _RUNS_FILES:
            self._follow_interpreter(program, rest, folder)
        else:
            self._keep_arguments(rest, folder)

    def _unwrapped(self, argv: list[str], folder: str) -> list[str]:
        """Take off variables and wrappers, but keep the files that their options name."""
        words = list(argv)
        while words and not self._in_tree(words[0], folder):
            start = 1 if variable_set(words[0]) else inner_start(words)
            if not start:
                break
            for word in words[1:start]:
                self._keep(word, folder)
                self._keep(word.partition("=")[2], folder)
            words = words[start:]
        return words

    def _follow_text(self, text: str, folder: str) -> None:
        """Follow each command of a shell line, where `cd` holds for those after it."""
        here = folder
        for argv in _commands_of(text):
            if argv[0] == "cd":
                here = _joined(here, argv[1]) if len(argv) > 1 else here
            else:
                self.follow(argv, here)

    def _follow_interpreter(self, program: str, rest: list[str], folder: str) -> None:
        """Keep the script that an interpreter runs, and the files that its options and arguments name.

        The first word that is a file of the tree, with or without its ending, is the script. `-c` of a shell
        and `-m` of Python hold a line or a module instead.
        """
        if program == "node" and "--test" in rest:
            self._keep_configuration(rest, folder)
            return
        is_value = False
        for at, word in enumerate(rest):
            after = rest[at + 1 :]
            if is_value:  # `-r ./setup.js`: run as well, and not yet the script
                is_value = False
                for path in re.findall(r"[\w./@+-]+", word):
                    self._keep(path, folder)
                continue
            if program in _SHELLS and re.fullmatch(r"-[a-z]*c", word):
                self._follow_text(after[0] if after else "", folder)
                return
            if program in ("python", "pypy") and word == "-m" and after:
                self._follow_module(after[0], after[1:], folder)
                return
            if program not in _SHELLS and (word in _CONFIGURING or word in ("-e", "-p")):
                is_value = True
            elif word.startswith("-"):
                self._keep(word.partition("=")[2], folder)
            elif any(
                self._keep(word + end, folder)
                for end in ("", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/__main__.py")
            ):
                self._keep_arguments(after, folder)
                return

    def _follow_module(self, module: str, rest: list[str], folder: str) -> None:
        """Follow `python -m`: a module of the tree comes before an installed one of that name."""
        is_ours = self._keep_module(module, folder)
        if not is_ours and (module.partition(".")[0] in _JUDGING or module in ("coverage", "tox", "nox")):
            self.follow([module, *rest], folder)
        else:
            self._keep_arguments(rest, folder)

    def _keep_module(self, module: str, folder: str) -> bool:
        place = module.replace(".", "/")
        kept = [self._keep(place + end, folder) for end in (".py", "/__main__.py")]
        return any(kept)

    def _follow_packager(self, program: str, rest: list[str], folder: str) -> bool:
        """Follow the script that npm and its like run, and return whether there is one."""
        named = [
            word
            for at, word in enumerate(rest)
            if not word.startswith("-")
            and (at == 0 or rest[at - 1] not in (*_FOLDER_OPTIONS, "-w", "--workspace"))
        ]
        if program == "bun" and named[:1] == ["test"]:
            return False
        script = next((word for word in named if word not in (*_RUN_WORDS, "workspaces", "foreach")), "")
        script = {"t": "test", "tst": "test"}.get(script, script) if program == "npm" else script
        return self._follow_script(script, folder)

    def _follow_script(self, script: str, folder: str) -> bool:
        bodies = self._scripts(folder)
        if script not in bodies:
            return False
        for name in (f"pre{script}", script, f"post{script}"):
            if name in bodies and (folder, name) not in self._followed:
                self._followed.add((folder, name))
                self._follow_text(bodies[name], folder)
        return True

    def _scripts(self, folder: str) -> Mapping[str, str]:
        try:
            whole: Any = json.loads(self._read(_joined(folder, "package.json")) or b"{}")
        except (ValueError, RecursionError):
            return {}
        scripts: Any = whole.get("scripts") if isinstance(whole, dict) else None
        if not isinstance(scripts, dict):
            return {}
        return {name: body for name, body in scripts.items() if isinstance(body, str)}

    def _keep_arguments(self, words: list[str], folder: str) -> None:
        """Keep the files among a program's arguments, but not the product's and not its tests."""
        for word in words:
            path = self._in_tree(word, folder) or self._in_tree(word.partition("=")[2], folder)
            if path and not _PRODUCT.search(path):
                self.files.add(path)

    def _keep_configuration(self, words: list[str], folder: str) -> None:
        for before, word in zip(["", *words], words, strict=False):
            option, _, value = word.partition("=")
            if before == "-p":  # a plugin of pytest, a project of tsc
                self._keep_module(word, folder)
                self._keep(word, folder)
            elif before in _CONFIGURING:
                self._keep(word, folder)
            elif option.startswith("-") and not option.lstrip("-").startswith(_SETTING_ASIDE):
                self._keep(value, folder)

    def _keep(self, word: str, folder: str) -> bool:
        path = self._in_tree(word, folder)
        if path:
            self.files.add(path)
        return path != ""

    def _in_tree(self, word: str, folder: str) -> str:
        path = _joined(folder, word) if word and not word.startswith("/") else ""
        return path if path in self._paths else ""


def _program(word: str) -> str:
    """Name a program without its folder, version and suffix: `.venv/bin/python3.12` is `python`."""
    name = word.rpartition("/")[2] if word != "." else word
    return re.sub(r"(?<=[a-z])[0-9.]+$", "", name.removesuffix(".exe").removesuffix(".cmd")) or name


def _folder_option(words: list[str], folder: str) -> str:
    """Return the folder that `-C dir` and its like name."""
    for before, word in zip(["", *words], words, strict=False):
        option, has_value, value = word.partition("=")
        if before in _FOLDER_OPTIONS:
            return _joined(folder, word)
        if has_value and option in _FOLDER_OPTIONS:
            return _joined(folder, value)
    return folder


def _joined(folder: str, path: str) -> str:
    """Join a path to a folder of the tree without asking the disk, stopping `..` at the root."""
    parts: list[str] = []
    for part in f"{folder}/{path}".split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _commands_of(text: str) -> list[list[str]]:
    """Split a shell line, and the texts it gives to its commands, into commands with the files they read.

    A line that no shell would take is split at every operator and blank.
    """
    found: list[list[str]] = []
    waiting = [text]
    while waiting:
        script = waiting.pop()
        try:
            commands = find_commands(script)
        except UnreadableShell:
            found += [part.split() for part in re.split(r"[();|&\n]", script)]
            continue
        for command in commands:
            words = (*command.words, *(redirection.target for redirection in command.redirections))
            found.append([word.text for word in words])
            waiting += command.texts
    return [argv for argv in found if argv]
