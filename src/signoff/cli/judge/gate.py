"""The action of `signoff gate`."""

import os
from contextlib import ExitStack

from signoff.cli.shared.command import Options, Output, as_document
from signoff.cli.shared.files import json_text, read_file, replace_file
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.evidence.gates import GateName, GateReport
from signoff.domain.work.contract import Contract
from signoff.gates.compared_trees import GateRunner
from signoff.gates.gate_baseline import as_baseline, read_baseline, with_known
from signoff.gates.gate_run import OF_CONTRACT, QUICK, RUNNING, GateRequest, run_gates
from signoff.gates.gate_text import gate_document, gate_text
from signoff.wiring import change_here, site, test_readers

EXIT_CODES = {True: 0, False: 1, None: 5}


def run(options: Options, say: Output) -> int:
    """Run the gates and print what they found."""
    if options.json and options.format not in (None, "json"):
        raise UsageError("--json and --format exclude each other", slug="usage", fix="keep one of them")
    gates = _chosen(options)
    known = _known(options.baseline) if options.baseline else frozenset()
    contract = _contract(options.contract) if options.contract else None
    report = with_known(_report(options, gates, contract, say), known)
    if options.write_baseline:
        written = as_baseline(report)
        import msgspec

        replace_file(options.write_baseline, json_text(msgspec.to_builtins(written)))
        report = with_known(report, {one.fingerprint for one in written.findings})
        say.note(f"wrote {options.write_baseline}: {len(written.findings)} known findings")
    _tell(report, "json" if options.json else options.format or "text", say)
    return EXIT_CODES[report.ok]


def _chosen(options: Options) -> tuple[GateName, ...]:
    """Return the gates to run, in the order of `GateName`.

    `--only` replaces the set that the other options ask for, and `--skip` takes away from either.
    """
    only, skip = _named(options.only), _named(options.skip)
    if not options.contract and (lost := [name for name in only if name in OF_CONTRACT]):
        raise UsageError(f"the gate {lost[0]} needs a contract", slug="usage", fix="add --contract FILE")
    asked = {*QUICK, *(OF_CONTRACT if options.contract else ()), *(RUNNING if options.tests else ())}
    chosen = {*only} or asked
    gates = tuple(name for name in GateName if name in chosen and name not in skip)
    if not gates:
        raise UsageError("no gate is left to run", slug="usage", fix="leave out --only or --skip")
    return gates


def _named(words: list[str] | None) -> list[GateName]:
    for word in words or ():
        if word not in list(GateName):
            raise UsageError(f"there is no gate {word}", slug="usage", fix=f"one of {', '.join(GateName)}")
    return [GateName(word) for word in words or ()]


def _known(path: str) -> frozenset[str]:
    found = read_baseline(read_file(path))
    if found.problem:
        raise ConfigError(
            f"{path} is not a baseline",
            slug="baseline-invalid",
            why=found.problem,
            fix="write a new one with --write-baseline",
        )
    return found.fingerprints


def _contract(path: str) -> Contract:
    from signoff.cli.shared.contract_files import contract_of, usable

    return contract_of(usable(path, read_file(path)), path)


def _report(
    options: Options, gates: tuple[GateName, ...], contract: Contract | None, say: Output
) -> GateReport:
    with ExitStack() as stack:
        trees = stack.enter_context(change_here(options.root, options.base))

        def runner() -> GateRunner:
            here = stack.enter_context(site(trees.root))
            return GateRunner(here.checks, here.clock)

        own = (options.contract, options.baseline, options.write_baseline)
        for path in _inside(trees.root, (options.baseline,)):
            if trees.read(trees.base, path) != trees.read(trees.final, path):
                say.note(f"the change edits its own baseline {path}: review that file too")
        asked = GateRequest(gates, test_readers, contract, _inside(trees.root, own))
        return run_gates(trees, asked, runner)


def _inside(root: str, paths: tuple[str | None, ...]) -> tuple[str, ...]:
    top = os.path.realpath(root)
    full = [os.path.realpath(path) for path in paths if path and path != "-"]
    return tuple(os.path.relpath(path, top) for path in full if path.startswith(top + os.sep))


def _tell(report: GateReport, form: str, say: Output) -> None:
    match form:
        case "sarif":
            from signoff import __version__
            from signoff.gates.gate_sarif import gate_sarif

            text = as_document(gate_sarif(report, __version__)).rstrip("\n")
        case "junit":
            from signoff.gates.gate_junit import gate_junit

            text = gate_junit(report).rstrip("\n")
        case "github":
            from signoff.gates.github_annotations import annotations

            text = annotations(report)
        case "json":
            say.as_json = True
            text = ""
        case _:
            text = gate_text(report)
    say.result(gate_document(report), text)
