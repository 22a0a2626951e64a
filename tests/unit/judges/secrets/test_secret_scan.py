"""The added lines of a diff: whose they are, and which number they have."""

import pytest

from signoff.judges.secrets.secret_scan import added_lines


def diff(header: str) -> str:
    return f"diff --git x y\n--- /dev/null\n+++ {header}\n@@ -0,0 +1,2 @@\n+one\n+++ b/no header\n"


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("b/src/a.py", "src/a.py"),
        ("b/b/a.py", "b/a.py"),
        ("b/with blank.py\t", "with blank.py"),
        ("b/trée.py", "trée.py"),
        (r'"b/tr\303\251e.py"', "trée.py"),
        (r'"b/quo\"te.py"', 'quo"te.py'),
        (r'"b/back\\slash.py"', "back\\slash.py"),
        (r'"b/new\nline\ttab.py"', "new\nline\ttab.py"),
        (r'"b/\377.py"', "\udcff.py"),
    ],
)
def test_a_name_is_read_as_git_writes_it(header: str, path: str) -> None:
    """A glob of a non-goal is held against it: a name that is read wrongly is covered by none."""
    assert list(added_lines(diff(header))) == [(path, 1, "one"), (path, 2, "++ b/no header")]
