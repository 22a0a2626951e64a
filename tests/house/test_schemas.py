"""The generated reference is fresh, complete and as strict as the decoder."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from signoff.domain.schemas import PUBLIC, schema, schema_file
from signoff.domain.work.settings import Settings

SCRIPT = Path(__file__).parents[2] / "docs" / "generate_schemas.py"


@pytest.fixture(name="script")
def load_script() -> ModuleType:
    found = importlib.util.spec_from_file_location("generate_schemas", SCRIPT)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_generated_files_are_fresh(script: ModuleType) -> None:
    """When this fails: `python docs/generate_schemas.py`, and look at the difference."""
    assert list(script.differences(script.generated(), script.REFERENCE)) == []


def test_a_missing_a_stale_and_a_leftover_file_are_each_named(script: ModuleType, tmp_path: Path) -> None:
    files = script.generated()
    script.write(files, tmp_path)
    (tmp_path / "schemas/halt.json").unlink()
    (tmp_path / "schemas/spec.json").write_text("{}")
    (tmp_path / "schemas/old.json").write_text("{}")

    assert list(script.differences(files, tmp_path)) == [
        "schemas/halt.json: missing",
        "schemas/spec.json: stale",
        "schemas/old.json: not a public record",
    ]


def test_writing_leaves_exactly_what_is_generated(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "REFERENCE", tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/old.json").write_text("{}")

    assert script.main(["--check"]) == 1
    assert "schemas/old.json" in capsys.readouterr().err
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0
    assert script.main(["--chekc"]) == 2


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_schema_names_itself_and_refers_to_nothing_outside(name: str) -> None:
    document = json.loads(schema_file(name))

    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"urn:signoff:schema:{name}:1"
    assert document["title"] == name
    references = re.findall(r'"\$ref": "#/\$defs/(\w+)"', schema_file(name).decode())
    assert set(references) <= set(document["$defs"])


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_the_same_types_give_the_same_bytes(name: str) -> None:
    assert schema_file(name) == schema_file(name)
    assert schema_file(name).endswith(b"}\n")


def test_every_record_the_reference_promises_has_a_schema() -> None:
    promised = "ticket spec contract check receipt verdict directive plan-answer work-answer halt event"
    promised += " ledger-record certificate settings cassette clause sprint verification work-state"
    promised += " evaluate-answer work-input work-plan work-changes work-tests work-verify"

    assert set(promised.split()) == set(PUBLIC)


def test_what_is_kept_raw_may_be_anything() -> None:
    assert schema("cassette")["$defs"]["CassetteEntry"]["properties"]["answer"] == {}


def test_every_setting_is_on_the_page(script: ModuleType) -> None:
    page = script.settings_page()

    for section in Settings.__struct_fields__:
        if isinstance(getattr(Settings(), section), dict):  # a table for each name
            assert f"## `[{section}." in page
            continue
        assert f"## `[{section}]`" in page
        for key in getattr(Settings(), section).__struct_fields__:
            assert f"| `{key}` |" in page
    assert "Further globs that no agent may change." in page
