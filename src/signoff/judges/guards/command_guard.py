"""Decide whether a command line may run. Pure. `signoff guard command` calls it before every command.

A line that cannot be read is blocked if it mentions git at all, because its effect on the repository is
unknown. A line without that word is not this guard's subject and is allowed.
"""

from collections.abc import Callable, Iterator

from signoff.judges.guards.branch_rules import OWNER, PROTECTED, Situation
from signoff.judges.guards.git_commands import GitCall, GitShellScript, read_git, scripts_of
from signoff.judges.guards.git_rules import branch_after, git_findings
from signoff.judges.guards.guard_findings import UNREADABLE, GuardDecision, GuardFinding, decide, quoted
from signoff.judges.guards.removals import CommandPlace, removal_findings
from signoff.text.shell.invocations import Program, programs
from signoff.text.shell.shell_parts import HOLE, CommandWord, UnreadableShell

CODES = {
    "push-protected": "a push to a protected branch without the role of an owner",
    "push-branch-unknown": "a push of the current branch, and it is not known which branch that is",
    "push-forced": "a push that overwrites a protected branch",
    "push-deletes": "a push that deletes a protected branch on the remote",
    "branch-deleted": "a protected branch deleted here",
    "branch-moved": "a protected branch overwritten, moved by force or renamed",
    "reset-hard": "`reset --hard`, `--keep` or `--merge` on a protected branch, or on one that is not known",
    "clean-forced": "`clean` with force on folders, ignored files or everything",
    "work-discarded": "every uncommitted change thrown away, or every file deleted",
    "history-rewritten": "`filter-branch` or `filter-repo`",
    "reflog-expired": "the reflog emptied at once",
    "objects-pruned": "unreachable commits deleted at once",
    "stash-cleared": "everything stashed deleted",
    "repository-removed": "`.git` removed, moved away or emptied, by its name or with the folder around it",
    UNREADABLE: "a command that speaks of git and cannot be read",
}
"""Every code of this guard, with its meaning."""

_MOST_FINDINGS = 20
_MOST_SCRIPTS = 50


def guard_command(
    text: str,
    *,
    branch_in: Callable[[str], str | None] = lambda _: None,
    role: str = "",
    protected: tuple[str, ...] = (),
    here: str = "",
    allowed: tuple[str, ...] = (),
) -> GuardDecision:
    """Return the decision on a command line.

    `branch_in` returns the branch checked out in a folder as the command names it ("" is the folder it starts
    in), or None if that is not known. `here` is the absolute path of that folder, if it is known. Any role
    but owner counts as no role.
    """
    names = tuple(dict.fromkeys((*PROTECTED, *(name.removeprefix("refs/heads/") for name in protected))))
    judge = _CommandJudge(branch_in, role.strip().lower() == OWNER, names, here)
    # A hole is ours to make: a NUL of the text would be taken for one.
    return decide(judge.findings(text.replace(HOLE, "\ufffd")), allowed)


class _CommandJudge:
    """The rules applied to one program after the other, with the branches and folders that hold by then."""

    def __init__(
        self, branch_in: Callable[[str], str | None], is_owner: bool, protected: tuple[str, ...], here: str
    ) -> None:
        self._branch_in = branch_in
        self._is_owner = is_owner
        self._protected = protected
        self._folders: tuple[str, ...] = ("",)
        self._before_folder: tuple[str, ...] = ()
        self._switched: tuple[str | None, ...] | None = None
        self._before_switch: tuple[str | None, ...] = ()
        self._aliases: dict[str, str] = {}
        self._scripts = 0
        self._programs = 0
        self._starts_with_cd = False
        self._entered = ""
        self._here = here

    def findings(self, text: str) -> list[GuardFinding]:
        """Return every finding of a script, with what cannot be read as one of them."""
        found: list[GuardFinding] = []
        if not self._programs:
            self._starts_with_cd = text.lstrip().startswith("cd ")
        try:
            for program in programs(text):
                found += self._program_findings(program)
                if len(found) >= _MOST_FINDINGS:
                    break
        except UnreadableShell as why:
            if "git" in text.lower():
                found.append(GuardFinding(UNREADABLE, f"{quoted(text)} could not be read: {why}"))
        return found

    def _program_findings(self, program: Program) -> Iterator[GuardFinding]:
        if program.joint != "&&":  # what came before may have failed
            self._folders = tuple(dict.fromkeys((*self._folders, *self._before_folder)))
            if self._switched is not None:
                self._switched = tuple(dict.fromkeys((*self._switched, *self._before_switch)))
        self._follow_for_removals(program)
        if program.name in ("cd", "pushd"):
            # Follow `cd` into its folder, which is unknown if the word has a hole or is missing.
            target = next((word.text for word in program.words if not word.text.startswith("-")), HOLE)
            self._before_folder = self._folders
            self._folders = tuple(_joined(folder, target) for folder in self._folders)
        elif program.name in ("git", "hub"):
            yield from self._git_findings(program.words)
        elif program.name.startswith("git-"):
            name = program.name.removeprefix("git-")
            yield from self._git_findings((CommandWord(name, "b" * len(name)), *program.words))
        elif program.name == HOLE:
            yield from self._unknown_findings(program)
        else:
            yield from removal_findings(program, CommandPlace(self._entered, self._here))

    def _follow_for_removals(self, program: Program) -> None:
        """Note the folder that a line surely works in, as in `cd build && …`.

        A subshell, a script of its own or a second `cd` may leave the folder again. Then the start counts.
        """
        self._programs += 1
        if self._programs == 1 and program.name == "cd" and self._starts_with_cd:
            words = [word.text for word in program.words if not word.text.startswith("-")]
            self._entered = words[0] if words and words[0] != HOLE else "~"  # unset, it may lead home
        elif program.joint != "&&" or program.name in ("cd", "pushd", "popd"):
            self._entered = ""

    def _unknown_findings(self, program: Program) -> list[GuardFinding]:
        """Judge a program whose name is a hole as both git and rm: it may be either."""
        try:
            found = [*self._git_findings(program.words), *removal_findings(program._replace(name="rm"), None)]
        except UnreadableShell:
            found = []
        why = "which program it starts is known only when it runs"
        return [
            GuardFinding(UNREADABLE, f"{quoted(program.text)} could not be read: {why}") for _ in found[:1]
        ]

    # --- git ---

    def _git_findings(self, words: tuple[CommandWord, ...]) -> Iterator[GuardFinding]:
        call = read_git(words)
        if isinstance(call, GitCall) and call.name in self._aliases:
            config = {f"alias.{name}": value for name, value in self._aliases.items()}
            given = [
                CommandWord(text, "q" * len(text))
                for pair in config.items()
                for text in ("-c", "=".join(pair))
            ]
            call = read_git((*given, *words))
        if isinstance(call, GitShellScript):
            yield from self._script_findings(call.text)
        elif call is not None:
            yield from git_findings(call, Situation(self._branches(call), self._is_owner, self._protected))
            for script in scripts_of(call):
                yield from self._script_findings(script)
            self._note_changes(call)

    def _script_findings(self, text: str) -> list[GuardFinding]:
        self._scripts += 1
        if self._scripts > _MOST_SCRIPTS:
            raise UnreadableShell(f"it holds more than {_MOST_SCRIPTS} scripts")
        return self.findings(text)

    def _note_changes(self, call: GitCall) -> None:
        """Note what the call changes for the calls behind it: an alias, the branch that is checked out."""
        if call.name == "config":
            texts = [word.text for word in call.words if not word.text.startswith("-")]
            texts = texts[1:] if texts[:1] == ["set"] else texts
            if len(texts) == 2 and texts[0].lower().startswith("alias."):
                self._aliases[texts[0][len("alias.") :]] = texts[1]
        after = branch_after(call)
        if after is not None:
            branch, is_sure = after
            before = self._branches(call)
            self._switched = (branch,) if is_sure else tuple(dict.fromkeys((*before, branch)))
            self._before_switch = before

    def _branches(self, call: GitCall) -> tuple[str | None, ...]:
        if self._switched is not None:
            return self._switched
        places = [_joined(folder, call.folder) for folder in self._folders]
        return tuple(dict.fromkeys(self._branch_in(place) if HOLE not in place else None for place in places))


def _joined(folder: str, step: str) -> str:
    if not folder or step.startswith(("/", "~")):
        return step
    return f"{folder}/{step}" if step else folder
