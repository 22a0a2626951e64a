"""The public names of a source file, language by language.

Pure; used by `judges.test_gap.missing_tests`. A whole Python file is read by its own grammar. Everything
else, and Python in a diff, is read line by line: declarations are at the start of a line in the code people
write, and a name that is missed here only means a hint less.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Symbol(NamedTuple):
    """One public name."""

    name: str
    line: int
    kind: str
    """function, class, method, type, constant, view or composable."""
    owner: str = ""
    """The class of a method."""

    @property
    def full_name(self) -> str:
        """The name with its owner."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


Lines = Iterable[tuple[int, str]]


class Language(NamedTuple):
    """How the declarations of one language are found."""

    name: str
    endings: tuple[str, ...]
    read: Callable[[Lines], Iterable[Symbol]]


def language_of(path: str) -> str:
    """Return the name of the language of a path, empty if its declarations cannot be read."""
    return next((language.name for language in LANGUAGES if path.endswith(language.endings)), "")


def file_symbols(path: str, text: str) -> tuple[Symbol, ...]:
    """Return the public names of a whole file. Python that does not parse is read line by line."""
    if path.endswith(".py"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
            return tuple(_python_bound(tree.body))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return line_symbols(path, enumerate(text.split("\n"), 1))


def line_symbols(path: str, lines: Lines) -> tuple[Symbol, ...]:
    """Return the public names that these lines declare. They need not be the whole file."""
    language = next((language for language in LANGUAGES if path.endswith(language.endings)), None)
    return tuple(language.read((n, line.rstrip("\r")) for n, line in lines)) if language else ()


def _by_pattern(
    pattern: re.Pattern[str], kind_of: Callable[[re.Match[str]], str]
) -> Callable[[Lines], Iterator[Symbol]]:
    """Return a reader of a language in which one pattern finds every declaration.

    `kind_of` returns an empty text for a declaration that is not public.
    """

    def read(lines: Lines) -> Iterator[Symbol]:
        for number, line in lines:
            found = pattern.match(line)
            if found and (kind := kind_of(found)):
                yield Symbol(found["name"], number, kind, found.groupdict().get("owner") or "")

    return read


# --- Python ---


def _python_bound(body: Iterable[ast.stmt]) -> Iterator[Symbol]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith("_"):
                yield Symbol(node.name, node.lineno, "function")
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield Symbol(node.name, node.lineno, "class")
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith(
                    "_"
                ):
                    yield Symbol(inner.name, inner.lineno, "method", node.name)
        elif isinstance(node, ast.If | ast.Try):
            yield from _python_bound([*node.body, *node.orelse])


_PYTHON_TOP = re.compile(r"(?:async\s+)?(def|class)\s+([A-Za-z]\w*)")
_PYTHON_METHOD = re.compile(r"\s+(?:async\s+)?def\s+([A-Za-z]\w*)\s*\(\s*(?:self|cls)\b")


def _python_lines(lines: Lines) -> Iterator[Symbol]:
    owner = ""
    for number, line in _python_code(lines):
        if found := _PYTHON_TOP.match(line):
            owner = found[2] if found[1] == "class" else ""
            yield Symbol(found[2], number, "class" if found[1] == "class" else "function")
        elif found := _PYTHON_METHOD.match(line):
            yield Symbol(found[1], number, "method", owner)


_TRIPLE = re.compile(r"\"{3}|'{3}")
# The end of a short string may be missing: without `?` a search from every quote takes quadratic time.
_PYTHON_TEXT = re.compile(r"#.*|\"{3}|'{3}|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?")
_PYTHON_OPENS = re.compile(r"(?:.*[=(\[{,:+]|.*\breturn)?\s*[bBfFrRuU]{0,2}")


def _python_code(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield the lines that do not begin inside a long string: an example in a docstring declares nothing."""
    for run in _runs(lines):
        quote = _begins_inside(run)
        for number, line in run:
            if not quote:
                yield number, line
            quote = _quote_after(line, quote)


def _runs(lines: Lines) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines in runs without a gap between their numbers."""
    run: list[tuple[int, str]] = []
    for number, line in lines:
        if run and number != run[-1][0] + 1:
            yield run
            run = []
        run.append((number, line))
    if run:
        yield run


def _begins_inside(run: list[tuple[int, str]]) -> str:
    """Return the quotes that close a string which began before the run, empty if there is none.

    The first quotes of the run decide by their place: after code that a string can follow they open one,
    alone on their line they close one, unless the line before leads to a string.
    """
    before = ""
    for number, line in run if run[0][0] > 1 else ():
        found = _TRIPLE.search(line)
        if found is None:
            before = line if line.strip() else before
            continue
        start, end = line[: found.start()], line[found.end() :].strip()
        if start.strip():
            return "" if end or _PYTHON_OPENS.fullmatch(start) else found[0]
        is_alone = not end and number > run[0][0]
        # Behind a colon a string must be indented further than the line that leads to it.
        leads = before.rstrip().endswith(("=", "(", ",", "["))
        if before.rstrip().endswith(":"):
            leads = len(start) > len(before) - len(before.lstrip())
        return found[0] if is_alone and not leads else ""
    return ""


def _quote_after(line: str, quote: str) -> str:
    """Return the quotes of the long string that a line ends in, given those that it begins in."""
    at = 0
    while True:
        if quote:
            end = line.find(quote, at)
            if end < 0:
                return quote
            at, quote = end + 3, ""
        found = _PYTHON_TEXT.search(line, at)
        if found is None:
            return ""
        at = found.end()
        if _TRIPLE.fullmatch(found[0]):
            quote = found[0]


# --- Swift ---

_SWIFT = re.compile(
    r"\s*(?:@\w+(?:\([^)]{0,80}\))?\s+)*(?P<words>(?:(?:public|open|internal|private|fileprivate|package|final|static|"
    r"class|override|mutating|nonisolated|indirect|convenience|required)(?:\(set\))?\s+)*)"
    r"(?P<what>func|class|struct|enum|protocol|actor)\s+(?P<name>[A-Za-z_]\w*)(?P<rest>.{0,300})"
)
_SWIFT_VIEW = re.compile(
    r"(?:<[^>]{0,80}>)?\s*:\s*[^{]*\b(?:View|UIView|UIViewController|UITableViewCell|UICollectionViewCell|UITableViewController|"
    r"UICollectionViewController|NSView|NSViewController|UIViewRepresentable|UIViewControllerRepresentable)\b"
)


def _swift_kind(found: re.Match[str]) -> str:
    if re.search(r"\b(?:private|fileprivate)\b(?!\(set\))", found["words"]):
        return ""
    if found["what"] in ("class", "struct") and _SWIFT_VIEW.match(found["rest"]):
        return "view"
    if re.search(r"\b(?:public|open)\b", found["words"]) and "override" not in found["words"]:
        return "function" if found["what"] == "func" else "class"
    return ""


# --- Kotlin ---

_KOTLIN = re.compile(
    r"(?P<indent>\s*)(?:@\w+(?:\([^)]{0,120}\))?\s+)*(?P<words>(?:(?:public|private|internal|protected|open|abstract|final|"
    r"sealed|data|inline|suspend|operator|infix|override|tailrec|external|value|annotation|inner|enum|companion|"
    r"actual|expect|const|lateinit)\s+)*)"
    r"(?P<what>fun\s+interface|fun|class|interface|object)\s+(?:<[^>]{0,80}>\s*)?(?:[\w<>?]{1,60}\.)?(?P<name>[A-Za-z_]\w*)"
)
_ANNOTATION = re.compile(r"\s*@([A-Za-z_]\w*)")


def _kotlin_lines(lines: Lines) -> Iterator[Symbol]:
    """Yield the public declarations of Kotlin. Annotations count for the next declaration only.

    Functions count at the top level or one level deep, because deeper ones are local. What is marked
    `@Preview` is not part of the interface.
    """
    marks: set[str] = set()
    for number, line in lines:
        marks.update(re.findall(r"@([A-Za-z_]\w*)", line) if _ANNOTATION.match(line) else ())
        found = _KOTLIN.match(line)
        if found is None:
            if line.strip() and not _ANNOTATION.match(line):
                marks.clear()
            continue
        hidden = re.search(r"\b(?:private|internal|protected|override)\b", found["words"])
        is_function = found["what"] == "fun"
        if not hidden and "Preview" not in marks and (len(found["indent"]) <= 4 or not is_function):
            kind = "function" if is_function else "class"
            yield Symbol(
                found["name"], number, "composable" if is_function and "Composable" in marks else kind
            )
        marks.clear()


# --- JavaScript and TypeScript ---

_SCRIPT = re.compile(
    r"\s*export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?P<what>function\s*\*?|class|const|let|var)\s+"
    r"(?P<name>[A-Za-z_$][\w$]*)(?P<rest>.{0,200})"
)
_SCRIPT_LIST = re.compile(
    r"\s*export\s*\{([^}]{1,2000})\}(?!\s*from)|\s*module\.exports\s*=\s*\{([^}]{1,2000})\}"
)
_SCRIPT_COMMON = re.compile(r"\s*(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=")
_SCRIPT_CALLABLE = re.compile(r"[^=]{0,120}=\s*(?:async\b|function\b|\(|[A-Za-z_$][\w$]*\s*=>|\w+\()")


def _script_lines(lines: Lines) -> Iterator[Symbol]:
    """Yield what JavaScript or TypeScript exports: a declaration, a list of names, or a CommonJS property."""
    for number, line in lines:
        if found := _SCRIPT.match(line):
            is_value = found["what"] in ("const", "let", "var")
            if is_value and not _SCRIPT_CALLABLE.match(found["rest"]):
                continue  # a plain value: there is nothing in it to test
            yield Symbol(found["name"], number, "class" if found["what"] == "class" else "function")
        elif listed := _SCRIPT_LIST.match(line):
            for item in (listed[1] or listed[2]).split(","):
                name = re.search(r"([A-Za-z_$][\w$]*)\s*$", item.partition(":")[0])
                if name and name[1] != "default" and "type " not in item:
                    yield Symbol(name[1], number, "function")
        elif common := _SCRIPT_COMMON.match(line):
            yield Symbol(common[1], number, "function")


# --- the rest ---

_GO = re.compile(
    r"(?:func\s+(?:\(\s*\w*\s*\*?\s*(?P<owner>\w+)[^)]{0,40}\)\s*)?|(?P<type>type)\s+)(?P<name>[A-Z]\w*)"
)
_RUST = re.compile(
    r"(?P<indent>\s*)pub\s+(?:async\s+|unsafe\s+|const\s+|extern\s+(?:\"\w+\"\s+)?){0,3}(?P<what>fn|struct|enum|trait)\s+"
    r"(?P<name>[A-Za-z_]\w*)"
)
_JAVA = re.compile(
    r"\s*(?:@\w+(?:\([^)]{0,80}\))?\s+)*public\s+(?:(?:static|final|abstract|sealed|async|virtual|override|partial|default|"
    r"synchronized|readonly)\s+)*(?:(?P<what>class|interface|enum|record|struct)\s+(?=[A-Z])"
    r"|[\w<>\[\],.? ]{1,80}?\s(?=[A-Za-z_]\w*\s*\())(?P<name>[A-Za-z_]\w*)"
)


LANGUAGES = (
    Language("python", (".py",), _python_lines),
    Language("swift", (".swift",), _by_pattern(_SWIFT, _swift_kind)),
    Language("kotlin", (".kt", ".kts"), _kotlin_lines),
    Language("javascript", (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), _script_lines),
    Language(
        "go",
        (".go",),
        _by_pattern(
            _GO, lambda found: "class" if found["type"] else "method" if found["owner"] else "function"
        ),
    ),
    Language(
        "rust",
        (".rs",),
        _by_pattern(
            _RUST,
            lambda found: "class" if found["what"] != "fn" else "method" if found["indent"] else "function",
        ),
    ),
    Language(
        "java",
        (".java", ".cs"),
        _by_pattern(
            _JAVA, lambda found: "class" if found["what"] else "" if "override" in found.string else "method"
        ),
    ),
)
