"""`signoff golden`: what is captured is what `signoff work` says, and a replay needs no git and no tests."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clibench import Bench
from hostbench import MULTIPLY, MULTIPLY_TESTS, TICKET, Host, calculator

from signoff.golden.play.playback import play
from signoff.golden.records.pack_files import pack_files, read_pack
from signoff.testing.hosted.recorded import RecordedStage
from signoff.testing.hosted.scenario_folder import DiskShelf

SET = Path(__file__).parents[1] / "golden" / "hosted"
SOME = ("lie-green-tests", "memory", "no-repository")


class Here(Bench):
    """A folder whose temporary files are its own, wherever the machine would put them."""

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "TMPDIR": str(self.root)}


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some scenarios, captured here and now. Shared: tests copy it."""
    folder = tmp_path_factory.mktemp("captured")
    (folder / "home").mkdir()
    scenarios = folder / "set" / "scenarios"
    scenarios.mkdir(parents=True)
    for name in SOME:
        shutil.copy(SET / "scenarios" / f"{name}.json", scenarios)
    ran = Here(folder, folder / "home")("golden", "capture", folder / "set")
    assert ran.code == 0, ran
    return folder / "set"


@pytest.fixture
def packs(captured: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(captured, tmp_path / "set"))


@pytest.fixture
def here(tmp_path: Path) -> Here:
    (tmp_path / "home").mkdir()
    return Here(tmp_path, tmp_path / "home")


def test_a_second_capture_gives_the_same_bytes(packs: Path, here: Here) -> None:
    """Else nobody could tell a change of behaviour from a change of weather."""
    before = (packs / "CHECKSUMS.txt").read_bytes()

    ran = here("golden", "capture", packs, "--json")

    assert ran.document == {"scenarios": [{"id": name, "ok": True, "differences": []} for name in SOME]}
    assert (packs / "CHECKSUMS.txt").read_bytes() == before


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="there is no sha256sum here")
def test_sha256sum_reads_the_manifest(packs: Path) -> None:
    """A gate that does not trust us can check the set by itself."""
    done = subprocess.run(["sha256sum", "--quiet", "-c", "CHECKSUMS.txt"], cwd=packs, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("name", SOME)
def test_a_replay_says_word_for_word_what_was_captured(name: str, packs: Path) -> None:
    """The stage from observations stands for the real one in everything a pack holds."""
    shelf = DiskShelf(str(packs))
    before = read_pack(name, lambda path: shelf.read(f"packs/{name}/{path}"))

    after = play(RecordedStage(before.scenario, before.seen), before.scenario)

    assert pack_files(after) == pack_files(before)


def test_a_replay_starts_no_program(packs: Path) -> None:
    """It runs where there is no git, and in a hook that has a second."""
    code = (
        "import sys\n"
        "seen = []\n"
        "sys.addaudithook(lambda name, _: seen.append(name) if name.startswith(('subprocess', 'os.exec', "
        "'os.fork', 'os.posix_spawn')) else None)\n"
        "from signoff.__main__ import main\n"
        "code = main(['golden', 'replay', sys.argv[1]])\n"
        "print(seen)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(packs)],
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()) == (0, ["3 replayed, 0 differences", "[]"]), done


def test_the_transcript_holds_what_the_program_prints(bench: Bench) -> None:
    """A player that said something else would guard something nobody uses."""
    host: Host = calculator(bench)
    ran = [host.begin(TICKET), host.again(plan=["write multiply", "test it"])]
    host.change(MULTIPLY, MULTIPLY_TESTS)
    pack = SET / "packs" / "happy-ticket"
    changes = json.loads((pack / "state-snapshots" / "cycle-03.json").read_text())["changes"]
    ran += [host.again(changes=changes), host.again(tests={"verdict": "success"})]

    cycles = json.loads((pack / "transcript.json").read_text())["cycles"]

    for one, cycle in zip(ran, cycles, strict=False):
        assert one.code == cycle["exit_code"]
        assert re.sub(r"\b[0-9A-Z]{26}\b", "RUN", one.out) == re.sub(
            r"\b[0-9A-Z]{26}\b", "RUN", cycle["stdout"]
        )


def test_an_error_is_kept_as_the_program_prints_it(bench: Bench) -> None:
    """Exit 2 and its slug are part of the protocol."""
    ran = calculator(bench).begin(TICKET, "--persona", "advisry")
    cycle = json.loads((SET / "packs" / "unknown-persona" / "transcript.json").read_text())["cycles"][0]
    assert (ran.code, ran.out, ran.err) == (cycle["exit_code"], cycle["stdout"], cycle["stderr"])


def test_a_pack_that_promises_something_else_is_a_difference(packs: Path, here: Here) -> None:
    """The whole point: scenario, cycle, place, before and after."""
    markers = packs / "packs" / "lie-green-tests" / "halt-markers.json"
    markers.write_text(markers.read_text().replace('"scope": "targeted"', '"scope": "full"'))

    ran = here("golden", "replay", packs, "lie-green-tests", "--json")

    assert ran.code == 1
    (scenario,) = ran.document["scenarios"]
    assert (scenario["id"], scenario["ok"]) == ("lie-green-tests", False)
    assert scenario["differences"][0] == {
        "scenario": "lie-green-tests",
        "cycle": 3,
        "pointer": "/halt/payload",
        "before": '{"ticket": "CALC-1", "scope": "full"}',
        "after": '{"ticket": "CALC-1", "scope": "targeted"}',
    }
    assert "lie-green-tests cycle 3 /halt/payload" in here("golden", "replay", packs).out


def test_verify_names_changed_missing_and_extra_files(packs: Path, here: Here) -> None:
    """An edit by hand is seen without playing anything."""
    assert here("golden", "verify", packs).code == 0
    pack = packs / "packs" / "no-repository"
    (pack / "exit-codes.json").write_text("[0]\n")
    (pack / "delivery-report.md").unlink()
    (pack / "more.json").write_text("{}")
    ran = here("golden", "verify", packs, "--json")
    assert ran.code == 1
    wrong = [one for scenario in ran.document["scenarios"] for one in scenario["differences"]]
    said = {one["pointer"].rpartition("/")[2]: (one["before"][:10], one["after"][:7]) for one in wrong}
    assert said.keys() == {"exit-codes.json", "delivery-report.md", "more.json"}
    assert said["delivery-report.md"][1] == "missing"
    assert said["more.json"][0] == "not listed"


def test_a_scenario_without_pack_and_a_changed_one_are_differences(packs: Path, here: Here) -> None:
    """A scenario nobody captured guards nothing, and must not look as if it did."""
    scenario = packs / "scenarios" / "no-repository.json"
    scenario.write_text(scenario.read_text().replace("A folder.", "Another folder."))
    shutil.rmtree(packs / "packs" / "lie-green-tests")
    ran = here("golden", "replay", packs, "--json")
    found = {one["id"]: one["differences"][0]["after"] for one in ran.document["scenarios"] if not one["ok"]}
    assert (ran.code, found) == (1, {"lie-green-tests": "never captured", "no-repository": "changed since"})


def test_a_pack_without_scenario_is_a_difference(packs: Path, here: Here) -> None:
    """Removing a scenario must not be a quiet way to get rid of a promise."""
    (packs / "scenarios" / "no-repository.json").unlink()
    assert here("golden", "replay", packs).code == 1


@pytest.mark.parametrize("action", ["capture", "replay", "verify"])
def test_a_folder_that_is_not_there_could_not_be_judged(action: str, here: Here) -> None:
    """A mistyped name must not look like a set without differences."""
    ran = here("golden", action, "nowhere", "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (2, "golden-missing")


@pytest.mark.parametrize(
    ("action", "path", "text", "slug"),
    [
        ("replay", "packs/no-repository/transcript.json", "{", "golden-unreadable"),
        ("replay", "packs/no-repository/exit-codes.json", "[0]", "golden-unreadable"),
        ("replay", "scenarios/no-repository.json", "{}", "golden-unreadable"),
        ("capture", "scenarios/no-repository.json", "{}", "golden-unreadable"),
        ("verify", "CHECKSUMS.txt", "what?", "golden-unreadable"),
    ],
)
def test_what_cannot_be_read_could_not_be_judged(
    action: str, path: str, text: str, slug: str, packs: Path, here: Here
) -> None:
    """Half a set must not be called whole."""
    (packs / path).write_text(text)
    ran = here("golden", action, packs, "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (2, slug)


def test_a_run_without_repository_is_not_captured_inside_of_one(packs: Path, here: Here) -> None:
    """The pack would promise what happens in a repository, under another name."""
    before = (packs / "CHECKSUMS.txt").read_bytes()
    (here.root / "inside" / ".git").mkdir(parents=True)
    (here.root / "inside" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    done = subprocess.run(
        [sys.executable, "-m", "signoff", "golden", "capture", str(packs), "no-repository"],
        env={**here.env, "TMPDIR": str(here.root / "inside")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done
    assert "golden-inside-repository" in done.stderr
    assert (packs / "CHECKSUMS.txt").read_bytes() == before


def test_an_unknown_scenario_is_an_error(packs: Path, here: Here) -> None:
    """Naming one that is not there must not replay nothing and be content."""
    ran = here("golden", "replay", packs, "happy", "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (2, "golden-unknown")
