"""What an agent may do when it asks: never more than this once, never outside its checkout."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.acp.messages import ToolCall, ToolLocation
from signoff.agents.acp.permissions import Option, choose, inside, is_allowed
from signoff.agents.profiles.acp_client_input import PromptOrder

BUILDS = PromptOrder(prompt="")
PLANS = PromptOrder(prompt="", may_write=False, reading=("read", "tree"))
KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


@given(
    st.lists(st.builds(Option, option_id=st.text(), kind=st.sampled_from(KINDS) | st.text())), st.booleans()
)
def test_nothing_is_ever_allowed_or_refused_for_always(options: list[Option], allow: bool) -> None:
    """An agent would write it down, and its next session would not ask."""
    chosen = choose(options, allow=allow)

    kinds = {option.kind for option in options if option.option_id == chosen}
    assert chosen is None or ("allow_once" if allow else "reject_once") in kinds


@pytest.mark.parametrize(
    "kind", ["edit", "delete", "move", "execute", "fetch", "switch_mode", "other", None, "new"]
)
def test_one_who_plans_gets_no_tool_that_may_change_something(kind: str | None) -> None:
    assert not is_allowed(ToolCall(kind=kind), "shell", PLANS, "/work")


@pytest.mark.parametrize("kind", ["read", "search", "think"])
def test_one_who_plans_may_read(kind: str) -> None:
    assert is_allowed(ToolCall(kind=kind), "shell", PLANS, "/work")


def test_a_tool_without_a_kind_reads_where_its_name_is_known_to() -> None:
    """Goose calls everything `other`; without its names, its planners could read nothing."""
    assert is_allowed(ToolCall(kind="other"), "read", PLANS, "/work")
    assert not is_allowed(ToolCall(kind="edit"), "read", PLANS, "/work")


def test_one_who_builds_may_run_commands_and_edit_in_the_checkout_alone(tmp_path: Path) -> None:
    here = str(tmp_path)

    def may(kind: str, *paths: str) -> bool:
        return is_allowed(
            ToolCall(kind=kind, locations=[ToolLocation(path) for path in paths]), "", BUILDS, here
        )

    assert may("execute")
    assert may("edit", f"{here}/a.py", "b/c.py")
    assert not may("edit", f"{here}/a.py", "../c.py")
    assert not may("delete", "/etc/passwd")
    assert may("read", "/usr/include/stdio.h")


def test_a_path_is_inside_by_where_it_really_leads(tmp_path: Path) -> None:
    """A link that the agent laid first must not lead its editor out."""
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "out").symlink_to(tmp_path)
    (work / "in").symlink_to(work / "src")

    assert inside("src/new.py", str(work)) == str(work / "src" / "new.py")
    assert inside(str(work / "in" / "x.py"), str(work)) == str(work / "src" / "x.py")
    outside = ("out/x", str(tmp_path / "x"), "..", "../work2/x", "src/../../x", "", ".", "a\0b")
    assert [path for path in outside if inside(path, str(work)) is not None] == []
