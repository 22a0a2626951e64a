"""Python tests in other words, in later syntax, and with the behaviour they insist on turned round."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.evidence.case_records import FileSides, IntegrityJudged, WeakeningSeverity
from signoff.judges.test_integrity.comparison.integrity_verdict import judge
from signoff.judges.test_integrity.python.python_reader import parse
from signoff.judges.test_integrity.python.syntax_names import respell_formats

HEAD = "import pytest\nfrom shop import total, Cart\n\n\n"


def judged(before: str, after: str) -> IntegrityJudged:
    sides = FileSides("tests/test_shop.py", HEAD + before, HEAD + after)
    return judge([sides], {}, frozenset({"shop"}))


def body(*lines: str) -> str:
    return "def test_it():\n" + "".join(f"    {line}\n" for line in lines)


# --- texts ---


@pytest.mark.parametrize(
    ("template", "same"),
    [
        ("'{0}'.format(x)", "f'{x}'"),
        ("'{} and {}'.format(x, y)", "f'{x} and {y}'"),
        ("'{{}} {!r:>3}'.format(x)", "f'{{}} {x!r:>3}'"),
        ("'{name}'.format(name=x)", "f'{x}'"),
    ],
)
def test_a_text_made_by_format_is_the_f_string_that_says_the_same(template: str, same: str) -> None:
    found = judged(body(f"assert total(1) == {template}"), body(f"assert total(1) == {same}"))
    assert (found.findings, found.changed) == ([], [])


@given(st.text(alphabet="{}!:0a ,.[]", max_size=12))
def test_no_template_makes_the_reader_crash_or_says_something_else(template: str) -> None:
    """A template that cannot be respelled stays; one that can gives the same text."""
    tree = ast.parse(f"{template!r}.format(7, a=8)", mode="eval")
    respell_formats(tree)
    try:
        wanted = template.format(7, a=8)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError):
        return
    assert eval(compile(ast.fix_missing_locations(tree), "", "eval")) == wanted


# --- later syntax ---


@pytest.mark.parametrize(
    "line",
    [
        "type Pairs = list[int]",
        "type Pairs[T] = list[T]",
        "class Box[T: (int, str)]:\n    pass",
        "def make[T](x: T) -> T:\n    return x",
        "async def make[T: list[int]](x): ...",
    ],
)
def test_a_file_in_later_syntax_is_read(line: str) -> None:
    """What the project's own Python reads is not broken because ours is older."""
    test = body("assert total(1) == 3")
    assert judged(test, f"{line}\n\n\n{test}").findings == []
    assert [str(f.kind) for f in judged(test, f"{line}\n\n\n{body('assert total(1)')}").findings] == [
        "assertion-loosened"
    ]


def test_several_exceptions_without_brackets_are_read() -> None:
    text = "try:\n    pass\nexcept ValueError, KeyError:\n    pass\n"
    assert "ValueError, KeyError" in ast.unparse(parse(text))


def test_a_file_that_no_version_reads_is_still_broken() -> None:
    found = judged(body("assert total(1) == 3"), "type Pairs = (\n").findings
    assert [str(one.kind) for one in found] == ["deleted"]


# --- behaviour that changed ---


def test_a_call_that_raises_instead_of_giving_a_value_and_back_is_a_change() -> None:
    """Which of the two is right the tests cannot tell; neither says less."""
    value = body("assert total(None) == 0")
    error = body("with pytest.raises(ValueError):", "    total(None)")
    for before, after in ((value, error), (error, value)):
        found = judged(before, after)
        assert found.findings == []
        assert len(found.changed) == 1


@pytest.mark.parametrize(
    "after",
    [
        ("with pytest.raises(Exception):", "    total(None)"),
        ("with pytest.raises(ValueError):", "    total(5)"),
        ("with pytest.raises(ValueError):", "    raise ValueError"),
    ],
)
def test_an_error_of_any_kind_or_of_another_call_does_not_stand_for_a_value(after: tuple[str, ...]) -> None:
    assert judged(body("assert total(None) == 0"), body(*after)).findings


def test_a_value_of_any_kind_does_not_stand_for_an_error() -> None:
    error = body("with pytest.raises(ValueError):", "    total(None)")
    assert judged(error, body("assert total(None) is not None")).findings


def test_a_mock_asked_under_another_name_for_other_arguments_is_a_change() -> None:
    before = body("cart = Cart(1)", "cart.link.send.assert_called_with()")
    after = body("link = Cart(1).link", "link.send.assert_called_with(wait=3)")
    found = judged(before, after)
    assert (found.findings, len(found.changed)) == ([], 1)


def test_all_of_a_value_in_another_form_is_no_part_of_it() -> None:
    before = body("value = total(1)", "assert value == when(2020)")
    after = body("value = total(1)", "assert value.isoformat() == '2020-01-01'")
    assert judged(before, after).findings == []
    assert judged(before, after.replace("isoformat()", "year")).findings


# --- types ---


def test_a_type_that_the_rest_makes_use_of_is_missed_as_a_suggestion() -> None:
    """It may have been there for a type checker; that it is gone is still told."""
    rest = ("cart = Cart(1)", "assert cart.name == 'x'")
    for line in ("assert isinstance(cart, Cart)", "assert cart is not None"):
        found = judged(body(rest[0], line, rest[1]), body(*rest)).findings
        assert [(str(one.kind), one.severity) for one in found] == [
            ("assertion-removed", WeakeningSeverity.SUGGESTION)
        ]


def test_a_type_that_nothing_else_is_said_about_is_missed() -> None:
    rest = ("cart = Cart(1)", "assert total(1) == 3")
    found = judged(body(rest[0], "assert isinstance(cart, Cart)", rest[1]), body(*rest)).findings
    assert [one.severity for one in found] == [WeakeningSeverity.BLOCKING]


# --- marks and stand-ins under other names ---


def test_a_stand_in_that_follows_a_renamed_function_is_a_suggestion() -> None:
    patch = "@mock.patch('shop.unix.{}')\ndef test_it(fake):\n    assert total(1) == 3\n"
    found = judged(patch.format("getuid"), patch.format("geteuid")).findings
    assert [(str(one.kind), one.severity) for one in found] == [
        ("subject-mocked", WeakeningSeverity.SUGGESTION)
    ]
    other = judged(patch.format("getuid"), patch.format("total")).findings
    assert [one.severity for one in other] == [WeakeningSeverity.BLOCKING]


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        ("not shop.has_http", "not shop.has_http2", WeakeningSeverity.SUGGESTION),
        ("shop.has_http", "not shop.has_http", WeakeningSeverity.BLOCKING),
        ("shop.has_http", "shop.on_linux", WeakeningSeverity.BLOCKING),
        ("shop.has_http == 1", "shop.has_http != 1", WeakeningSeverity.BLOCKING),
    ],
)
def test_a_condition_whose_name_changed_a_little_is_a_suggestion(
    before: str, after: str, severity: WeakeningSeverity
) -> None:
    text = "@pytest.mark.skipif({}, reason='no')\ndef test_it():\n    assert total(1) == 3\n"
    assert [one.severity for one in judged(text.format(before), text.format(after)).findings] == [severity]


def test_a_test_that_came_to_nothing_may_be_expected_to_fail() -> None:
    """It is more than before: now it runs."""
    before = body("return", "assert total(1) == 3")
    after = "@pytest.mark.xfail\n" + body("assert total(1) == 3")
    assert judged(before, after).findings == []
    assert judged(body("assert total(1) == 3"), after).findings


# --- helpers and places ---

HELPED = "from tests.util import check_same\n\n\n" + body("actual = total(1)", "check_same(actual, {'a': 1})")


@pytest.mark.parametrize(
    ("helper", "is_found"),
    [
        ("def check_same(a, b):\n    assert dump(a) == dump(b)\n", False),
        ("def check_same(a, b):\n    assert a\n", True),
        ("def check_same(a, b):\n    if a:\n        assert a == b\n", True),
    ],
)
def test_a_helper_of_another_file_that_compares_takes_a_comparison_over(helper: str, is_found: bool) -> None:
    before = body("actual = total(1)", "assert actual == {'a': 1}")
    sides = [
        FileSides("tests/test_shop.py", HEAD + before, HEAD + HELPED),
        FileSides("tests/util.py", "", helper),
    ]
    assert bool(judge(sides, {}, frozenset({"shop"})).findings) is is_found


def test_of_two_tests_of_a_name_the_one_that_is_alike_is_the_one_that_moved() -> None:
    inner = "    def test_it(self):\n        cart = Cart(1)\n        assert total({}) == {}\n"
    before = "class TestOld:\n" + inner.format("cart", 3)
    far = "    def test_it(self):\n        with pytest.raises(ValueError):\n            Cart('x', 5, 6)\n"
    after = "class TestNew:\n" + inner.format("cart, 1", 3) + "\n\nclass TestMore:\n" + far
    assert judged(before, after).findings == []
