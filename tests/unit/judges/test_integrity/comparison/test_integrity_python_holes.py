"""Ways around a Python test that leave its assertions as they were."""

# ruff: noqa: E501 - sources of tests are read as one line each

import pytest

from signoff.domain.evidence.case_records import FileSides, WeakeningKind
from signoff.judges.test_integrity.comparison.integrity_verdict import judge

HEAD = "import sys\nimport pytest\nimport shop\nfrom shop import total, Cart\nfrom unittest.mock import Mock\n\n\n"
OWN = frozenset({"shop"})
PLAIN = "def test_it():\n    assert total(1) == 3\n"
CONFTEST = "import pytest\n\n\n"


def kinds(before: str, after: str, path: str = "tests/test_shop.py", head: str = HEAD) -> set[str]:
    return {
        str(found.kind) for found in judge([FileSides(path, head + before, head + after)], {}, OWN).findings
    }


def conftest_kinds(before: str | None, after: str) -> set[str]:
    """Give what a new or changed conftest.py is found to do."""
    old = None if before is None else CONFTEST + before
    sides = [FileSides("tests/conftest.py", old, CONFTEST + after)]
    return {str(found.kind) for found in judge(sides, {}, OWN).findings}


@pytest.mark.parametrize(
    "line",
    [
        "total = Mock(return_value=3)",
        "total = lambda *_: 3",
        "def total(x): return 3",
        "class total(int): pass",
        "def fake(x): return 3\n    total = fake",
        "shop.total = lambda x: 3",
        "shop.config.load = lambda: 3",
        "setattr(shop, 'total', lambda x: 3)",
        "sys.modules['shop.pay'] = Mock()",
        "sys.modules.update({'shop.pay': Mock()})",
        "monkeypatch.setitem(sys.modules, 'shop.pay', Mock())",
        "patch.dict('sys.modules', {'shop.pay': Mock()}).start()",
    ],
)
def test_a_stand_in_under_the_name_of_the_subject_is_found(line: str) -> None:
    """Replacing what is tested needs no patching library: a name or an entry of sys.modules will do."""
    assert "subject-mocked" in kinds(PLAIN, PLAIN.replace("    assert", f"    {line}\n    assert"))


@pytest.mark.parametrize(
    "line", ["total = lambda x: 3", "def total(x): return 3", "sys.modules['shop.pay'] = Mock()"]
)
def test_a_stand_in_for_the_whole_module_is_found(line: str) -> None:
    assert "subject-mocked" in kinds(PLAIN, f"{line}\n\n\n{PLAIN}")


@pytest.mark.parametrize(
    "text",
    [
        # The name is another function's import: nothing in this one is shadowed.
        "def test_other():\n    from shop import price\n    assert price() == 1\n\n\n{}    price = lambda: 3\n",
        "{}    Cart = Cart.with_tax\n    assert Cart(1) == 2\n",
    ],
)
def test_a_name_that_hides_no_subject_is_no_finding(text: str) -> None:
    assert kinds(text.format(PLAIN).replace("    price = lambda: 3\n", ""), text.format(PLAIN)) == set()


RAISES = "def test_it():\n    with pytest.raises(ValueError):\n        total(1)\n"


def test_a_block_that_raises_by_itself_shows_nothing() -> None:
    """`raise` right in the block makes `pytest.raises` pass whatever the subject does."""
    own = "        raise ValueError\n"
    assert kinds(RAISES, RAISES + own) == {"assertion-loosened"}
    assert kinds(RAISES, RAISES.replace("        total(1)\n", own + "        total(1)\n")) == {
        "assertion-loosened"
    }


def test_a_raise_that_the_subject_is_to_let_through_is_no_finding() -> None:
    before = "def test_it():\n    with pytest.raises(ValueError):\n        with Cart():\n            raise ValueError\n"
    after = "def test_it():\n    with pytest.raises(ValueError), Cart():\n        raise ValueError\n"
    assert kinds(before, after) == set()


@pytest.mark.parametrize("kind", ["AssertionError", "Exception", "BaseException"])
def test_an_assertion_that_is_expected_to_fail_does_not_count(kind: str) -> None:
    after = f"def test_it():\n    with pytest.raises({kind}):\n        assert total(1) == 3\n"
    assert "assertion-loosened" in kinds(PLAIN, after)


def test_a_failure_that_is_no_longer_reached_is_found() -> None:
    """`pytest.fail` at the end of a `try` says that something must be raised.

    under a condition it says less.
    """
    before = "def test_it():\n    try:\n        total(1)\n        pytest.fail('no error')\n    except ValueError:\n        pass\n"
    gone = before.replace("        pytest.fail('no error')\n", "")
    inside = before.replace("        pytest.fail", "        if Cart:\n            pytest.fail")
    handler = gone.replace("        pass\n", "        pytest.fail('no error')\n")
    assert "assertion-removed" in kinds(before, gone)
    assert kinds(before, inside) & {"assertion-loosened", "assertion-removed"}
    assert "assertion-loosened" in kinds(before, handler)


AUTOUSE = "@pytest.fixture(autouse=True)\ndef _ready():\n    {}\n"


def test_an_autouse_fixture_that_skips_is_found_in_a_new_and_in_a_changed_conftest() -> None:
    """It skips every test below its folder, without a mark on any of them."""
    skipping = AUTOUSE.format("pytest.skip('later')")
    assert conftest_kinds(None, skipping) == {"skipped"}
    assert conftest_kinds("", skipping) == {"skipped"}
    assert conftest_kinds(AUTOUSE.format("yield"), skipping) == {"skipped"}
    assert conftest_kinds(None, AUTOUSE.format("yield")) == set()


def test_a_fixture_that_skips_now_is_found_and_so_is_a_test_that_asks_for_one() -> None:
    plain = "@pytest.fixture\ndef shop_db():\n    return 1\n"
    skipping = plain.replace("return 1", "pytest.skip('later')")
    assert conftest_kinds(plain, skipping) == {"skipped"}
    asks = PLAIN.replace("test_it()", "test_it(shop_db)")
    assert kinds(skipping + "\n\n" + PLAIN, skipping + "\n\n" + asks) == {"skipped"}


HOOK = "def pytest_collection_modifyitems(config, items):\n    {}\n"


@pytest.mark.parametrize(
    "body",
    [
        "items[:] = items[:3]",
        "items.clear()",
        "del items[3:]",
        "config.hook.pytest_deselected(items=items)",
        "for item in items: item.add_marker(pytest.mark.skip)",
        "skip = pytest.mark.skip(reason='later')\n    for item in items: item.add_marker(skip)",
        "for item in items: item.add_marker('xfail')",
    ],
)
def test_a_hook_that_takes_tests_out_is_found_in_a_new_and_in_a_changed_conftest(body: str) -> None:
    """A hook that was there already can be given a line that leaves tests out."""
    assert conftest_kinds(None, HOOK.format(body)) == {"collection-narrowed"}
    harmless = HOOK.format("items.sort(key=str)")
    assert conftest_kinds(harmless, HOOK.format(f"items.sort(key=str)\n    {body}")) == {
        "collection-narrowed"
    }


@pytest.mark.parametrize(
    "hook",
    [
        "def pytest_runtest_setup(item):\n    pytest.skip('later')\n",
        "def pytest_runtest_makereport(item, call):\n    report.outcome = 'passed'\n",
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
        "def pytest_ignore_collect(path):\n    return 'slow' in str(path)\n",
        "def pytest_runtest_call(item):\n    return None\n",
        "def load_tests(loader, tests, pattern):\n    return tests\n",
    ],
)
def test_a_hook_that_skips_or_changes_a_result_is_found(hook: str) -> None:
    assert conftest_kinds(None, hook) & {"collection-narrowed", "skipped"}


@pytest.mark.parametrize(
    "hook",
    [
        HOOK.format("items[:] = sorted(items, key=str)"),
        HOOK.format("for item in items: item.add_marker(pytest.mark.slow)"),
        "def pytest_runtest_setup(item):\n    item.begun = True\n",
        "def pytest_sessionfinish(session):\n    print('done')\n",
    ],
)
def test_a_hook_that_leaves_every_test_in_is_no_finding(hook: str) -> None:
    assert conftest_kinds(None, hook) == set()
    assert conftest_kinds("", hook) == set()


@pytest.mark.parametrize("after", ["@pytest.mark.filterwarnings('ignore')\n", ""])
def test_a_warning_that_no_longer_fails_the_test_is_found(after: str) -> None:
    """`filterwarnings("error")` makes every warning a failure: taking it away loosens the test."""
    strict = "@pytest.mark.filterwarnings('error')\n"
    assert kinds(strict + PLAIN, after + PLAIN) == {"assertion-loosened"}
    assert kinds(PLAIN, strict + PLAIN) == set()


def test_a_warning_that_no_longer_fails_any_test_of_the_file_is_found() -> None:
    strict = "pytestmark = pytest.mark.filterwarnings('error::DeprecationWarning')\n\n\n"
    assert kinds(strict + PLAIN, strict.replace("error", "default") + PLAIN) == {"assertion-loosened"}
    assert kinds(strict + PLAIN, "@pytest.mark.filterwarnings('error')\n" + PLAIN) == set()


def test_a_test_that_loses_something_on_its_way_to_another_file_is_found() -> None:
    """The same body in another place is no excuse for a mark that skips it there."""
    skipped = f"@pytest.mark.skip\n{PLAIN}"
    other = "def test_other():\n    assert Cart(1) == 2\n"
    sides = [
        FileSides("tests/test_a.py", HEAD + PLAIN + "\n\n" + other, HEAD + other),
        FileSides("tests/test_b.py", None, HEAD + skipped),
    ]
    found = judge(sides, {}, OWN).findings
    assert [(one.kind, one.path) for one in found] == [(WeakeningKind.SKIPPED, "tests/test_b.py")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Two calls are compared with each other: that is a claim, and it may be lost like any other.
        ("assert Cart(1) == Cart(1)", "assert Cart(1)"),
        ("assert Cart(1) == Cart(1)", "assert isinstance(Cart(1), Cart)"),
        ("assert Cart(1) == Cart(1)", "total(1)"),
        ("assert total(1) == 3", "assert total(1) == total(1)"),
        ("assert total(1)", "assert total(1) == total(1)"),
        ("assert sorted(total(1)) == [1, 2]", "assert len(sorted(total(1))) == 2"),
        ("assert set(total(1)) == {1, 2}", "assert len(total(1)) == 2"),
    ],
)
def test_a_comparison_of_two_calls_is_a_claim(before: str, after: str) -> None:
    found = kinds(f"def test_it():\n    {before}\n", f"def test_it():\n    {after}\n")
    assert found & {"assertion-loosened", "assertion-removed"}


def test_a_part_of_the_project_called_test_is_a_subject() -> None:
    assert kinds(PLAIN, f"@patch('shop.test.create_client')\n{PLAIN}") == {"subject-mocked"}
