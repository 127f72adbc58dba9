"""Embedders over HTTP. The wire format of a provider is in its own file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np

from combray.models.http import PATIENCE, Client, Posted
from combray.models.services import Spec
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


@dataclass(frozen=True)
class Form:
    """A wire format. `path` may contain {model}; `body` takes model, texts, whether a query, and dimensions.

    `rows` returns (index, vector) pairs and `tokens` the token count of an answer. Both may raise LookupError
    or TypeError for an answer of another shape. Dimensions are 0 if none are requested.
    """

    path: str
    body: Callable[[str, list[str], bool, int], Mapping[str, Any]]
    rows: Callable[[Any], Iterable[tuple[Any, Any]]]
    tokens: Callable[[Any], Any]
    dimensions: Mapping[str, int] = field(default_factory=dict)


class PostedEmbedder(Posted):
    """Implements `runtime.Embedder` over HTTP. Every vector is checked before anything is stored.

    The name includes the dimensions, which come from the spec, from the provider's table, or from one call when
    the embedder is opened. A query may take 5 s in all, each request with texts to store 60 s.
    """

    leaves_process = True
    contextual = True

    def __init__(self, form: Form, spec: Spec, client: Client) -> None:
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
