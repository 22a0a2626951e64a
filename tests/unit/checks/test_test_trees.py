"""Tests of JavaScript, TypeScript and Go, read by their grammars."""

import pytest

pytest.importorskip("tree_sitter")

from signoff.checks.test_trees.registry import readers
from signoff.core.test_integrity.judging import judge
from signoff.core.test_integrity.records import Sides

JS = "import { f } from '../src/f';\ndescribe('f', () => {\n  it('adds', async () => {\n    %s\n  });\n});\n"
GO = "package a\n\nfunc TestIt(t *testing.T) {\n\t%s\n}\n"


def kinds(path: str, before: str, after: str) -> set[str]:
    return {str(found.kind) for found in judge([Sides(path, before, after)], readers(), frozenset()).findings}


@pytest.mark.parametrize("ending", ["js", "ts", "tsx", "mjs"])
@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("expect(f(1)).toBe(3);", "expect(f(1)).toBeTruthy();", "assertion-loosened"),
        ("expect(f(1)).toBe(3);", "expect(f(1)).toBeDefined();", "assertion-loosened"),
        ("expect(f(1)).toBe(3);", "expect(true).toBe(true);", "assertion-removed"),
        ("expect(f(1)).toBe(3);", "if (x) { expect(f(1)).toBe(3); }", "assertion-loosened"),
        ("expect(f(1)).toBe(3);", "try { expect(f(1)).toBe(3); } catch (e) {}", "assertion-loosened"),
        ("await expect(f(1)).resolves.toBe(3);", "expect(f(1)).resolves.toBe(3);", "assertion-loosened"),
        ("expect(f).toThrow(TypeError);", "expect(f).toThrow();", "exception-widened"),
        ("expect(f(1)).toBeCloseTo(3, 5);", "expect(f(1)).toBeCloseTo(3, 1);", "tolerance-widened"),
        ("expect(f(1)).to.equal(3);", "expect(f(1)).to.be.ok;", "assertion-loosened"),
        ("assert.equal(f(1), 3);", "assert.ok(f(1));", "assertion-loosened"),
        ("expect(f(1)).toBe(3);", "", "emptied"),
    ],
)
def test_a_weaker_javascript_test_is_found(ending: str, before: str, after: str, kind: str) -> None:
    assert kind in kinds(f"a.test.{ending}", JS % before, JS % after)


def test_skips_only_mocks_and_tables_are_found() -> None:
    plain = JS % "expect(f(1)).toBe(3);"
    assert kinds("a.test.ts", plain, plain.replace("it(", "it.skip(")) == {"skipped"}
    assert kinds("a.test.ts", plain, plain.replace("it(", "xit(")) == {"skipped"}
    assert kinds("a.test.ts", plain, plain.replace("it(", "it.only(")) == {"collection-narrowed"}
    assert kinds("a.test.ts", plain, "jest.mock('../src/f');\n" + plain) == {"subject-mocked"}
    assert kinds("a.test.ts", plain, "jest.mock('axios');\n" + plain) == set()
    table = "test.each([[1], [2]])('x %i', (n) => { expect(f(n)).toBe(n); });\n"
    assert kinds("a.test.js", table, table.replace(", [2]", "")) == {"parametrisation-shrunk"}


def test_renaming_a_variable_or_quoting_otherwise_is_no_finding() -> None:
    before = JS % "const got = f('a');\n    expect(got).toBe(3);"
    after = JS % 'const value = f("a")\n    // why\n    expect(value).toBe(3)'
    assert kinds("a.test.ts", before, after) == set()


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ('if f() != 3 { t.Errorf("no") }', 'if f() != 3 { t.Logf("no") }', "assertion-removed"),
        ('if f() != 3 { t.Errorf("no") }', 't.Skip("later")\n\tif f() != 3 { t.Errorf("no") }', "skipped"),
        ("assert.Equal(t, 3, f())", "assert.NotNil(t, f())", "assertion-loosened"),
        ("assert.Equal(t, 3, f())", "return\n\tassert.Equal(t, 3, f())", "assertion-loosened"),
        ("assert.Equal(t, 3, f())", "", "emptied"),
        (
            'for _, x := range []int{1, 2} { if f(x) != x { t.Error("no") } }',
            'for _, x := range []int{1} { if f(x) != x { t.Error("no") } }',
            "parametrisation-shrunk",
        ),
    ],
)
def test_a_weaker_go_test_is_found(before: str, after: str, kind: str) -> None:
    assert kind in kinds("a_test.go", GO % before, GO % after)


def test_damaged_input_is_read_as_far_as_it_goes() -> None:
    for text in ("it('", "((((" * 1000, "package", "\0", "it(" * 500):
        for ending in ("js", "ts", "go"):
            readers()[ending](f"a.{ending}", text, frozenset())
