"""Models of the Hugging Face hub by their id, taken from its local cache only: nothing here asks the network."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from combray.errors import MissingExtraError, ModelError

MODELS = ("model.onnx", "onnx/model.onnx")
"""Where an id without a file, or a folder, has its model; the first that is there."""
TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"
MAIN = "main"
"""The revision of an id that names none."""

_ID = re.compile(
    r"(?P<repository>\w[\w.-]{0,95}/\w[\w.-]{0,95})(?:@(?P<revision>\w[\w.-]{0,199}))?(?:/(?P<file>[\w./-]+\.onnx))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class HubId:
    """`ORG/NAME@REVISION/FILE.onnx`, as the hub's own file names are written; `file` "" for one of MODELS."""

    repository: str
    revision: str = MAIN
    file: str = ""

    def __str__(self) -> str:
        revision = "" if self.revision == MAIN else f"@{self.revision}"
        return f"{self.repository}{revision}{f'/{self.file}' if self.file else ''}"

    @property
    def models(self) -> tuple[str, ...]:
        """The files of the repository that may be the model, best first."""
        return (self.file,) if self.file else MODELS


def read(text: str) -> HubId | None:
    """The id that a text is, or None. A revision is a branch, a tag or a commit."""
    found = _ID.fullmatch(text)
    if found is None or ".." in text:
        return None
    return HubId(found["repository"], found["revision"] or MAIN, found["file"] or "")


def tokenizers_of(model: str) -> Iterator[str]:
    """Where the tokenizer of a model file may be: beside it, or at the top, as exports to `onnx/` leave it."""
    folder, slash, _ = model.rpartition("/")
    if slash:
        yield f"{folder}/{TOKENIZER}"
    yield TOKENIZER


def cached(named: HubId) -> tuple[Path, str]:
    """The folder of the id's revision in the local cache, and its model file in there.

    Raises ModelError, with the verb that fetches it, and MissingExtraError.
    """
    find: Any = library().try_to_load_from_cache
    for model in named.models:
        path = find(named.repository, model, revision=named.revision)
        tokenizers = [find(named.repository, each, revision=named.revision) for each in tokenizers_of(model)]
        # The library has a mark of its own for a file that it knows not to exist.
        if isinstance(path, str) and any(isinstance(each, str) for each in tokenizers):
            return Path(path).parents[model.count("/")], model
    raise ModelError(
        f"onnx:{named}: there is no such folder, and no such model in the local cache of the hub; "
        f"get it with: combray models fetch onnx:{named}"
    )


def library() -> Any:
    """The hub's own library. Raises MissingExtraError."""
    # It would tell the hub which agents and libraries it finds on this machine.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # Its second way to download says too little meanwhile for what does not end to be ended.
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    try:
        import huggingface_hub
    except ImportError as error:
        raise MissingExtraError("a model of the hub", "onnx") from error
    return huggingface_hub
