"""Table of the compilers, bundlers, linters and type checkers whose logs can be read.

Pure. Several of them print nothing when all is well (tsc, eslint, go build, go vet): silence is what a tool
that never ran leaves behind too, so it shows nothing, and their success needs a report.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from signoff.domain.evidence.receipts import Counts
from signoff.judges.evidence.log_interpreter import Hit, LogBlock, Sign, compiled, sorted_lines
from signoff.judges.evidence.log_lines import LogLine
from signoff.judges.evidence.log_runs import Claim, Run, RunEnding, number

_BUILD = (Claim.BUILD,)
_LINT = (Claim.LINT,)


class Tool(NamedTuple):
    """How the log of one tool is read: a row of the table, whose signs have these names.

    `sum`: how many `errors` there were, so that 0 is a success. `error`: one error, which counts where no sum
    is. `broken`: it could not do its work. `done`: success. `listed`: a finding, beside which no success is
    believed. `empty`: there was nothing to look at. `begun`: it started. `called`: a shell shows its command.
    A group `files` holds how many files it looked at.
    """

    name: str
    kinds: tuple[Claim, ...]
    signs: tuple[Sign, ...]
    cut: str
    """What is missing where it began and did not end."""
    is_silent: bool = False
    """It prints nothing when it succeeds."""
    is_one_line: bool = False
    """Its success is one line that anybody can write."""
    ends_each_time: bool = False
    """It writes an end for every beginning."""


def _command(program: str) -> str:
    """Return the pattern of a line in which a script runner or a shell shows that it calls a program."""
    return rf"[>$+] (?:npx |pnpm exec |yarn |\S*/)?{program}(?: |$)"


_TIME = r"(?:\[?[\d:]+ ?(?:[AP]M)?\]? - )?"
_MYPY_CHECKED = r"\((?:checked \d+ source files?|errors prevented)"
_WEBPACK = r"(?:\S.{0,80} \()?webpack \d+\.\d+\.\d+\S* compiled "

TOOLS = (
    Tool(
        "tsc",
        _BUILD,
        compiled(
            ("error", r"(?:\S.{0,300}\(\d+,\d+\): |\S.{0,300}:\d+:\d+ - )?error TS\d+: "),
            ("begun", r"\[?[\d:]+ ?(?:[AP]M)?\]? - Starting (?:incremental )?compilation"),
            ("called", _command("(?:vue-)?tsc")),
            ("sum", _TIME + r"Found (?P<errors>\d+) errors?\b.*$", "after begun called"),
            ("size", r"Files: +(?P<files>\d+)$"),
            ("begun", r"Check time: +[\d.]+s$"),
            ("done", r"Total time: +[\d.]+s$", "after begun"),
        ),
        cut="a compilation without its end",
        is_silent=True,
    ),
    Tool(
        "eslint",
        _LINT,
        compiled(
            ("sum", r"✖ (?P<all>\d+) problems? \((?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?\)$"),
            ("broken", r"ESLint found too many warnings|Oops! Something went wrong!"),
            ("done", r"✔ No ESLint warnings or errors$"),  # Next.js speaks where eslint does not
            ("begun", r" +\d+:\d+ +(?:error|warning) +\S"),
            ("called", _command("eslint")),
        ),
        cut="problems without their sum",
        is_silent=True,
        is_one_line=True,
    ),
    Tool(
        "vite",
        _BUILD,
        compiled(
            ("begun", r"vite v\d+\.\d+\.\d+\S* building "),
            ("broken", r"✗ Build failed|error during build:", "after begun"),
            ("done", r"✓ built in [\d.]+m?s$", "after begun"),
        ),
        cut="a build without its end",
        ends_each_time=True,
    ),
    Tool(
        "webpack",
        _BUILD,
        compiled(
            ("sum", _WEBPACK + r"with (?:\d+ warnings? and )?(?P<errors>\d+) errors?"),
            ("done", _WEBPACK + r"(?:successfully|with \d+ warnings?)"),
        ),
        cut="",
        is_one_line=True,
    ),
    Tool(
        "next",
        _BUILD,
        compiled(
            ("begun", r" *▲ Next\.js \d+\.\d+"),
            ("broken", r"Failed to compile|> Build (?:error|failed)|Build error occurred", "after begun"),
            ("compiled", r" *✓ Compiled successfully", "after begun"),
            ("done", r"Route \((?:app|pages)\)", "after compiled"),
        ),
        cut="a build without its routes",
    ),
    Tool(
        "ruff",
        _LINT,
        compiled(
            ("done", r"All checks passed!$"),
            ("sum", r"Found \d+ errors? \(\d+ fixed, (?P<errors>\d+) remaining\)\.$"),
            ("sum", r"Found (?P<errors>[1-9]\d*) errors?\.$"),
            ("sum", r"(?P<errors>\d+) files? would be reformatted(?:, \d+ files? already formatted)?$"),
            ("done", r"(?P<files>\d+) files? already formatted$"),
            ("empty", r"warning: No Python files found"),
            ("listed", r"(?:\S.{0,300}:\d+:\d+: )?[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S"),
            ("called", _command("ruff")),
        ),
        cut="findings without their sum",
        is_silent=True,
        is_one_line=True,
    ),
    Tool(
        "mypy",
        (Claim.BUILD, Claim.LINT),
        compiled(
            ("empty", r"Success: no issues found in 0 source files$"),
            ("done", r"Success: no issues found in (?P<files>\d+) source files?$"),
            ("sum", r"Found (?P<errors>\d+) errors? in \d+ files? " + _MYPY_CHECKED),
            ("listed", r"\S.{0,300}?:\d+(?::\d+)?: error: "),
            ("called", _command("mypy")),
        ),
        cut="errors without their sum",
        is_one_line=True,
    ),
)
"""`cargo` and `go` are read by functions of their own: what their lines mean depends on the command."""


def read_tools(lines: tuple[LogLine, ...]) -> tuple[Run, ...]:
    """Return what each tool has to say, one run per tool."""
    runs = [_settle(tool, sorted_lines(tool.name, tool.signs, lines)) for tool in TOOLS]
    runs += [_cargo(lines), _go(lines)]
    return tuple(run for run in runs if run is not None)


def _settle(tool: Tool, block: LogBlock) -> Run | None:
    """Decide how a tool's work ended: errors first, then what contradicts a success, then what is missing.

    The branches are ordered by how certain they are: a listed error outweighs every summary, and a success
    is believed only if its figures add up. A log without an end is CUT, or SILENT for tools that print
    nothing when all is well.
    """
    seen, ends = block.seen, block.of("done", "sum")
    errors = sum(_figure(hit, "errors") for hit in block.of("sum")) or block.count("error")
    # The sum of eslint must be that of its parts. Other sums have no parts.
    adds_up = all(
        _figure(hit, "all") in (0, _figure(hit, "errors") + _figure(hit, "warnings")) for hit in ends
    )
    is_short = tool.ends_each_time and len(ends) < block.count("begun")
    end, detail = RunEnding.GREEN, ""
    if errors or "broken" in seen:
        end, errors = RunEnding.RED, max(errors, 1)
    elif ends and ("listed" in seen or not adds_up):
        end, detail = RunEnding.TORN, "findings or figures that do not go with a success"
    elif "empty" in seen:
        end, detail = RunEnding.EMPTY, "no files were found"
    elif (not ends and ("begun" in seen or {"listed", "called"} <= seen)) or is_short:
        end, detail = RunEnding.CUT, tool.cut
    elif not ends and tool.is_silent and "called" in seen:
        end = RunEnding.SILENT
    elif not ends:
        return None
    files = sum(_figure(hit, "files") for hit in block.hits)
    run = _run(
        tool.name, tool.kinds, end, ends or block.of("error"), errors=errors, files=files, detail=detail
    )
    return replace(run, is_one_line=tool.is_one_line)


def _figure(hit: Hit, name: str) -> int:
    return number(hit.match.groupdict().get(name) or "0")


def _run(
    name: str,
    kinds: tuple[Claim, ...],
    end: RunEnding,
    ends: Sequence[Hit] = (),
    *,
    errors: int = 0,
    files: int = 0,
    detail: str = "",
) -> Run:
    counts = Counts(
        collected=files, passed=max(0, files - errors) if end is RunEnding.GREEN else 0, errors=errors
    )
    line = ends[-1].line if ends else 0
    return Run(runner=name, kinds=kinds, end=end, counts=counts, line=line, detail=detail)


# --- Rust, Go: what a line means depends on the command ---

_CARGO_SIGNS = compiled(
    ("begun", r" {0,8}(?:Compiling|Checking) \S+ v\d"),
    ("done", r" {0,8}Finished (`?[\w.-]+`?)(?: profile)? (?:\[.*\] )?(?:target\(s\) )?in [\d.ms ]+$"),
    ("error", r"error(?:\[E\d+\])?: (?!test failed|doctest failed|\d+ targets? failed)"),
    ("clippy", _command(r"cargo (?:\+\S+ )?clippy")),
    # How CI systems and make show a command.
    ("clippy", r"(?:(?:##\[(?:group|command)\])?Run |##\[command\])?cargo (?:\+\S+ )?clippy(?: |$)"),
    ("clippy", r".{0,300}\bclippy::|warning: .{0,300}`cargo clippy |.{0,300}\bclippy-driver\b"),
    ("called", _command("cargo")),
)


def _cargo(lines: tuple[LogLine, ...]) -> Run | None:
    """Read cargo's build lines, which cargo check and clippy print too: only a name tells clippy apart."""
    block = sorted_lines("cargo", _CARGO_SIGNS, lines)
    errors, done = block.of("error"), block.of("done")
    texts = [hit.match.string for hit in errors]
    kinds = _LINT if "clippy" in block.seen or any("clippy::" in text for text in texts) else _BUILD
    is_rustc = any(text.startswith("error[") or "could not compile" in text for text in texts)
    if errors and (is_rustc or block.seen & {"begun", "called", "clippy"}):
        count = sum("could not compile" not in text for text in texts) or 1
        run = _run("cargo", kinds, RunEnding.RED, errors, errors=count)
    elif done and all(hit.match[1].strip("`") == "test" for hit in done):
        return None  # built for `cargo test`, which says itself how it ended
    elif done:
        run = _run("cargo", kinds, RunEnding.GREEN, done)
    elif "begun" in block.seen:
        run = _run("cargo", kinds, RunEnding.CUT, detail="a build without `Finished`")
    else:
        return None
    return replace(run, is_one_line=True)


_GO_SIGNS = compiled(
    ("error", r"(?:vet: )?(?:\./|\.\./|[\w.-]+/)*[\w.-]+\.go:\d+:\d+: \S"),
    ("package", r"# \S+(?: \[\S+\])?$"),
    ("test", r"(?:FAIL|ok|\?)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[)|=== RUN "),
    ("build", _command("go build")),
    ("vet", _command("go vet")),
    ("vetted", r"vet: "),
)


def _go(lines: tuple[LogLine, ...]) -> Run | None:
    """Read errors of `go build` and `go vet`. The same lines in a test run belong to `go test`."""
    block = sorted_lines("go", _GO_SIGNS, lines)
    errors = block.of("error")
    is_vet = bool(block.seen & {"vet", "vetted"}) or any(hit.match[0].startswith("vet: ") for hit in errors)
    name, kinds = ("go vet", _LINT) if is_vet else ("go build", _BUILD)
    if errors and (is_vet or "package" in block.seen) and "test" not in block.seen:
        return _run(name, kinds, RunEnding.RED, errors, errors=len(errors))
    if "build" in block.seen:
        return _run("go build", _BUILD, RunEnding.SILENT)
    return _run("go vet", _LINT, RunEnding.SILENT) if "vet" in block.seen else None
