"""What services answer: models and peers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.fuzz.answering import Answering
from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from combray import models
from combray.models.breaker import Breaker
from combray.models.http import Timing
from combray.peers import KINDS

_STATUSES = (200, 200, 200, 200, 200, 200, 400, 401, 404, 429, 500, 302)
_SPECS = (
    ("chat", "openai"),
    ("chat", "anthropic"),
    ("chat", "gemini"),
    ("rerank", "jina"),
    ("rerank", "voyage"),
    ("rerank", "siliconflow"),
    ("rerank", "pinecone"),
    ("rerank", "ollama"),
    ("embed", "openai"),
    ("embed", "ollama"),
    ("embed", "gemini"),
    ("embed", "voyage"),
    ("embed", "jina"),
)


def _opened(kind: str, provider: str, url: str) -> Any:
    spec = f"{provider}:m#3@{url}" if kind == "embed" else f"{provider}:m@{url}"
    made: Any = {"chat": models.language_model, "rerank": models.reranker, "embed": models.embedder}[kind](spec)
    # No pauses, and no breaker that would refuse to ask again.
    made._client._timing = Timing(sleep=lambda _: None, chance=lambda: 0.0)
    made._client._breaker = Breaker(clock=lambda: 0.0, most=10**9)
    return made


def _models(_folder: Path) -> Run:
    service = Answering()
    opened = [(kind, _opened(kind, provider, service.url)) for kind, provider in _SPECS]

    def run(data: bytes) -> Any:
        draw = Draw(data)
        kind, model = draw.pick(opened)
        service.status, service.body = draw.pick(_STATUSES), draw.raw()
        if kind == "chat":
            return model.complete("system", "prompt")
        if kind == "rerank":
            found = model.rerank("query", ["one", "", "two"])
            assert len(found) == 3
            assert all(each is None or 0.0 <= each <= 1.0 for each in found), found
            return found
        vectors = model.embed(["one", "two", ""])
        assert vectors.shape == (3, 3)
        return vectors.tolist()

    return run


def _model_seeds() -> list[bytes]:
    vector = [1.0, 0.0, 0.5]
    chat: tuple[dict[str, Any], ...] = (
        {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}},
        {"content": [{"type": "text", "text": "yes"}], "stop_reason": "end_turn", "usage": {"input_tokens": 3}},
        {"candidates": [{"content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}]},
    )
    rerank: tuple[dict[str, Any], ...] = (
        {"results": [{"index": 0, "relevance_score": 3.5}, {"index": 1, "relevance_score": -1}], "usage": {}},
        {"data": [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 1e308}]},
        {"results": [{"index": 0, "relevance_score": 0.1}], "meta": {"tokens": {"input_tokens": 1}}},
        {"data": [{"index": 0, "score": 0.1}], "usage": {"rerank_units": 1}},
        {"results": [{"index": 1, "relevance_score": 0}]},
    )
    rows = {
        "data": [{"index": 0, "embedding": vector}, {"index": 1, "embedding": vector}],
        "usage": {"total_tokens": 1},
    }
    embed: tuple[dict[str, Any], ...] = (
        rows,
        {"embeddings": [vector, vector], "prompt_eval_count": 2},
        {"embeddings": [{"values": vector}, {"values": vector}]},
        rows,
        rows,
    )
    answers = [*chat, *rerank, *embed]
    return [bytes([number, 0]) + json.dumps(each).encode() for number, each in enumerate(answers)] + [
        b'\x00\x06{"error": {"message": "temperature is not supported"}}',
        b'\x01\x0a{"error": "busy"}',
    ]


def _peers(_folder: Path) -> Run:
    service = Answering()
    opened = [kind("p", service.url, "", 5.0) for kind in KINDS.values()]

    def run(data: bytes) -> Any:
        draw = Draw(data)
        peer = draw.pick(opened)
        service.status, service.body = draw.pick(_STATUSES), draw.raw()
        found = peer.search("who", 5, "work")
        assert len(found) <= 5
        assert all(hit.text.strip() and len(hit.text) <= 8000 for hit in found), "a text that is none"
        return found

    return run


def _peer_seeds() -> list[bytes]:
    answers: tuple[Any, ...] = (
        {"results": [{"text": "Bob", "score": 0.5, "id": "1", "when": "2026-03-01T09:00:00Z", "source": "wiki"}]},
        {"results": [{"memory": "Bob", "id": 4, "score": 1, "created_at": "2026-03-01"}]},
        {"response": "x", "references": [{"reference_id": "1", "file_path": "a", "content": ["Bob", ""]}]},
    )
    return [bytes([number, 0]) + json.dumps(each).encode() for number, each in enumerate(answers)] + [
        b'\x01\x00[{"memory": "Bob"}]'
    ]


TARGETS = (
    Target("models", "answers of model services", _models, _model_seeds, ("combray.models",)),
    Target("peers", "answers of peers", _peers, _peer_seeds, ("combray.peers",)),
)
