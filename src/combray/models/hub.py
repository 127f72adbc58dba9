"""Models in the local cache of the Hugging Face hub. Nothing here uses the network."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from combray.errors import MissingExtraError, ModelError
from combray.records import dataclass

MODELS = ("model.onnx", "onnx/model.onnx")
"""Where the model file of an id or folder is, if the spec names none. The first that exists."""
TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"
CONFIG = "config.json"
MAIN = "main"
"""The default revision."""

_ID = re.compile(
    r"(?P<repository>\w[\w.-]{0,95}/\w[\w.-]{0,95})(?:@(?P<revision>\w[\w.-]{0,199}))?(?:/(?P<file>[\w./-]+\.onnx))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class HubId:
    """`ORG/NAME@REVISION/FILE.onnx`. `file` is "" for the first of MODELS."""

    repository: str
    revision: str = MAIN
    file: str = ""

    def __str__(self) -> str:
        revision = "" if self.revision == MAIN else f"@{self.revision}"
        return f"{self.repository}{revision}{f'/{self.file}' if self.file else ''}"

    @property
    def models(self) -> tuple[str, ...]:
        """Candidates for the model file, best first."""
        return (self.file,) if self.file else MODELS


def read(text: str) -> HubId | None:
    """Parse an id. Return None for any other text. A revision is a branch, a tag or a commit."""
    found = _ID.fullmatch(text)
    if found is None or ".." in text:
        return None
    return HubId(found["repository"], found["revision"] or MAIN, found["file"] or "")


def tokenizers_of(model: str) -> Iterator[str]:
    """Yield candidates for the tokenizer file: beside the model, then at the top, as in exports to `onnx/`."""
    folder, slash, _ = model.rpartition("/")
    if slash:
        yield f"{folder}/{TOKENIZER}"
    yield TOKENIZER


def cached(named: HubId) -> tuple[Path, str]:
    """Return the folder of a revision in the local cache, and the name of its model file.

    Raises ModelError, which names the command that downloads it, and MissingExtraError.
    """
    find: Any = library().try_to_load_from_cache
    for model in named.models:
        path = find(named.repository, model, revision=named.revision)
        tokenizers = [find(named.repository, each, revision=named.revision) for each in tokenizers_of(model)]
        # The library returns a sentinel for a file that it knows not to exist.
        if isinstance(path, str) and any(isinstance(each, str) for each in tokenizers):
            return Path(path).parents[model.count("/")], model
    raise ModelError(
        f"onnx:{named}: not found, neither as a folder nor in the local cache of the hub; "
        f"download it with: combray models fetch onnx:{named}"
    )


def library() -> Any:
    """Import `huggingface_hub`. Raises MissingExtraError."""
    # It would report the agents and libraries of this machine to the hub.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # Xet downloads report no progress that would let us stop an endless one.
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    try:
        import huggingface_hub
    except ImportError as error:
        raise MissingExtraError("a model from the hub", "onnx") from error
    return huggingface_hub
