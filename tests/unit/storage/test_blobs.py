"""Blobs: stored once, durable whole, verified on the way back."""

import hashlib
import os
from pathlib import Path

import pytest

from signoff.domain.errors import ConfigError
from signoff.domain.ids import Digest
from signoff.domain.ports import Blobs
from signoff.storage.blobs import BlobStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run" / "blobs"


@pytest.mark.parametrize("data", [b"", b"a prompt", os.urandom(100_000)])
def test_a_blob_comes_back_as_it_was_stored(folder: Path, data: bytes) -> None:
    blobs: Blobs = BlobStore(str(folder))

    digest = blobs.put(data)

    assert digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert blobs.get(digest) == data
    assert os.listdir(folder) == [digest.removeprefix("sha256:")]


def test_storing_twice_is_storing_once(folder: Path) -> None:
    blobs = BlobStore(str(folder))
    digest = blobs.put(b"same")
    before = (folder / digest.removeprefix("sha256:")).stat()

    assert blobs.put(b"same") == digest
    assert (folder / digest.removeprefix("sha256:")).stat().st_ino == before.st_ino


def test_a_damaged_blob_is_refused_and_mended_by_storing_it_again(folder: Path) -> None:
    blobs = BlobStore(str(folder))
    digest = blobs.put(b"right")
    (folder / digest.removeprefix("sha256:")).write_bytes(b"wrong")

    with pytest.raises(ConfigError) as caught:
        blobs.get(digest)
    assert caught.value.slug == "blob-damaged"

    blobs.put(b"right")
    assert blobs.get(digest) == b"right"


@pytest.mark.parametrize(
    "digest", [f"sha256:{'0' * 64}", "sha256:../secret", "0" * 64, f"sha256:{'A' * 64}", ""]
)
def test_what_was_never_stored_is_missing(folder: Path, digest: str) -> None:
    folder.mkdir(parents=True)
    (folder.parent / "secret").write_text("not a blob")

    with pytest.raises(ConfigError) as caught:
        BlobStore(str(folder)).get(Digest(digest))

    assert caught.value.slug == "blob-missing"
