"""The words of JavaScript's assertion libraries and what each insists on."""

import re

MATCHERS = {
    **dict.fromkeys(
        [
            "toBe",
            "toEqual",
            "toStrictEqual",
            "toBeNull",
            "toBeUndefined",
            "toBeNaN",
            "equal",
            "equals",
            "eql",
            "eq",
            "eqls",
            "true",
            "false",
            "null",
            "undefined",
            "empty",
            "deepEqual",
            "deepStrictEqual",
            "strictEqual",
            "is",
            "same",
            "strictSame",
            "isTrue",
            "isFalse",
            "isNull",
            "isUndefined",
            "NaN",
            "toHaveTextContent",
            "toHaveValue",
            "toHaveText",
            "toHaveAttribute",
        ],
        "equals",
    ),
    **dict.fromkeys(
        ["toBeTruthy", "ok", "exist", "truthy", "assert", "isOk", "toBeVisible", "toBeInTheDocument"],
        "truthy",
    ),
    **dict.fromkeys(["toBeFalsy", "notOk", "falsy", "isNotOk"], "falsy"),
    **dict.fromkeys(["toBeDefined", "exists", "isDefined", "isNotNull", "isExist"], "not-none"),
    **dict.fromkeys(
        [
            "notEqual",
            "notStrictEqual",
            "notDeepEqual",
            "notDeepStrictEqual",
            "not",
            "notSame",
            "isNot",
            "isNotTrue",
        ],
        "differs",
    ),
    **dict.fromkeys(
        [
            "toContain",
            "toContainEqual",
            "toHaveProperty",
            "include",
            "includes",
            "contain",
            "contains",
            "property",
            "members",
        ],
        "contains",
    ),
    **dict.fromkeys(["toMatch", "match", "regex", "matches", "string"], "matches"),
    **dict.fromkeys(["toMatchObject", "like", "toMatchInlineObject", "containSubset"], "subset"),
    **dict.fromkeys(
        ["toHaveLength", "lengthOf", "length", "keys", "sameMembers", "toHaveCount"], "equals-part"
    ),
    **dict.fromkeys(
        [
            "toBeGreaterThan",
            "toBeLessThan",
            "above",
            "below",
            "greaterThan",
            "lessThan",
            "gt",
            "lt",
            "isAbove",
            "isBelow",
        ],
        "strict-order",
    ),
    **dict.fromkeys(
        [
            "toBeGreaterThanOrEqual",
            "toBeLessThanOrEqual",
            "least",
            "most",
            "gte",
            "lte",
            "isAtLeast",
            "isAtMost",
            "within",
        ],
        "order",
    ),
    **dict.fromkeys(["toBeCloseTo", "closeTo", "approximately"], "approx"),
    **dict.fromkeys(
        [
            "toThrow",
            "toThrowError",
            "throws",
            "throw",
            "rejects",
            "throwsAsync",
            "rejected",
            "rejectedWith",
            "toThrowErrorMatchingSnapshot",
        ],
        "raises",
    ),
    **dict.fromkeys(["toHaveBeenCalled", "toBeCalled", "called", "toHaveReturned"], "mock-called"),
    **dict.fromkeys(
        ["toHaveBeenCalledTimes", "toBeCalledTimes", "calledOnce", "callCount", "toHaveBeenCalledOnce"],
        "mock-called-once",
    ),
    **dict.fromkeys(
        [
            "toHaveBeenCalledWith",
            "toBeCalledWith",
            "toHaveBeenLastCalledWith",
            "toHaveBeenNthCalledWith",
            "calledWith",
            "lastCalledWith",
        ],
        "mock-called-with",
    ),
    **dict.fromkeys(["toHaveBeenCalledExactlyOnceWith", "calledOnceWith"], "mock-called-once-with"),
    **dict.fromkeys(["toMatchSnapshot", "toMatchInlineSnapshot", "snapshot", "matchSnapshot"], "snapshot"),
    **dict.fromkeys(
        [
            "toBeInstanceOf",
            "a",
            "an",
            "instanceof",
            "instanceOf",
            "typeOf",
            "isArray",
            "isString",
            "isObject",
            "isFunction",
            "isNumber",
            "toBeTypeOf",
        ],
        "type",
    ),
}
"""What each matcher or assertion says, as an operation of `strength.STRENGTHS`."""
NEGATED = {
    "equals": "differs",
    "truthy": "falsy",
    "falsy": "truthy",
    "not-none": "equals",
    "contains": "excludes",
    "matches": "excludes",
    "differs": "equals",
    "raises": "call",
    "strict-order": "order",
    "order": "strict-order",
}
LOOSE = frozenset({"equal", "deepEqual"})
CONTEXTS = frozenset(
    {"t", "st", "tt", "assert", "tap", "assertion", "chai.assert", "QUnit.assert", "s2t", "t2", "plan", "p"}
)
BARE = frozenset(
    {
        "strictEqual",
        "deepStrictEqual",
        "deepEqual",
        "notStrictEqual",
        "notDeepStrictEqual",
        "throws",
        "rejects",
    }
)
"""Functions of `node:assert` that are imported by their own names and mean nothing else."""
HELPER = re.compile(r"_?(?:assert|check|expect|verify|should|ensure|must|validate|fail)(?:[A-Z_]|$)")
COMPARE = {
    "===": "equals",
    "==": "loosely-equals",
    "!==": "differs",
    "!=": "differs",
    "<": "strict-order",
    ">": "strict-order",
    "<=": "order",
    ">=": "order",
}
LITERALS = frozenset(
    {"string", "number", "true", "false", "null", "undefined", "template_string", "regex", "unary_expression"}
)
ANYTHING = re.compile(
    r"\bexpect\.(?:anything|any|objectContaining|arrayContaining|stringContaining|stringMatching)\("
    r"|\bsinon\.match\b|\bmatch\.any\b"
)
NONE = frozenset({"toBeNull", "toBeUndefined", "null", "undefined", "isNull", "isUndefined"})
