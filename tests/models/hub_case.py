"""A small repository on a hub of loopback, an empty cache, and what tests of both ask."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from hub_server import Hub, hub_of
from onnx_file import model, tokenizer

from combray.engine.models import fetch
from combray.errors import CombrayError, ModelError
from combray.models import embedder, onnx_files
from combray.models.onnx_files import KnownModel

pytest.importorskip("onnxruntime")
constants = pytest.importorskip("huggingface_hub.constants")
downloads = pytest.importorskip("huggingface_hub.file_download")

MODEL, WORDS = model(pooled=False), tokenizer().encode()
REPOSITORY = {
    "README.md": b"# Colours",
    "training_args.json": b"{}",
    "onnx/model.onnx": MODEL,
    "onnx/model_int8.onnx": model(pooled=True),
    "pytorch_model.bin": b"\x80\x04 a pickle",
    "tokenizer.json": WORDS,
}
NEXT = "f" * 40
NOBODY = "http://127.0.0.1:9"


@contextmanager
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The repository, for a library that was imported before Combray could set it up, and never pauses."""
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 50)
    monkeypatch.setattr(downloads, "time", SimpleNamespace(sleep=lambda seconds: None))
    # The repository does not say how the model pools its tokens: it is a listed one.
    files = {"model.onnx": (len(MODEL), hashlib.sha256(MODEL).hexdigest())}
    monkeypatch.setitem(onnx_files.KNOWN, "colours", KnownModel("colours", "embedder", "MIT", "", files, "mean"))
    with hub_of(dict(REPOSITORY)) as colours:
        point(monkeypatch, colours.url)
        yield colours


def point(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Have the library ask another hub."""
    monkeypatch.setattr(constants, "ENDPOINT", url)
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def refused(spec: str = "onnx:ada/colours") -> str:
    """The message of a fetch that must fail."""
    with pytest.raises(CombrayError) as failed:
        fetch(spec)
    return str(failed.value)


def nothing_is_used() -> None:
    """Nothing of the repository serves as its model."""
    with pytest.raises(ModelError, match="combray models fetch onnx:ada/colours"):
        embedder("onnx:ada/colours")
