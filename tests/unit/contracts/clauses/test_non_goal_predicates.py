"""Non-goals read from their words: what compiles, and above all what must not."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.contracts.clauses.non_goal_predicates import predicate_of, read_non_goal
from signoff.domain.work.checks import DependencyRule, DiffPredicate, ForbiddenPattern
from signoff.domain.work.contract import NonGoal
from signoff.text.globs import matches_any

NONE_ADDED = DiffPredicate(dependencies=DependencyRule.NONE_ADDED)
UNCHANGED = DiffPredicate(dependencies=DependencyRule.UNCHANGED)


def untouched(*globs: str) -> DiffPredicate:
    return DiffPredicate(untouched=globs)


def exports(*globs: str) -> DiffPredicate:
    return DiffPredicate(exports=globs)


def forbidden(*patterns: str, within: tuple[str, ...] = ()) -> DiffPredicate:
    return DiffPredicate(forbidden=tuple(ForbiddenPattern(pattern=p, paths=within) for p in patterns))


UNDERSTOOD = {
    "Do not add new dependencies": NONE_ADDED,
    "Don't add any new packages.": NONE_ADDED,
    "Don’t introduce a new library": NONE_ADDED,
    "Never add third-party dependencies": NONE_ADDED,
    "No new dependencies": NONE_ADDED,
    "No new dependencies are added": NONE_ADDED,
    "  do NOT   add\n additional packages  ": NONE_ADDED,
    "Adding new dependencies": NONE_ADDED,
    "New dependencies": NONE_ADDED,
    "Do not change dependencies": UNCHANGED,
    "Do not touch the dependencies.": UNCHANGED,
    "Never update dependencies": UNCHANGED,
    "Do not add, update or remove dependencies": UNCHANGED,
    "The dependencies stay as they are": UNCHANGED,
    "Do not refactor src/auth/": untouched("src/auth"),
    "Do not modify `src/auth/`": untouched("src/auth"),
    "Do not touch `src/auth/`, `src/db/` or `docs/api.md`.": untouched("src/auth", "src/db", "docs/api.md"),
    "Do not edit src/a.py and src/b.py": untouched("src/a.py", "src/b.py"),
    "Never rename, delete or change `lib/core`": untouched("lib/core"),
    "Do not change anything in `src/auth/`": untouched("src/auth"),
    "Do not rewrite the file `src/auth/login.py`": untouched("src/auth/login.py"),
    "Do not touch `app/[id]/page.tsx`": untouched("app/[id]/page.tsx"),
    "Do not touch `src/routes/[slug]/`": untouched("src/routes/[slug]"),
    "Do not modify `src/*`": untouched("**/src/**"),
    "Do not modify `src/api/*.py`": untouched("src/api/*.py"),
    "Do not touch `migrations/`": untouched("**/migrations/**"),
    "Do not modify `*.sql` files": untouched("**/*.sql"),
    "No changes to `package.json`": untouched("**/package.json"),
    "Changes to `src/auth/`": untouched("src/auth"),
    "Refactoring `src/auth/`": untouched("src/auth"),
    "`src/auth/` stays untouched": untouched("src/auth"),
    "README.md stays as it is": untouched("**/README.md"),
    "`src/a.py` and `src/b.py` remain unchanged": untouched("src/a.py", "src/b.py"),
    "`src/a.py` must not be modified": untouched("src/a.py"),
    "Leave `src/auth/` alone": untouched("src/auth"),
    "Keep `src/auth/` as it is": untouched("src/auth"),
    "Do not change the public API of `src/x.py`": exports("src/x.py"),
    "Never alter the exported symbols of `src/x.py` or `src/y.py`": exports("src/x.py", "src/y.py"),
    "Do not change the signatures in src/x.py": exports("src/x.py"),
    "The public interface of `src/x.py` must not change": exports("src/x.py"),
    "The exports of `src/x.py` stay as they are": exports("src/x.py"),
    "Do not use `eval(`": forbidden(r"eval\s*\("),
    "Do not use `eval()`": forbidden(r"eval\s*\("),
    "Do not call `eval(` or `exec(` in `src/api/`": forbidden(
        r"eval\s*\(", r"exec\s*\(", within=("src/api",)
    ),
    "Do not import `lodash`": forbidden("lodash"),
    "Never introduce `console.log` in src/app.ts": forbidden(r"console\s*\.\s*log", within=("src/app.ts",)),
    "No new calls to `print(`": forbidden(r"print\s*\("),
    "Do not add `# noqa`": forbidden(r"\#\s*noqa"),
    "Do not use `require('fs')`": forbidden(r"""require\s*\(\s*["'`]\s*fs\s*["'`]\s*\)"""),
}

NOT_UNDERSTOOD = [
    "",
    ".",
    "Do not",
    "Do not add new features",
    "Do not add new dependencies unless they are needed",
    "Do not add new dependencies, except `httpx`",
    "Do not add new dependencies without asking. Do not touch `src/`.",
    "Do not add new runtime dependencies",
    "Do not add new npm packages",
    "Do not add many dependencies",
    "Add no tests, and do not add new dependencies",
    "Do not hesitate to add new dependencies",
    "No dependencies",
    "Do not upgrade dependencies",
    "Do not remove dependencies",
    "Do not delete `src/auth/login.py`",
    "Never rename or delete `lib/core`",
    "Removing `lib/core`",
    "Do not change existing dependencies",
    "Do not change dependencies between modules",
    "Do not modify `src/auth/` except `src/auth/login.py`",
    "Do not modify `src/auth/` unless a test needs it",
    "Do not modify only `src/auth/`",
    "Do not modify anything outside `src/auth/`",
    "Do not modify anything but `src/auth/`",
    "Do not leave `src/auth/` untouched",
    "Do not modify `src/auth/` and rename `src/db/`",
    "Modify `src/auth/`",
    "`src/auth/` is changed",
    "`src/auth/` stays untouched where possible",
    "`src/auth/` should mostly stay untouched",
    "Do not touch CI/CD",
    "Do not change the client/server split",
    "Do not change client/server",
    "Do not change `application/json`",
    "Do not change `parse_total`",
    "Do not touch `/etc/passwd`",
    "Do not touch `../other/a.py`",
    "Do not touch `.git/config`",
    "Do not touch `src/{a,b}.py`",
    "Do not touch `src/[ab].py`",
    "Do not touch `src/[ab]/`",
    "Do not touch `src/[a-z]/x.py`",
    "Do not touch `app/[!a]/page.tsx`",
    "Do not touch `app/[id/page.tsx`",
    "Do not touch `app/[a-z]/page.tsx`",
    "Do not touch `app/x[id]/page.tsx`",
    "Do not touch src/[ab].py",
    "Do not change the public API of `src/[ab].py`",
    "Do not use `eval(` in `src/[ab].py`",
    "Do not add `src/[ab].py`",
    "Do not add `src/{a,b}.py`",
    "Do not touch `src/a.py:12`",
    "Do not touch `src/a.py::test_one`",
    "Do not touch `src/…/a.py`",
    "Do not touch `src/.../a.py`",
    "Do not touch `https://example.org/a.py`",
    "Do not touch `@scope/pkg`",
    "Do not touch `./`",
    "Do not touch `src/a.py",
    "Do not refactor the login code",
    "Do not refactor `src/auth/` code style",
    "Do not change the public API",
    "Do not change the public API of the shop",
    "Do not break the public API of `src/x.py`",
    "Do not change the private API of `src/x.py`",
    "Do not change the public API of `src/x.py` for existing callers",
    "Do not use `eval(...)`",
    "Do not use `eval(` outside of tests",
    "Do not use `eval(` for parsing",
    "Do not use eval",
    "Do not use `Redis`",
    "Do not import `os.path`",
    "Do not use `foo*`",
    "Do not use `first().second()`",
    "Do not use `<name>`",
    "Do not use ` `",
    "Do not add `src/new.py`",
    "Do not use `eval(` in the parser",
    "Use `eval(`",
    "Do not detect the project's stack at runtime",
    "Stack auto-detection from package.json",
    "Other languages",
    "Do not <0>",
    "Do not touch ＜0＞",
    "Do not touch <0> `src/a.py`",
]


@pytest.mark.parametrize("sentence", UNDERSTOOD)
def test_a_sentence_that_is_understood_whole_becomes_a_predicate(sentence: str) -> None:
    assert read_non_goal(sentence) == UNDERSTOOD[sentence]


@pytest.mark.parametrize("sentence", NOT_UNDERSTOOD)
def test_a_sentence_with_anything_else_in_it_does_not(sentence: str) -> None:
    assert read_non_goal(sentence) is None


@given(st.text())
@example("`" * 2_001)
@example("Do not touch " + "`a/b`, " * 300)
def test_no_text_is_too_odd_to_be_looked_at(text: str) -> None:
    read_non_goal(text)


EXCEPTIONS = st.sampled_from(
    [
        "except",
        "unless",
        "but",
        "only if needed",
        "for now",
        "without asking",
        ", except tests",
        "; see below",
    ]
)
TRAILS = st.one_of(EXCEPTIONS, st.text(min_size=1), st.builds("{} {}".format, EXCEPTIONS, st.text()))


@given(st.sampled_from(list(UNDERSTOOD)), TRAILS, st.sampled_from([" ", ", ", ". ", " - ", "\n"]))
def test_a_further_clause_never_leaves_a_weaker_predicate(sentence: str, trail: str, between: str) -> None:
    """A reader that picks out what it knows would turn an exception into a rule, or lose a condition."""
    assert read_non_goal(sentence.rstrip(" .") + between + trail) in (None, UNDERSTOOD[sentence])


@given(st.sampled_from(list(UNDERSTOOD)), st.text(min_size=1))
def test_nor_does_something_put_in_front(sentence: str, front: str) -> None:
    assert read_non_goal(f"{front} {sentence}") in (None, UNDERSTOOD[sentence])


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("Do not touch `config.py`", "src/deep/config.py"),
        ("Do not touch `config.py`", "config.py"),
        ("Do not touch `src/auth/`", "src/auth/deep/a.py"),
        ("Do not touch `src/auth`", "src/auth/a.py"),
        ("Do not touch `auth/`", "src/auth/a.py"),
        ("Do not touch `./src/auth`", "src/auth/a.py"),
        ("Do not touch `src/*`", "src/deep/a.py"),
        ("Do not touch `*.sql`", "db/one.sql"),
        ("Do not touch `src/*/`", "src/a/deep/b.py"),
        ("Do not touch `src/auth*`", "src/auth_old/b.py"),
        ("Do not touch `src/auth*`", "src/auth.py"),
        ("Do not touch `src/**/`", "src/a/deep/b.py"),
        ("Do not touch `src/a*/b/`", "src/ab/b/deep/c.py"),
        ("Do not touch `src/**`", "src/a.py"),
    ],
)
def test_what_a_person_means_by_a_path_is_covered(sentence: str, path: str) -> None:
    predicate = read_non_goal(sentence)
    assert predicate is not None
    assert matches_any(path, predicate.untouched)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("eval(", "x = eval(y)"),
        ("eval()", "x = eval(y)"),
        ("eval()", "x = eval (input())"),
        ("eval(", "x = eval\t(y)"),
        ("console.log(", "console . log (x)"),
        ("eval( )", "x = eval(y)"),
        ("x == 1", "x==1"),
        ("x==1", "x == 1"),
        ("a[0]", "a [ 0 ]"),
        ("import os", "import  os"),
        ("require('fs')", 'const fs = require("fs")'),
        ("# type: ignore", "x = 1  #  type:ignore"),
        ("a.b", "xa.b"),
    ],
)
def test_forbidden_code_is_found_however_it_is_spaced_and_quoted(code: str, line: str) -> None:
    predicate = read_non_goal(f"Do not use `{code}`")
    assert predicate is not None
    assert re.search(predicate.forbidden[0].pattern, line)


@given(st.text(alphabet="ab_.()[]{}'\"=+-*/ #$^|?\\é", max_size=40))
def test_forbidden_code_is_found_as_it_was_written(code: str) -> None:
    predicate = read_non_goal(f"Do not use `{code}`")
    if predicate is not None:
        assert re.search(predicate.forbidden[0].pattern, code.strip())


def test_a_predicate_that_was_written_down_stands_as_it_is() -> None:
    """The words may say more than the fields; whoever wrote both decided what is computed."""
    goal = NonGoal(id="n", description="Do not add new dependencies", untouched=("a.py",))

    assert predicate_of(goal) == untouched("a.py")
    assert predicate_of(NonGoal(id="n", description="Do not add new dependencies")) == NONE_ADDED
    assert predicate_of(NonGoal(id="n", description="Keep it simple")) is None
