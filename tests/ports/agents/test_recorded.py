"""The recorded agent: it does what the cassette says, in the checkout and nowhere else."""

from pathlib import Path

import msgspec
import pytest
from agentbench import KEY, AgentBench

from signoff.agents.recorded import RecordedAgent
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.cassettes import Cassette, CassetteEntry
from signoff.domain.run.outcomes import AgentFailure

ANSWER = b'{"kind": "done",  "summary":"caf\\u00e9"}'
PATCH = """\
--- a/shop/__init__.py
+++ b/shop/__init__.py
@@ -1 +1 @@
-\"\"\"A small shop.\"\"\"
+\"\"\"A large shop.\"\"\"
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> AgentBench:
    return AgentBench(tmp_path_factory.mktemp("bench"))


def agent(bench: AgentBench, *entries: CassetteEntry) -> RecordedAgent:
    return RecordedAgent(bench.repository, Cassette(version=1, name="test", entries=entries))


def entry(key: EffectKey = KEY, patch: str = "", files: dict[str, str | None] | None = None) -> CassetteEntry:
    return CassetteEntry(key=key, answer=msgspec.Raw(ANSWER), patch=patch, files=files or {})


def play(bench: AgentBench, request: AgentRequest, **does: dict[str, str | None]) -> AgentReply:
    return agent(bench, entry(files=does["files"])).dispatch(request)


def test_patch_and_files_are_applied_and_the_answer_is_given_byte_for_byte(bench: AgentBench) -> None:
    request = bench.request()
    checkout = Path(request.checkout)

    reply = agent(bench, entry(patch=PATCH, files={"new/Fußnote.txt": "ä\r\n", "README.md": None})).dispatch(
        request
    )

    assert reply == AgentReply(answer=ANSWER)
    assert "large" in (checkout / "shop/__init__.py").read_text()
    assert (checkout / "new/Fußnote.txt").read_bytes() == b"\xc3\xa4\r\n"
    assert not (checkout / "README.md").exists()
    assert (bench.root / "README.md").exists(), "the person's own files are out of reach"


def test_a_missing_entry_is_named_with_the_keys_there_are_for_its_task(bench: AgentBench) -> None:
    other = EffectKey("implement/T1/attempt-2/dispatch-1")
    elsewhere = EffectKey("implement/T10/attempt-1/dispatch-1")

    reply = agent(bench, entry(other), entry(elsewhere)).dispatch(bench.request())

    assert reply.failure is AgentFailure.NO_CASSETTE_ENTRY
    assert KEY in reply.detail
    assert other in reply.detail
    assert elsewhere not in reply.detail


def test_a_patch_that_does_not_fit_is_refused_in_gits_words(bench: AgentBench) -> None:
    request = bench.request()

    reply = agent(bench, entry(patch=PATCH.replace("small", "tiny"), files={"new.txt": ""})).dispatch(request)

    assert reply.failure is AgentFailure.PATCH_REFUSED
    assert "shop/__init__.py: patch does not apply" in reply.detail
    assert not (Path(request.checkout) / "new.txt").exists()


@pytest.mark.parametrize(
    "path", ["/etc/signoff-test", "../outside", "shop/../../outside", "out/inside", "link"]
)
def test_a_path_that_leads_out_of_the_checkout_is_refused(
    bench: AgentBench, tmp_path: Path, path: str
) -> None:
    request = bench.request()
    outside = tmp_path / "outside"
    outside.mkdir()
    (Path(request.checkout) / "out").symlink_to(outside)
    (Path(request.checkout) / "link").symlink_to(outside / "inside")

    reply = play(bench, request, files={path: "caught"})

    assert reply.failure is AgentFailure.PATCH_REFUSED
    assert path in reply.detail
    assert list(outside.iterdir()) == []
    assert not (Path(request.checkout).parent / "outside").exists()


@pytest.mark.parametrize(
    "path", [".git/info/exclude", ".signoff/runs/mine/certificate.json", "./shop/new.py"]
)
def test_a_liar_may_write_wherever_it_likes_below_the_checkout(bench: AgentBench, path: str) -> None:
    request = bench.request()

    assert play(bench, request, files={path: "conftest.py\n"}).failure is None
    assert (Path(request.checkout) / path).read_text() == "conftest.py\n"


def test_deleting_a_link_leaves_what_it_points_to(bench: AgentBench, tmp_path: Path) -> None:
    request = bench.request()
    kept = tmp_path / "kept"
    kept.write_text("still here")
    (Path(request.checkout) / "link").symlink_to(kept)

    assert play(bench, request, files={"link": None}).failure is None
    assert kept.read_text() == "still here"
    assert not (Path(request.checkout) / "link").is_symlink()


@pytest.mark.parametrize(
    ("path", "content"), [("gone.txt", None), ("shop", "a folder"), ("a\0b", "NUL"), ("", "")]
)
def test_what_cannot_be_written_or_deleted_is_refused(
    bench: AgentBench, path: str, content: str | None
) -> None:
    assert play(bench, bench.request(), files={path: content}).failure is AgentFailure.PATCH_REFUSED


def test_a_driver_that_died_leaves_nothing_to_recover(bench: AgentBench) -> None:
    played = agent(bench, entry())
    request = bench.request()
    played.dispatch(request)

    assert not played.was_started(request)
    assert played.recover(request) is None
