"""Check a spec, answer its questions, bring older ones up to date.

  check FILE        shape and cross-field rules, in snake_case or camelCase. Exit 0 valid, 1 invalid, 2
                    unreadable. --replan-of OLD: it must cite the answers that were given to OLD.
  answer ID [QUESTION] [ANSWER]
                    resolve open questions. On a terminal, without ANSWER, it asks them one by one;
                    elsewhere it exits 3. --file takes {"Q1": "answer", ...}.
  migrate FILE...   rewrite older shapes; what is in shape already is not touched.
  show FILE         the document in our spelling; --format seed gives it in camelCase.

ID is a file, or the id of a spec in .signoff/specs or .bober/specs. The last answer makes a spec ready, or
due for a re-plan while it has no features.

examples:
  signoff spec check .signoff/specs/checkout.json
  signoff spec answer checkout
  signoff spec answer checkout Q1 "Only signed-in customers"
  signoff spec answer checkout --file answers.json --json
  signoff spec migrate .bober/specs/*.json
"""

import argparse

from signoff.cli.command import Options, Say, as_document
from signoff.cli.files import read_file
from signoff.cli.violations import counted, listing
from signoff.core.formats.documents import Document, has_errors, read_spec
from signoff.core.formats.spelling import to_camel, to_snake
from signoff.core.replanning import check_replan
from signoff.core.spec_life import is_ready, open_questions, replan_due
from signoff.core.spec_rules import check_document
from signoff.domain.errors import UsageError
from signoff.domain.spec import Spec

ACTIONS = ("check", "answer", "migrate", "show")
_OPTIONS = {
    "replan_of": "check",
    "file": "answer",
    "by": "answer",
    "evidence": "answer",
    "format": "show",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("words", nargs="+", metavar="WORD", help="FILE, ID [QUESTION] [ANSWER], or FILE...")
    parser.add_argument("--replan-of", metavar="OLD", help="check: the spec this one is a re-plan of")
    parser.add_argument("--file", metavar="FILE", help="answer: a file of answers; - is standard input")
    parser.add_argument(
        "--by",
        choices=("user", "planner"),
        help="answer: user if not given; a planner needs --evidence",
    )
    parser.add_argument("--format", choices=("json", "seed"), help="show: json if not given")
    parser.add_argument("--evidence", metavar="TEXT", help="answer: where in the code the planner found it")


def run(options: Options, say: Say) -> int:
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
            from signoff.cli.spec_answering import answer

            return answer(options, say)
        case _:
            from signoff.cli.spec_migrating import migrate_files

            return migrate_files(options, say)


def _check(options: Options, say: Say) -> int:
    if len(options.words) > 1:
        raise UsageError("one spec at a time", slug="usage", fix="signoff spec check FILE")
    (path,) = options.words
    document = read_spec(read_file(path))
    spec = document.value
    violations = check_document(document)
    if spec is not None and options.replan_of:
        violations += document.placed(check_replan(_old(options.replan_of), spec))
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
        return 2
    return 0 if ok else 1


def _show(options: Options, say: Say) -> int:
    (path,) = options.words if len(options.words) == 1 else ("",)
    if not path:
        raise UsageError("one spec at a time", slug="usage", fix="signoff spec show FILE")
    raw = _read(path).raw
    spelt = to_camel(raw, Spec) if options.format == "seed" else to_snake(raw, Spec)
    say.result(spelt, as_document(spelt).rstrip("\n"))
    return 0


def _old(path: str) -> Spec:
    spec = _read(path).value
    assert spec is not None
    return spec


def _read(path: str) -> Document[Spec]:
    from signoff.cli.contract_files import unusable

    found = read_spec(read_file(path))
    if found.value is None:
        raise unusable(path, found.violations, "spec-invalid", "is not a spec")
    return found
