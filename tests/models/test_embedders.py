"""Embedders over HTTP: their requests, batches, and servers that lie about what they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from service import Hands, Reply, Service, serving

import combray
from combray.errors import InvalidInputError, ModelError
from combray.models import EMBEDDERS, embedder
from combray.models.embedders import FORMS, MOST_CHARACTERS, PostedEmbedder
from combray.models.services import SERVICES, Spec, connect

PROVIDERS = ("openai", "ollama", "gemini", "voyage", "jina")
KEYS = {
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "voyage": "VOYAGE_API_KEY",
    "jina": "JINA_API_KEY",
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEYS.values():
        monkeypatch.setenv(variable, f"key-of-{variable}")


def made(service: Service, provider: str = "openai", model: str = "m", dimensions: int = 2) -> PostedEmbedder:
    spec = Spec(model, dimensions, service.url)
    return PostedEmbedder(FORMS[provider], spec, connect(SERVICES[provider], spec, timing=Hands().timing()))


def given(provider: str, rows: Sequence[Any]) -> Reply:
    """The provider's answer with these vectors."""
    if provider == "ollama":
        return Reply({"embeddings": list(rows), "prompt_eval_count": 9})
    if provider == "gemini":
        return Reply({"embeddings": [{"values": row} for row in rows], "usageMetadata": {"promptTokenCount": 9}})
    data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
    return Reply({"data": data, "usage": {"total_tokens": 9}})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_vectors_come_at_unit_length_and_tokens_are_counted(provider: str) -> None:
    with serving(given(provider, [[3, 4.0], [0, -2]])) as service:
        model = made(service, provider)
        found = model.embed(["a", "b"])
    assert found.tolist() == pytest.approx(np.array([[0.6, 0.8], [0.0, -1.0]]))
    assert found.dtype == np.float32
    assert model.name == f"{provider}:m:2"
    assert (model.dimensions, model.leaves_process, model.contextual) == (2, True, True)
    assert model.usage.snapshot() == {"calls": 1, "failures": 0, "tokens": 9}


SENT: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "openai": ("/embeddings", {"input": ["a"], "encoding_format": "float", "dimensions": 2}, {}),
    "ollama": ("/api/embed", {"input": ["a"], "truncate": True, "dimensions": 2}, {}),
    "voyage": (
        "/embeddings",
        {"input": ["a"], "input_type": "document", "truncation": True, "output_dimension": 2},
        {"input_type": "query"},
    ),
    "jina": (
        "/embeddings",
        {
            "input": ["a"],
            "task": "retrieval.passage",
            "truncate": True,
            "embedding_type": "float",
            "dimensions": 2,
        },
        {"task": "retrieval.query"},
    ),
}
"""Path, body for a text, and what is another for a query; the model aside."""


@pytest.mark.parametrize("provider", SENT)
def test_what_is_sent(provider: str) -> None:
    path, body, for_queries = SENT[provider]
    with serving(given(provider, [[1, 0]])) as service:
        model = made(service, provider)
        model.embed(["a"])
        model.embed(["a"], query=True)
        stored, query = service.asked
    assert stored.path == path
    assert stored.body == {"model": "m", **body}
    assert query.body == {"model": "m", **body, **for_queries}


def test_what_is_sent_to_gemini() -> None:
    with serving(given("gemini", [[1, 0]])) as service:
        made(service, "gemini", "gemini-embedding-001").embed(["a"], query=True)
        made(service, "gemini", "gemini-embedding-2").embed(["a"])
        first, second = service.asked
    assert first.path == "/models/gemini-embedding-001:batchEmbedContents"
    assert first.headers["x-goog-api-key"] == "key-of-GEMINI_API_KEY"
    assert first.body == {
        "requests": [
            {
                "model": "models/gemini-embedding-001",
                "taskType": "RETRIEVAL_QUERY",
                "outputDimensionality": 2,
                "content": {"parts": [{"text": "a"}]},
            }
        ]
    }
    assert "taskType" not in second.body["requests"][0]


def test_jinas_older_models_know_no_task() -> None:
    with serving(given("jina", [[1, 0]])) as service:
        made(service, "jina", "jina-embeddings-v2-base-en").embed(["a"])
        assert "task" not in service.asked[0].body


def test_by_index_and_never_by_position() -> None:
    data = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    with serving(Reply({"data": data})) as service:
        assert made(service).embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("provider", ["openai", "gemini"])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 0]], "holds 1 vectors, not one for each of 2 texts"),
        ([[1, 0], [0, 1], [1, 1]], "holds 3 vectors, not one for each of 2 texts"),
        ([], "holds 0 vectors"),
        ([[1, 0], [0, 1, 0]], "vectors of 2, 3 dimensions, not of 2"),
        ([[1, 0, 0], [0, 1, 0]], "vectors of 3 dimensions, not of 2"),
        ([[], []], "vectors of 0 dimensions, not of 2"),
        ([[1, 0], [0, 0]], "without direction"),
        ([[1e300, 1e300], [0, 1]], "without direction"),
        ([[1, 0], [0, None]], "no list of vectors"),
        ([[1, 0], [0, "1"]], "no list of vectors"),
        ([[1, 0], [0, True]], "no list of vectors"),
        ([[1, 0], "0.5"], "no list of vectors"),
        ([[1, 0], None], "no list of vectors"),
    ],
)
def test_a_server_that_lies_is_caught(provider: str, rows: list[Any], message: str) -> None:
    with serving(given(provider, rows)) as service, pytest.raises(ModelError, match=f"{provider}:m: .*{message}"):
        made(service, provider).embed(["a", "b"])


@pytest.mark.parametrize("places", [(0, 0), (1, 2), (-1, 0), ("0", "1"), (None, 1), (0.5, 1)])
def test_wrong_indices_are_caught(places: tuple[Any, Any]) -> None:
    data = [{"index": place, "embedding": [1, 0]} for place in places]
    with (
        serving(Reply({"data": data})) as service,
        pytest.raises(ModelError, match=r"one for each|no list of vectors"),
    ):
        made(service).embed(["a", "b"])


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "body", [[], {}, "x", None, {"data": 5, "embeddings": 5}, {"data": [1], "embeddings": [1]}]
)
def test_another_shape_is_an_error(provider: str, body: Any) -> None:
    with serving(Reply(body)) as service, pytest.raises(ModelError, match="no list of vectors"):
        made(service, provider).embed(["a"])


def by_number(body: Any) -> Reply:
    """The direction of text "n…" is (cos n/100, sin n/100), told in reverse order."""
    angles = [int(text[:3]) / 100 for text in body["input"]]
    data = [{"index": i, "embedding": [np.cos(a), np.sin(a)]} for i, a in enumerate(angles)]
    return Reply({"data": data[::-1]})


@pytest.mark.parametrize(("length", "batches"), [(3, [64, 64, 22]), (5000, [12] * 12 + [6])])
def test_many_texts_go_in_batches(length: int, batches: list[int]) -> None:
    """64 texts, or 60,000 characters, at once."""
    texts = [f"{number:03}".ljust(length, "x") for number in range(150)]
    with serving(by_number) as service:
        found = made(service).embed(texts)
        assert [len(asked.body["input"]) for asked in service.asked] == batches
    angles = np.arange(150) / 100
    assert found == pytest.approx(np.stack([np.cos(angles), np.sin(angles)], axis=1), abs=1e-6)


def test_empty_texts_give_zeros_and_are_not_sent() -> None:
    with serving(given("openai", [[1, 0]])) as service:
        model = made(service)
        assert model.embed([]).shape == (0, 2)
        assert model.embed(["", " \n"]).tolist() == [[0, 0], [0, 0]]
        assert service.asked == []
        assert model.embed(["", "a"]).tolist() == [[0, 0], [1, 0]]
        assert service.asked[0].body["input"] == ["a"]


def test_long_texts_are_cut() -> None:
    with serving(given("openai", [[1, 0]])) as service:
        made(service).embed(["a" * 9000])
        assert len(service.asked[0].body["input"][0]) == MOST_CHARACTERS


def test_dimensions_nobody_knows_are_asked_for_once() -> None:
    with serving(given("ollama", [[1, 0, 0]])) as service:
        model = made(service, "ollama", "my-own", 0)
        assert (model.name, len(service.asked)) == ("ollama:my-own:3", 1)
        model.embed(["a"])
        assert "dimensions" not in service.asked[1].body
    with pytest.raises(ModelError, match="cannot be reached"):
        made(Service("http://127.0.0.1:9"), "ollama", "my-own", 0)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small:1536"),
        ("openai:text-embedding-3-large#256", "openai:text-embedding-3-large:256"),
        ("openai:bge#768@http://127.0.0.1:9/v1", "openai:bge:768"),
        ("ollama:nomic-embed-text", "ollama:nomic-embed-text:768"),
        ("gemini:gemini-embedding-001", "gemini:gemini-embedding-001:3072"),
        ("voyage:voyage-3.5", "voyage:voyage-3.5:1024"),
        ("jina:jina-embeddings-v3", "jina:jina-embeddings-v3:1024"),
    ],
)
def test_a_spec_names_model_dimensions_and_address(spec: str, name: str) -> None:
    """Opening a model whose dimensions are known asks nobody."""
    model = embedder(spec)
    assert model is not None
    assert model.name == name


@pytest.mark.parametrize("provider", KEYS)
def test_a_missing_key_is_named(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEYS[provider])
    with pytest.raises(ModelError, match=f"no key; set {KEYS[provider]}"):
        embedder(f"{provider}:m")


@pytest.mark.parametrize("spec", ["openai", "ollama:", "jina:#3", "voyage:a b", "mistral:x"])
def test_a_wrong_spec_is_explained(spec: str) -> None:
    with pytest.raises(InvalidInputError, match="embedder"):
        embedder(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:m#0@http://h", "Use #1 to #99999."),
        ("openai:m#100000@http://h", "Use #1 to #99999."),
        ("jina:m#many", "Use #1 to #99999."),
        ("openai:m#4@ftp://h", "Use #1 to #99999."),
        ("openai:m@ftp://h", "Start it with http:// or https://."),
        ("openai:m@127.0.0.1:8000/v1", "Start it with http:// or https://."),
        ("ollama:m@localhost", "Start it with http:// or https://."),
    ],
)
def test_dimensions_and_an_address_that_are_none_are_no_part_of_a_models_name(spec: str, said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        embedder(spec)
    assert caught.value.remedy == said


def test_a_name_may_hold_a_version_and_a_tag() -> None:
    for name in ("claude@20240229", "m:latest", "m@sha256:0af1", "org/m:0.6b-q4"):
        made = embedder(f"ollama:{name}#3")
        assert made is not None
        assert made.name == f"ollama:{name}:3"


def test_all_are_listed() -> None:
    with pytest.raises(InvalidInputError) as caught:
        embedder("?")
    assert all(each in str(caught.value) for each in EMBEDDERS)


@pytest.mark.parametrize(
    ("provider", "model", "everywhere"),
    [
        ("openai", "text-embedding-3-small", True),
        ("voyage", "voyage-3.5-lite", True),
        ("gemini", "gemini-embedding-001", True),
        ("jina", "jina-embeddings-v3", True),
        ("jina", "jina-embeddings-v2-base-en", False),
        ("ollama", "bge-m3:latest", True),
        ("ollama", "Qwen3-Embedding:0.6b", True),
        ("ollama", "all-minilm", False),
    ],
)
def test_how_far_it_is_trusted(provider: str, model: str, everywhere: bool) -> None:
    with serving(given(provider, [[1, 0]])) as service:
        found = made(service, provider, model)
    assert (found.knows("en"), found.knows("vi")) == (1.0, 1.0 if everywhere else 0.3)


def test_an_engine_runs_on_it_and_goes_on_without_it() -> None:
    """What is remembered while the server is down has no vector, and recall says it is keyword only."""

    def toward(body: Any) -> Reply:
        rows = [[1, 0] if "fox" in text or "vixen" in text else [0, 1] for text in body["input"]]
        return given("openai", rows)

    with (
        serving(toward) as service,
        combray.open(":memory:", embedder=f"openai:m#2@{service.url}", preset="mnemon") as engine,
    ):
        engine.remember("The fox is red")
        engine.remember("Rates rose again")
        answer = engine.recall("vixen")
        assert answer[0].memory.content == "The fox is red"
        assert answer[0].signals["similarity"] == pytest.approx(1.0, abs=1e-4)
        service.replies[:] = [Reply(status=401)]
        answer = engine.recall("fox")
        assert answer[0].memory.content == "The fox is red"
        assert any("401: check OPENAI_API_KEY" in step.note for step in answer.trace)
        engine.remember("The fox sleeps")
        status = engine.store.status()
        assert status["total_insights"] == 3
        assert status["vectors"] == {"openai:m:2": 2}
