"""The lock: one holder, named to the others, and gone with its process."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import signoff
from signoff.domain.base.errors import ConflictError
from signoff.host.files.locks import FileLock


class FixedClock:
    def now(self) -> str:
        return "2026-11-15T17:40:41.123Z"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "lock")


def test_a_held_lock_names_its_holder_to_the_next(path: str) -> None:
    with FileLock(path, clock=FixedClock()), pytest.raises(ConflictError) as caught:
        FileLock(path, what="run 7f3a").acquire()

    assert caught.value.slug == "run-locked"
    assert caught.value.what == "run 7f3a is in use"
    assert caught.value.why == f"process {os.getpid()} since 2026-11-15T17:40:41.123Z holds {path}"


def test_a_lock_may_have_its_own_slug(path: str) -> None:
    with FileLock(path), pytest.raises(ConflictError) as caught:
        FileLock(path, slug="repository-locked").acquire()

    assert caught.value.slug == "repository-locked"


def test_a_released_lock_can_be_taken_again_and_again(path: str) -> None:
    lock = FileLock(path)
    for _ in range(3):
        with lock:
            assert lock.is_held
        assert not lock.is_held
    lock.release()


def test_a_released_lock_names_nobody(path: str) -> None:
    with FileLock(path):
        pass

    assert Path(path).read_text() == ""


def test_taking_a_lock_twice_is_our_bug(path: str) -> None:
    with FileLock(path) as lock, pytest.raises(RuntimeError, match="very object"):
        lock.acquire()


def test_an_error_inside_gives_the_lock_back(path: str) -> None:
    with pytest.raises(KeyError), FileLock(path):
        raise KeyError

    FileLock(path).acquire()


def test_who_waits_gets_the_lock_when_it_is_given_back(path: str) -> None:
    first = FileLock(path)
    first.acquire()
    giver = threading.Timer(0.1, first.release)
    giver.start()

    second = FileLock(path)
    second.acquire(wait_s=10)

    assert second.is_held
    second.release()
    giver.join()


def test_waiting_ends_when_the_time_is_up(path: str) -> None:
    with FileLock(path):
        before = time.monotonic()
        with pytest.raises(ConflictError):
            FileLock(path, wait_s=0.2).acquire()

    assert 0.2 <= time.monotonic() - before < 5


def test_whether_a_lock_is_taken_can_be_asked_without_taking_it(path: str) -> None:
    lock, other = FileLock(path), FileLock(path)
    assert not other.is_taken()
    assert not os.path.exists(path)
    with lock:
        assert lock.is_taken()
        assert other.is_taken()
    assert not other.is_taken()


def test_a_lock_file_removed_and_made_again_locks_the_new_one(path: str) -> None:
    with FileLock(path):
        os.unlink(path)
        with FileLock(path), pytest.raises(ConflictError):
            FileLock(path).acquire()


def test_a_lock_file_replaced_in_the_middle_of_locking_is_not_taken_for_the_lock(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock, left = fcntl.flock, [1]

    def flock_after_removal(handle: int, operation: int) -> None:
        if left:
            left.pop()
            os.unlink(path)
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", flock_after_removal)

    with FileLock(path), pytest.raises(ConflictError):
        FileLock(path).acquire()


HOLDER = """
import sys, time
from signoff.host.files.locks import FileLock
FileLock(sys.argv[1]).acquire()
print("held", flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_the_kernel_gives_a_lock_back_when_its_holder_is_killed(path: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(signoff.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], env=environment, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(ConflictError) as caught:
            FileLock(path).acquire()
        assert f"process {holder.pid} since " in caught.value.why
        holder.send_signal(signal.SIGKILL)

    with FileLock(path) as lock:
        assert lock.is_held


@pytest.mark.slow
def test_a_program_started_meanwhile_does_not_keep_the_lock(path: str) -> None:
    lock = FileLock(path)
    lock.acquire()
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        lock.release()
        again = FileLock(path)
        try:
            again.acquire()
        finally:
            child.kill()

    assert again.is_held
