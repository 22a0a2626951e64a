"""Settings: where each value comes from, and that nothing wrong is passed over."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.domain.work.settings import LimitSettings, Settings
from signoff.project.settings.settings_reader import Override, ReadSettings, read_settings


def sources(read: ReadSettings) -> dict[str, str]:
    return {origin.name: origin.source for origin in read.origins if origin.source != "default"}


def placed(read: ReadSettings) -> list[tuple[str, str, str, int | None]]:
    return [(v.code, v.severity, v.path, v.line) for v in read.violations]


def test_without_any_file_everything_is_a_default() -> None:
    read = read_settings(None, None)

    assert read.settings == Settings()
    assert read.violations == ()
    assert {origin.source for origin in read.origins} == {"default"}


def test_every_leaf_has_an_origin_and_a_value() -> None:
    values = {origin.name: origin.value for origin in read_settings(None, None).origins}

    assert values["limits.parallel"] == "4"
    assert values["plan.approve"] == '"person"'
    assert values["checks.carry"] == "[]"
    assert values["checks.test"] == ""
    assert values["agent.planner.model"] == '""'
    assert len(values) == leaves(Settings())


def leaves(value: object) -> int:
    """Count what can be set on its own, at any depth."""
    names = getattr(value, "__struct_fields__", None)
    return 1 if names is None else sum(leaves(getattr(value, name)) for name in names)


def test_values_of_signoff_toml_say_so() -> None:
    read = read_settings(b'[checks]\ntest = ["pytest", "-q"]\n[limits]\nrework = 1\n', None)

    assert read.settings is not None
    assert (read.settings.checks.test, read.settings.limits.rework) == (("pytest", "-q"), 1)
    assert sources(read) == {"checks.test": "signoff.toml", "limits.rework": "signoff.toml"}
    assert {o.name: o.value for o in read.origins}["checks.test"] == '["pytest", "-q"]'


def test_a_value_that_repeats_the_default_still_has_its_origin() -> None:
    assert sources(read_settings(b"limits.parallel = 4", None)) == {"limits.parallel": "signoff.toml"}


def test_values_of_pyproject_say_so() -> None:
    read = read_settings(None, b'[project]\nname = "x"\n[tool.signoff.limits]\nparallel = 2\n')

    assert read.settings == Settings(limits=LimitSettings(parallel=2))
    assert sources(read) == {"limits.parallel": "pyproject.toml [tool.signoff]"}


@pytest.mark.parametrize(
    "pyproject", [b"", b"[tool.ruff]\nline-length = 1", b'[project]\nname = "x"', b"tool = 3"]
)
def test_a_pyproject_without_a_table_of_ours_is_none_of_our_business(pyproject: bytes) -> None:
    assert read_settings(None, pyproject) == read_settings(None, None)
    assert read_settings(b"", pyproject).violations == ()


def test_where_both_are_there_signoff_toml_wins_as_a_whole_and_it_is_said() -> None:
    read = read_settings(b"[limits]\nrework = 1\n", b"[tool.signoff.limits]\nrework = 9\nparallel = 9\n")

    assert read.settings == Settings(limits=LimitSettings(rework=1))
    assert placed(read) == [("settings-ignored", "warning", "", None)]


def test_a_flag_wins_over_a_file_and_is_named() -> None:
    flags = (Override("agent.name", "hosted", "--agent"), Override("limits.parallel", 1, "--parallel"))

    read = read_settings(b'[agent]\nname = "command"\ntimeout_s = 5\n', None, flags)

    assert read.settings is not None
    assert (read.settings.agent.name, read.settings.agent.timeout_s) == ("hosted", 5)
    assert sources(read) == {
        "agent.name": "--agent",
        "agent.timeout_s": "signoff.toml",
        "limits.parallel": "--parallel",
    }


def test_a_flag_is_checked_like_a_file() -> None:
    read = read_settings(None, None, (Override("limits.parallel", 0, "--parallel"),))

    assert read.settings is None
    assert placed(read) == [("out-of-range", "error", "/limits/parallel", None)]
    assert read.violations[0].message == "--parallel: must be at least 1, not 0"


def test_an_unknown_key_is_an_error_with_its_line_and_the_nearest_name() -> None:
    read = read_settings(b'# ours\n[checks]\ncarry = []\ntets = ["pytest"]\n', None)

    assert read.settings is None
    [violation] = read.violations
    assert (violation.code, violation.path, violation.line) == ("unknown-field", "/checks/tets", 4)
    assert violation.fix == "did you mean `test`?"


def test_all_errors_come_at_once_with_the_lines_of_pyproject() -> None:
    pyproject = b"""
[checks]
test = "not ours"
[tool.signoff]
chekcs = {}
[tool.signoff.checks]
test = "pytest"
timeout_s = 1.5
[tool.signoff.plan]
approve = "me"
"""

    assert placed(read_settings(None, pyproject)) == [
        ("unknown-field", "error", "/chekcs", 5),
        ("wrong-type", "error", "/checks/test", 7),
        ("wrong-type", "error", "/checks/timeout_s", 8),
        ("unknown-value", "error", "/plan/approve", 10),
    ]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"a = 1\nb = = 2\n", "syntax-error", 2),
        (b'[limits]\nparallel = 1\nx = "', "syntax-error", 3),
        (b"a = 1\na = 2\n", "syntax-error", 2),
        (b"\n\xff", "not-utf8", 2),
        (b"x = " + b"[" * 50_000, "too-deep", None),
        (b"#" * 1_000_001, "too-large", None),
    ],
)
def test_a_file_that_is_no_toml_gives_no_settings(data: bytes, code: str, line: int | None) -> None:
    for read in (read_settings(data, None), read_settings(None, data)):
        assert read.settings is None
        assert read.origins == ()
        assert [(v.code, v.severity, v.line) for v in read.violations] == [(code, "error", line)]


def test_a_broken_pyproject_does_not_stand_in_the_way_of_signoff_toml() -> None:
    read = read_settings(b"[limits]\nrework = 1\n", b"= nonsense")

    assert read.settings == Settings(limits=LimitSettings(rework=1))
    assert [v.code for v in read.violations] == ["settings-ignored"]


@pytest.mark.parametrize("data", [b"checks = 3", b"checks = 2026-01-01", b"[[checks]]"])
def test_what_should_be_a_table_and_is_none_is_an_error_even_under_a_flag(data: bytes) -> None:
    read = read_settings(data, None, (Override("checks.timeout_s", 5, "--timeout"),))

    assert placed(read) == [("wrong-type", "error", "/checks", 1)]


def test_a_table_of_ours_in_pyproject_that_is_no_table_is_an_error() -> None:
    assert [v.code for v in read_settings(None, b"[tool]\nsignoff = 3").violations] == ["wrong-type"]


def test_a_byte_order_mark_is_a_warning() -> None:
    read = read_settings(b"\xef\xbb\xbf[limits]\nrework = 1\n", None)

    assert read.settings is not None
    assert [v.code for v in read.violations] == ["byte-order-mark"]


@settings(deadline=None)
@given(st.none() | st.binary(), st.none() | st.binary())
def test_no_bytes_make_it_raise(signoff_toml: bytes | None, pyproject: bytes | None) -> None:
    read = read_settings(signoff_toml, pyproject)

    assert (read.settings is None) == any(v.severity == "error" for v in read.violations)


def test_a_number_that_is_none_is_told_with_its_place() -> None:
    """NaN is beyond no bound, so the types alone had nothing against it."""
    found = read_settings(b"[budget]\nusd = nan\n", None)

    assert found.settings is None
    assert {(v.path, v.line) for v in found.violations} == {("/budget/usd", 2)}
