"""The action of `signoff contract`."""

import contextlib
import os

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import project_root, read_file
from signoff.cli.shared.violations import counted, listing
from signoff.contracts.files.contract_file_check import ContractJudged, judge_contract, with_link_escapes
from signoff.contracts.files.contract_seal import SealCode, broken_seal, seal_of, sealed
from signoff.contracts.files.document_files import is_sprint, read_contract
from signoff.domain.base.errors import ConflictError, UsageError
from signoff.domain.work.contract import ContractPolicy
from signoff.domain.work.sprints import Sprint
from signoff.wiring import link_escapes

_OPTIONS = {
    "policy": ("check",),
    "plan": ("check", "verify"),
    "format": ("show",),
    "output": ("compile",),
    "refresh": ("compile",),
    "upgrade": ("compile",),
    "task": ("verify",),
    "citations": ("verify",),
    "base": ("verify",),
    "out": ("verify",),
    "again": ("seal",),
}
"""Which action an option belongs to."""
_LARGEST_SIBLING = 1_000_000


def run(options: Options, say: Output) -> int:
    """Run the action that was named."""
    _refuse_foreign_options(options)
    match options.action:
        case "check":
            return _check(options, say)
        case "show":
            from signoff.cli.plan.contract_show import show

            return show(options, say)
        case "compile":
            from signoff.cli.plan.contract_compile import compile_file

            return compile_file(options, say)
        case "verify":
            from signoff.cli.plan.contract_verify import verify

            return verify(options, say)
        case _:
            return _seal(options, say)


def _refuse_foreign_options(options: Options) -> None:
    for name, actions in _OPTIONS.items():
        if getattr(options, name) and options.action not in actions:
            flag = "-o" if name == "output" else f"--{name}"
            raise UsageError(
                f"{flag} does not belong to `contract {options.action}`",
                slug="usage",
                fix=f"leave it out; it goes with {' and '.join(actions)}",
            )


def _check(options: Options, say: Output) -> int:
    policy = ContractPolicy(options.policy or ContractPolicy.STRICT)
    data = read_file(options.file)
    plan = read_file(options.plan) if options.plan else None
    judged = judge_contract(data, policy, plan=plan, siblings=lambda: _siblings(options.file))
    if policy is ContractPolicy.STRICT:
        judged = with_link_escapes(judged, link_escapes(project_root(options.root)))
    word = "valid" if judged.ok else "refused" if judged.is_refused else "invalid"
    count = str(counted(judged.violations))
    head = f"{options.file}: {word} ({policy}{', ' + count if count else ''})"
    say.result(_check_document(judged, policy), listing(head, judged.violations))
    if judged.is_refused:
        return 2
    return 0 if judged.ok else 1


def _check_document(judged: ContractJudged, policy: ContractPolicy) -> dict[str, object]:
    raw = judged.document.raw
    return {
        "ok": judged.ok,
        "kind": None if raw is None else "sprint" if is_sprint(raw) else "contract",
        "policy": policy,
        "digest": None if raw is None else seal_of(raw),
        "drift": judged.drift,
        "violations": judged.violations,
    }


def _siblings(path: str) -> tuple[Sprint, ...]:
    """Read the other sprint contracts of the folder. Dependencies between sprints are judged among them."""
    if path == "-":
        return ()
    folder, name = os.path.split(os.path.abspath(path))
    found: list[Sprint] = []
    for other in sorted(os.listdir(folder)):
        place = os.path.join(folder, other)
        # Whatever else lies there is none of our business, and must not keep this one from being judged.
        if other.endswith(".json") and other != name and os.path.isfile(place):
            if os.path.getsize(place) > _LARGEST_SIBLING:
                continue
            with contextlib.suppress(UsageError):
                value = read_contract(read_file(place)).value
                found += [value] if isinstance(value, Sprint) else []
    return tuple(found)


def _seal(options: Options, say: Output) -> int:
    """Write the seal into the file.

    Refused are a contract that breaks a rule, and without --again one that was changed after it was sealed.
    """
    from signoff.cli.shared.files import json_text, replace_file

    if options.file == "-":
        raise UsageError("a seal is written into a file", slug="usage", fix="signoff contract seal FILE")
    judged = judge_contract(read_file(options.file))
    raw = judged.document.raw
    broken = broken_seal(raw) if raw is not None else None
    if broken is not None and not options.again:
        raise ConflictError(
            f"{options.file} is sealed already: {broken.message}",
            slug=broken.code,
            fix=f"look at the change, then `signoff contract seal {options.file} --again`",
        )
    violations = tuple(v for v in judged.violations if v.code != SealCode.SEAL_BROKEN)
    if raw is None or judged.document.value is None or counted(violations).errors:
        say.result(
            {"ok": False, "seal": None, "violations": violations},
            listing(f"{options.file}: not sealed", violations),
        )
        return 2 if not judged.document.is_readable else 1
    done = sealed(raw)
    if done != raw:
        replace_file(options.file, json_text(done))
    say.result(
        {"ok": True, "seal": done["seal"], "violations": violations},
        listing(f"{options.file}: sealed under {done['seal']}", violations),
    )
    return 0
