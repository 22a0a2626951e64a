"""The kind of a task. Pure. The first source that names one decides.

In this order: an address in Figma, the name of an instruction file, what a diff touches, the tracker's issue
type and labels, the branch, the words of the description. An input that names none is a feature.
"""

import re
from collections.abc import Callable
from typing import Final

from signoff.domain.work.refinement import TaskType
from signoff.domain.work.ticket import InputKind
from signoff.intake.refinement.requests import Want
from signoff.intake.refinement.text_words import WordKind, ending, read_words
from signoff.intake.refinement.vocabulary import UI_ENDINGS
from signoff.intake.refinement.word_roles import goal_verbs
from signoff.text.lazy_patterns import pattern
from signoff.text.phrases import word_set

_ISSUE_TYPES: Final = {
    TaskType.BUGFIX: word_set("bug bugfix defect incident hotfix regression fault"),
    TaskType.FEATURE: word_set("story feature enhancement epic improvement user-story new-feature feat"),
    TaskType.REFACTOR: word_set("refactor refactoring tech-debt technical-debt cleanup"),
    TaskType.CHORE: word_set("""
        chore maintenance documentation docs dependencies dependency build ci housekeeping tooling
        release deps
    """),
    TaskType.COMPONENT: word_set("component ui-component design-system"),
}
"""The names in trackers, labels and branches. A plain `task` decides nothing."""

_BRANCHES: Final = {
    "fix": TaskType.BUGFIX,
    "hotfix": TaskType.BUGFIX,
    "style": TaskType.CHORE,
    "test": TaskType.CHORE,
    "perf": TaskType.REFACTOR,
}

_VERBS: Final = {
    TaskType.BUGFIX: word_set("fix repair patch resolve correct"),
    TaskType.REFACTOR: word_set("""
        refactor rename extract restructure simplify inline decouple split move merge unify deduplicate
        reorganise reorganize rewrite isolate
    """),
    TaskType.CHORE: word_set("bump upgrade document format release backport"),
}
"""The first verb of an order. Every other verb makes a feature."""

_WORDS: Final = {
    TaskType.BUGFIX: word_set("""
        bug bugs broken crash crashes crashing regression fails failing error errors exception wrong
        incorrect stacktrace traceback
    """),
    TaskType.REFACTOR: word_set("refactoring cleanup duplication duplicated tech-debt"),
    TaskType.CHORE: word_set("changelog typo typos dependencies ci lint linter readme docs documentation"),
}
"""The subject of a description that orders nothing."""

_FIGMA: Final = pattern(r"\bhttps?://(?:[\w-]+\.)?figma\.com/\w", re.IGNORECASE)
_INSTRUCTIONS: Final = word_set("instructions instruction tasks task tickets prompts plans specs")
_HOUSEKEEPING: Final = word_set("md mdx rst txt yml yaml toml lock cfg ini gradle")
_HOUSEKEEPING_FILES: Final = word_set("""
    package.json package-lock.json yarn.lock pnpm-lock.yaml composer.json composer.lock go.mod go.sum
    requirements.txt dockerfile makefile .gitignore .editorconfig license
""")


def task_type(want: Want) -> TaskType:
    """Return the kind of task."""
    for source in _SOURCES:
        if found := source(want):
            return found
    return TaskType.FEATURE


def _figma(want: Want) -> TaskType | None:
    text = f"{want.raw if want.kind is InputKind.PROMPT else want.statement}\n{want.path}"
    return TaskType.COMPONENT if _FIGMA.search(text) else None


def _instruction_file(want: Want) -> TaskType | None:
    """Judge by what a file of instructions is called: `tasks/refactor-auth.md`."""
    paths = [want.path] if want.path else []
    paths += [
        word.raw for word in read_words(want.statement).words if word.kind in (WordKind.NAME, WordKind.CODE)
    ]
    for path in paths:
        folder, _, name = path.rpartition("/")
        parts = set(re.split(r"[\W_]+", f"{folder}/{name}".casefold()))
        if ending(path) not in ("md", "mdx", "txt") or not parts & _INSTRUCTIONS:
            continue
        for part in re.split(r"[\W_]+", name.rpartition(".")[0].casefold()):
            if found := _named(part) or _BRANCHES.get(part):
                return found
    return None


def _diff(want: Want) -> TaskType | None:
    # A type counts only if every file of the diff fits it. Renames come first, whatever files they move.
    if not want.files:
        return None
    if all(file.is_renamed for file in want.files):
        return TaskType.REFACTOR
    if all(
        file.path.rpartition("/")[2].casefold() in _HOUSEKEEPING_FILES
        or ending(file.path) in _HOUSEKEEPING
        or file.path.startswith(".github/")
        for file in want.files
    ):
        return TaskType.CHORE
    is_new_component = all(file.is_new and ending(file.path) in UI_ENDINGS for file in want.files)
    return TaskType.COMPONENT if is_new_component else None


def _tracker(want: Want) -> TaskType | None:
    for name in (want.issue_type, *want.labels):
        for part in (name, *re.split(r"[:/]", name)):
            if found := _named("-".join(part.casefold().split())):
                return found
    return None


def _branch(want: Want) -> TaskType | None:
    prefix = re.split(r"[/_-]", want.branch.casefold().removeprefix("refs/heads/"), maxsplit=1)[0]
    return _BRANCHES.get(prefix) or _named(prefix)


def _named(name: str) -> TaskType | None:
    return next((kind for kind, names in _ISSUE_TYPES.items() if name in names), None)


def _description(want: Want) -> TaskType | None:
    """Judge by the first verb of an order, and without an order by the words that are used.

    A verb with a certain object ("update the docs", "clean up") outweighs the verb alone.
    """
    spoken = read_words(want.statement)
    for at, verb in goal_verbs(spoken):
        after = {word.text for word in spoken.words[at + 1 : at + 5]}
        if verb in ("add", "build", "create", "implement", "scaffold") and "component" in after:
            return TaskType.COMPONENT
        if verb == "update" and after & {"dependencies", "dependency", "docs", "readme", "changelog"}:
            return TaskType.CHORE
        if verb in ("clean", "tidy") and "up" in after:
            return TaskType.REFACTOR
        return next((kind for kind, verbs in _VERBS.items() if verb in verbs), TaskType.FEATURE)
    said = {word.text for word in spoken.words if word.kind is WordKind.PLAIN}
    return next((kind for kind, words in _WORDS.items() if said & words), None)


_SOURCES: Final[tuple[Callable[[Want], TaskType | None], ...]] = (
    _figma,
    _instruction_file,
    _diff,
    _tracker,
    _branch,
    _description,
)
