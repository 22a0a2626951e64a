"""`init` and `config show`."""

import tomllib
from collections.abc import Callable
from pathlib import Path

from clibench import Bench


def tracked(bench: Bench, *paths: str) -> list[str]:
    """Name those of these paths below .signoff/ that git would take."""
    for path in paths:
        place = bench.root / ".signoff" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")
    listed = bench.git("ls-files", "--others", "--exclude-standard", ".signoff").splitlines()
    return sorted(path.removeprefix(".signoff/") for path in listed)


def test_init_detects_from_the_working_tree_of_a_repository_without_commits(
    new_bench: Callable[[str], Bench],
) -> None:
    bench = new_bench("fresh")
    (bench.root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n[tool.ruff]\n")

    said = bench("init", "--json")

    assert said.code == 0
    names = [Path(path).relative_to(bench.root).as_posix() for path in said.document["created"]]
    assert names == ["signoff.toml", ".signoff", ".signoff/.gitignore"]
    assert said.document["detected"]["stacks"] == ["python"]
    assert said.document["detected"]["commands"]["test"] == ["python", "-m", "pytest"]
    written = tomllib.loads((bench.root / "signoff.toml").read_text())
    assert written["checks"]["test"] == ["python", "-m", "pytest"]
    assert written["checks"]["lint"][2] == "ruff"
    assert (bench.root / ".signoff").stat().st_mode & 0o777 == 0o700


def test_curated_folders_are_tracked_and_everything_else_is_not(bench: Bench) -> None:
    bench("init")

    found = tracked(
        bench, "specs/a.json", "contracts/b.json", "memory/deep/c.md", "runs/x/journal.jsonl", "d.txt"
    )

    assert found == ["contracts/b.json", "memory/deep/c.md", "specs/a.json"]


def test_init_changes_nothing_that_exists(bench: Bench) -> None:
    (bench.root / "signoff.toml").write_text("# mine\n")
    (bench.root / ".signoff").mkdir()
    (bench.root / ".signoff" / ".gitignore").write_text("# mine too\n")

    said = bench("init", "--json")

    assert (said.code, said.document["created"]) == (0, [])
    assert (bench.root / "signoff.toml").read_text() == "# mine\n"
    assert (bench.root / ".signoff" / ".gitignore").read_text() == "# mine too\n"


def test_init_does_not_switch_off_settings_kept_in_pyproject(bench: Bench) -> None:
    (bench.root / "pyproject.toml").write_text('[tool.signoff.checks]\ntest = ["make", "test"]\n')

    said = bench("init", "--json")

    assert not (bench.root / "signoff.toml").exists()
    assert said.document["settings"] == "pyproject.toml [tool.signoff]"
    assert said.document["detected"]["commands"]["test"] == ["make", "test"]


def test_config_shows_each_value_with_its_source_from_the_working_tree(bench: Bench) -> None:
    (bench.root / "signoff.toml").write_text("[limits]\nparallel = 2\n")

    said = bench("config", "show", "--json")
    settings = {row["name"]: (row["value"], row["source"]) for row in said.document["settings"]}

    assert settings["limits.parallel"] == ("2", "signoff.toml")
    assert settings["plan.approve"] == ('"person"', "default")
    assert "limits.parallel" in bench("config", "show").out


def test_config_works_outside_a_repository(bench: Bench, tmp_path: Path) -> None:
    assert bench("config", "show", "--json", cwd=tmp_path).code == 0
