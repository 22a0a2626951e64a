"""`signoff contract show`: a contract as a person reads it, as we read it, or in its own format."""

from signoff.cli.shared.command import Options, Output, as_document
from signoff.cli.shared.contract_files import usable
from signoff.cli.shared.files import read_file
from signoff.contracts.files.plan_contract_format import as_plan_contract
from signoff.contracts.pages.contract_page import contract_page
from signoff.contracts.pages.sprint_page import sprint_page
from signoff.domain.work.contract import Contract
from signoff.domain.work.sprints import Sprint
from signoff.text.json.camel_case import JsonObject, to_camel, to_snake


def show(options: Options, say: Output) -> int:
    """Print the page, or the document.

    Without --format a person gets the page and a program the document.
    """
    judged = usable(options.file, read_file(options.file))
    value, raw = judged.document.value, judged.document.raw
    assert value is not None
    assert raw is not None
    match options.format or ("json" if say.as_json else "md"):
        case "md":
            page = contract_page(value, raw) if isinstance(value, Contract) else sprint_page(value)
            say.result({"format": "md", "page": page}, page.rstrip("\n"))
        case "json":
            document = raw if isinstance(value, Contract) else to_snake(raw, Sprint)
            say.result(document, as_document(document).rstrip("\n"))
        case _:
            document, lost = _in_its_own_format(value, raw)
            say.result(document, as_document(document).rstrip("\n"))
            for one in lost:
                say.note(f"left out: {one}")
    return 0


def _in_its_own_format(value: Contract | Sprint, raw: JsonObject) -> tuple[object, tuple[str, ...]]:
    """Return the document for the tools it came from, and what they have no place for."""
    if isinstance(value, Contract):
        ours = to_snake(raw, Contract)
        assert isinstance(ours, dict)
        return as_plan_contract(ours)
    return to_camel(raw, Sprint), ()
