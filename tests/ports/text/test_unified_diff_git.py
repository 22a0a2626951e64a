"""Diffs that git really writes are read as it meant them."""

import os
import subprocess
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from signoff.text.formats.unified_diff import DiffKind, FileDiff, parse_diff

GIT_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
}


def git(folder: Path, *words: str) -> bytes:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false")
    done = subprocess.run(["git", *who, *words], cwd=folder, env=GIT_ENV, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def applied(old: str, file: FileDiff) -> str:
    """Apply the hunks to the old content."""
    lines = old.split("\n")
    ended = old.endswith("\n")
    if ended or not old:
        lines.pop()
    out: list[str] = []
    at = 0
    for hunk in file.hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        if start > at:
            ended = start < len(lines) or old.endswith("\n")
        out += lines[at:start]
        at = start
        for line in hunk.lines:
            if line.mark != "+":
                assert lines[at] == line.text
                at += 1
            if line.mark != "-":
                out.append(line.text)
                assert line.new == len(out)
                ended = line.has_newline
    rest = lines[at:]
    if rest:
        ended = old.endswith("\n")
    text = "\n".join([*out, *rest])
    return text + "\n" if ended and (out or rest) else text


LINE = st.text(st.sampled_from("ab+-@ \\\r\té"), max_size=6)


CONTENT = st.builds(
    lambda lines, ended: "\n".join(lines) + ("\n" if ended and lines else ""),
    st.lists(
        st.one_of(LINE, st.sampled_from(["--- a/x", "+++ b/x", "@@ -1 +1 @@", "diff --git a/x b/x"])),
        max_size=14,
    ),
    st.booleans(),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(old="\n@", new="\n", context="-U0")
@given(old=CONTENT, new=CONTENT, context=st.sampled_from(["-U0", "-U1", "-U3"]))
def test_the_hunks_of_git_make_the_new_file_of_the_old_one(
    tmp_path: Path, old: str, new: str, context: str
) -> None:
    """Differential: what we read of git's own output must be the change git described."""
    (tmp_path / "a").write_bytes(old.encode())
    (tmp_path / "b").write_bytes(new.encode())
    text = git(tmp_path, "diff", "--no-index", "--text", context, "a", "b").decode()
    if not text:
        return
    parsed = parse_diff(text)
    assert parsed.problems == []
    assert applied(old, parsed.files[0]) == new


def test_renames_modes_and_binaries_are_read_from_real_git(tmp_path: Path) -> None:
    repo = tmp_path
    git(repo, "init", "-q")
    (repo / "old name.py").write_text("".join(f"line {n}\n" for n in range(20)))
    (repo / "gone.py").write_text("x\n")
    (repo / "run.sh").write_text("x\n")
    (repo / "b.bin").write_bytes(b"\0\1")
    (repo / "tré\t.py").write_text("x\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "one")
    (repo / "old name.py").rename(repo / "new name.py")
    (repo / "gone.py").unlink()
    (repo / "run.sh").chmod(0o755)
    (repo / "b.bin").write_bytes(b"\0\2")
    (repo / "tré\t.py").write_text("y\n")
    (repo / "empty.py").write_text("")
    (repo / "b").mkdir()
    (repo / "b" / "x.py").write_text("z\n")
    git(repo, "add", ".")
    for words in ((), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/")):
        text = git(repo, "diff", "--cached", "-M", *words).decode("utf-8", "surrogateescape")
        files = {file.path: file for file in parse_diff(text).files}

        assert {path: file.kind for path, file in files.items()} == {
            "new name.py": DiffKind.RENAMED,
            "gone.py": DiffKind.DELETED,
            "run.sh": DiffKind.MODIFIED,
            "b.bin": DiffKind.MODIFIED,
            "tré\t.py": DiffKind.MODIFIED,
            "empty.py": DiffKind.ADDED,
            "b/x.py": DiffKind.ADDED,
        }
        assert files["new name.py"].old_path == "old name.py"
        assert files["b.bin"].is_binary
        assert not files["b/x.py"].old_path
        assert files["gone.py"].removed[0].text == "x"
