"""`guard command` and `guard sql` as hooks call them: exit codes, documents, and where the reason goes."""

import json
from pathlib import Path

import pytest
from clibench import Bench, Ran

from signoff.cli.judge import guard
from signoff.cli.shared.command import Options, Output
from signoff.judges.guards.guard_findings import GuardDecision


def hook(bench: Bench, action: str, call: object, *words: str) -> Ran:
    return bench("guard", action, "--hook", *words, stdin=json.dumps(call).encode())


def bash(command: str, **more: object) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, **more}


def test_a_blocked_command_exits_2_with_its_reason(bench: Bench) -> None:
    said = bench("guard", "command", "--command", "git push origin main", "--branch", "feature", "--json")

    assert said.code == 2
    assert said.document["decision"] == "block"
    assert "protected branch main" in said.document["reason"]
    assert [finding["code"] for finding in said.document["findings"]] == ["push-protected"]
    assert "protected branch main" in said.err


def test_an_allowed_command_exits_0_in_silence(bench: Bench) -> None:
    said = bench("guard", "command", "--command", "git push origin feature", "--json")

    assert (said.code, said.document["decision"], said.err) == (0, "allow", "")
    assert said.document["reason"]


def test_the_words_may_come_in_any_order(bench: Bench) -> None:
    said = bench("guard", "--json", "--role=owner", "command", "--branch=main", "--command=git push")

    assert (said.code, said.document["decision"]) == (0, "allow")


def test_a_finding_can_be_allowed_by_its_code(bench: Bench) -> None:
    words = ("guard", "command", "--command", "git stash clear")

    assert bench(*words).code == 2
    assert bench(*words, "--allow", "stash-cleared").code == 0
    misspelled = bench(*words, "--allow", "stash-clear", "--json")
    assert (misspelled.code, misspelled.document["error"]["slug"]) == (2, "usage")


@pytest.mark.parametrize(
    "words",
    [
        ("guard",),
        ("guard", "command"),
        ("guard", "command", "--command"),
        ("guard", "command", "--command", "ls", "--wrong"),
        ("guard", "command", "--command", "ls", "--path", "x"),
        ("guard", "command", "--command", "ls", "FILE"),
        ("guard", "sql", "--path", "a.sql"),
        ("guard", "sql", "--path", "a.sql", "missing.sql"),
        ("guard", "sql", "-"),
        ("guard", "shell", "--command", "ls"),
    ],
)
def test_words_that_make_no_sense_block(bench: Bench, words: tuple[str, ...]) -> None:
    """A hook with a mistake in it must not let everything through."""
    said = bench(*words)

    assert said.code == 2
    assert "error[" in said.err
    document = bench(*words, "--json").document
    assert document["decision"] == "block"
    assert document["reason"].startswith(document["error"]["what"])
    assert document["findings"] == []


def test_help_is_no_mistake(bench: Bench) -> None:
    said = bench("guard", "--help")

    assert said.code == 0
    assert "signoff guard" in said.out


def test_a_crash_blocks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The code of our bugs is 70 everywhere else, which a host takes for leave to go on."""

    def crash(options: Options) -> GuardDecision:
        raise RuntimeError("boom")

    monkeypatch.setattr(guard, "_decide", crash)
    code = guard.run(Options(), Output(as_json=True))

    said = json.loads(capsys.readouterr().out)
    assert (code, said["decision"], said["error"]["slug"]) == (2, "block", "crash")
    Path(said["error"]["fix"].split()[-1]).unlink()


# --- hooks ---


def test_a_hook_blocks_and_tells_the_agent_why(bench: Bench) -> None:
    said = hook(bench, "command", bash("cd . && git push --force origin main"))

    assert said.code == 2
    assert "overwrites the protected branch main" in said.err


def test_a_hook_finds_the_branch_itself(bench: Bench) -> None:
    """A hook is a fixed line in the settings of a host: nobody is there to name the branch."""
    assert hook(bench, "command", bash("git push")).code == 2
    bench.git("switch", "-qc", "feature")
    assert hook(bench, "command", bash("git push")).code == 0
    bench.git("worktree", "add", "-q", str(bench.root.parent / "other"), "main")
    assert hook(bench, "command", bash("git push", cwd=str(bench.root.parent / "other"))).code == 2
    assert hook(bench, "command", bash("cd ../other && git push")).code == 2
    assert hook(bench, "command", bash("git push", cwd=str(bench.root.parent))).code == 2


def test_the_folder_of_the_repository_is_known_by_its_full_name(bench: Bench) -> None:
    root = bench.root.resolve()

    for command in (
        f"rm -rf {root}",
        f"cd {root} && rm -rf *",
        f"rm -rf ../{root.name}",
        f"rm -rf {root.parent}",
    ):
        assert hook(bench, "command", bash(command, cwd=str(root))).code == 2
    for command in (f"rm -rf {root}/build", f"cd {root}/build && rm -rf *", f"rm -rf {root}x"):
        assert hook(bench, "command", bash(command, cwd=str(root))).code == 0


def test_a_call_without_a_command_is_none_of_its_business(bench: Bench) -> None:
    assert hook(bench, "command", {"tool_name": "Read", "tool_input": {"file_path": "x"}}).code == 0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"tool_input": 1}',
        b'{"tool_name": "Bash", "tool_input": {}}',
        b'{"tool_name": "Bash", "tool_input": {"command": 7}}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_call_that_cannot_be_read_blocks(bench: Bench, data: bytes) -> None:
    said = bench("guard", "command", "--hook", "--json", stdin=data)

    assert (said.code, said.document["decision"]) == (2, "block")
    assert said.document["error"]["slug"] == "hook-unreadable"


# --- SQL ---


def test_dangerous_sql_is_blocked_with_its_line(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "7.sql"
    file.write_text("SELECT 1;\nDROP TABLE users;\n")

    said = bench("guard", "sql", "--path", "db/migrations/7.sql", file, "--json")

    assert (said.code, said.document["decision"]) == (2, "block")
    (finding,) = said.document["findings"]
    assert set(finding) == {"code", "line", "message"}
    assert (finding["code"], finding["line"]) == ("drop-table", 2)
    assert bench("guard", "sql", "--path", "notes.txt", file).code == 0
    assert bench("guard", "sql", "--path", "a.sql", "-", stdin=b"SELECT 1").code == 0
    assert bench("guard", "sql", "--path", "a.sql", file, "--before", file).code == 0


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfeSELECT 1;\nDROP TABLE users;",
        b"\xff\xfeSELECT 1;\nDROP TABLE users; ",
        b"\xfe\xffSELECT 1;\nSELECT 2;",
        b"\xff\xfe\0\0S\0\0\0",
        b"SELECT 1;\0DROP TABLE users;",
        "SELECT 1;".encode("utf-16-le"),
        "SELECT 1; DROP TABLE users;".encode("utf-16"),
    ],
)
def test_bytes_that_are_no_text_do_not_switch_the_guard_off(bench: Bench, data: bytes) -> None:
    """Two bytes at the front made Chinese of every statement, and a NUL glued two of them together."""
    said = bench("guard", "sql", "--path", "a.sql", "-", "--json", stdin=data)

    assert (said.code, said.document["decision"]) == (2, "block")
    assert bench("guard", "sql", "--path", "a.png", "-", stdin=data).code == 0


def test_sql_in_utf_16_is_read(bench: Bench) -> None:
    assert bench("guard", "sql", "--path", "a.sql", "-", stdin="SELECT 1;".encode("utf-16")).code == 0


def test_an_edit_is_judged_by_what_it_adds(bench: Bench) -> None:
    (bench.root / "7.sql").write_text("DROP TABLE a;\nSELECT 1;\n")

    def edit(old: str, new: str) -> Ran:
        given = {"file_path": "7.sql", "old_string": old, "new_string": new}
        return hook(bench, "sql", {"tool_name": "Edit", "tool_input": given})

    assert edit("DROP TABLE a;", "DROP TABLE IF EXISTS a;").code == 0
    assert edit("SELECT 1;", "SELECT 2;").code == 0
    assert edit("SELECT 1;", "DROP TABLE b;").code == 2
    assert edit("not in the file", "DROP TABLE b;").code == 2
    assert edit("DROP TABLE z; not in the file", "SELECT 1").code == 0


def test_writing_and_several_edits_are_judged_too(bench: Bench) -> None:
    write = {"tool_name": "Write", "tool_input": {"file_path": "a.sql", "content": "DELETE FROM t;"}}
    edits = [
        {"old_string": "", "new_string": "SELECT 1;"},
        {"old_string": "1", "new_string": "2; TRUNCATE t"},
    ]
    several = {"tool_name": "MultiEdit", "tool_input": {"file_path": "a.sql", "edits": edits}}

    assert hook(bench, "sql", write).code == 2
    assert hook(bench, "sql", several).code == 2
    assert hook(bench, "sql", {"tool_name": "Bash", "tool_input": {"command": "ls"}}).code == 0
    table = {"file_path": "migrations/a.sql", "content": "CREATE TABLE t (id int);"}
    assert hook(bench, "sql", {"tool_name": "Write", "tool_input": table}).code == 2
    assert hook(bench, "sql", {"tool_name": "Write", "tool_input": table}, "--no-rls").code == 0
