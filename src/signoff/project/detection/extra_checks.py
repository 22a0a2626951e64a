"""Detect the strategies of a project besides build, lint and tests, and when each of them counts. Pure.

Settings come first. What is detected counts only if the base passes it: a tool that this machine lacks, or a
type check that already fails, must not stop every delivery. A preset names what a project of its kind must
pass, but the project's own files decide how.
"""

import re
from collections.abc import Iterator, Mapping

from signoff.domain.run.directives import Facts
from signoff.domain.work.settings import CheckSettings, ExtraCheck, Preset
from signoff.domain.work.strategies import ProjectServer, Strategy, StrategyKind, WhenBase
from signoff.project.detection.changed_surface import Argv, CommandFound, Reader, Tree
from signoff.project.detection.gate_programs import bar_files

_MYPY_FILES = (("mypy.ini", rb""), (".mypy.ini", rb""), ("setup.cfg", rb"^\[mypy\]"))
_PLAYWRIGHT = tuple(f"playwright.config.{end}" for end in ("ts", "js", "mjs", "cjs", "mts", "cts"))
_OPENAPI = re.compile(r"(^|/)(openapi|swagger)\.(ya?ml|json)$")
_TSC: Argv = ("npx", "--no-install", "tsc", "--noEmit")
_TYPE_SCRIPTS = ("typecheck", "type-check", "check-types")


def _npm(script: str) -> Argv:
    return ("npm", "run", "--silent", script)


_NODE_SITE: Mapping[str, Argv] = {"typecheck": _TSC, "lint": _npm("lint"), "build": _npm("build")}
_PRESETS: Mapping[Preset, Mapping[str, Argv]] = {
    Preset.NEXTJS: _NODE_SITE,
    Preset.REACT_VITE: _NODE_SITE,
    Preset.API_NODE: {"typecheck": _TSC, "lint": _npm("lint"), "api": _npm("test:api")},
    Preset.PYTHON_API: {
        "test": ("python", "-m", "pytest"),
        "lint": ("python", "-m", "ruff", "check", "--no-cache", "."),
    },
    Preset.GO: {"build": ("go", "build", "./..."), "lint": ("go", "vet", "./...")},
    Preset.RUST: {"build": ("cargo", "build", "--locked"), "lint": ("cargo", "clippy", "--locked")},
}
"""What each kind of project must pass, with the command to use if none of its files names one."""

PLAIN = ("test", "build", "lint")
"""Commands of `Facts.commands`. All others are strategies."""


def demanded(settings: CheckSettings) -> Mapping[str, Argv]:
    """Return the commands that the preset asks for, by name."""
    return _PRESETS[settings.preset] if settings.preset else {}


def strategies(tree: Tree, settings: CheckSettings) -> tuple[Strategy, ...]:
    """Return the strategies, those of the settings first, each name once."""
    found = {extra.name: _configured(extra) for extra in settings.extra}
    for one in _found(tree, settings):
        first = found.get(one.kind)
        if first is None:
            found[one.kind] = Strategy(
                name=one.kind, argv=one.argv, kind=StrategyKind(one.kind), source=one.source
            )
        elif first.source != "settings" and first.argv != one.argv:
            tree.note_second(one, "[checks]" if one.kind == "typecheck" else "[[checks.extra]]")
    for name, argv in demanded(settings).items():
        if name not in PLAIN and name not in found:
            source = f"preset {settings.preset}"
            found[name] = Strategy(name=name, argv=argv, kind=StrategyKind(name), source=source)
    return tuple(found.values())


def _configured(extra: ExtraCheck) -> Strategy:
    serve = extra.serve and ProjectServer(
        argv=extra.serve, url=extra.ready_url or "", port=extra.ready_port, timeout_s=extra.ready_timeout_s
    )
    return Strategy(
        name=extra.name,
        argv=extra.command,
        kind=extra.kind,
        required=extra.required,
        timeout_s=extra.timeout_s,
        report=extra.report,
        serve=serve or None,
    )


def _found(tree: Tree, settings: CheckSettings) -> Iterator[CommandFound]:
    if settings.typecheck:
        yield CommandFound("typecheck", settings.typecheck, "settings")
    else:
        yield from _type_checks(tree)
    source = next((path for path in _PLAYWRIGHT if path in tree.paths), "")
    if source and _depends_on(tree, "@playwright/test"):
        yield CommandFound("browser", ("npx", "--no-install", "playwright", "test"), source)
    if "test:api" in tree.scripts():
        yield CommandFound("api", _npm("test:api"), "package.json")
    elif described := sorted(path for path in tree.paths if _OPENAPI.search(path)):
        said = 'nothing holds the API against it, see [[checks.extra]] with kind = "api" and serve'
        tree.notes.append(f"{described[0]} describes an API; {said}")


def _type_checks(tree: Tree) -> Iterator[CommandFound]:
    tools = tree.tools()
    if source := "pyproject.toml" if "mypy" in tools else with_section(tree, _MYPY_FILES):
        yield CommandFound("typecheck", ("python", "-m", "mypy", *_mypy_subject(tree, source)), source)
    if "pyrightconfig.json" in tree.paths or "pyright" in tools:
        source = "pyrightconfig.json" if "pyrightconfig.json" in tree.paths else "pyproject.toml"
        yield CommandFound("typecheck", ("python", "-m", "pyright"), source)
    scripts = tree.scripts()
    if name := next((name for name in _TYPE_SCRIPTS if name in scripts), ""):
        yield CommandFound("typecheck", _npm(name), "package.json")
    elif "tsconfig.json" in tree.paths and _depends_on(tree, "typescript"):
        # A solution file lists projects and no files of its own: it would check nothing.
        if re.search(rb'"references"\s*:', tree.text("tsconfig.json")):
            tree.notes.append("tsconfig.json refers to other projects; set [checks] typecheck to check them")
        else:
            yield CommandFound("typecheck", _TSC, "tsconfig.json")
    if "typecheck" in make_targets(tree):
        yield CommandFound("typecheck", ("make", "typecheck"), "Makefile")


def _mypy_subject(tree: Tree, source: str) -> Argv:
    """Return what mypy is to check, or nothing if its configuration names the files."""
    table = tree.tools().get("mypy")
    says_files = isinstance(table, dict) and "files" in table
    return () if says_files or re.search(rb"^files\b", tree.text(source), re.MULTILINE) else (".",)


def _depends_on(tree: Tree, name: str) -> bool:
    package = tree.json("package.json")
    tables = [package.get(key) for key in ("dependencies", "devDependencies")]
    return any(isinstance(table, dict) and name in table for table in tables)


def make_targets(tree: Tree) -> frozenset[str]:
    """Return the names of plain targets in the Makefile at the root."""
    name = next((name for name in ("GNUmakefile", "makefile", "Makefile") if name in tree.paths), "")
    found = re.findall(rb"^([a-z][a-z0-9_-]*)[ \t]*:(?![:=])", tree.text(name), re.MULTILINE) if name else []
    return frozenset(target.decode() for target in found)


def with_section(tree: Tree, candidates: tuple[tuple[str, bytes], ...]) -> str:
    """Return the first file of the tree that holds its section."""
    for path, section in candidates:
        if path in tree.paths and re.search(section, tree.text(path), re.MULTILINE):
            return path
    return ""


def counts_when(
    sources: Mapping[str, str], found: tuple[Strategy, ...], settings: CheckSettings
) -> dict[str, WhenBase]:
    """Return, for each gate that was not asked for by name, what the base must show for it to count.

    The tests always count: without them nothing is shown. A build or linter that the project configures
    counts if it can be run. Everything else that is detected counts if the base passes it.
    """
    asked = demanded(settings)
    when: dict[str, WhenBase] = {}
    for name in ("build", "lint"):
        if name in sources and sources[name] != "settings" and name not in asked:
            when[name] = WhenBase.PASSES if sources[name] == "Makefile" else WhenBase.RUNS
    for one in found:
        if one.source != "settings" and one.name not in asked:
            when[one.name] = WhenBase.PASSES
    return when


def bar_of_gates(facts: Facts, paths: frozenset[str], read: Reader) -> tuple[str, ...]:
    """Return the files of the base tree that configure its checks, beyond those protected by their names.

    The program of a server is not among them: it is the product.
    """
    commands = {**facts.commands, **{one.name: one.argv for one in facts.strategies}}
    types = any(one.kind is StrategyKind.TYPECHECK for one in facts.strategies)
    configured = [path for path in paths if re.fullmatch(r"tsconfig(\.[\w-]+)?\.json", path)] if types else []
    return tuple(sorted({*bar_files(commands, paths, read), *configured}))
