"""New public names without a test."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.judges.test_gap.missing_tests import (
    GapSeverity,
    MissingTest,
    SourceSides,
    gaps_between,
    gaps_in_diff,
)
from signoff.judges.test_gap.public_symbols import LANGUAGES, file_symbols, line_symbols
from signoff.text.formats.unified_diff import parse_diff


def added(path: str, text: str) -> str:
    lines = text.split("\n")
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return head + f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)


def gaps(*parts: str, tests: dict[str, str] | None = None) -> list[MissingTest]:
    diff = parse_diff("".join(parts))
    assert diff.problems == []
    return gaps_in_diff(diff.files, tests or {})


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (
            "a.py",
            "def go():\n  pass\nasync def run(): ...\nclass Box:\n  x = 1\ndef _own(): ...",
            "go run Box",
        ),
        ("a.py", "class Box:\n    def open(self): ...\n    def _shut(self): ...", "Box Box.open"),
        (
            "A.swift",
            "public func go() {}\nfunc own() {}\nopen class Box {}\nprivate struct P: View {}",
            "go Box",
        ),
        ("A.swift", "struct HomeView: View {\n  var body: some View {}\n}", "HomeView"),
        ("A.swift", "final class MainController: UIViewController, Foo {", "MainController"),
        ("a.kt", "fun go() {}\nprivate fun own() {}\ninternal class I\ndata class Box(val x: Int)", "go Box"),
        ("a.kt", "@Composable\nfun Home() {}\n@Preview\n@Composable\nfun HomePreview() {}", "Home"),
        ("a.ts", "export function go() {}\nfunction own() {}\nexport default class Box {}", "go Box"),
        ("a.ts", "export const go = () => 1;\nexport const LIMIT = 3;\nexport interface I {}", "go"),
        ("a.ts", "export { a as b, type T, c };\nexport { x } from './y';", "b c"),
        ("a.js", "module.exports = { go, run: walk };\nexports.jump = 1;", "go run jump"),
        (
            "a.go",
            "func Go() {}\nfunc own() {}\nfunc (b *Box) Open() {}\ntype Box struct {}",
            "Go Box.Open Box",
        ),
        ("a.rs", "pub fn go() {}\nfn own() {}\npub struct Box;\npub(crate) fn inner() {}", "go Box"),
        ("A.java", "public class Box {\n  public int size() {}\n  private void own() {}", "Box size"),
    ],
)
def test_public_names_are_read_in_each_language(path: str, text: str, names: str) -> None:
    assert [symbol.full_name for symbol in file_symbols(path, text)] == names.split()


def test_a_new_name_without_a_test_is_a_suggestion_with_its_place() -> None:
    assert gaps(added("src/calc.py", "\ndef total(x):\n    return x")) == [
        MissingTest(
            path="src/calc.py",
            line=2,
            kind="untested-function",
            symbol="total",
            severity=GapSeverity.SUGGESTION,
            message="no test mentions the new function total",
        )
    ]


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("HomeView.swift", "struct HomeView: View {", "untested-view"),
        ("Home.kt", "@Composable\nfun Home() {", "untested-composable"),
        ("Home.kt", "@Composable fun Home() {", "untested-composable"),
    ],
)
def test_views_and_composables_are_important(path: str, text: str, kind: str) -> None:
    found = gaps(added(path, text))

    assert [(gap.kind, gap.severity) for gap in found] == [(kind, GapSeverity.IMPORTANT)]


@pytest.mark.parametrize(
    ("test_path", "test"),
    [
        ("tests/test_other.py", "from calc import total"),
        ("tests/test_other.py", "def test_total_of_nothing(): ..."),
        ("tests/test_other.py", "class TestTotal: ..."),
        ("tests/test_calc.py", "assert calc.total() == 0"),
    ],
)
def test_a_test_that_mentions_it_or_is_named_after_it_closes_the_gap(test_path: str, test: str) -> None:
    assert gaps(added("src/calc.py", "def total(): ..."), added(test_path, test)) == []


def test_a_test_that_exists_already_closes_the_gap() -> None:
    assert gaps(added("src/calc.py", "def total(): ..."), tests={"tests/test_x.py": "total()"}) == []


def test_a_test_that_the_change_deletes_does_not_close_the_gap() -> None:
    gone = "--- a/tests/test_x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-total()\n"
    source = added("src/calc.py", "def total(): ...")

    assert [gap.symbol for gap in gaps(source, gone, tests={"tests/test_x.py": "total()"})] == ["total"]


def test_a_comment_in_a_test_does_not_close_the_gap() -> None:
    source = added("src/calc.py", "def total(): ...")

    assert len(gaps(source, added("tests/test_x.py", "# total is tested by hand\n// total"))) == 1


def test_an_unrelated_test_does_not_close_the_gap() -> None:
    assert len(gaps(added("src/calc.py", "def total(): ..."), added("tests/test_x.py", "subtotal()"))) == 1


@pytest.mark.parametrize("path", ["tests/test_calc.py", "tests/test_total.py"])
def test_a_test_file_closes_no_gap_by_its_name_alone(path: str) -> None:
    source = added("src/calc.py", "def total(): ...")
    longer = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1,2 @@\n import calc\n+def test_other(): assert True\n"

    for test in (added(path, "def test_other(): assert True"), longer):
        assert [gap.symbol for gap in gaps(source, test)] == ["total"]


def test_a_test_file_that_only_loses_lines_closes_no_gap() -> None:
    source = added("src/calc.py", "def total(): ...")
    shorter = (
        "--- a/tests/test_total.py\n+++ b/tests/test_total.py\n@@ -1,2 +1 @@\n import calc\n-calc.total()\n"
    )

    for known in ({}, {"tests/test_total.py": "import calc\ncalc.total()\n"}):
        assert [gap.symbol for gap in gaps(source, shorter, tests=known)] == ["total"]


def changed(*lines: str, start: int = 1) -> str:
    """Give a diff of src/calc.py with one hunk of these lines."""
    old, new = sum(line[0] in " -" for line in lines), sum(line[0] in " +" for line in lines)
    head = f"--- a/src/calc.py\n+++ b/src/calc.py\n@@ -{start},{old} +{start},{new} @@\n"
    return head + "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (('+"""Doc.', "+def bar():", '+"""', "+def real(): ..."), "real"),
        ((' """Doc.', "+def bar():", ' """', "+def real(): ..."), "real"),
        ((" more words", "+def bar():", ' ends here."""', "+def real(): ..."), "real"),
        ((" more words", "+def bar():", ' """', "+def real(): ..."), "real"),
        (("+x = '''", "+def bar():", '+\'\'\'; y = """one line"""', "+def real(): ..."), "real"),
        (("+x = '\"\"\"'  # '''", "+def real(): ...", '+    """Doc."""', "+def more(): ..."), "real more"),
        ((" def real():", '+    """', "+    Doc.", '+    """', "+def more(): ..."), "more"),
        (('+x = r"""', "+def bar():", '+"""', "+def real(): ..."), "real"),
    ],
)
def test_what_stands_in_a_docstring_is_no_declaration(lines: tuple[str, ...], names: str) -> None:
    assert [gap.symbol for gap in gaps(changed(*lines, start=40))] == names.split()


def test_a_new_method_is_named_with_the_class_that_a_diff_shows_around_it() -> None:
    found = gaps(changed(" class Bag:", "     x = 1", "+    def fill(self): ...", start=40))

    assert [(gap.symbol, gap.line) for gap in found] == [("Bag.fill", 42)]


def test_a_changed_signature_and_a_moved_function_are_not_new() -> None:
    changed = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-def total(x): ...\n+def total(x, y): ...\n"
    gone = "--- a/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def moved(): ...\n"

    assert gaps(changed, gone, added("c.py", "def moved(): ...")) == []


def test_tests_generated_files_and_declarations_are_not_looked_at() -> None:
    for path in ("tests/helpers.py", "dist/a.js", "a.d.ts", "node_modules/x/a.js", "README.md"):
        assert gaps(added(path, "def total(): ...\nexport function total() {}")) == []


@pytest.mark.parametrize(
    "path", ["docs/conf.py", "examples/a.py", "benchmarks/a.py", "bench/a.py", "testing/python/metafunc.py"]
)
def test_what_is_no_part_of_the_product_needs_no_test(path: str) -> None:
    assert gaps(added(path, "def total(): ...")) == []
    assert gaps(added(f"src/shop/{path}", "def total(): ..."))


def test_a_test_that_stands_elsewhere_needs_none() -> None:
    assert gaps(added("shop/selfcheck.py", "def test_total(): ...")) == []


def test_a_new_class_is_one_gap_and_a_new_method_of_a_known_class_is_one_too() -> None:
    new = SourceSides("a.py", None, "class Box:\n    def open(self): ...\n    def shut(self): ...\n")
    more = SourceSides("b.py", "class Bag:\n    pass\n", "class Bag:\n    def fill(self): ...\n")

    assert [gap.symbol for gap in gaps_between([new, more], {})] == ["Box", "Bag.fill"]


def test_whole_files_are_compared_name_by_name() -> None:
    before, after = "def a(): ...\n", "def b(): ...\n\ndef a(x): ...\n"

    assert [(g.symbol, g.line) for g in gaps_between([SourceSides("m.py", before, after)], {})] == [("b", 1)]
    assert gaps_between([SourceSides("m.py", before, after)], {"tests/test_m.py": "m.b()"}) == []


def test_with_whole_files_a_test_file_by_name_alone_is_not_enough() -> None:
    """All of it can be read: a paired file that never mentions the name does not test it."""
    found = gaps_between([SourceSides("m.py", "", "def total(): ...")], {"tests/test_m.py": "assert True"})

    assert [gap.symbol for gap in found] == ["total"]


@pytest.mark.parametrize("piece", ['"', "'", r"\"", '"""', "=", " ", "'\"", "return "])
def test_a_line_made_to_be_slow_is_not(piece: str) -> None:
    began = time.process_time()
    line_symbols("a.py", [(7, piece * 200_000), (8, piece * 200_000 + '"""')])

    assert time.process_time() - began < 3


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([ending for language in LANGUAGES for ending in language.endings]), st.text(max_size=200)
)
def test_no_text_makes_the_reader_of_symbols_crash(ending: str, text: str) -> None:
    file_symbols(f"a{ending}", text)
    line_symbols(f"a{ending}", enumerate(text.split("\n"), 1))
