"""Edits of Python tests that weaken nothing and must stay without a finding."""

# ruff: noqa: E501 - sources of tests are read as one line each

import pytest

from signoff.domain.evidence.case_records import FileSides, IntegrityJudged, WeakeningSeverity
from signoff.judges.test_integrity.comparison.integrity_verdict import judge

HEAD = "import pytest\nimport platform, sys\nfrom shop import total, Cart\n\n\n"
OWN = frozenset({"shop"})
PATH = "tests/test_shop.py"


def judged(before: str, after: str, *more: FileSides) -> IntegrityJudged:
    return judge([FileSides(PATH, HEAD + before, HEAD + after), *more], {}, OWN)


def kinds(before: str, after: str, *more: FileSides) -> set[str]:
    return {str(found.kind) for found in judged(before, after, *more).findings}


THREE = "def test_it():\n    assert total(1) == 2\n    assert total(2) == 3\n    assert total(3) == 4\n"
PARAMETRISED = (
    "@pytest.mark.parametrize(('given', 'wanted'), [(1, 2), (2, 3), (3, 4)])\n"
    "def test_it(given, wanted):\n    assert total(given) == wanted\n"
)
LOOP = (
    "def test_it():\n    for given, wanted in [(1, 2), (2, 3), (3, 4)]:\n"
    "        assert total(given) == wanted\n"
)


@pytest.mark.parametrize("before", [THREE, PARAMETRISED, LOOP])
@pytest.mark.parametrize("after", [THREE, PARAMETRISED, LOOP])
def test_the_same_cases_written_in_another_way_are_no_finding(before: str, after: str) -> None:
    """Three assertions, a loop over three and a test with three parameters insist on the same."""
    assert kinds(before, after) == set()


@pytest.mark.parametrize("before", [THREE, PARAMETRISED, LOOP])
@pytest.mark.parametrize("after", [PARAMETRISED, LOOP])
def test_a_case_that_is_lost_on_the_way_is_found(before: str, after: str) -> None:
    assert kinds(before, after.replace(", (3, 4)", ""))


HELPER = "def check(value, wanted=2):\n    assert total(value) == wanted\n    assert Cart(value).is_full\n"
INLINE = "def test_it():\n    assert total(1) == 2\n    assert Cart(1).is_full\n"


def test_assertions_moved_into_a_helper_and_back_are_no_finding() -> None:
    """The helper's assertions hold for what the test hands over, so they count as the test's own."""
    helped = f"{HELPER}\n\ndef test_it():\n    check(1)\n"
    assert kinds(INLINE, helped) == set()
    assert kinds(helped, INLINE) == set()


def test_a_helper_that_asserts_less_than_the_body_did_is_found() -> None:
    helped = f"{HELPER}\n\ndef test_it():\n    check(1)\n".replace("    assert Cart(value).is_full\n", "")
    assert kinds(INLINE, helped) == {"assertion-removed"}
    assert kinds(f"{HELPER}\n\ndef test_it():\n    check(1)\n", helped)


def test_a_value_named_first_is_no_finding_though_it_comes_from_a_helper_that_asserts() -> None:
    head = "def made(x):\n    assert x\n    return x\n\n\n"
    before = head + "def test_it():\n    assert made(total(1)) == 3\n"
    after = head + "def test_it():\n    value = made(total(1))\n    assert value == 3\n"
    assert kinds(before, after) == set()


def test_marks_that_are_stricter_are_no_finding() -> None:
    plain = "def test_it():\n    assert total(1) == 3\n"
    marks = [
        ("xfail", "xfail(strict=True)"),
        ("xfail", "xfail(raises=ValueError)"),
        ("xfail", "xfail(sys.platform == 'win32', reason='paths')"),
        ("skip", "skipif(sys.platform == 'win32', reason='paths')"),
        ("skip(reason='x')", "xfail(strict=True)"),
    ]
    for before, after in marks:
        old, new = f"@pytest.mark.{before}\n{plain}", f"@pytest.mark.{after}\n{plain}"
        assert kinds(old, new) == set(), (before, after)
        assert kinds(new, old), (after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("platform.python_implementation() == 'PyPy'", "sys.implementation.name == 'pypy'"),
        ("sys.platform == 'win32'", "os.name == 'nt'"),
        ("sys.platform.startswith('win')", "platform.system() == 'Windows'"),
        ("IS_WINDOWS", "sys.platform == 'win32'"),
        ("platform.system() == 'Windows'", "WIN"),
    ],
)
def test_the_same_condition_in_other_words_is_no_finding(before: str, after: str) -> None:
    head = "IS_WINDOWS = sys.platform == 'win32'\n\n\n"
    text = head + "@pytest.mark.skipif({}, reason='no')\ndef test_it():\n    assert total(1) == 3\n"
    assert kinds(text.format(before), text.format(after)) == set()
    assert kinds(text.format(before), text.format("sys.platform")) == {"skipped"}


UNITTEST = (
    "class TestCart(unittest.TestCase):\n"
    "    def setUp(self):\n        self.cart = Cart(1)\n\n"
    "    def test_total(self):\n        self.assertEqual(self.cart.total(), 3)\n"
    "        self.assertIn(1, self.cart.items)\n\n"
    "    def test_error(self):\n        with self.assertRaises(ValueError):\n            self.cart.add(None)\n"
)
FIXTURE = "@pytest.fixture\ndef cart():\n    return Cart(1)\n\n\n"
PYTEST_CLASS = (
    FIXTURE + "class TestCart:\n"
    "    def test_total(self, cart):\n        assert cart.total() == 3\n        assert 1 in cart.items\n\n"
    "    def test_error(self, cart):\n        with pytest.raises(ValueError):\n            cart.add(None)\n"
)
PYTEST_FUNCTIONS = (
    FIXTURE + "def test_total(cart):\n    assert cart.total() == 3\n    assert 1 in cart.items\n\n\n"
    "def test_error(cart):\n    with pytest.raises(ValueError):\n        cart.add(None)\n"
)


@pytest.mark.parametrize("after", [PYTEST_CLASS, PYTEST_FUNCTIONS])
def test_a_unittest_class_rewritten_for_pytest_is_no_finding(after: str) -> None:
    assert kinds(UNITTEST, after) == set()
    assert kinds(UNITTEST, after.replace("== 3", "")) == {"assertion-loosened"}


def test_a_test_moved_to_another_file_is_no_finding_and_what_it_lost_there_is() -> None:
    """A test of the same class and name in another changed file is that test, edited or not."""
    other = "def test_other():\n    assert Cart(1) == 2\n"
    moved = "class TestA:\n    def test_it(self):\n        cart = Cart(1)\n        assert total(cart) == 3\n"
    edited = moved.replace("cart = Cart(1)", "cart = Cart(amount=1)")
    for text, expected in (
        (moved, set()),
        (edited, set()),
        (edited.replace(" == 3", ""), {"assertion-loosened"}),
    ):
        place = FileSides("tests/test_more.py", None, HEAD + text)
        assert kinds(f"{other}\n\n{moved}", other, place) == expected


CASES = "@pytest.mark.parametrize('slots', [True, False])\n"
SLOTS = "def test_it(slots):\n    assert total(slots) == 1\n"


def conftest(params: str) -> FileSides:
    fixture = f"@pytest.fixture(name='slots'{params})\ndef _slots(request):\n    return request.param\n"
    return FileSides("tests/conftest.py", "import pytest\n", f"import pytest\n\n\n{fixture}")


def test_parameters_that_a_fixture_gives_now_are_no_finding() -> None:
    assert kinds(CASES + SLOTS, SLOTS, conftest(", params=(True, False)")) == set()
    assert kinds(CASES + SLOTS, SLOTS, conftest(", params=[True]")) == {"parametrisation-shrunk"}
    assert kinds(CASES + SLOTS, SLOTS, conftest("")) == {"parametrisation-shrunk"}


def test_parameters_whose_source_is_not_in_the_change_are_a_suggestion() -> None:
    """The argument is still asked for, so a fixture gives it: how often is not to be seen here."""
    found = judged(CASES + SLOTS, SLOTS).findings
    assert [one.severity for one in found] == [WeakeningSeverity.SUGGESTION]


def test_one_assertion_on_the_whole_group_covers_those_on_its_parts() -> None:
    before = (
        "def test_it():\n    with pytest.raises(ExceptionGroup) as exc:\n        total(1)\n"
        "    assert len(exc.value.exceptions) == 1\n    assert isinstance(exc.value.exceptions[0], ValueError)\n"
    )
    after = "def test_it():\n    with pytest.RaisesGroup(ValueError):\n        total(1)\n"
    assert kinds(before, after) == set()
    assert kinds(after, after.replace("pytest.RaisesGroup(ValueError)", "Cart()"))


def test_a_text_asked_for_by_match_covers_the_assertion_on_it() -> None:
    before = (
        "def test_it():\n    result = total(1)\n    assert isinstance(result.exception, UserWarning)\n"
        "    assert 'more than once' in str(result.exception)\n"
    )
    after = "def test_it():\n    with pytest.warns(UserWarning, match='more than once'):\n        total(1)\n"
    assert kinds(before, after) == set()
    assert kinds(before, after.replace("more than once", "more")) == {"assertion-removed"}


def test_an_assertion_on_another_part_of_the_same_thing_is_a_change() -> None:
    """The interface was renamed: nothing is visibly lost, and a person should look."""
    before = "def test_it():\n    cart = Cart(1)\n    assert cart._lines == ['size=1']\n"
    after = "def test_it():\n    cart = Cart(1)\n    assert cart.made.get('size') == Line(1, kind='x')\n"
    found = judged(before, after)
    assert (found.findings, len(found.changed)) == ([], 1)
    assert "cart._lines" in found.changed[0].message
    assert "cart.made" in found.changed[0].message


def test_a_test_taken_up_by_a_parametrised_one_is_renamed() -> None:
    before = (
        "def test_missing():\n    with pytest.raises(KeyError) as caught:\n"
        "        Cart(1).value(None)\n    assert str(caught.value) == 'missing'\n"
    )
    after = (
        "@pytest.mark.parametrize(('value', 'is_missing', 'wanted'), [(0, True, None), (1, False, 1), (2, False, 2)])\n"
        "def test_value_of_every_sort(value, is_missing, wanted):\n"
        "    cart = Cart(1)\n    if is_missing:\n        with pytest.raises(KeyError) as caught:\n"
        "            cart.value(value)\n        assert str(caught.value) == 'missing'\n"
        "    else:\n        found = cart.value(value)\n        assert found == wanted\n"
    )
    assert kinds(before, after) == {"renamed"}


BOTH = (
    "def test_it(x):\n    if x is None:\n        assert total() == 3\n"
    "    else:\n        assert total(x) == 3\n"
)


def test_an_assertion_in_either_branch_is_made_in_any_case() -> None:
    """A condition loosens an assertion only if there is a way past it."""
    before = "def test_it(x):\n    args = () if x is None else (x,)\n    assert total(*args) == 3\n"
    assert kinds(before, BOTH) == set()
    assert kinds(before, BOTH.replace("assert total(x) == 3", "pass")) == {"assertion-loosened"}
    assert kinds(before, BOTH.replace("assert total(x) == 3", "assert total(x)"))


def test_one_assertion_for_both_branches_is_no_loss() -> None:
    before = "def test_it(x):\n    if x:\n        assert len(total(x)) == 1\n    else:\n        assert len(total(x)) == 0\n"
    after = "def test_it(x):\n    count = 1 if x else 0\n    assert len(total(x)) == count\n"
    assert kinds(before, after) == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "assert len(total(1)) == len(total(2))\n    for a, b in zip(total(1), total(2)):\n        assert a == b",
            "for a, b in zip(total(1), total(2), strict=True):\n        assert a == b",
        ),
        (
            "assert not cart.hook.first._rest[0].is_first",
            "rest = cart.hook.first.rest()\n    assert not rest[0].is_first",
        ),
        (
            "assert total(master='one') == 'ONE'",
            "assert total(layout='two') == 'TWO'",
        ),
        (
            "try:\n        total(1)\n    except (KeyError, ValueError):\n        pass\n    else:\n        raise AssertionError('no')",
            "with pytest.raises(ValueError):\n        total(1)",
        ),
        (
            "with pytest.raises(ValueError, match='not found'):\n        total(1)",
            "with pytest.raises(ValueError) as caught:\n        total(1)\n    assert 'no such thing' in str(caught.value)",
        ),
        ("assert total(6) == 3\n    assert total(6) == 3", "assert total(6) == 3"),
        ("assert '{0}'.format(total(1)) == 'x'", "assert f'{total(1)}' == 'x'"),
        (
            "assert total(1).left == 1\n    assert total(1).right == 2",
            "assert (total(1).left, total(1).right) == (1, 2)",
        ),
        (
            "assert result.outcomes() == {'passed': 2, 'warnings': 1}",
            "result.assert_outcomes(passed=2, warnings=1)",
        ),
        (
            "try:\n        total(1)\n    except ImportError:\n        raise SkipTest()",
            "try:\n        total(1)\n    except ImportError:\n        pytest.skip('no')",
        ),
        (
            "if total(1):\n        assert total(2).errors == (1, 2)\n    else:\n        assert total(2).errors == (1,)",
            "assert total(2).errors == (1, 2)[: total(1)]",
        ),
        (
            "mocker.patch('shop.pay')\n    assert total(1) == 3",
            "mocker.patch('shop.pay', new=mocker.create_autospec(shop.pay))\n    assert total(1) == 3",
        ),
        (
            "assert pytest.raises(ValueError, pytest.importorskip, 'x y')",
            "with pytest.raises(ValueError):\n        pytest.importorskip('x y')",
        ),
    ],
)
def test_a_claim_in_another_form_is_no_finding(before: str, after: str) -> None:
    assert kinds(f"def test_it():\n    {before}\n", f"def test_it():\n    {after}\n") == set()


def test_a_test_that_asks_for_a_fixture_by_a_mark_is_a_test() -> None:
    """`usefixtures` names fixtures and makes none."""
    before = "def test_it(cart):\n    assert total(1) == 3\n"
    after = "@pytest.mark.usefixtures('cart')\ndef test_it():\n    assert total(1) == 3\n"
    assert kinds(before, after) == set()
    assert kinds(
        f"{after}\n\ndef test_other():\n    assert Cart(1) == 2\n",
        "def test_other():\n    assert Cart(1) == 2\n",
    ) == {"deleted"}


def test_a_condition_about_versions_in_other_words_is_a_suggestion() -> None:
    text = "@pytest.mark.skipif({}, reason='no')\ndef test_it():\n    assert total(1) == 3\n"
    found = judged(text.format("not PY310"), text.format("not PY_3_10_PLUS")).findings
    assert [one.severity for one in found] == [WeakeningSeverity.SUGGESTION]
    found = judged(text.format("not PY310"), text.format("sys.platform == 'linux'")).findings
    assert [one.severity for one in found] == [WeakeningSeverity.BLOCKING]


def test_a_mark_given_to_the_whole_file_is_told_once() -> None:
    plain = "def test_it():\n    assert total(1) == 3\n"
    marked = f"pytestmark = pytest.mark.skip\n\n\n{plain}"
    assert len(judged(plain, marked).findings) == 1
    assert kinds(f"@pytest.mark.skip\n{plain}", marked) == set()
    assert kinds(marked, f"@pytest.mark.skip\n{plain}") == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@patch('shop.pay.charge')\n", "@patch('shop._pay.charge')\n"),
        ("", "def view():\n    g.user = 1\n\n\n"),
    ],
)
def test_a_stand_in_whose_module_moved_and_a_context_that_is_set_up_are_no_finding(
    before: str, after: str
) -> None:
    plain = "def test_it():\n    shop.g.user = 2\n    assert total(1) == 3\n"
    assert kinds(before + plain, after + plain) == set()


def test_one_test_that_became_two_lost_nothing() -> None:
    both = "def test_it():\n    assert total(1) == 3\n    assert total(2) == 4\n"
    split = "def test_it():\n    assert total(1) == 3\n\n\ndef test_two():\n    assert total(2) == 4\n"
    assert kinds(both, split) == set()
    assert kinds(both, split.replace("== 4", "is not None")) == {"assertion-removed"}


def test_a_method_that_does_something_is_no_assertion_whatever_its_name() -> None:
    before = "def test_it(folder):\n    folder.ensure_dir()\n    assert total(1) == 3\n"
    after = "def test_it(folder):\n    folder.mkdir()\n    assert total(1) == 3\n"
    assert kinds(before, after) == set()
    assert kinds(before.replace("folder.ensure_dir()", "check_total(1)"), after) == {"assertion-removed"}


def test_what_an_autouse_fixture_replaces_is_told_once() -> None:
    plain = "@pytest.fixture(autouse=True)\ndef _ready(monkeypatch):\n    {}\n"
    sides = [
        FileSides(
            "tests/conftest.py",
            HEAD + plain.format("yield"),
            HEAD + plain.format("monkeypatch.setattr('shop.total', 1)"),
        )
    ]
    assert [str(one.kind) for one in judge(sides, {}, OWN).findings] == ["subject-mocked"]


def test_cases_that_became_tests_of_their_own_are_no_loss() -> None:
    before = "@pytest.mark.parametrize('when', ['early', 'late'])\ndef test_it(when):\n    assert total(when) == 3\n"
    after = "def test_it_early():\n    assert total('early') == 3\n\n\ndef test_it_late():\n    assert total('late') == 3\n"
    assert kinds(before, after) == {"renamed"}


def test_a_helper_that_nothing_used_is_no_loss_and_one_that_others_may_use_is() -> None:
    helper = "def check(x):\n    assert total(x)\n"
    plain = "def test_it():\n    assert total(1) == 3\n"
    assert kinds(f"{helper}\n\n{plain}", plain) == set()
    assert kinds(f"{helper}\n\n{plain}    run(check)\n", plain) == {"assertion-removed"}
    sides = [FileSides("tests/conftest.py", HEAD + helper, HEAD)]
    assert [str(one.kind) for one in judge(sides, {}, OWN).findings] == ["assertion-removed"]


def test_a_case_that_an_f_string_cannot_hold_is_compared_all_the_same() -> None:
    """Older Pythons cannot write a backslash inside an f-string's braces.

    a case put in its place may have one.
    """
    case = (
        "@pytest.mark.parametrize('x', ['a\\n', 'b', 'c'])\ndef test_it(x):\n    assert total(1) == f'{x}.'\n"
    )
    assert kinds(case, case.replace(", 'c'", "")) == {"parametrisation-shrunk"}


@pytest.mark.parametrize(
    "claim",
    [
        "actual = total(1)\n    wanted = 3\n    assert actual == wanted",
        "with pytest.raises(ValueError):\n        total(1)",
    ],
)
def test_a_claim_that_any_test_makes_does_not_make_a_new_test_of_a_gone_one(claim: str) -> None:
    """A test that is gone is not renamed because another one raises or compares two names as well."""
    before = f"def test_it():\n    {claim}\n"
    after = f"def test_new():\n    cart = Cart(5)\n    cart.add(6)\n    for one in cart:\n        one.close()\n    {claim.replace('total(1)', 'cart.price(2)')}\n"
    assert kinds(before, after) == {"deleted"}
