"""Manifests that are JSON, TOML or INI. Pure."""

import configparser
import json
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from signoff.judges.scope.manifests.dependency_records import (
    Dependencies,
    Dependency,
    OddManifestError,
    aliases,
    gathered,
    list_of,
    requirement_name,
    requirements,
    table_of,
)


def package_json(data: bytes) -> Dependencies:
    """Read npm, yarn, pnpm and bun."""
    whole = _json(data)
    names = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    found = list(_npm(whole, (*names, "overrides", "resolutions", "catalog")))
    for name in ("bundledDependencies", "bundleDependencies"):
        bundled = whole.get(name)
        found += [] if isinstance(bundled, bool) else _listed(name, list_of(bundled, name))
    found += _npm(table_of(whole.get("pnpm"), "pnpm"), ("overrides",))
    found += _npm(table_of(whole.get("catalogs"), "catalogs"))
    return gathered(found)


def _npm(whole: dict[str, Any], names: Iterable[str] | None = None) -> Iterator[tuple[Dependency, str]]:
    """Yield names with the packages behind them, from tables within tables as well."""
    waiting = [(name, table_of(whole.get(name), name)) for name in (whole if names is None else names)]
    while waiting:
        where, table = waiting.pop()
        for name, value in table.items():
            if name != ".":  # in overrides: the package above itself
                yield Dependency(where, name), _text(value)
            if isinstance(value, dict):
                waiting.append((f"{where}.{name}", value))
            else:
                yield from aliases(where, _text(value))


def composer_json(data: bytes) -> Dependencies:
    """Read PHP's Composer."""
    return gathered(_plain(_json(data), ("require", "require-dev")))


def deno_json(data: bytes) -> Dependencies:
    """Read Deno and import maps."""
    whole = _json(data)
    found = list(_npm(whole, ("imports",)))
    found += _npm(table_of(whole.get("scopes"), "scopes"))
    return gathered(found)


def pyproject(data: bytes) -> Dependencies:
    """Read a Python project, with the tables of the tools that have their own."""
    whole = _toml(data)
    project = table_of(whole.get("project"), "project")
    found = list(requirements("dependencies", list_of(project.get("dependencies"), "dependencies")))
    found += _groups("optional-dependencies", project.get("optional-dependencies"))
    found += _groups("dependency-groups", whole.get("dependency-groups"))
    build = table_of(whole.get("build-system"), "build-system")
    found += requirements("build-system", list_of(build.get("requires"), "requires"))
    tool = table_of(whole.get("tool"), "tool")
    poetry = table_of(tool.get("poetry"), "tool.poetry")
    found += _poetry_table("tool.poetry", poetry, ("dependencies", "dev-dependencies"))
    for key, value in table_of(poetry.get("group"), "group").items():
        found += _poetry_table(f"tool.poetry.group.{key}", table_of(value, key), ("dependencies",))
    found += _groups("tool.pdm", table_of(tool.get("pdm"), "tool.pdm").get("dev-dependencies"))
    uv = table_of(tool.get("uv"), "tool.uv")
    for name in ("dev-dependencies", "constraint-dependencies", "override-dependencies"):
        found += requirements(f"tool.uv.{name}", list_of(uv.get(name), name))
    found += _named("tool.uv.sources", table_of(uv.get("sources"), "sources"))
    hatch = table_of(tool.get("hatch"), "tool.hatch")
    for key, value in table_of(hatch.get("envs"), "envs").items():
        env = table_of(value, key)
        for name in ("dependencies", "extra-dependencies"):
            found += requirements(f"tool.hatch.envs.{key}", list_of(env.get(name), name))
    return gathered(found)


def requirement_files(data: bytes) -> Iterator[str]:
    """Yield the files from which a pyproject.toml has its requirements read, whatever their names."""
    tool = table_of(_toml(data).get("tool"), "tool")
    dynamic = table_of(table_of(tool.get("setuptools"), "setuptools").get("dynamic"), "dynamic")
    optional = table_of(dynamic.get("optional-dependencies"), "optional-dependencies")
    for source in (dynamic.get("dependencies"), *optional.values()):
        named = table_of(source, "dependencies").get("file")
        yield from [named] if isinstance(named, str) else map(str, list_of(named, "file"))
    table = tool
    for name in ("hatch", "metadata", "hooks", "requirements_txt"):
        table = table_of(table.get(name), name)
    yield from map(str, list_of(table.get("files"), "files"))


def _poetry_table(
    where: str, table: dict[str, Any], names: Iterable[str]
) -> Iterator[tuple[Dependency, str]]:
    for name in names:
        for package, value in table_of(table.get(name), name).items():
            if package != "python":  # the interpreter
                yield Dependency(f"{where}.{name}", requirement_name(package)), _text(value)


def _groups(where: str, value: Any) -> Iterator[tuple[Dependency, str]]:
    for name, items in table_of(value, where).items():
        yield from requirements(f"{where}.{name}", list_of(items, name))


def cargo(data: bytes) -> Dependencies:
    """Read Rust's Cargo."""
    whole = _toml(data)
    found = list(_cargo_tables("", whole))
    found += _cargo_tables("workspace.", table_of(whole.get("workspace"), "workspace"))
    for key, value in table_of(whole.get("target"), "target").items():
        found += _cargo_tables(f"target.{key}.", table_of(value, key))
    for key, value in table_of(whole.get("patch"), "patch").items():
        found += _named(f"patch.{key}", table_of(value, key))
    found += _plain(whole, ("replace",))
    return gathered(found)


_CARGO = ("dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies", "build_dependencies")


def _cargo_tables(where: str, whole: dict[str, Any]) -> Iterator[tuple[Dependency, str]]:
    for name in _CARGO:
        table = table_of(whole.get(name), name)
        yield from _named(f"{where}{name}", table)
        for value in table.values():
            if isinstance(value, dict) and "package" in value:  # another name for it
                yield Dependency(f"{where}{name}", str(value["package"])), ""


def pipfile(data: bytes) -> Dependencies:
    """Read Pipenv. Every table that is not about something else is a category of packages."""
    whole = _toml(data)
    others = ("source", "requires", "scripts", "pipenv")
    found: list[tuple[Dependency, str]] = []
    for name, value in whole.items():
        if name not in others:
            found += _named(name, table_of(value, name))
    return gathered(found)


def version_catalog(data: bytes) -> Dependencies:
    """Read Gradle's table of libraries and plugins."""
    return gathered(_plain(_toml(data), ("libraries", "plugins", "versions")))


def setup_cfg(data: bytes) -> Dependencies:
    """Read the declarative half of setuptools."""
    return gathered(
        pair for table, value in _setup_values(data) for pair in requirements(table, value.splitlines())
    )


def files_of_setup_cfg(data: bytes) -> Iterator[str]:
    """Yield the files from which a setup.cfg has its requirements read."""
    for _, value in _setup_values(data):
        if value.strip().startswith("file:"):
            yield from value.strip().removeprefix("file:").replace(",", "\n").split()


def _setup_values(data: bytes) -> Iterator[tuple[str, str]]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(data.decode())
    except configparser.Error as error:
        raise OddManifestError("cannot be parsed") from error
    for key in ("install_requires", "setup_requires", "tests_require"):
        yield key, parser.get("options", key, fallback="")
    if parser.has_section("options.extras_require"):
        for name, value in parser.items("options.extras_require"):
            yield f"extras_require.{name}", value


def _plain(whole: dict[str, Any], names: Iterable[str]) -> Iterator[tuple[Dependency, str]]:
    for name in names:
        yield from _named(name, table_of(whole.get(name), name))


def _named(where: str, table: dict[str, Any]) -> Iterator[tuple[Dependency, str]]:
    yield from ((Dependency(where, name), _text(value)) for name, value in table.items())


def _listed(where: str, items: Iterable[Any]) -> Iterator[tuple[Dependency, str]]:
    yield from ((Dependency(where, str(item)), "") for item in items)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _json(data: bytes) -> dict[str, Any]:
    whole: Any = json.loads(data, object_pairs_hook=_once)
    if not isinstance(whole, dict):
        raise OddManifestError("is not an object")
    return whole


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise OddManifestError("has a key twice, and readers differ on which one counts")
    return found


def _toml(data: bytes) -> dict[str, Any]:
    return tomllib.loads(data.decode())
