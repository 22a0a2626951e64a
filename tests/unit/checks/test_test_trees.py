"""Tests of JavaScript, TypeScript and Go, read by their grammars."""

import pytest

pytest.importorskip("tree_sitter")

from signoff.checks.test_trees.registry import readers
from signoff.domain.evidence.case_records import FileSides
from signoff.judges.test_integrity.comparison.integrity_verdict import judge

JS = "import { f } from '../src/f';\ndescribe('f', () => {\n  it('adds', async () => {\n    %s\n  });\n});\n"
GO = "package a\n\nfunc TestIt(t *testing.T) {\n\t%s\n}\n"


def kinds(path: str, before: str, after: str) -> set[str]:
    return {
        str(found.kind) for found in judge([FileSides(path, before, after)], readers(), frozenset()).findings
    }


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


NODE = "const { test } = require('node:test');\ntest('adds', async (t) => {\n  %s\n});\n"
SUBTEST = "await t.test('one', (t) => { t.assert.equal(f(1), 3); });"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("t.assert.strictEqual(f(1), 3)", "t.assert.ok(f(1))"),
        ("t.assert.strictEqual(f(1), 3)", "t.assert.equal(f(1), 3)"),
        ("t.assert.strictEqual(f(1), 3)", "x && t.assert.strictEqual(f(1), 3)"),
        ("t.assert.strictEqual(f(1), 3)", "false && t.assert.strictEqual(f(1), 3)"),
        ("t.assert.strictEqual(f(1), 3)", "true || t.assert.strictEqual(f(1), 3)"),
        ("t.assert.strictEqual(f(1), 3)", "const later = () => { t.assert.strictEqual(f(1), 3) }"),
        ("t.assert.match(f(1), /^a$/)", "t.assert.match(f(1), /.*/)"),
        ("await t.assert.rejects(f(1), TypeError)", "t.assert.rejects(f(1), TypeError)"),
        ("strictEqual(f(1), 3)", "strictEqual(f(1), f(1))"),
        ("plan.equal(f(1), 3)", "plan.ok(f(1))"),
        (SUBTEST, f"return; {SUBTEST}"),
        (SUBTEST, f"try {{ {SUBTEST} }} catch (e) {{}}"),
    ],
)
def test_a_weaker_test_of_node_is_found(before: str, after: str) -> None:
    """The context of node:test asserts through `t.assert`, and expressions guard as well as statements do."""
    assert kinds("a.test.js", NODE % before, NODE % before) == set()
    assert kinds("a.test.js", NODE % before, NODE % after) & {
        "assertion-loosened",
        "assertion-removed",
        "skipped",
    }


def test_what_a_script_asserts_outside_of_any_test_counts() -> None:
    """Many packages test by a script that asserts as it runs; there is no test to name."""
    before = (
        "const assert = require('assert');\nassert.equal(f(1), 3);\n"
        "process.on('exit', () => { assert.ok(g(), 'g'); });\n"
    )

    assert kinds("test/run.js", before, before.replace("assert.equal(f(1), 3);\n", "")) == {
        "assertion-removed"
    }
    assert kinds("test/run.js", before, before.replace("assert.ok(g(), 'g');", "")) == {"assertion-removed"}
    assert kinds("test/run.js", before, before + "assert.equal(f(2), 4);\n") == set()


def test_a_function_that_is_called_or_exported_is_reached() -> None:
    before = NODE % "t.assert.equal(f(1), 3)"
    after = NODE % "const check = () => { t.assert.equal(f(1), 3) }; check()"

    assert kinds("a.test.js", before, after) == set()


MAIN = "package a\n\nfunc TestIt(t *testing.T) {\n\tif f() != 3 { t.Error() }\n}\n"


def with_main(body: str) -> str:
    return f"{MAIN}\nfunc TestMain(m *testing.M) {{\n{body}\n}}\n"


@pytest.mark.parametrize(
    "body",
    [
        "os.Exit(0)",
        'fmt.Println("ok")',
        "m.Run()\n\tos.Exit(0)",
        "code := m.Run()\n\tlog.Print(code)\n\tos.Exit(0)",
        "_ = m.Run()\n\tdefer os.Exit(0)",
        'if os.Getenv("CI") == "" {\n\t\tos.Exit(m.Run())\n\t}',
        'if os.Getenv("CI") != "" {\n\t\tos.Exit(0)\n\t}\n\tos.Exit(m.Run())',
        "if testing.Short() {\n\t\treturn\n\t}\n\tos.Exit(m.Run())",
        "// m.Run()\n\tos.Exit(0)",
    ],
)
def test_a_go_main_that_runs_no_test_or_hides_the_result_is_found(body: str) -> None:
    """`go test` is green when TestMain says so, whatever the tests would have said."""
    assert kinds("a_test.go", MAIN, with_main(body)) == {"collection-narrowed"}
    new = judge([FileSides("main_test.go", None, with_main(body))], readers(), frozenset())
    assert {str(found.kind) for found in new.findings} == {"collection-narrowed"}


@pytest.mark.parametrize(
    "body",
    [
        "os.Exit(m.Run())",
        "m.Run()",
        "setup()\n\tcode := m.Run()\n\tteardown()\n\tos.Exit(code)",
        "if err := setup(); err != nil {\n\t\tos.Exit(1)\n\t}\n\tos.Exit(m.Run())",
        "goleak.VerifyTestMain(m)",
        "if code := m.Run(); code != 0 {\n\t\tos.Exit(code)\n\t}",
    ],
)
def test_a_go_main_that_runs_the_tests_is_no_finding(body: str) -> None:
    assert kinds("a_test.go", MAIN, with_main(body)) == set()


@pytest.mark.parametrize(
    ("added", "kind"),
    [
        ('t.Skip("later")\n\t', "skipped"),
        ("t.SkipNow()\n\t", "skipped"),
        ("if testing.Short() { t.Skip() }\n\t", "skipped"),
        ("if testing.Short() { return }\n\t", "assertion-loosened"),
        ("return\n\t", "assertion-loosened"),
    ],
)
def test_a_go_test_that_stops_early_is_found(added: str, kind: str) -> None:
    claim = 'if f() != 3 { t.Errorf("no") }'

    assert kind in kinds("a_test.go", GO % claim, GO % (added + claim))


@pytest.mark.parametrize(
    "tag", ["//go:build never\n\n", "// +build ignore\n\n", "//go:build integration\n\n"]
)
def test_a_build_tag_takes_a_go_test_file_out_of_the_run(tag: str) -> None:
    assert kinds("a_test.go", MAIN, tag + MAIN) == {"skipped"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("c.Assert(f(), qt.Equals, 3)", "c.Assert(f(), qt.Not(qt.IsNil))"),
        ("Expect(f()).To(Equal(3))", "Expect(f()).NotTo(BeNil())"),
        ("is := is.New(t)\n\tis.Equal(f(), 3)", "is := is.New(t)\n\tis.True(true)"),
        ("must := require.New(t)\n\tmust.Equal(3, f())", "must := require.New(t)\n\tmust.NotNil(f())"),
        ('func() { if f() != 3 { t.Error("no") } }()', 'func() { if f() != 3 { t.Log("no") } }()'),
        ('defer func() { if recover() == nil { t.Error("no") } }()', "defer func() { recover() }()"),
        (
            'for _, c := range tests { if f(c) != 3 { t.Error("no") } }',
            'for _, c := range tests[:1] { if f(c) != 3 { t.Error("no") } }',
        ),
        ('if f() != 3 { t.Error("no") }', 'if false && f() != 3 { t.Error("no") }'),
        (
            'switch f() { case 3: if g() != 4 { t.Error("no") } }',
            'switch f() { case 3: return; if g() != 4 { t.Error("no") } }',
        ),
    ],
)
def test_go_is_read_in_other_libraries_and_corners_too(before: str, after: str) -> None:
    assert kinds("a_test.go", GO % before, GO % before) == set()
    assert kinds("a_test.go", GO % before, GO % after) & {"assertion-loosened", "assertion-removed"}


def test_a_table_that_several_go_tests_share_is_theirs() -> None:
    """Declared for the whole file, its rows are cases of every test that goes through them."""
    table = "package a\n\nvar cases = []int{1, 2, 3}\n\nvar more = []int{1, 2}\n"
    test = "\nfunc TestIt(t *testing.T) {\n\tfor _, c := range cases { if f(c) != c { t.Error() } }\n}\n"

    assert kinds("a_test.go", table + test, table.replace(", 3", "") + test) == {"parametrisation-shrunk"}
    assert kinds("a_test.go", table + test, table.replace("1, 2}", "1}") + test) == set()


def test_damaged_input_is_read_as_far_as_it_goes() -> None:
    for text in ("it('", "((((" * 1000, "package", "\0", "it(" * 500):
        for ending in ("js", "ts", "go"):
            read = readers()[ending](f"a.{ending}", text, frozenset())
            assert not any(case.assertions for case in read.cases)


@pytest.mark.parametrize(
    "helper",
    [
        "const run = (t, x) => {\n  x.forEach(y => {\n    t.equal(f(y), 3)\n  })\n}\n",
        "const run = (t, suite) => {\n  suite.forEach(y => {\n    t.equal(f(y), 3)\n  })\n}\n",
        "const run = function (t, x) {\n  t.equal(f(x), 3)\n}\n",
        "function run(t, x) {\n  t.equal(f(x), 3)\n}\n",
    ],
)
def test_a_javascript_helper_that_stops_asserting_is_found(helper: str) -> None:
    """Its tests assert nothing by themselves: whoever empties it empties them all."""
    test = "const test = require('tape')\n%stest('adds', (t) => { run(t, [1]) })\n"
    assert kinds("a.test.js", test % helper, test % helper.replace("t.equal(f", "(f"))
    assert kinds("a.test.js", test % helper, test % helper.replace("t.equal", "t.notEqual"))
    assert kinds("a.test.js", test % helper, test % helper) == set()
    bare = "const assert = require('assert')\nassert.equal(f(1), 3)\ntest('adds', (t) => { t.ok(f(2)) })\n"
    assert kinds("a.test.js", bare, bare.replace("assert.equal(f(1), 3)\n", ""))
