"""Blobs: stored once, durable whole, verified on the way back."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import Digest
from signoff.domain.ports import Blobs
from signoff.storage.blobs import BlobStore

ANTHROPIC = "sk-ant-api03-" + "Ab1_" * 8
GITHUB = "ghp_" + "a1B2" * 9
BEGIN, END = (f"-----{word} PRIVATE KEY-----" for word in ("BEGIN", "END"))


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


# --- secrets ---


@pytest.mark.parametrize("secret", [ANTHROPIC, GITHUB])
def test_a_secret_never_reaches_the_disk(folder: Path, secret: str) -> None:
    blobs = BlobStore(str(folder))

    digest = blobs.put(f"diff\n+key = '{secret}'\n".encode())

    assert blobs.get(digest) == b"diff\n+key = '[redacted]'\n"
    assert digest == f"sha256:{hashlib.sha256(blobs.get(digest)).hexdigest()}"
    assert not any(secret.encode() in path.read_bytes() for path in folder.iterdir())


@pytest.mark.parametrize(
    ("document", "stored"),
    [
        ({"a": [f"x {ANTHROPIC} y", 1.5, None]}, {"a": ["x [redacted] y", 1.5, None]}),
        ({"a": BEGIN, "b": [END]}, {"a": "[redacted]", "b": [END]}),
        ({"a": f'{BEGIN}\nMIIE\n{END}\n"q"'}, {"a": '[redacted]\n"q"'}),
        ({"a": "\npm_" + "a1B2" * 9}, {"a": "\npm_" + "a1B2" * 9}),
        ({"a": f"{GITHUB}é\ud800"}, {"a": "[redacted]é\ud800"}),
        ({GITHUB: 1, ANTHROPIC: 2}, {"[redacted] 1": 1, "[redacted] 2": 2}),
        ({GITHUB: 1, "[redacted] 1": 2}, {"[redacted] 2": 1, "[redacted] 1": 2}),
    ],
)
def test_json_stays_json_with_every_field_it_had(folder: Path, document: object, stored: object) -> None:
    """A replacement that reached over a quotation mark or half an escape would make a blob unreadable."""
    blobs = BlobStore(str(folder))

    assert json.loads(blobs.get(blobs.put(json.dumps(document).encode()))) == stored


def test_an_escape_does_not_hide_a_secret(folder: Path) -> None:
    """The same document written another way is stored elsewhere: there the escape is gone."""
    blobs = BlobStore(str(folder))
    hidden = json.dumps({"a": GITHUB}).replace("ghp_", "\\u0067hp_").encode()

    assert json.loads(blobs.get(blobs.put(hidden))) == {"a": "[redacted]"}


@pytest.mark.parametrize("form", ["{}", '{{"a":"{}"}}'])
def test_storing_what_was_stored_changes_nothing_more(folder: Path, form: str) -> None:
    """A contract is sealed under the digest of what was read back: a second redaction would be another."""
    blobs = BlobStore(str(folder))
    stuck_together = form.format("ghp_" + "a" * 255 + "sk-" + "b" * 40).encode()
    digest = blobs.put(stuck_together)

    assert blobs.put(blobs.get(digest)) == digest
    assert b"bbb" not in blobs.get(digest)


def test_json_without_a_secret_is_stored_as_it_is_written(folder: Path) -> None:
    blobs = BlobStore(str(folder))
    data = b'{ "a" : "\\u0067\\n",\n"b":1.0 }\n'

    assert blobs.get(blobs.put(data)) == data
