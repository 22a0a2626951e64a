"""Find in a log what no tool wrote.

Pure. Some tools say all in one line (`All checks passed!`), and anybody can write one line. It is taken for
the tool's own only where every other line is of a tool too: a command as a shell or a CI system shows it,
output of a package manager, warnings, or the output of another runner. A line that is not known here is a
stranger: these lists may be too short, and must not be too wide, as the words of a person must not match.
"""

import re
from collections.abc import Iterable, Iterator

from signoff.judges.evidence.log_lines import LogLine, ReadableLog

# --- commands ---

_TOOL = re.compile(
    r"(?:\S*/)?(?:ruff|mypy|cargo|go|python[\d.]*|py|uvx?|poetry|pipx?|pip3|pdm|hatch|nox|tox|pre-commit|make"
    r"|just|task|npm|npx|pnpm|yarn|bunx?|node|deno|pytest|jest|vitest|eslint|prettier|biome|(?:vue-)?tsc|vite"
    r"|webpack|next|turbo|nx|rustup|rustc|rustfmt|clippy-driver|golangci-lint|staticcheck|gofmt|lint-imports"
    r"|black|isort|flake8|pyright|bandit)"
)
_SHELL = re.compile(
    r"cd|export|set|source|\.|env|time|bash|sh|zsh|pwsh|sudo|timeout|mkdir|rm|cp|mv|ls|pwd|which|git|docker"
    r"|podman|echo|printf|cat|tee|head|tail|true|test|\[\[?|apt(?:-get)?|brew|curl|exit|\.{0,2}/\S+|\w+=\S*"
)
_WORD = re.compile(
    r"-\S+|\.{1,2}|\S*[/*=]\S*|[\w-]+(?:[.:][\w-]+)+|&&|\|\|?|2>&1|src|lib|app|docs|scripts|tools|examples"
    r"|server|client|backend|frontend|run|exec|ci|all|fmt|fix|strict|release|vet|clippy|lint(?:er|ers|ing)?"
    r"|tests?|testing|builds?|building|types?|typing|type-?check(?:ing)?|formats?|formatting|checks?|checking"
    r"|compile|install|setup|unit|warnings"
)
_ASSIGNED = re.compile(r"\w+=\S*")
_PROMPT = re.compile(
    r"(?:[^\s$]{0,80}[$❯]|(?:\S{0,80}\D)?%|\S{1,80}[@:]\S{0,80}#|\++|PS \S{1,200}>|nox >) (?=\S)"
)
_SHOWN = re.compile(r"(?:##\[command\]|\[command\]|Run |> |nox > )?(?=\S)")
_HEADING = re.compile(r"(?:[=~:>-]{2,80}|\[\d+/\d+\]) ?(\S.*?):?(?: ?[=~:<-]+)?$")

# --- other lines ---

_CARGO = (
    *("Compiling", "Checking", "Finished", "Fresh", "Dirty", "Updating", "Downloading", "Downloaded"),
    *("Locking", "Adding", "Blocking", "Building", "Running", "Documenting", "Generated", "Removed"),
    *("Installing", "Installed", "Doc-tests", "Vendoring"),
)
_ALIGNED = "|".join(f"{verb:>12} .*" for verb in _CARGO)
"""cargo ends its verbs in the same column."""
_PATTERNS = r"""
// CI systems, scripts, shells
##\[(?:group|endgroup|section|debug)\].*|::(?:group::.*|endgroup::)|section_(?:start|end):\d+:\S+
> (?:@[\w.-]+/)?[\w.-]+@\d[\w.+-]* [\w:.-]+(?: /\S*)?
[\W_]+
make(?:\[\d+\])?: (?:Entering|Leaving) directory .*|make(?:\[\d+\])?: Nothing to be done for .*
(?:real|user|sys)\s+(?:\d+m)?[\d.,]+s?|[\d.]+user [\d.]+system .*
\W*(?:\w+_)?(?i:exit(?:ed)?(?:[ _-]?(?:code|status))?|return[ _]?code|rc)\W{1,3}0\W*
(?:Process finished|Process completed|Exited|exited) with (?:exit )?(?:code|status) 0\.?
(?:ruff|mypy|cargo|rustc|clippy|node|npm|uv|pip|pytest|eslint) v?\d+\.\d+\S*(?: \(.*\))?
Python \d\.\d+\S*|v\d+\.\d+\.\d+|go version go\S+ \S+
[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]+ .{0,12}\d{4}|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?
\w[\w ()-]{0,60}\.{6,}(?:\(no files to check\))?(?:Passed|Skipped)|- (?:hook id|duration): \S+
[\w.-]+: (?:commands\[\d+\]|install_\w+|freeze)> .*|(?: {2})?[\w.-]+: OK (?:✔ in |\().{0,60}
(?: {2})?congratulations :\) \([\d.]+ seconds\)|nox > (?:Running session|Creating virtual|Re-?using) .*
nox > Session \S+ was successful.*
// package managers
(?:Collecting|Downloading|Obtaining|Using cached) \S+(?: \(.*\))?|Looking in (?:indexes|links): .*
Requirement already satisfied: .*|Installing collected packages: .*|Successfully (?:installed|built) \S+-\d.*
 +(?:Downloading|Using cached) \S+(?: \(.*\))?| +(?:Preparing metadata|Getting requirements) .*
 +(?:Installing build dependencies|Building wheel|Building editable|Created wheel|Stored in directory).*
 +(?:Attempting uninstall|Found existing installation): .*| +(?:Uninstalling|Successfully uninstalled) \S+
 +Checking if build backend supports .*| +━.*|Building (?:wheels?|editable) for .*|\[notice\] .*
WARNING: (?:Running pip|You are using pip) .*
(?:Resolved|Prepared|Installed|Uninstalled|Audited|Checked) \d+ packages? in [\d.]+m?s
Using (?:CPython|Python) \d\S*.*|Creating virtual environment at: \S+|Activate with: source \S+
 [+~-] \S+==\S+(?: \(from .*\))?| *(?:Building|Built|Downloading|Downloaded) \S+(?: @ \S+)?(?: \([^)]*\))?
(?:added|removed|changed|audited) \d+ packages?\b.{0,80}|up to date(?:, audited .*)?(?: in \d+m?s)?
found 0 vulnerabilities|\d+ packages are looking for funding| +run `npm fund` for details
npm (?:warn|WARN|notice) .*|yarn run v\S+|Done in [\d.]+m?s\.?(?: using .{0,40})?|➤ YN\d+: .*
Already up to date|Lockfile is up to date, .*|Progress: resolved \d.*|Packages: [+-]\d+.*
// ruff, mypy
All checks passed!|\d+ files? (?:already formatted|left unchanged|reformatted)(?:, \d+ files? \w+ \w+)?
Found \d+ errors? \(\d+ fixed, \d+ remaining\)\.|No fixes available .*|warning: .*| {2}- '\S+' -> '\S+'
Success: no issues found in \d+ source files?|Warning: unused section\(s\) in .*|LOG: {2}.*
\S+?:\d+(?::\d+)?: (?:note|warning): .*
// cargo, where leading blanks may have been stripped
(?:Compiling|Checking) \S+ v\d\S*(?: \(.*\))?| {0,8}Finished `?[\w.-]+`? .*in [\d.ms ]+
 {2,3}Doc-tests \S+|test result: ok\. .*|running \d+ tests?|test .* \.\.\. (?:ok|ignored.*)
// go
ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?:\s+coverage: .*|\s+\[no tests to run\])?|\?\s+\S+\s+\[no test files\]
(?:\s+\S+\s+)?coverage: [\d.]+% of statements.*|PASS|testing: warning: no tests to run
go: (?:downloading|finding|extracting|upgraded|added) \S+ .*|(?:goos|goarch|pkg|cpu): .*
Benchmark\S+\s+\d+\s.*| *--- (?:PASS|SKIP): .*|=== (?:RUN|PAUSE|CONT|NAME) .*
// bundlers, eslint
(?:\S+ \()?webpack \d\S* compiled .*|asset \S+ [\d.]+ \S+ .*| +asset \S+ [\d.]+ .*
 *(?:(?:orphan|runtime|cacheable) modules|(?:modules|assets) by \w+) .*\d.*
 *(?:\./\S+|\+ \d+ modules?) .*\].*
✔ No ESLint warnings or errors|✖ \d+ problems? \(.*\)| +\d+:\d+ +warning +\S.*|/\S+\.\w+
vite v\d\S* building .*|✓ \d+ modules transformed\.|✓ built in .*|transforming(?: ?\(\d+\).*|\.\.\.)
rendering chunks(?: ?\(\d+\).*|\.\.\.)|computing gzip size(?: ?\(\d+\).*|\.\.\.)|\S+/\S+ +[\d.,]+ k?B.*
// runners of tests
 ?PASS +\S+\.[cm]?[jt]sx?\b.*|(?:Test Suites|Tests|Snapshots|Time): +\d.*|Ran all test suites.*
 *[✓✔√] .* \(?[\d.]+ ?m?s\)?| +(?:Test Files|Tests|Start at|Duration) {2}\d.*| ?RUN +v\d\S* .*
[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+|Ran \d+ tests? in [\d.]+s
OK(?: \(.*\))?|[.sx]+(?: +\[ *\d+%\])?|(?:=+ )?\d+ passed(?:, .*)? in [\d.]+s.*
"""
_KNOWN = re.compile(
    "|".join((*(row for row in _PATTERNS.splitlines() if row and not row.startswith("//")), _ALIGNED))
)
_SUMMED = re.compile(r"(?:=+ )?\d+ (?:passed|failed|skipped)\b.* in [\d.]+s(?: \(.*\))?(?: =+)?$")
_BLOCKS = (
    (re.compile(r"##\[group\]|::group::"), re.compile(r"##\[endgroup\]|::endgroup::")),
    (
        re.compile(r"=+ (?:test session starts|warnings summary|slowest .*|PASSES|tests coverage) =+$"),
        _SUMMED,
    ),
)
"""Where a tool marks both ends of its output, everything between them is its own."""
_POINTED = re.compile(r" +--> \S+:\d+:\d+$")
_UNDER = re.compile(
    r" *\d* +[|+~-](?: .*)?$| *\d+ *[|+~-].*$| *\.\.\.$| += (?:note|help|warning): |(?:note|help): | +::: "
)
"""What rustc and ruff draw below the place they point at."""


def first_stranger(log: ReadableLog) -> LogLine | None:
    """Return the first line that is of no tool known here. A line in a Markdown fence always is one."""
    is_pointed = False
    for line in _outside_blocks(log.lines):
        is_pointed = bool(_POINTED.match(line.text) or (is_pointed and _UNDER.match(line.text)))
        if not is_pointed and not _is_known(line.text):
            return line
    return next(iter(log.quoted), None)


def _outside_blocks(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """Leave out whole blocks. The lines of a block that is never closed stay."""
    held: list[LogLine] = []
    end: re.Pattern[str] | None = None
    for line in lines:
        if end is None:
            end = next((close for begin, close in _BLOCKS if begin.match(line.text)), None)
            if end is None:
                yield line
        else:
            held.append(line)
            if end.match(line.text):
                held, end = [], None
    yield from held


def _is_known(text: str) -> bool:
    row = text.rstrip()
    if not row or _KNOWN.fullmatch(row) or _is_command(row):
        return True
    heading = _HEADING.match(row)  # of a step in a script, such as `== ruff check . ==`
    return heading is not None and _are_arguments(heading[1].split(" "))


def _is_command(row: str) -> bool:
    """Check whether a row shows a command: behind a prompt any, elsewhere one that reads as nothing else."""
    if prompt := _PROMPT.match(row):
        first = row[prompt.end() :].split()[0]
        return bool(_TOOL.fullmatch(first) or _SHELL.fullmatch(first))
    shown = _SHOWN.match(row)
    words = row[shown.end() if shown else 0 :].split(" ")
    while words and _ASSIGNED.fullmatch(words[0]):
        del words[0]
    return bool(words and _TOOL.fullmatch(words[0])) and _are_arguments(words[1:])


def _are_arguments(words: list[str]) -> bool:
    return all(_WORD.fullmatch(word) or _TOOL.fullmatch(word) for word in words)
