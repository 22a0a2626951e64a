"""Waves in the installed program: conflicts told before anything moves, and no file lost on the way."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import clibench
import pytest
from clibench import Bench, Ran, contract, empty_bench, task
from wavebench import (
    delivered_files,
    expected_files,
    first_commits,
    lay_out,
    merged_by_git,
    predicted,
    records,
    wide_cassette,
)


def play(bench: Bench, cassette: dict[str, Any], *words: str) -> Ran:
    path = bench.root.parent / "cassette.json"
    path.write_text(json.dumps(cassette))
    return bench("run", bench.ticket(), "--cassette", path, "--yes", "--json", *words)


def plays(tasks: list[dict[str, Any]], entries: dict[str, dict[str, str | None]]) -> dict[str, Any]:
    """Give a cassette of a plan and what each attempt (`T1/1`) does to the files."""
    checks = [f"{one['id']}/file" for one in tasks]
    plan = contract(
        tasks=tasks,
        success_criteria=[{"id": "all", "description": "every word is in its own file", "proven_by": checks}],
        stop_conditions=[
            {"id": "both", "description": "Every check of every task passes", "proven_by": checks}
        ],
    )
    made = [{"key": "plan/attempt-1/dispatch-1", "answer": {"kind": "plan", "contract": plan}}]
    for name, files in entries.items():
        key, attempt = name.split("/")
        made.append(
            {
                "key": f"implement/{key}/attempt-{attempt}/dispatch-1",
                "answer": {"kind": "done"},
                "files": files,
            }
        )
    return {"version": 1, "name": "a wave", "entries": made}


def outcomes(bench: Bench, ran: Ran) -> dict[str, dict[str, Any]]:
    folder = bench.run_folder(ran.document["run_id"])
    return {record["key"]: record["outcome"] for record in records(folder) if record["event"] == "done"}


def directive(ran: Ran, bench: Bench, key: str) -> list[str]:
    """Name the intents of a run that start with `key`."""
    folder = bench.run_folder(ran.document["run_id"])
    return [r["key"] for r in records(folder) if r["event"] == "intended" and r["key"].startswith(key)]


@pytest.fixture
def repo(tmp_path: Path) -> Bench:
    made = empty_bench(tmp_path)
    made.commit(README_dot_md="# Notes\n", words_dot_txt="one\n")
    return made


def test_a_conflict_is_told_before_anything_moves_and_mended_on_top_of_the_other(repo: Bench) -> None:
    """Two honest agents who meet in one line are no reason to give a delivery up."""
    first, second = task("T1", "hello"), task("T2", "bye")
    first["files_modify"], second["files_modify"] = ["words.txt"], ["w*ds.txt"]
    cassette = plays(
        [first, second],
        {
            "T1/1": {"hello.txt": "hello\n", "words.txt": "hello\n"},
            "T2/1": {"bye.txt": "bye\n", "words.txt": "bye\n"},
            "T2/2": {"bye.txt": "bye\n", "words.txt": "hello\nbye\n"},
        },
    )

    ran = play(repo, cassette)

    assert ran.code == 0, ran.err
    done = outcomes(repo, ran)
    assert done["implement/round-1/wave-1/predict-1"]["conflicts"] == ["T2 with T1: words.txt"]
    keys = list(done)
    assert keys.index("implement/round-1/wave-1/predict-1") < keys.index("implement/T1/attempt-1/merge")
    assert "conflicts: T2 with T1: words.txt" in ran.err
    assert delivered_files(repo, ran.document["run_id"])["words.txt"] == "hello\nbye\n"
    replayed = repo("runs", "replay", ran.document["run_id"], "--json")
    assert replayed.document["identical"] is True


def test_a_merge_that_would_move_away_what_another_task_wrote_is_refused_by_name(repo: Bench) -> None:
    """Git follows the rename and calls this merge clean; the file that T2 wrote would be gone."""
    old = "".join(f"line {number}\n" for number in range(20))
    repo.commit(old_dot_txt=old)
    first, second = task("T1", "new"), task("T2", "bye")
    first["files_delete"], second["files_modify"] = ["old.txt"], ["o?d.txt"]
    cassette = plays(
        [first, second],
        {
            "T1/1": {"old.txt": None, "new.txt": old + "new\n"},
            "T2/1": {"bye.txt": "bye\n", "old.txt": "bye\n" + old},
            "T2/2": {"bye.txt": "bye\n"},
        },
    )

    ran = play(repo, cassette)

    assert ran.code == 0, ran.err
    (told,) = predicted(repo.run_folder(ran.document["run_id"]))
    assert told["conflicts"] == [{"task": "T2", "beside": ["T1"], "lost": ["old.txt"]}]
    commits = first_commits(repo.run_folder(ran.document["run_id"]), 2)
    assert merged_by_git(repo, commits, repo.root.parent / "clone") == set()  # git alone sees nothing
    assert set(delivered_files(repo, ran.document["run_id"])) == {"bye.txt", "new.txt", "words.txt"}


def test_a_file_that_lands_in_a_folder_another_task_moved_away_is_told(repo: Bench) -> None:
    repo.commit(dir__a_dot_txt="a\n" * 9, dir__b_dot_txt="b\n" * 9)
    first, second = task("T1", "hello"), task("T2", "dir/bye")
    first["files_delete"] = ["dir/a.txt", "dir/b.txt"]
    first["files_create"] = ["hello.txt", "lib/a.txt", "lib/b.txt"]
    second["files_create"] = ["di?/bye.txt", "dir/bye.txt"]
    second["verification"][0]["must_contain"] = "bye"
    cassette = plays(
        [first, second],
        {
            "T1/1": {
                "hello.txt": "hello\n",
                "dir/a.txt": None,
                "dir/b.txt": None,
                "lib/a.txt": "a\n" * 9,
                "lib/b.txt": "b\n" * 9,
            },
            "T2/1": {"dir/bye.txt": "bye\n"},
            "T2/2": {"dir/bye.txt": "bye\n"},
        },
    )

    ran = play(repo, cassette)

    assert ran.code == 0, ran.err
    (told,) = predicted(repo.run_folder(ran.document["run_id"]))
    assert [bad["task"] for bad in told["conflicts"]] == ["T2"]
    assert "dir/bye.txt" in delivered_files(repo, ran.document["run_id"])


def test_a_task_may_not_delete_what_it_only_said_it_would_create(repo: Bench) -> None:
    repo.commit(notes__old_dot_txt="old\n")
    only = task("T1", "hello")
    only["files_create"] = ["hello.txt", "notes/*.txt"]
    cassette = plays(
        [only],
        {
            "T1/1": {"hello.txt": "hello\n", "notes/old.txt": None},
            "T1/2": {"hello.txt": "hello\n", "notes/new.txt": "new\n"},
        },
    )

    ran = play(repo, cassette)

    assert ran.code == 0, ran.err
    captured = outcomes(repo, ran)["implement/T1/attempt-1/dispatch-1/capture"]
    assert [finding["code"] for finding in captured["findings"]] == ["undeclared-deletion"]
    assert {"notes/old.txt", "notes/new.txt"} <= set(delivered_files(repo, ran.document["run_id"]))


def test_in_a_diamond_a_failing_task_stops_its_dependants_only_and_gates_run_on_what_was_merged(
    repo: Bench,
) -> None:
    """T4 needs T2 and T3; T2 never succeeds. T3 is worked on, merged and judged all the same."""
    repo.commit(signoff_dot_toml='[checks]\nbuild = ["test", "!", "-e", "broken"]\n[limits]\nrework = 1\n')
    tasks = [task(f"T{n}", f"word{n}") for n in range(1, 5)]
    for one, wave, needs in zip(tasks, (1, 2, 2, 3), ([], ["T1"], ["T1"], ["T2", "T3"]), strict=True):
        one["wave"], one["depends_on"] = wave, needs
    good: dict[str, dict[str, str | None]] = {
        f"T{n}/{k}": {f"word{n}.txt": f"word{n}\n"} for n in (1, 3, 4) for k in (1, 2)
    }
    bad: dict[str, dict[str, str | None]] = {f"T2/{k}": {"word2.txt": "something else\n"} for k in (1, 2)}

    ran = play(repo, plays(tasks, {**good, **bad}))

    assert ran.code == 1, ran.err
    done = outcomes(repo, ran)
    assert "implement/T3/attempt-1/merge" in done
    assert directive(ran, repo, "implement/T4/") == []
    final = done["implement/T3/attempt-1/merge"]["tree"]
    gate = done["test/round-1/final/gate/build"]["observation"]
    assert (gate["result"], gate["tree"], gate["place"]) == ("pass", final, "final")


def test_thirty_two_agents_at_once_lose_nothing_and_every_conflict_is_foretold(tmp_path: Path) -> None:
    """Sixteen of them write into lines that the other sixteen wrote first."""
    bench, tasks = empty_bench(tmp_path), 32
    lay_out(bench, tasks)

    ran = play(bench, wide_cassette(tasks))

    assert ran.code == 0, ran.err
    folder = bench.run_folder(ran.document["run_id"])
    told = predicted(folder)
    foretold = {bad["task"] for bad in told[0]["conflicts"]}
    assert foretold == merged_by_git(bench, first_commits(folder, tasks), tmp_path / "clone")
    assert foretold == {f"T{number}" for number in range(17, 33)}
    assert [(one["merges"], len(one["conflicts"])) for one in told] == [(16, 16), (16, 0)]
    assert delivered_files(bench, ran.document["run_id"]) == expected_files(tasks)
    assert max(map(len, (folder / "journal.jsonl").read_bytes().splitlines())) < 4096


@pytest.mark.stress
def test_thirty_two_runs_at_once_in_one_repository_end_as_each_would_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They share the engine's git directory, its refs and its scratch folders, and nothing else."""
    monkeypatch.setattr(clibench, "TIMEOUT_S", 900)
    bench, runs = empty_bench(tmp_path), 32
    bench.commit(README_dot_md="# Notes\n", words_dot_txt="one\n")
    first, second = task("T1", "hello"), task("T2", "bye")
    first["files_modify"], second["files_modify"] = ["words.txt"], ["w*ds.txt"]
    files: dict[str, dict[str, str | None]] = {
        "T1/1": {"hello.txt": "hello\n", "words.txt": "hello\n"},
        "T2/1": {"bye.txt": "bye\n", "words.txt": "bye\n"},
        "T2/2": {"bye.txt": "bye\n", "words.txt": "hello\nbye\n"},
    }
    paths = []
    for number in range(runs):
        paths.append(tmp_path / f"cassette{number // 2}.json")  # every cassette is played twice at once
        paths[-1].write_text(json.dumps({**plays([first, second], files), "name": f"wave {number // 2}"}))
    ticket = bench.ticket()
    began = time.monotonic()

    with ThreadPoolExecutor(runs) as pool:
        ended = list(
            pool.map(lambda path: bench("run", ticket, "--cassette", path, "--yes", "--json"), paths)
        )

    print(f"\n{runs} runs at once: {time.monotonic() - began:.1f} s")
    assert [ran.code for ran in ended] == [0] * runs, [ran.err[-300:] for ran in ended if ran.code]
    ids = {ran.document["run_id"] for ran in ended}
    assert len(ids) == runs
    for run_id in ids:
        assert delivered_files(bench, run_id)["words.txt"] == "hello\nbye\n"
        (told,) = predicted(bench.run_folder(run_id))
        assert [bad["task"] for bad in told["conflicts"]] == ["T2"]
    assert os.listdir(bench.root / ".signoff" / "trees") == []
