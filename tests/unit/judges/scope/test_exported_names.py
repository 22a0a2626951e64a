"""What a file exports, and which changes touch it."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.judges.scope.change_scope import ScanResult
from signoff.judges.scope.exported_names import export_findings, python_exports

BASE = '''\
"""Doc."""
import os
from typing import Any

__all__ = ["total", "_listed"]
LIMIT = 3
Alias = dict[str, int]


def total(basket: list[int], *, tax: float = 0.1) -> int:
    return sum(basket)


def _private(a): ...


def _listed(a): ...


class Basket(dict):
    size: int = 3

    def add(self, item: str) -> None: ...

    @property
    def price(self) -> int: ...

    def _inner(self, a): ...
'''


def read(old: str | bytes | None, new: str | bytes | None, path: str = "src/x.py") -> ScanResult:
    kind = ChangeKind.ADDED if old is None else ChangeKind.DELETED if new is None else ChangeKind.MODIFIED

    def side(text: str | bytes | None) -> bytes | None:
        return text.encode() if isinstance(text, str) else text

    return export_findings(
        ["src"], [PathChange(path=path, kind=kind)], lambda _: side(old), lambda _: side(new)
    )


def touched(reading: ScanResult) -> list[str]:
    assert reading.undecided == ()
    assert {finding.code for finding in reading.findings} <= {"export-changed"}
    return [finding.message.split()[0] for finding in reading.findings]


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("basket: list[int]", "basket: list[str]", ["total"]),
        ("tax: float = 0.1", "tax: float = 0.2", ["total"]),
        ("*, tax", "tax", ["total"]),
        (") -> int:\n    return", "):\n    return", ["total"]),
        ("def total", "async def total", ["total"]),
        ("def total(", "def summed(", ["summed", "total"]),
        ("LIMIT = 3", "", ["LIMIT"]),
        ("LIMIT = 3", 'LIMIT = "three"', ["LIMIT"]),
        ("LIMIT = 3", "LIMIT = 3\nMORE = 4", ["MORE"]),
        ("LIMIT = 3", "LIMIT = 3\ndel total", ["total"]),
        ("Alias = dict[str, int]", "Alias = dict[str, str]", ["Alias"]),
        ('"_listed"', '"_listed", "LIMIT"', ["__all__"]),
        ("LIMIT = 3", 'LIMIT = 3\n__all__.extend(["LIMIT"])', ["__all__"]),
        ("def _listed(a)", "def _listed(a, b)", ["_listed"]),
        ("class Basket(dict)", "class Basket(list)", ["Basket"]),
        ("class Basket(dict)", "@frozen\nclass Basket(dict)", ["Basket"]),
        ("size: int = 3", "size: int = 4", ["Basket.size"]),
        ("item: str", "item: int", ["Basket.add"]),
        ("    @property\n", "", ["Basket.price"]),
        ("    @property\n", "    @staticmethod\n", ["Basket.price"]),
        ("def add", "def put", ["Basket.add", "Basket.put"]),
        ("LIMIT = 3", "if True:\n    LIMIT = 3\n    def more(): ...", ["more"]),
    ],
)
def test_a_change_to_what_is_exported_is_found(was: str, now: str, expected: list[str]) -> None:
    assert was in BASE
    assert touched(read(BASE, BASE.replace(was, now, 1))) == expected


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("return sum(basket)", "return 0"),
        ('"""Doc."""', '"""Another."""'),
        ("def _private(a)", "def _private(b, c)"),
        ("def _inner(self, a)", "def _inner(self)"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("import os", "import os, sys"),
        ("def total", "@lru_cache\ndef total"),
        ("basket: list[int],", "basket:   list[int] ,"),
        ("_ = 1", "_ = 2"),
    ],
)
def test_what_others_cannot_see_may_change(was: str, now: str) -> None:
    old = BASE + "_ = 1\n"
    assert was in old
    assert read(old, old.replace(was, now, 1)) == ScanResult()


def test_a_package_hands_on_what_it_imports() -> None:
    old = "from .a import one\n"
    assert touched(read(old, "from .b import one\n", "src/p/__init__.py")) == ["one"]
    assert touched(read(old, "", "src/p/__init__.py")) == ["one"]
    assert read(old, "", "src/p/other.py") == ScanResult()
    listed = '__all__ = ["one"]\n'
    assert touched(read(listed + old, listed, "src/p/other.py")) == ["one"]


UNREAD = [
    ("from .impl import *\n", ""),
    ("", "from .impl import *\n"),
    ("from .impl import *\n", "from .other import *\n"),
    ("from .impl import *\nA = 1\n", "A = 1\nfrom .impl import *\n"),
    ("if True:\n    from .impl import *\n", ""),
    ("for a in (1, 2): pass\n", ""),
    ("for a, (b, *c) in X: pass\n", "for a, (b, *d) in X: pass\n"),
    ("for _ in X:\n    for a in Y: pass\n", "for _ in X:\n    for b in Y: pass\n"),
    ("with open(_x) as a: pass\n", ""),
    ("with open(_x) as a: pass\n", "with f(_x) as a: pass\n"),
    ("_ = (a := 1)\n", "_ = 1\n"),
    ("print(a := 1)\n", ""),
    ("_ = [(a := x) for x in Y]\n", ""),
    ("def f(x=(a := 1)): ...\n", "def f(x=(b := 1)): ...\n"),
    ("class A:\n    _ = (a := 1)\n", "class A:\n    _ = (b := 1)\n"),
    ("match _x:\n    case [a, *b]: pass\n", "match _x:\n    case [a, *c]: pass\n"),
    ("match _x:\n    case {'k': 1, **a}: pass\n", ""),
    ("try: pass\nexcept E as a: pass\n", ""),
    ("A = 1\n", "A = 1\ntry: pass\nexcept E as A: pass\n"),
    ("def f(): ...\n", "def f(): ...\nf.retries = 3\n"),
    ("", "globals()['a'] = 1\n"),
    ("for _n in 'ab':\n    globals()[_n] = 1\n", "for _n in 'ac':\n    globals()[_n] = 1\n"),
    ("", "exec('a = 1')\n"),
    ("import sys\n", "import sys\nsys.modules[__name__] = _x\n"),
    ("class A: ...\n", "class A: ...\nsetattr(A, 'b', 1)\n"),
    ("def _f(): ...\n", "def _f():\n    global a\n    a = 1\n"),
    (
        "__all__ = []\nfor _n in 'ab': __all__.append(_n)\n",
        "__all__ = []\nfor _n in 'ac': __all__.append(_n)\n",
    ),
]


@pytest.mark.parametrize(("old", "new"), UNREAD)
def test_names_that_are_bound_in_another_way_are_named_and_not_judged(old: str, new: str) -> None:
    """What a star import or a loop binds cannot be told from the file; that it held must not be said."""
    reading = read(old, new)
    assert [why.split()[0] for why in reading.undecided] == ["src/x.py"]


@pytest.mark.parametrize(("old", "new"), UNREAD)
def test_they_do_not_stand_in_the_way_of_what_leaves_them_alone(old: str, new: str) -> None:
    for text in (old, new):
        assert read(text + "def g(): ...\n", text + "def g(): return 1\n\n_x = 2\n") == ScanResult()
        assert touched(read(text + "def g(): ...\n", text + "def g(a): ...\n")) == ["g"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for _i in X: pass\n", "for _j in Y: pass\n"),
        ("with a: pass\n", "with b: pass\n"),
        ("_ = [x for x in Y]\n", "_ = [z for z in Y]\n"),
        ("def f():\n    for a in b: pass\n", "def f():\n    with a as c: pass\n"),
        ("def f(): return (a := 1)\n", "def f(): return (b := 1)\n"),
        ("_ = lambda: (a := 1)\n", "_ = lambda: (b := 1)\n"),
        ("CONFIG = {}\n", "CONFIG = {}\nCONFIG['a'] = 1\n"),
        ("match x:\n    case 1: pass\n", "match x:\n    case 2: pass\n"),
    ],
)
def test_what_binds_nothing_that_others_see_may_change(old: str, new: str) -> None:
    assert read(old, new) == ScanResult()


def test_a_list_of_names_that_is_overwritten_in_place_has_changed() -> None:
    old = "__all__ = ['a']\na = 1\nb = 1\n"
    assert touched(read(old, old + "__all__[:] = ['b']\n")) == ["__all__"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python has no such grammar")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("type X = int\n", "type X = str\n", "X"),
        ("type X = int\n", "", "X"),
        ("def f[T](a: T): ...\n", "def f[T: int](a: T): ...\n", "f"),
        ("class A[T]: ...\n", "class A[T, U]: ...\n", "A"),
    ],
)
def test_types_with_a_name_and_type_parameters_count(old: str, new: str, expected: str) -> None:
    assert touched(read(old, new)) == [expected]


def test_a_deleted_file_takes_all_its_exports_along_and_a_new_one_adds_its_own() -> None:
    assert touched(read("def a(): ...\nb = 1\n", None)) == ["a", "b"]
    assert touched(read(None, "def a(): ...\n")) == ["a"]
    assert read(None, "_a = 1\n") == ScanResult()


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("a = 1", "a = ", "src/x.py"),
        ("a = ", "a = 1", "src/x.py"),
        ("a = 1", b"\xff\xfe\x00", "src/x.py"),
        ("export const a = 1", "export const a = 2", "src/x.ts"),
        ("x", "y", "src/data.json"),
    ],
)
def test_what_cannot_be_read_is_named_and_not_judged(old: str, new: str | bytes, path: str) -> None:
    """A file that nobody could read must not count as one whose exports held."""
    reading = read(old, new, path)
    assert reading.findings == ()
    assert [why.split()[0] for why in reading.undecided] == [path]


def test_files_that_are_not_asked_about_may_do_as_they_like() -> None:
    assert read("def a(): ...", "def a(b): ...", "lib/x.py") == ScanResult()
    assert read("one", "two", "src/README.md") == ScanResult()
    change = PathChange(path="src/x.py", kind=ChangeKind.RETYPED)
    assert export_findings(["src"], [change], lambda _: b"", lambda _: b"").undecided


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "replace"))))
def test_no_content_is_too_odd_to_be_looked_at(data: bytes) -> None:
    python_exports(data)


@pytest.mark.parametrize("opening", ["(", "[", "f(", "-", "x if "])
def test_nor_is_any_nesting_too_deep(opening: str) -> None:
    python_exports(b"a = " + opening.encode() * 50_000)
    python_exports(b"a = " + b"-" * 2_000 + b"x")
