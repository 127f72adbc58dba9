"""Embedders over HTTP, and the wire format of each provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np

from combray.models.http import PATIENCE, Client, Posted
from combray.models.services import Spec
from combray.records import dataclass, field
from combray.runtime import Vectors

MOST_CHARACTERS = 6000
"""Of one text. Even in Chinese this is below the usual limit of 8,192 tokens."""
MOST_AT_ONCE = 64
MOST_CHARACTERS_AT_ONCE = 60_000
"""In one request. Below the smallest provider limit, 120,000 tokens (Voyage), in any language."""
BULK_PATIENCE = 60.0
"""Seconds for one request with texts to store: no interactive caller waits."""
MOST_BYTES = 32_000_000
"""Of one answer. 64 vectors of 4,096 numbers with 20 digits are 5 MB."""

_MULTILINGUAL = (
    "multilingual",
    "gemini-embedding",
    "embeddinggemma",
    "text-embedding-3",
    "text-embedding-ada",
    "voyage",
    "jina-embeddings-v3",
    "jina-embeddings-v4",
    "jina-embeddings-v5",
    "bge-m3",
    "qwen3-embedding",
    "arctic-embed2",
    "arctic-embed-l-v2",
    "nomic-embed-text-v2",
    "granite-embedding:278m",
)


def _rows(answer: Any) -> Iterable[tuple[Any, Any]]:
    return [(each["index"], each["embedding"]) for each in answer["data"]]


def _tokens(answer: Any) -> Any:
    return (answer.get("usage") or {}).get("total_tokens")


@dataclass(frozen=True)
class EmbedderForm:
    """A wire format. `path` may contain {model}; `body` takes model, texts, whether a query, and dimensions.

    `rows` returns (index, vector) pairs and `tokens` the token count of an answer. Both may raise LookupError
    or TypeError for an answer of another shape. Dimensions are 0 if none are requested. By
    default the answer is read as OpenAI's.
    """

    path: str
    body: Callable[[str, list[str], bool, int], Mapping[str, Any]]
    rows: Callable[[Any], Iterable[tuple[Any, Any]]] = _rows
    tokens: Callable[[Any], Any] = _tokens
    dimensions: Mapping[str, int] = field(default_factory=dict)


def _openai(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    del query
    body = {"model": model, "input": texts, "encoding_format": "float"}
    return {**body, "dimensions": dimensions} if dimensions else body


def _ollama(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    del query
    body = {"model": model, "input": texts, "truncate": True}
    return {**body, "dimensions": dimensions} if dimensions else body


def _gemini(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    shared: dict[str, Any] = {"model": f"models/{model}"}
    if model == "gemini-embedding-001":
        shared["taskType"] = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
    if dimensions:
        shared["outputDimensionality"] = dimensions
    return {"requests": [{**shared, "content": {"parts": [{"text": text}]}} for text in texts]}


def _voyage(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    kind = "query" if query else "document"
    body = {"model": model, "input": texts, "input_type": kind, "truncation": True}
    return {**body, "output_dimension": dimensions} if dimensions else body


def _jina(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    body: dict[str, Any] = {"model": model, "input": texts, "embedding_type": "float"}
    if not model.startswith(("jina-embeddings-v2", "jina-clip")):  # these take no task
        body |= {"task": "retrieval.query" if query else "retrieval.passage", "truncate": True}
    return {**body, "dimensions": dimensions} if dimensions else body


FORMS = {
    # Also spoken by vLLM, LM Studio, llama.cpp and SiliconFlow.
    "openai": EmbedderForm(
        "/embeddings",
        _openai,
        dimensions={
            "text-embedding-3-small": 1536,
            "text-embedding-3-large": 3072,
            "text-embedding-ada-002": 1536,
        },
    ),
    "ollama": EmbedderForm(
        "/api/embed",
        _ollama,
        lambda answer: enumerate(answer["embeddings"]),
        lambda answer: answer.get("prompt_eval_count"),
        {
            "nomic-embed-text": 768,
            "embeddinggemma": 768,
            "mxbai-embed-large": 1024,
            "bge-m3": 1024,
            "all-minilm": 384,
        },
    ),
    "gemini": EmbedderForm(
        "/models/{model}:batchEmbedContents",
        _gemini,
        lambda answer: enumerate(each["values"] for each in answer["embeddings"]),
        lambda answer: (answer.get("usageMetadata") or {}).get("promptTokenCount"),
        {"gemini-embedding-001": 3072, "gemini-embedding-2": 3072},
    ),
    "voyage": EmbedderForm(
        "/embeddings",
        _voyage,
        dimensions=dict.fromkeys(
            ("voyage-4-large", "voyage-4", "voyage-4-lite", "voyage-3-large", "voyage-3.5", "voyage-3.5-lite"),
            1024,
        ),
    ),
    "jina": EmbedderForm(
        "/embeddings", _jina, dimensions={"jina-embeddings-v3": 1024, "jina-embeddings-v4": 2048}
    ),
}


class PostedEmbedder(Posted):
    """Implements `runtime.Embedder` over HTTP. Every vector is checked before anything is stored.

    The name includes the dimensions, which come from the spec, from the provider's table, or from one call when
    the embedder is opened. A query may take 5 s in all, each request with texts to store 60 s.
    """

    leaves_process = True
    contextual = True

    def __init__(self, form: EmbedderForm, spec: Spec, client: Client) -> None:
        self._form = form
        self._spec = spec
        super().__init__(client)
        self.dimensions = spec.dimensions or form.dimensions.get(spec.model, 0)
        if not self.dimensions:
            self.dimensions = self._post(["dimensions"], query=False, patience=PATIENCE).shape[1]
        self.name = f"{client.name}:{self.dimensions}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for places in _batches(texts):
            sent = [texts[place][:MOST_CHARACTERS] for place in places]
            vectors[places] = self._post(sent, query=query, patience=PATIENCE if query else BULK_PATIENCE)
        return vectors

    def knows(self, language: str) -> float:
        model = self._spec.model.casefold()
        return 1.0 if language == "en" or any(name in model for name in _MULTILINGUAL) else 0.3

    def _post(self, texts: list[str], *, query: bool, patience: float) -> Vectors:
        body = self._form.body(self._spec.model, texts, query, self._spec.dimensions)
        vectors: Vectors = self._client.post(
            self._form.path.format(model=quote(self._spec.model)),
            body,
            until=self._client.until(patience),
            read=lambda answer: self._read(answer, len(texts)),
        )
        return vectors

    def _read(self, answer: Any, count: int) -> Vectors:
        try:
            pairs = msgspec.convert(list(self._form.rows(answer)), list[tuple[int, list[float]]])
            self.usage.tokens(self._form.tokens(answer))
        except (LookupError, TypeError, AttributeError, msgspec.ValidationError):
            raise self._client.error("the answer holds no list of vectors") from None
        return self._checked(pairs, count)

    def _checked(self, pairs: list[tuple[int, list[float]]], count: int) -> Vectors:
        if sorted(index for index, _ in pairs) != list(range(count)):
            raise self._client.error(f"the answer holds {len(pairs)} vectors, not one for each of {count} texts")
        lengths = {len(vector) for _, vector in pairs}
        wanted = self.dimensions or max(lengths)
        if lengths != {wanted} or not wanted:
            raise self._client.error(
                f"the answer holds vectors of {', '.join(map(str, sorted(lengths)))} dimensions, not of {wanted}"
            )
        rows = np.array([vector for _, vector in sorted(pairs, key=lambda pair: pair[0])], dtype=np.float64)
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise self._client.error("the answer holds a vector without direction (zero or not finite)")
        unit: Vectors = (rows / norms).astype(np.float32)
        return unit


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the places of non-empty texts, one list per request."""
    batch: list[int] = []
    characters = 0
    for place, text in enumerate(texts):
        if not text.strip():
            continue
        length = min(len(text), MOST_CHARACTERS)
        if batch and (len(batch) == MOST_AT_ONCE or characters + length > MOST_CHARACTERS_AT_ONCE):
            yield batch
            batch, characters = [], 0
        batch.append(place)
        characters += length
    if batch:
        yield batch
