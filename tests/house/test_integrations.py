"""The hooks for pre-commit and the GitHub Action name commands and options that exist.

Both files are read as lines: they are small, and the project has no reader of YAML.
"""

import argparse
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from signoff.cli.shared.argument_parser import parse
from signoff.cli.shared.command import Options, arguments_of
from signoff.commands import COMMANDS

ROOT = Path(__file__).parents[2]
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text()
ACTION = (ROOT / "action.yml").read_text()


def hooks() -> dict[str, dict[str, str]]:
    """Read the list of flat mappings; a line that is no `key: value` fails here."""
    found: dict[str, dict[str, str]] = {}
    for block in re.split(r"^- ", HOOKS, flags=re.MULTILINE)[1:]:
        pairs = [line.strip().split(": ", 1) for line in block.strip().split("\n")]
        values = dict(pairs)
        found[values["id"]] = values
    return found


def accept(words: list[str]) -> None:
    """Parse a command line as the program would; an unknown option or action is an error."""
    assert words[0] in COMMANDS
    parse(arguments_of(words[0]), words[0], words[1:], Options())


def options_of(command: str) -> set[str]:
    parser = argparse.ArgumentParser()
    arguments_of(command).configure(parser)
    return {word for action in parser._actions for word in action.option_strings}


def test_the_four_hooks_are_there_and_run_in_python() -> None:
    assert set(hooks()) == {
        "signoff-secrets",
        "signoff-gate",
        "signoff-tests-integrity",
        "signoff-contract-check",
    }
    assert {hook["language"] for hook in hooks().values()} == {"python"}


@pytest.mark.parametrize("name", ["signoff-secrets", "signoff-gate", "signoff-tests-integrity"])
def test_a_hook_names_a_command_and_options_that_exist(name: str) -> None:
    hook = hooks()[name]
    args = [word.strip() for word in hook.get("args", "[]").strip("[]").split(",") if word.strip()]

    program, *words = shlex.split(hook["entry"])

    assert program == "signoff"
    assert hook["pass_filenames"] == "false"
    accept([*words, *args])


def test_contracts_are_checked_one_by_one_and_one_bad_one_is_enough(tmp_path: Path) -> None:
    """pre-commit appends many files; the command takes one."""
    shell, flag, script, name = shlex.split(hooks()["signoff-contract-check"]["entry"])
    fake = tmp_path / "signoff"
    fake.write_text('#!/bin/sh\necho "$@"\n[ "$3" != "bad contract.json" ]\n')
    fake.chmod(0o755)

    def check(*files: str) -> subprocess.CompletedProcess[str]:
        argv = [shell, flag, script, name, *files]
        env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)

    assert check("a.json", "b.json").returncode == 0
    done = check("bad contract.json", "b.json")
    assert done.returncode == 1
    assert done.stdout == "contract check bad contract.json\ncontract check b.json\n"
    accept(["contract", "check", "a.json"])


@pytest.mark.parametrize(
    ("path", "is_one"),
    [("contract.json", True), ("a/phase-2-contract.json", True), ("a/subcontract.json", False)],
)
def test_the_contract_hook_sees_contracts(path: str, is_one: bool) -> None:
    assert bool(re.search(hooks()["signoff-contract-check"]["files"], path)) is is_one


def test_the_action_names_options_and_formats_that_exist() -> None:
    from signoff.cli.judge.arguments.gate import FORMATS

    run = ACTION.split("run: |")[2]
    used = set(re.findall(r"(?<![\w-])--[a-z-]+", run))

    assert used <= options_of("gate")
    assert {"--base", "--format"} <= used
    assert all(form in ACTION for form in FORMATS)
    assert re.search(r"default: (\w+)", ACTION.split("format:")[1])[1] in FORMATS  # type: ignore[index]


def test_the_action_uses_no_foreign_action_and_puts_no_input_into_a_script() -> None:
    """An input within a script is program text: whoever names a branch could run something."""
    assert "uses:" not in ACTION
    for script in ACTION.split("run: |")[1:]:
        body = script.split("\n    - ")[0]
        assert "${{" not in body


def test_the_scripts_of_the_action_are_shell() -> None:
    for script in ACTION.split("run: |")[1:]:
        body = script.split("\n    - ")[0]
        done = subprocess.run(["bash", "-n"], input=body, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
