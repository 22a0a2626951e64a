"""How every command speaks, and where its errors end."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from signoff.cli.shared.command import Options, Output, as_document, run_command, visible
from signoff.commands import GROUPS
from signoff.domain.base.errors import WaitingError
from signoff.domain.base.findings import Finding

Register = Callable[[Callable[[Options, Output], int]], None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Make a command `made` that does what it is given."""

    def make(action: Callable[[Options, Output], int]) -> None:
        arguments = ModuleType(
            "signoff.cli.deliver.arguments.made", "A command.\n\nexamples:\n  signoff made\n"
        )
        vars(arguments).update(configure=lambda parser: parser.add_argument("--word"))
        module = ModuleType("signoff.cli.deliver.made")
        vars(module).update(run=action)
        monkeypatch.setitem(GROUPS["deliver"], "made", "a command of this test")
        for made in (arguments, module):
            monkeypatch.setitem(sys.modules, made.__name__, made)

    return make


def test_the_result_goes_to_stdout_and_notes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    say = Output(as_json=False)
    say.note("working")
    say.result({"a": 1}, "done")

    assert capsys.readouterr() == ("done\n", "working\n")


def test_with_json_there_is_one_document_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    say = Output(as_json=True)
    say.text("a part for people")
    say.result({"a": Finding(code="c", message="m")}, "done")
    say.error("late", "something went wrong behind the result")

    out, err = capsys.readouterr()
    assert json.loads(out) == {"a": {"code": "c", "message": "m"}}
    assert err == "error[late]: something went wrong behind the result\n"


def test_a_path_that_is_not_utf8_is_a_document_all_the_same() -> None:
    text = as_document({"path": "caf\udce9 – ☕"})

    assert json.loads(text.encode("utf-8", "backslashreplace")) == {"path": "caf\udce9 – ☕"}


def test_what_could_steer_a_terminal_is_made_visible() -> None:
    assert visible("a\x1b[31mb\r\x07\u202ec\td\n") == "a\ufffd[31mb\ufffd\ufffd\ufffdc\td\n"


def test_an_error_a_person_can_mend_gives_its_own_exit_code(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    def wait(options: Options, say: Output) -> int:
        raise WaitingError("nobody is here", slug="alone", why="no terminal", fix="come back")

    register(wait)

    assert run_command("made", ["--json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "error": {"slug": "alone", "what": "nobody is here", "why": "no terminal", "fix": "come back"}
    }
    assert err == "error[alone]: nobody is here\n  why: no terminal\n  fix: come back\n"


def test_our_own_bug_is_kept_in_a_file(
    register: Register, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def crash(options: Options, say: Output) -> int:
        raise RuntimeError("unheard of")

    register(crash)
    (tmp_path / ".signoff").mkdir()

    assert run_command("made", ["-C", str(tmp_path)]) == 70
    (path,) = (tmp_path / ".signoff" / "crashes").iterdir()
    assert str(path) in capsys.readouterr().err
    assert "RuntimeError: unheard of" in path.read_text()


def test_words_are_read_in_any_order_and_never_abbreviated(register: Register) -> None:
    seen: list[str] = []

    def note(options: Options, say: Output) -> int:
        seen.extend((options.word, options.root))
        return 0

    register(note)

    assert run_command("made", ["--word", "w", "-C", "there"]) == 0
    assert seen == ["w", "there"]
    assert run_command("made", ["--wor", "w"]) == 2
