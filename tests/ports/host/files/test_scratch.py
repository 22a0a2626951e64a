"""Throwaway folders, and what a killed process leaves."""

import os
from pathlib import Path

from signoff.host.files.scratch import Scratch


def test_a_folder_is_gone_afterwards_with_all_that_was_written(tmp_path: Path) -> None:
    with Scratch(str(tmp_path / "trees")).folder() as folder:
        Path(folder, "sub").mkdir()
        Path(folder, "sub", "file").write_text("x")
        Path(folder, "sub").chmod(0o500)

    assert os.listdir(tmp_path / "trees") == []


def test_what_a_killed_process_left_is_swept_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    with Scratch(str(tmp_path)).folder() as in_use:
        (tmp_path / "orphan.lock").touch()
        (tmp_path / "orphan").mkdir()
        (tmp_path / "orphan" / "big").write_text("x")

        with Scratch(str(tmp_path)).folder():
            assert os.path.isdir(in_use)
            assert not (tmp_path / "orphan").exists()
            assert not (tmp_path / "orphan.lock").exists()


def test_two_folders_at_a_time_are_two_folders(tmp_path: Path) -> None:
    scratch = Scratch(str(tmp_path))

    with scratch.folder() as one, scratch.folder() as two:
        assert one != two
        assert os.listdir(one) == os.listdir(two) == []
