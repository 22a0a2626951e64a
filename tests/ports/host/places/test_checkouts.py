"""An agent's checkout is a repository of its own, and what happens in it stays in it."""

import os
from pathlib import Path

import pytest
from gitbench import Agent, Bench

from signoff.domain.base.typed_ids import CommitId


def test_a_checkout_is_clean_and_on_its_own_branch(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1", "sub/tool": "2", ".gitignore": "*.log\n"}))

    assert agent.folder == agent.bench.root / ".signoff" / "checkouts" / "run/T1/attempt-1"
    assert agent.git("status", "--porcelain", "--branch") == "## signoff"
    assert agent.git("rev-parse", "HEAD") == agent.base.commit
    assert agent.git("log", "--format=%s") == "work"
    assert agent.git("remote") == ""
    assert not (agent.folder / ".git" / "hooks").exists()


def test_an_agent_can_use_ordinary_git(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1\n"}))

    agent.write({"a": "2\n", "b": "x\n"})
    assert "-1\n+2" in agent.git("diff")
    agent.git("add", ".")
    agent.git("commit", "-q", "-m", "agent's own")
    agent.git("stash", "list")
    agent.git("checkout", "-q", "-b", "elsewhere", "HEAD~1")
    agent.git("merge", "-q", "signoff")

    assert agent.git("log", "--format=%s") == "agent's own\nwork"
    assert agent.git("fsck") == ""


def test_a_commit_works_without_any_identity_of_the_person(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1"}))
    bare = {**agent.bench.env, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}

    pid = os.posix_spawnp(
        "git", ("git", "-C", str(agent.folder), "commit", "-q", "--allow-empty", "-m", "x"), bare
    )

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_what_an_agent_does_to_its_git_does_not_reach_the_person(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    agent = Agent(bench)
    before = (bench.root / ".git" / "config").read_bytes()

    agent.git("config", "core.sshCommand", "evil")
    agent.write({".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n"})
    agent.git("commit", "-q", "--allow-empty", "-m", "agent's own")
    mine = agent.git("rev-parse", "HEAD")
    agent.git("tag", "evil")
    agent.git("update-ref", "refs/heads/main", mine)

    assert (bench.root / ".git" / "config").read_bytes() == before
    assert bench.git("rev-parse", "main") == agent.base.commit
    assert bench.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags") == "refs/heads/main"
    assert mine not in bench.git("cat-file", "--batch-all-objects", "--batch-check")


def test_templates_and_hooks_of_the_person_do_not_reach_a_checkout(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    hook = f'#!/bin/sh\ntouch "{tmp_path}/hooked"\n'
    for folder in ("template/hooks", "hooks"):
        for name in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction"):
            bench.write({f"{folder}/{name}": hook}, bench.home)
            (bench.home / folder / name).chmod(0o755)
    config = "[init]\n\ttemplateDir = ~/template\n[core]\n\thooksPath = ~/hooks\n[commit]\n\tgpgSign = true\n"
    (bench.home / ".gitconfig").write_text(config)

    agent = Agent(bench)
    agent.git("commit", "-q", "--allow-empty", "-m", "x")
    agent.capture()

    assert not (tmp_path / "hooked").exists()


def test_a_new_checkout_of_a_name_replaces_the_old_one(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1"}))
    agent.write({"left": "over", "sub/x": "x"})
    (agent.folder / "sub").chmod(0o500)

    again = agent.repository.checkout("run/T1/attempt-1", agent.base.commit)

    assert again == str(agent.folder)
    assert agent.git("status", "--porcelain") == ""
    assert sorted(os.listdir(again)) == [".git", "a"]


def test_checkouts_go_by_whole_names(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1"}))
    repository = agent.repository
    others = [Path(repository.checkout(name, agent.base.commit)) for name in ("run/T10", "run2/T1")]

    repository.drop_checkouts("run/T1")

    assert not agent.folder.exists()
    assert all(other.exists() for other in others)
    repository.drop_checkouts("run")
    assert not others[0].exists()
    assert others[1].exists()


@pytest.mark.parametrize("name", ["", "..", "a/../../b", "/abs", "a//b", "a/.git/b"])
def test_a_name_that_leads_elsewhere_is_our_bug(tmp_path: Path, name: str) -> None:
    bench = Bench(tmp_path, files={"a": "1"})

    with pytest.raises(ValueError, match="checkout name"):
        bench.repository.checkout(name, CommitId("0" * 40))


def test_a_patch_is_applied_text_and_binary(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path, files={"a": "1\n2\n", "bin": "\0old", "crlf": "x\r\n", ".gitattributes": "* text=auto\n"}
    )
    bench.write({"a": "1\n3  \n", "bin": "\0new", "crlf": "y\r\n", "sub/ñ": "new\n"})
    bench.git("add", "-A", "--", ".", ":!.signoff")
    oid = bench.git("hash-object", "-w", "--no-filters", "crlf")
    bench.git("update-index", "--cacheinfo", f"100644,{oid},crlf")
    patch = (bench.git("diff", "--cached", "--binary", "--no-textconv") + "\n\n").encode()
    bench.git("reset", "-q", "--hard")
    agent = Agent(bench)

    assert agent.repository.apply_patch(str(agent.folder), patch) is None

    assert (agent.folder / "a").read_text() == "1\n3  \n"
    assert (agent.folder / "bin").read_bytes() == b"\0new"
    assert (agent.folder / "sub" / "ñ").read_text() == "new\n"


def test_a_patch_that_does_not_fit_changes_nothing_and_says_why(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1\n", "b": "1\n"}))
    patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-other\n+2\n"

    said = agent.repository.apply_patch(str(agent.folder), patch)

    assert said is not None
    assert "b: patch does not apply" in said
    assert agent.capture().tree == agent.base.tree


@pytest.mark.parametrize("path", ["../outside", ".git/hooks/pre-commit", "/etc/evil", "way-out/evil"])
def test_a_patch_cannot_write_outside_the_checkout(tmp_path: Path, path: str) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1\n"}))
    (agent.folder / "way-out").symlink_to(tmp_path)
    patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n".encode()

    assert agent.repository.apply_patch(str(agent.folder), patch) is not None
    assert not (tmp_path / "evil").exists()
    assert not (agent.folder / ".git" / "hooks").exists()
