"""Read what compilers, bundlers, linters and type checkers print.

Pure. Several of them say nothing when all is well (tsc, eslint, go build, go vet): silence is what a tool
that never ran leaves behind too, so it shows nothing, and their success needs a report.
"""

import re
from collections.abc import Callable

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import Claim, End, Run, number
from signoff.domain.receipts import Counts

Lines = tuple[Line, ...]
_BUILD = (Claim.BUILD,)
_LINT = (Claim.LINT,)
_TYPES = (Claim.BUILD, Claim.LINT)
_ONE_LINE = ("ruff", "mypy", "cargo", "webpack", "eslint")


def read(lines: Lines) -> tuple[Run, ...]:
    """Give what each tool has to say, one run per tool."""
    return tuple(run for reader in _READERS if (run := reader(lines)) is not None)


def _first(lines: Lines, pattern: str) -> re.Match[str] | None:
    compiled = re.compile(pattern)
    return next((match for line in lines if (match := compiled.match(line.text))), None)


def _all(lines: Lines, pattern: str) -> list[tuple[int, re.Match[str]]]:
    compiled = re.compile(pattern)
    return [(line.number, match) for line in lines if (match := compiled.match(line.text))]


def _run(
    runner: str,
    kinds: tuple[Claim, ...],
    end: End,
    line: int = 0,
    *,
    errors: int = 0,
    files: int = 0,
    detail: str = "",
) -> Run:
    counts = Counts(collected=files, passed=max(0, files - errors) if end is End.GREEN else 0, errors=errors)
    return Run(
        runner=runner,
        kinds=kinds,
        end=end,
        counts=counts,
        line=line,
        detail=detail,
        is_one_line=runner in _ONE_LINE,
    )


def _called(lines: Lines, program: str) -> bool:
    """Say whether a script runner or a shell shows that it calls the program."""
    return _first(lines, rf"[>$+] (?:npx |pnpm exec |yarn |\S*/)?{program}(?: |$)") is not None


# --- TypeScript, JavaScript ---


def _tsc(lines: Lines) -> Run | None:
    errors = _all(lines, r"(?:\S.{0,300}\(\d+,\d+\): |\S.{0,300}:\d+:\d+ - )?error TS\d+: ")
    found = _all(lines, r"(?:\[?[\d:]+ ?(?:[AP]M)?\]? - )?Found (\d+) errors?\b.*$")
    if errors:
        last = max(line for line, _ in errors)
        return _run("tsc", _BUILD, End.RED, last, errors=len(errors))
    watched = _all(lines, r"\[?[\d:]+ ?(?:[AP]M)?\]? - Starting (?:incremental )?compilation")
    timed = _first(lines, r"Check time: +[\d.]+s$")
    total = _all(lines, r"Total time: +[\d.]+s$")
    if (watched or _called(lines, "(?:vue-)?tsc")) and found:
        line, match = found[-1]
        return _run("tsc", _BUILD, End.RED if number(match[1]) else End.GREEN, line, errors=number(match[1]))
    if timed and total:
        files = _first(lines, r"Files: +(\d+)$")
        return _run("tsc", _BUILD, End.GREEN, total[-1][0], files=number(files[1]) if files else 0)
    if watched or timed:
        return _run("tsc", _BUILD, End.CUT, detail="a compilation without its end")
    if _called(lines, "(?:vue-)?tsc"):
        return _run("tsc", _BUILD, End.SILENT)
    return None


def _eslint(lines: Lines) -> Run | None:
    summed = _all(lines, r"✖ (\d+) problems? \((\d+) errors?, (\d+) warnings?\)$")
    too_many = _first(lines, r"ESLint found too many warnings")
    broke = _first(lines, r"Oops! Something went wrong!")
    errors = sum(number(match[2]) for _, match in summed)
    if summed:
        torn = any(number(m[1]) != number(m[2]) + number(m[3]) for _, m in summed)
        end = End.RED if errors or too_many else End.TORN if torn else End.GREEN
        return _run("eslint", _LINT, end, summed[-1][0], errors=errors)
    if clean := _all(lines, r"✔ No ESLint warnings or errors$"):  # Next.js speaks where eslint does not
        return _run("eslint", _LINT, End.GREEN, clean[-1][0])
    if broke:
        return _run("eslint", _LINT, End.RED, errors=1, detail="eslint could not run")
    if _first(lines, r" +\d+:\d+ +(?:error|warning) +\S"):
        return _run("eslint", _LINT, End.CUT, detail="problems without their sum")
    return _run("eslint", _LINT, End.SILENT) if _called(lines, "eslint") else None


def _vite(lines: Lines) -> Run | None:
    begun = _all(lines, r"vite v\d+\.\d+\.\d+\S* building ")
    built = _all(lines, r"✓ built in [\d.]+m?s$")
    if not begun:
        return None
    if _first(lines, r"✗ Build failed|error during build:"):
        return _run("vite", _BUILD, End.RED, errors=1)
    if len(built) < len(begun):
        return _run("vite", _BUILD, End.CUT, detail="a build without its end")
    return _run("vite", _BUILD, End.GREEN, built[-1][0])


def _webpack(lines: Lines) -> Run | None:
    done = _all(
        lines,
        r"(?:\S.{0,80} \()?webpack \d+\.\d+\.\d+\S* compiled (successfully|with \d+ \w+(?: and \d+ \w+)?)",
    )
    if not done:
        return None
    errors = sum(number(n) for _, match in done for n in re.findall(r"(\d+) errors?\b", match[1]))
    return _run("webpack", _BUILD, End.RED if errors else End.GREEN, done[-1][0], errors=errors)


def _next(lines: Lines) -> Run | None:
    if not _first(lines, r" *▲ Next\.js \d+\.\d+"):
        return None
    if _first(lines, r"Failed to compile|> Build (?:error|failed)|Build error occurred"):
        return _run("next", _BUILD, End.RED, errors=1)
    routes = _all(lines, r"Route \((?:app|pages)\)")
    if routes and _first(lines, r" *✓ Compiled successfully"):
        return _run("next", _BUILD, End.GREEN, routes[-1][0])
    return _run("next", _BUILD, End.CUT, detail="a build without its routes")


# --- Python ---


def _ruff(lines: Lines) -> Run | None:
    good = _all(lines, r"All checks passed!$")
    bad = _all(lines, r"Found ([1-9]\d*) errors?(?: \((\d+) fixed, (\d+) remaining\))?\.$")
    unformatted = _all(lines, r"(\d+) files? would be reformatted(?:, \d+ files? already formatted)?$")
    formatted = _all(lines, r"(\d+) files? already formatted$")
    errors = sum(number(match[3] or (match[1] if match[3] is None else "0")) for _, match in bad)
    errors += sum(number(match[1]) for _, match in unformatted)
    if errors:
        return _run("ruff", _LINT, End.RED, max(line for line, _ in (*bad, *unformatted)), errors=errors)
    ended = [line for line, _ in (*good, *bad, *formatted)]
    if not ended:
        return _run("ruff", _LINT, End.SILENT) if _called(lines, "ruff") else None
    if _first(lines, r"warning: No Python files found"):
        return _run("ruff", _LINT, End.EMPTY, max(ended), detail="no Python files were found")
    if _first(lines, r"(?:\S.{0,300}:\d+:\d+: )?[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S"):
        return _run("ruff", _LINT, End.TORN, max(ended), detail="findings above, and all is said to be well")
    files = sum(number(match[1]) for _, match in formatted)
    return _run("ruff", _LINT, End.GREEN, max(ended), files=files)


def _mypy(lines: Lines) -> Run | None:
    good = _all(lines, r"Success: no issues found in (\d+) source files?$")
    bad = _all(lines, r"Found (\d+) errors? in \d+ files? \((?:checked (\d+) source files?|errors prevented)")
    listed = _all(lines, r"\S.{0,300}?:\d+(?::\d+)?: error: ")
    if bad:
        errors = sum(number(match[1]) for _, match in bad)
        return _run("mypy", _TYPES, End.RED, bad[-1][0], errors=errors)
    if good:
        files = sum(number(match[1]) for _, match in good)
        end = End.TORN if listed else End.GREEN if files else End.EMPTY
        return _run("mypy", _TYPES, end, good[-1][0], files=files)
    if listed and _called(lines, "mypy"):
        return _run("mypy", _TYPES, End.CUT, detail="errors without their sum")
    return None


# --- Rust, Go ---


def _cargo(lines: Lines) -> Run | None:
    begun = _all(lines, r" {0,8}(?:Compiling|Checking) \S+ v\d")
    done = _all(
        lines, r" {0,8}Finished (`?[\w.-]+`?)(?: profile)? (?:\[.*\] )?(?:target\(s\) )?in [\d.ms ]+$"
    )
    errors = _all(lines, r"error(?:\[E\d+\])?: (?!test failed|doctest failed|\d+ targets? failed)")
    kinds = _LINT if _is_clippy(lines) else _BUILD
    is_rustc = any(
        match[0].startswith("error[") or "could not compile" in match.string for _, match in errors
    )
    if (begun or is_rustc or _called(lines, "cargo")) and errors:
        counted = len([1 for _, match in errors if "could not compile" not in match.string]) or 1
        return _run("cargo", kinds, End.RED, errors[-1][0], errors=counted)
    if done:
        tested = all(match[1].strip("`") == "test" for _, match in done)
        return None if tested else _run("cargo", kinds, End.GREEN, done[-1][0])
    return _run("cargo", kinds, End.CUT, detail="a build without `Finished`") if begun else None


def _is_clippy(lines: Lines) -> bool:
    """Say whether the log names clippy: its command, its driver, one of its lints, or its advice."""
    if _called(lines, r"cargo (?:\+\S+ )?clippy") or _first(lines, rf"{_STEP}cargo (?:\+\S+ )?clippy(?: |$)"):
        return True
    return (
        _first(lines, r".{0,300}\bclippy::|warning: .{0,300}`cargo clippy |.{0,300}\bclippy-driver\b")
        is not None
    )


_STEP = r"(?:(?:##\[(?:group|command)\])?Run |##\[command\])?"
"""How CI systems and make show a command."""


def _go(lines: Lines) -> Run | None:
    errors = _all(lines, r"(?:vet: )?(?:\./|\.\./|[\w.-]+/)*[\w.-]+\.go:\d+:\d+: \S")
    package = _first(lines, r"# \S+(?: \[\S+\])?$")
    is_test = _first(lines, r"(?:FAIL|ok|\?)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[)|=== RUN ")
    vetted = _called(lines, "go vet") or _first(lines, r"vet: ") is not None
    if errors and (package or vetted) and not is_test:
        runner = "go vet" if vetted else "go build"
        return _run(runner, _LINT if vetted else _BUILD, End.RED, errors[-1][0], errors=len(errors))
    for verb, kinds in (("build", _BUILD), ("vet", _LINT)):
        if _called(lines, f"go {verb}"):
            return _run(f"go {verb}", kinds, End.SILENT)
    return None


_READERS: tuple[Callable[[Lines], Run | None], ...] = (
    _tsc,
    _eslint,
    _vite,
    _webpack,
    _next,
    _ruff,
    _mypy,
    _cargo,
    _go,
)
