"""`signoff doctor`: what is there, what is missing, and nothing is changed by looking."""

from pathlib import Path

from clibench import PATH, Bench, Ran


class Patient(Bench):
    """A repository on a machine with a PATH of its own."""

    path = PATH

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "PATH": self.path}


def row(ran: Ran, name: str) -> dict[str, object]:
    found: dict[str, object] = next(check for check in ran.document["checks"] if check["name"] == name)
    return found


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_a_repository_with_git_is_ready(bench: Bench) -> None:
    """Nothing else is needed to work by hand."""
    ran = bench("doctor", "--json")
    assert (ran.code, ran.document["ok"]) == (0, True)
    assert row(ran, "git")["ok"] is True
    assert row(ran, "agents")["required"] is False


def test_an_agent_on_the_path_is_named_with_its_version(bench: Bench, tmp_path: Path) -> None:
    """People ask which one would be used."""
    program(tmp_path / "bin", "claude", "echo '2.1.325 (Claude Code)'")
    program(tmp_path / "bin", "codex", "echo 'codex-cli 0.166.0' >&2")
    patient = Patient(bench.root, bench.home)
    patient.path = f"{tmp_path / 'bin'}:{PATH}"
    ran = patient("doctor", "--json")
    assert row(ran, "agent claude")["detail"] == "2.1.325 (Claude Code)"
    assert row(ran, "agent codex")["detail"] == "codex-cli 0.166.0"
    assert row(ran, "agents")["detail"] == "claude, codex"


def test_settings_that_cannot_be_used_are_told_and_count(bench: Bench) -> None:
    """A run would be refused; better known now."""
    (bench.root / "signoff.toml").write_text("[checks]\ntimeout_s = -1\n")
    ran = bench("doctor", "--json")
    assert (ran.code, row(ran, "settings")["ok"]) == (1, False)


def test_settings_are_told_with_their_source(bench: Bench) -> None:
    """Where a value comes from is half of what it means."""
    (bench.root / "signoff.toml").write_text("[limits]\nparallel = 2\n")
    ran = bench("doctor", "--json")
    found = {each["name"]: each for each in ran.document["settings"]}
    assert (found["limits.parallel"]["value"], found["limits.parallel"]["source"]) == ("2", "signoff.toml")
    assert "limits.parallel = 2  [signoff.toml]" in bench("doctor").out


def test_a_folder_outside_any_repository_is_told_and_no_failure(tmp_path: Path) -> None:
    """A host may work there all the same."""
    outside = tmp_path / "plain"
    outside.mkdir()
    (tmp_path / "home").mkdir()
    ran = Bench(outside, tmp_path / "home")("doctor", "--json")
    assert (ran.code, row(ran, "repository")["ok"]) == (0, False)


def test_a_machine_without_git_is_not_ready(bench: Bench, tmp_path: Path) -> None:
    """Nothing works without it."""
    patient = Patient(bench.root, bench.home)
    (tmp_path / "bin").mkdir()
    patient.path = str(tmp_path / "bin")
    ran = patient("doctor", "--json")
    assert (ran.code, row(ran, "git")["ok"]) == (1, False)


def test_looking_changes_nothing(bench: Bench) -> None:
    """A doctor who leaves something behind is a patient."""
    before = (bench.git("show-ref"), bench.git("status", "--porcelain"))
    bench("doctor")
    assert (bench.git("show-ref"), bench.git("status", "--porcelain")) == before
    assert not (bench.root / ".signoff").exists()


def test_a_program_that_does_not_answer_is_not_ok_and_is_not_waited_for(bench: Bench, tmp_path: Path) -> None:
    """One that hangs will not work either, and nobody wants to watch a doctor wait."""
    long = "a-folder-with-a-name-so-long-that-a-line-of-eighty-characters-cannot-hold-it"
    program(tmp_path / long, "claude", "exec sleep 60")
    patient = Patient(bench.root, bench.home)
    patient.path = f"{tmp_path / long}:{PATH}"
    ran = patient("doctor", "--json")
    found = row(ran, "agent claude")
    assert found["ok"] is False
    assert str(found["detail"]).endswith("took longer than 3 s and was stopped")
    assert row(ran, "agents")["ok"] is False


def test_a_long_version_is_cut_where_one_can_see_it(bench: Bench, tmp_path: Path) -> None:
    """Half a word looks like a whole one."""
    program(tmp_path / "bin", "claude", "echo 2.1.325 " + "word " * 40)
    patient = Patient(bench.root, bench.home)
    patient.path = f"{tmp_path / 'bin'}:{PATH}"
    assert "…" in str(row(patient("doctor", "--json"), "agent claude")["detail"])
