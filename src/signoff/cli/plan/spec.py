"""The action of `signoff spec`."""

from signoff.cli.shared.command import Options, Output, as_document
from signoff.cli.shared.files import read_file
from signoff.cli.shared.violations import counted, listing
from signoff.contracts.files.document_files import Document, has_errors, read_spec
from signoff.domain.base.errors import UsageError
from signoff.domain.work.spec import Spec
from signoff.specs.replan_rules import check_replan
from signoff.specs.spec_lifecycle import is_ready, open_questions, replan_due
from signoff.specs.spec_rules import check_document
from signoff.text.json.camel_case import to_camel, to_snake

_OPTIONS = {
    "replan_of": "check",
    "file": "answer",
    "by": "answer",
    "evidence": "answer",
    "format": "show",
}


def run(options: Options, say: Output) -> int:
    """Run the action that was named."""
    for name, action in _OPTIONS.items():
        if getattr(options, name) and options.action != action:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} goes with `spec {action}`", slug="usage", fix="leave it out")
    match options.action:
        case "check":
            return _check(options, say)
        case "show":
            return _show(options, say)
        case "answer":
            from signoff.cli.shared.spec_answer import answer

            return answer(options, say)
        case _:
            from signoff.cli.plan.spec_migrate import migrate_files

            return migrate_files(options, say)


def _check(options: Options, say: Output) -> int:
    if len(options.words) > 1:
        raise UsageError("one spec at a time", slug="usage", fix="signoff spec check FILE")
    (path,) = options.words
    document = read_spec(read_file(path))
    spec = document.value
    violations = check_document(document)
    if spec is not None and options.replan_of:
        old = _read(options.replan_of).value
        assert old is not None
        violations += document.placed(check_replan(old, spec))
    ok = not has_errors(violations)
    ready = ok and spec is not None and is_ready(spec)
    result: dict[str, object] = {
        "ok": ok,
        "ready": ready,
        "status": spec.status if spec else None,
        "open_questions": [question.question_id for question in open_questions(spec)] if spec else [],
        "replan_due": spec is not None and replan_due(spec),
        "violations": violations,
    }
    count = str(counted(violations))
    word = ("ready" if ready else f"valid, {spec.status}") if ok and spec else "invalid"
    say.result(result, listing(f"{path}: {word}{' (' + count + ')' if count else ''}", violations))
    if not document.is_readable:
        return 2  # not even readable; a spec that breaks a rule ends with 1
    return 0 if ok else 1


def _show(options: Options, say: Output) -> int:
    (path,) = options.words if len(options.words) == 1 else ("",)
    if not path:
        raise UsageError("one spec at a time", slug="usage", fix="signoff spec show FILE")
    raw = _read(path).raw
    spelt = to_camel(raw, Spec) if options.format == "seed" else to_snake(raw, Spec)
    say.result(spelt, as_document(spelt).rstrip("\n"))
    return 0


def _read(path: str) -> Document[Spec]:
    from signoff.cli.shared.contract_files import unusable

    found = read_spec(read_file(path))
    if found.value is None:
        raise unusable(path, found.violations, "spec-invalid", "is not a spec")
    return found
