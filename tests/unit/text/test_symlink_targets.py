"""Where links lead."""

import pytest

from signoff.text.symlink_targets import leads_outside


@pytest.mark.parametrize(
    ("path", "target", "outside"),
    [
        ("a", b"b", False),
        ("a/b", b"../c", False),
        ("a/b", b"../../c", True),
        ("a", b"..", True),
        ("a", b"/etc/passwd", True),
        ("a", b"", True),
        ("a/b", b"./x/../../a/../c", False),
        ("a", b"b/../../c", True),
    ],
)
def test_a_link_leads_outside_when_its_text_says_so(path: str, target: bytes, outside: bool) -> None:
    assert leads_outside(path, target) is outside
