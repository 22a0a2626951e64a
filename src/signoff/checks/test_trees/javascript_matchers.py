"""The words of JavaScript's assertion libraries and what each of them insists on."""

import re

from signoff.text.word_lists import by_word, words

MATCHERS = by_word({
    "equals": "toBe toEqual toStrictEqual toBeNull toBeUndefined toBeNaN equal equals eql eq eqls true false "
              "null undefined empty deepEqual deepStrictEqual strictEqual is same strictSame isTrue isFalse "
              "isNull isUndefined NaN toHaveTextContent toHaveValue toHaveText toHaveAttribute",
    "truthy": "toBeTruthy ok exist truthy assert isOk toBeVisible toBeInTheDocument",
    "falsy": "toBeFalsy notOk falsy isNotOk",
    "not-none": "toBeDefined exists isDefined isNotNull isExist",
    "differs": "notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notSame isNot isNotTrue",
    "contains": "toContain toContainEqual toHaveProperty include includes contain contains property members",
    "matches": "toMatch match regex matches string",
    "subset": "toMatchObject like toMatchInlineObject containSubset",
    "equals-part": "toHaveLength lengthOf length keys sameMembers toHaveCount",
    "strict-order": "toBeGreaterThan toBeLessThan above below greaterThan lessThan gt lt isAbove isBelow",
    "order": "toBeGreaterThanOrEqual toBeLessThanOrEqual least most gte lte isAtLeast isAtMost within",
    "approx": "toBeCloseTo closeTo approximately",
    "raises": "toThrow toThrowError throws throw rejects throwsAsync rejected rejectedWith "
              "toThrowErrorMatchingSnapshot",
    "mock-called": "toHaveBeenCalled toBeCalled called toHaveReturned",
    "mock-called-once": "toHaveBeenCalledTimes toBeCalledTimes calledOnce callCount toHaveBeenCalledOnce",
    "mock-called-with": "toHaveBeenCalledWith toBeCalledWith toHaveBeenLastCalledWith "
                        "toHaveBeenNthCalledWith calledWith lastCalledWith",
    "mock-called-once-with": "toHaveBeenCalledExactlyOnceWith calledOnceWith",
    "snapshot": "toMatchSnapshot toMatchInlineSnapshot snapshot matchSnapshot",
    "type": "toBeInstanceOf a an instanceof instanceOf typeOf isArray isString isObject isFunction isNumber "
            "toBeTypeOf",
})  # fmt: skip
"""What each matcher or assertion says, as an operation of `strength.STRENGTHS`."""
NEGATED = {"equals": "differs", "truthy": "falsy", "falsy": "truthy", "not-none": "equals",
           "contains": "excludes", "matches": "excludes", "differs": "equals", "raises": "call",
           "strict-order": "order", "order": "strict-order"}  # fmt: skip
COMPARE = {"===": "equals", "==": "loosely-equals", "!==": "differs", "!=": "differs", "<": "strict-order",
           ">": "strict-order", "<=": "order", ">=": "order"}  # fmt: skip
UPPER = words("toBeLessThan toBeLessThanOrEqual lessThan below most lt lte isBelow isAtMost")
"""Orderings that name the most a value may be."""
LOOSE = frozenset({"equal", "deepEqual"})
NONE = frozenset({"toBeNull", "toBeUndefined", "null", "undefined", "isNull", "isUndefined"})
NO_EXPECTED = NONE | {"true", "false", "empty", "NaN", "isTrue"}
"""Words that name the expected value themselves."""
CONTEXTS = words("t st tt assert tap assertion chai.assert QUnit.assert s2t t2 plan p")
"""What assertions are called on besides `assert`, by custom."""
BARE = words("strictEqual deepStrictEqual deepEqual notStrictEqual notDeepStrictEqual throws rejects")
"""Functions of `node:assert` that are imported by their own names and mean nothing else."""
HELPER = re.compile(r"_?(?:assert|check|expect|verify|should|ensure|must|validate|fail)(?:[A-Z_]|$)")
LITERALS = frozenset(
    {"string", "number", "true", "false", "null", "undefined", "template_string", "regex", "unary_expression"}
)
ANYTHING = re.compile(
    r"\bexpect\.(?:anything|any|objectContaining|arrayContaining|stringContaining|stringMatching)\("
    r"|\bsinon\.match\b|\bmatch\.any\b"
)
