"""Turn the words of a non-goal into the question to a change that would show it was broken.

Pure, called by `contracts.clauses.contract_clauses` for every non-goal and out-of-scope entry without a
predicate of its own. A sentence is understood as a whole or not at all. With one word too many ("except",
"unless", a second sentence) there is no predicate: the planner is asked, or a person decides. A predicate
never asks for less than the sentence does, and in doubt there is none.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, NamedTuple

from signoff.domain.work.checks import DependencyRule, DiffPredicate, ForbiddenPattern
from signoff.domain.work.contract import NonGoal
from signoff.text.globs import is_glob
from signoff.text.repo_paths import plain, why_outside

MAX_SENTENCE: Final = 1_000
"""A longer text is more than one thought."""


class Item(NamedTuple):
    """Something a sentence points at: a path, or a piece of code between backticks."""

    text: str
    is_quoted: bool


class Sentence(NamedTuple):
    """A sentence with a mark (`<0>`, `<1>`, ...) in the place of each thing it points at."""

    words: str
    """Lower case, one blank between two words, no full stop."""
    items: tuple[Item, ...]


def predicate_of(goal: NonGoal) -> DiffPredicate | None:
    """Return what a change can be asked about a non-goal, or None if its words say nothing computable.

    A predicate that was written down stands exactly as it is. The words are read only without one.
    """
    written = DiffPredicate(
        untouched=goal.untouched,
        dependencies=goal.dependencies,
        exports=goal.exports,
        forbidden=goal.forbidden,
    )
    return read_non_goal(goal.description) if written == DiffPredicate() else written


def read_non_goal(text: str) -> DiffPredicate | None:
    """Return the predicate that a sentence stands for, or None if anything in it is not understood."""
    sentence = read_sentence(text)
    if sentence is None:
        return None
    for form, build in _FORMS:
        if found := compiled(form).fullmatch(sentence.words):
            return build(found, sentence.items)
    return None


def read_sentence(text: str) -> Sentence | None:
    """Take a sentence apart, or return None if it is too long or its backticks do not pair.

    Each path and each piece of code becomes an item, and `<0>`, `<1>` stand for them in the words. A `<` of
    the sentence itself could be taken for such a mark, so it is not read.
    """
    if len(text) > MAX_SENTENCE or text.count("`") % 2 or "<" in _unquoted(text) or "``" in text:
        return None
    items: list[Item] = []
    words: list[str] = []
    for part in compiled(_PARTS).findall(_without_end(text)):
        has_comma = part.endswith(",") and len(part) > 1 and not part.startswith("`")
        word, comma = (part[:-1], ",") if has_comma else (part, "")
        if word.startswith("`"):
            items.append(Item(word[1:-1], is_quoted=True))
        elif is_path(Item(word, is_quoted=False)):
            items.append(Item(word, is_quoted=False))
        else:
            words.append(unicodedata.normalize("NFKC", word).replace("’", "'").lower() + comma)
            continue
        words.append(f"<{len(items) - 1}>{comma}")
    return Sentence(" ".join(words).replace(" ,", ","), tuple(items))


def is_path(item: Item) -> bool:
    """Check whether an item is certainly a path or glob of files.

    Outside of backticks a slash alone is not enough: "client/server" and "CI/CD" are no folders. A known file
    name or ending decides first, then a trailing slash, backticks or a well-known folder at the front.
    """
    text = item.text
    if (
        not compiled(_PATH).fullmatch(text)
        or "..." in text
        or not any(c.isalpha() for c in text)
        or why_outside(text)
    ):
        return False
    if not plain(text):
        return False
    _, slash, name = text.rpartition("/")
    if _is_file_name(name):
        return True
    if not slash or compiled(_MEDIA_TYPE).match(text):
        return False
    return item.is_quoted or not name or text.split("/")[0] in _ROOTS


def may_stand_for_more(path: str) -> bool:
    """Check whether brackets in a path could be a shell's. For us they are literal: `[ab].py` is one file.

    A folder that a web framework names after a part of the address (`app/[id]/page.tsx`) is what it says.
    """
    parts = path.split("/")
    for number, part in enumerate(parts):
        if compiled(r"[\[\]{}]").search(part):
            is_route = compiled(r"\[[A-Za-z_]\w+\]").fullmatch(part) and _ROUTED.intersection(parts[:number])
            if not is_route:
                return True
    return False


@cache
def compiled(form: str) -> re.Pattern[str]:
    """Return a compiled pattern. Most commands read no sentence and should not wait for them all."""
    return re.compile(form)


def _is_file_name(name: str) -> bool:
    return name in _FILE_NAMES or ("." in name and name.rpartition(".")[2].lower() in _ENDINGS)


# --- words ---


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARTS = r"`[^`]*`|[^\s`]+"
_PATH = r"[\w.\-/*?+\[\]]+"
_MEDIA_TYPE = r"(?:application|text|image|audio|video|font|multipart)/[\w.+*-]+$"
_FILE_NAMES = _words(
    "Makefile Dockerfile Jenkinsfile Gemfile Rakefile Procfile Pipfile LICENSE CODEOWNERS .gitignore "
    ".dockerignore .editorconfig .env"
)
_ENDINGS = _words(
    "py pyi js jsx ts tsx mjs cjs mts cts json jsonc toml yaml yml md mdx rst txt cfg ini go rs rb php java "
    "kt kts scala c h cc cpp hpp cs fs swift ex exs dart vue svelte html css scss less sql sh bash ps1 tf "
    "proto graphql xml gradle lock csv svg snap ipynb lua pl r jl"
)
_ROUTED = _words("app pages routes")
_ROOTS = _words("src lib app apps packages internal cmd pkg crates modules services components .github")


def _unquoted(text: str) -> str:
    """Return what stands outside of the backticks, as it will be read: a wide `＜` becomes `<` there."""
    return unicodedata.normalize("NFKC", " ".join(text.split("`")[::2]))


def _without_end(text: str) -> str:
    """Remove the full stop. Two sentences keep the one in their middle and are not understood."""
    return text.strip().removesuffix(".").rstrip()


# --- what items amount to ---

_NO = r"(?:please )?(?:do not|don't|never|must not|you must not|the change must not|should not|shall not)"
_ITEM = r"<\d+>"
_LIST = rf"(?:{_ITEM}(?:(?:, and |, or |, | and | or |, nor | nor ){_ITEM})*)"
_KIND = r"(?: (?:files?|folders?|director(?:y|ies)))?"
_WITHIN = r"(?:in|under|below|inside|within)"
_WHICH = rf"(?:(?:the |any )?(?:files?|folders?|director(?:y|ies)|anything) )?(?:{_WITHIN} )?"
_PATHS = rf"{_WHICH}(?:the )?(?P<items>{_LIST}){_KIND}"
_STILL = r"(?:untouched|unchanged|unmodified|alone|as (?:it is|they are|is|it was|they were))"

_Build = Callable[[re.Match[str], tuple[Item, ...]], DiffPredicate | None]


def _named(group: str | None, items: tuple[Item, ...]) -> tuple[Item, ...]:
    return tuple(items[int(n)] for n in re.findall(r"<(\d+)>", group or ""))


def _globs(items: Iterable[Item]) -> tuple[str, ...] | None:
    """Return globs that cover at least what is meant, or None if one of the items may be something else."""
    found: list[str] = []
    for item in items:
        if not is_path(item) or may_stand_for_more(item.text):
            return None
        found.append(_glob(item.text))
    return tuple(dict.fromkeys(found)) or None


def _glob(path: str) -> str:
    """Widen where a person would: a bare name is meant wherever it is, `src/*` with all that is below."""
    whole = plain(path)
    name = whole.rpartition("/")[2]
    is_short = is_glob(whole) or "/" not in whole
    # A glob does not reach below the folders it matches, as a plain path does.
    if (is_short and path.endswith("/")) or (is_glob(name) and not _is_file_name(name)):
        whole = whole.removesuffix("/*").removesuffix("/**") + "/**"
    return whole if "/" in whole.removesuffix("/**") else f"**/{whole}"


_TAKING_AWAY = re.compile(r"(?:(?:, or |, and |, | or | and )?(?:renam|delet|remov|mov)(?:e|ing))+")


def _untouched(found: re.Match[str], items: tuple[Item, ...]) -> DiffPredicate | None:
    # A file that must not be taken away may still be worked on.
    if _TAKING_AWAY.fullmatch(found.groupdict().get("verbs") or ""):
        return None
    globs = _globs(_named(found["items"], items))
    return DiffPredicate(untouched=globs) if globs else None


def _exports(found: re.Match[str], items: tuple[Item, ...]) -> DiffPredicate | None:
    globs = _globs(_named(found["items"], items))
    return DiffPredicate(exports=globs) if globs else None


def _none_added(found: re.Match[str], items: tuple[Item, ...]) -> DiffPredicate:  # noqa: ARG001
    return DiffPredicate(dependencies=DependencyRule.NONE_ADDED)


def _unchanged(found: re.Match[str], items: tuple[Item, ...]) -> DiffPredicate | None:  # noqa: ARG001
    if found.groupdict().get("verbs") == "remove":
        return None  # it says nothing about adding, which `unchanged` would refuse as well
    return DiffPredicate(dependencies=DependencyRule.UNCHANGED)


def _forbidden(found: re.Match[str], items: tuple[Item, ...]) -> DiffPredicate | None:
    """Return the predicate for code that must not be added, or None if a piece of it cannot be found."""
    named = _named(found["items"], items)
    if "import" in found[0] and any("." in item.text for item in named):
        return None  # `from os import path` never says `os.path`
    code = [_pattern(item) for item in named]
    places = _globs(_named(found["where"], items)) if found["where"] else ()
    if places is None:
        return None
    patterns = [ForbiddenPattern(pattern=pattern, paths=places) for pattern in code if pattern is not None]
    return DiffPredicate(forbidden=tuple(patterns)) if patterns and len(patterns) == len(code) else None


_STANDS_FOR_MORE = r"\.\.\.|…|<[^>]*>|\w\*|\*\w|\(\s*\)\s*\S|[\x00-\x1f]"
_WORD_OR_MARK = r"\w+|[^\w\s]"
_QUOTE_MARK = r"""["'`]"""


def _pattern(item: Item) -> str | None:
    """Return a pattern that finds a piece of code however it is spaced and quoted, or None if it is no code.

    A capitalised word may be a product (`Redis`, imported as `redis`), a path may be meant as a new file,
    and `eval(...)` stands for every call: found word by word, each of them would be missed.
    """
    code = item.text.strip()
    if not item.is_quoted or not code or compiled(_STANDS_FOR_MORE).search(code):
        return None
    # A path, or several written as one: `src/{a,b}.py`.
    if is_path(Item(compiled(r"[\[\]{},!^]").sub("", code), is_quoted=True)):
        return None
    if re.fullmatch(r"[A-Z][a-z]+", code) or not re.search(r"\w|\S\S", code):
        return None
    parts = compiled(_WORD_OR_MARK).findall(compiled(r"\(\s*\)$").sub("(", code))
    return r"\s*".join(_QUOTE_MARK if part in ("'", '"') else re.escape(part) for part in parts)


# --- the sentences that are understood ---

_MORE = r"(?:new|additional|further|extra)"
_NEW = rf"(?:any |a |an )?(?:{_MORE} |more )?(?:third-party |external )?"
_THINGS = r"(?:dependency|dependencies|packages?|library|libraries)"
_ADD = r"(?:add|introduce|install|bring in|pull in)"
_ADDING = r"(?:adding|introducing|installing|bringing in|pulling in)"
_TOUCH = r"(?:change|touch|modify|update|alter|edit|add|remove)"
_ALTER = (
    r"(?:modify|touch|change|edit|refactor|rename|delete|remove|rewrite|move|alter"
    r"|update|reformat|restructure)"
)
_ALTERING = (
    r"(?:modifying|touching|changing|editing|refactoring|renaming|deleting|removing|rewriting|moving|altering"
    r"|updating|reformatting|restructuring)"
)
_API = (
    r"(?:the )?(?:public api|public interface|public symbols|exports|exported symbols|exported names"
    r"|exported functions|signatures?|public signatures?|function signatures)"
)
_USE = r"(?:use|introduce|add|call|import|reintroduce)"
_USES = (
    r"(?:(?:any |new |any new |a |a new )?(?:(?:calls|call) to |(?:uses|use|usages|usage) of |imports of )?)"
)
_WHERE = rf"(?: (?:anywhere )?(?:in|below|under|inside|within|to) (?:the )?(?P<where>{_LIST}){_KIND})?"


def _joined(verb: str) -> str:
    return rf"{verb}(?:(?:, or |, and |, | or | and ){verb})*"


_FORMS: tuple[tuple[str, _Build], ...] = (
    (rf"{_NO} {_joined(_ADD)} {_NEW}{_THINGS}", _none_added),
    (rf"{_joined(_ADDING)} {_NEW}{_THINGS}", _none_added),
    (rf"(?:no )?{_MORE} (?:third-party |external )?{_THINGS}", _none_added),
    (
        (
            rf"no {_NEW}{_THINGS} (?:is|are|may be|should be|must be|will be|get|gets) "
            rf"(?:added|introduced|installed)"
        ),
        _none_added,
    ),
    (rf"{_NO} (?P<verbs>{_joined(_TOUCH)}) (?:the |any |our |its )?dependencies", _unchanged),
    (r"(?:no )?(?:dependency changes|changes to (?:the |any )?dependencies)", _unchanged),
    (
        (
            r"(?:the |all )?dependencies (?:stay|remain|must stay|must remain|are) "
            r"(?:untouched|unchanged|as (?:they are|is))"
        ),
        _unchanged,
    ),
    (r"(?:the )?dependencies (?:must|should|do|may) not change", _unchanged),
    (rf"{_NO} (?P<verbs>{_joined(_ALTER)}) {_PATHS}", _untouched),
    (rf"(?P<verbs>{_joined(_ALTERING)}) {_PATHS}", _untouched),
    (rf"(?:no )?(?:changes?|modifications?|edits?) (?:to|in|under|below) {_PATHS}", _untouched),
    (rf"(?:leave|keep) {_PATHS} {_STILL}", _untouched),
    (
        (
            rf"{_PATHS} (?:(?:must |should )?(?:stay|remain)|stays|remains|is left|are left) "
            rf"{_STILL}"
        ),
        _untouched,
    ),
    (
        rf"{_PATHS} (?:must|should|may) not be (?:modified|changed|touched|edited|refactored|altered)",
        _untouched,
    ),
    (rf"{_PATHS} (?:is|are) not (?:modified|changed|touched|edited|refactored|altered)", _untouched),
    (
        (
            rf"{_NO} (?:change|alter|modify|touch|extend) {_API} (?:of|in|from) (?:the )?"
            rf"(?P<items>{_LIST}){_KIND}"
        ),
        _exports,
    ),
    (
        rf"(?:no )?changes? (?:to|in) {_API} (?:of|in|from) (?:the )?(?P<items>{_LIST}){_KIND}",
        _exports,
    ),
    (
        (
            rf"{_API} (?:of|in|from) (?:the )?(?P<items>{_LIST}){_KIND} "
            rf"(?:(?:stays?|remains?|must stay|must remain) {_STILL}|(?:must|should|does|do) not change)"
        ),
        _exports,
    ),
    (rf"{_NO} {_joined(_USE)} {_USES}(?P<items>{_LIST}){_WHERE}", _forbidden),
    (rf"no {_USES}(?P<items>{_LIST}){_WHERE}", _forbidden),
)
