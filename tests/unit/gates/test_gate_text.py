"""The gates for people and as JSON."""

from gate_reports import report

from signoff.gates.gate_text import gate_document, gate_text


def test_the_document_has_the_promised_keys() -> None:
    document = gate_document(report())

    assert document["ok"] is False
    assert [(gate["name"], gate["ok"]) for gate in document["gates"]] == [
        ("secrets", False),
        ("test-integrity", True),
        ("test-gap", True),
        ("protected-paths", None),
        ("risk", True),
    ]
    finding = document["gates"][0]["findings"][0]
    assert set(finding) == {
        *("gate", "kind", "path", "line", "symbol", "severity", "message", "fingerprint", "known")
    }


def test_the_text_names_every_gate_and_only_counts_what_is_known() -> None:
    text = gate_text(report())

    assert text.startswith("gate: FAILED, 3 files changed since 0123456789ab (main)\n")
    assert "FAILED     secrets  (1 known)" in text
    assert "known one" not in text
    assert "not judged protected-paths\n    not judged: settings are unreadable" in text
    assert "note: x.rs was not judged" in text


def test_no_message_can_begin_a_line() -> None:
    """On a build server the start of a line may be a command."""
    assert not [line for line in gate_text(report()).split("\n") if line.startswith("::")]
