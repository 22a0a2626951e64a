"""Whether a WHERE condition leaves no row out: `true`, `1=1`, `id = id`, `x OR 1=1`. Pure."""

from signoff.judges.guards.sql_statements import MARK, STRING, WORD, Token

_DEEPEST = 50
_LONGEST = 2_000


def is_always_true(tokens: list[Token], depth: int = 0) -> bool:
    """Check whether the condition plainly holds for every row.

    OR is split before AND, as SQL binds them. Behind NOT, only a single comparison is known to be false.
    """
    tokens = _without_parentheses(tokens)
    if not tokens or depth > _DEEPEST:
        return False
    either = _split(tokens, "OR")
    if len(either) > 1:
        return any(is_always_true(part, depth + 1) for part in either)
    both = _split(tokens, "AND")
    if len(both) > 1:
        return all(is_always_true(part, depth + 1) for part in both)
    if tokens[0].is_word("NOT"):
        negated = _without_parentheses(tokens[1:])
        if negated and negated[0].is_word("NOT"):
            return is_always_true(negated[1:], depth + 2)
        return bool(negated) and _compares_to(negated, wanted=False)
    return _compares_to(tokens, wanted=True)


def _compares_to(tokens: list[Token], *, wanted: bool) -> bool:
    """Check whether a single value, or a comparison of two, always has the truth value asked for.

    A comparison is the marks `=<>!` between two sides. IS and LIKE count in their plain form of three tokens.
    """
    tokens = _without_casts(tokens)
    if len(tokens) == 1:
        return _truth(tokens[0]) is wanted
    places = [at for at, token in enumerate(tokens) if token.kind == MARK and token.text in "=<>!"]
    if not places:
        if len(tokens) == 3 and tokens[1].is_word("IS"):
            return (_truth(tokens[0]) == _truth(tokens[2]) and _truth(tokens[0]) is not None) is wanted
        if len(tokens) == 3 and tokens[1].is_word("LIKE", "ILIKE"):
            return wanted and tokens[2].kind == STRING and tokens[2].text.strip("%") == ""
        return False
    left, right = tokens[: places[0]], tokens[places[-1] + 1 :]
    operator = "".join(tokens[at].text for at in places)
    if places != list(range(places[0], places[-1] + 1)) or not left or not right:
        return False
    return _holds(_texts(left), operator, _texts(right)) is wanted


def _holds(left: list[str], operator: str, right: list[str]) -> bool | None:
    """Compare the two sides, and return None if the result depends on the row."""
    if left == right:
        return operator in ("=", "==", "<=", ">=", "<=>")
    if len(left) == 1 and len(right) == 1 and _is_literal(left[0]) and _is_literal(right[0]):
        one, other = _value(left[0]), _value(right[0])
        if isinstance(one, float) and isinstance(other, float):
            if operator in ("<", "<=", ">", ">="):
                return one < other if operator.startswith("<") else one > other
            return {"=": one == other, "<>": one != other, "!=": one != other}.get(operator)
        return {"=": False, "<>": True, "!=": True}.get(operator)
    return None


def _texts(tokens: list[Token]) -> list[str]:
    return [f"'{token.text}" if token.kind == STRING else token.text for token in tokens]


def _is_literal(text: str) -> bool:
    return text.startswith("'") or _number(text) is not None


def _value(text: str) -> float | str:
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> float | None:
    try:
        return float(text) if text[:1].isdigit() else None
    except ValueError:
        return None


def _truth(token: Token) -> bool | None:
    if token.kind == WORD:
        return {"TRUE": True, "FALSE": False}.get(token.text)
    if token.kind == STRING:
        return {"t": True, "true": True, "1": True, "f": False, "false": False}.get(token.text.lower())
    number = _number(token.text)
    return None if number is None else number != 0


def _without_casts(tokens: list[Token]) -> list[Token]:
    """Remove every `::type`."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        if tokens[at].is_mark(":") and at + 2 < len(tokens) and tokens[at + 1].is_mark(":"):
            at += 3
        else:
            kept.append(tokens[at])
            at += 1
    return kept


def _without_parentheses(tokens: list[Token]) -> list[Token]:
    # Thousands of nested pairs are no condition that anybody wrote.
    while 1 < len(tokens) < _LONGEST and tokens[0].is_mark("(") and tokens[-1].is_mark(")"):
        depth = 0
        for at, token in enumerate(tokens):
            depth += token.is_mark("(") - token.is_mark(")")
            if depth == 0 and at < len(tokens) - 1:
                return tokens
        tokens = tokens[1:-1]
    return tokens


def _split(tokens: list[Token], word: str) -> list[list[Token]]:
    """Split at a word outside parentheses."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += token.is_mark("(") - token.is_mark(")")
        if depth == 0 and token.is_word(word):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
