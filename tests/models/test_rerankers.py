"""Rerankers over HTTP: their published requests, and answers good, partial, out of order and wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest
from service import Hands, Reply, Service, serving

import combray
from combray.errors import InvalidInputError, ModelError
from combray.models import RERANKERS, reranker
from combray.models.rerankers import FORMS, MOST_CHARACTERS, PostedReranker, logistic
from combray.models.services import SERVICES, Spec, connect

KEYS = {
    "jina": "JINA_API_KEY",
    "voyage": "VOYAGE_API_KEY",
    "siliconflow": "SILICONFLOW_API_KEY",
    "pinecone": "PINECONE_API_KEY",
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEYS.values():
        monkeypatch.setenv(variable, f"key of {variable}".replace(" ", "-"))


def made(service: Service, provider: str = "jina", hands: Hands | None = None) -> PostedReranker:
    spec = Spec("m", url=service.url)
    client = connect(SERVICES[provider], spec, timing=(hands or Hands()).timing())
    return PostedReranker(FORMS[provider], spec, client)


def results(*pairs: tuple[Any, Any]) -> Reply:
    return Reply({"results": [{"index": index, "relevance_score": score} for index, score in pairs]})


def test_jina() -> None:
    with serving(results((1, 0.9), (0, 0.2))) as service:
        assert made(service).rerank("q", ["a", "b"]) == [0.2, 0.9]
        (asked,) = service.asked
    assert (asked.path, asked.headers["Authorization"]) == ("/rerank", "Bearer key-of-JINA_API_KEY")
    assert asked.body == {
        "model": "m",
        "query": "q",
        "documents": ["a", "b"],
        "top_n": 2,
        "return_documents": False,
    }


def test_siliconflow() -> None:
    answer = {
        "results": [{"index": 0, "relevance_score": 0.5, "document": None}],
        "meta": {"tokens": {"input_tokens": 20, "output_tokens": 1}},
    }
    with serving(Reply(answer)) as service:
        model = made(service, "siliconflow")
        assert model.rerank("q", ["a"]) == [0.5]
        assert service.asked[0].body["top_n"] == 1
        assert service.asked[0].headers["Authorization"] == "Bearer key-of-SILICONFLOW_API_KEY"
    assert model.usage.snapshot() == {"calls": 1, "failures": 0, "tokens": 21}


def test_voyage() -> None:
    answer = {
        "object": "list",
        "data": [{"index": 1, "relevance_score": 0.75}, {"index": 0, "relevance_score": 0.25}],
        "usage": {"total_tokens": 26},
    }
    with serving(Reply(answer)) as service:
        model = made(service, "voyage")
        assert model.rerank("q", ["a", "b"]) == [0.25, 0.75]
        body = service.asked[0].body
    assert (body["top_k"], body["truncation"], "top_n" in body) == (2, True, False)
    assert model.usage.snapshot()["tokens"] == 26


def test_pinecone() -> None:
    answer = {"data": [{"index": 0, "score": 0.5}], "usage": {"rerank_units": 1}}
    with serving(Reply(answer)) as service:
        model = made(service, "pinecone")
        assert model.rerank("q", ["a"]) == [0.5]
        (asked,) = service.asked
    assert asked.headers["Api-Key"] == "key-of-PINECONE_API_KEY"
    assert asked.headers["X-Pinecone-Api-Version"] == "2026-04"
    assert "Authorization" not in asked.headers
    assert asked.body["documents"] == [{"text": "a"}]
    assert asked.body["parameters"] == {"truncate": "END"}
    # Rerank units are no tokens.
    assert model.usage.snapshot()["tokens"] == 0


def test_ollama_asks_without_a_key() -> None:
    with serving(results((0, 0.5))) as service:
        assert made(service, "ollama").rerank("q", ["a"]) == [0.5]
        (asked,) = service.asked
    assert (asked.path, "Authorization" in asked.headers) == ("/api/rerank", False)


def test_by_index_and_never_by_position() -> None:
    """A partial answer, an index again, one out of range, some that are no index: only the good ones count."""
    with serving(
        results((2, 0.3), (2, 0.9), (7, 0.9), (-1, 0.9), ("0", 0.9), (True, 0.9), (None, 0.9))
    ) as service:
        assert made(service).rerank("q", ["a", "b", "c"]) == [None, None, 0.3]


@pytest.mark.parametrize("score", [None, "0.9", True, [], 10**400])
def test_a_relevance_that_is_no_number_is_none(score: Any) -> None:
    with serving(results((0, score), (1, 0.5))) as service:
        assert made(service).rerank("q", ["a", "b"]) == [None, 0.5]


def test_logits_are_squashed_all_or_none() -> None:
    """One relevance above 1 or below 0: all become 1 / (1 + e^-x), in the same order. 1 / (1 + e^-0) = .5."""
    with serving(results((0, 2.0), (1, 0.0), (3, -900.0)), results((0, 1.0), (1, 0.0))) as service:
        model = made(service)
        found = model.rerank("q", ["a", "b", "c", "d"])
        assert found == [pytest.approx(1 / (1 + math.exp(-2))), 0.5, None, 0.0]
        assert model.rerank("q", ["a", "b"]) == [1.0, 0.0]


def test_the_logistic_function_never_overflows() -> None:
    assert [logistic(value) for value in (-1e9, 0.0, 1e9)] == [0.0, 0.5, 1.0]
    assert logistic(-1.5) == pytest.approx(1 - logistic(1.5))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "has no list 'results'"),
        ({"data": []}, "has no list 'results'"),
        ({"results": {"0": 0.5}}, "has no list 'results'"),
        ({"results": []}, "holds no relevance for any of the texts"),
        ({"results": [None, "x", 5]}, "holds no relevance for any of the texts"),
        ({"results": [{"index": 0, "relevance_score": None}]}, "holds no relevance for any of the texts"),
    ],
)
def test_an_answer_of_another_shape_is_an_error(body: Any, message: str) -> None:
    with serving(Reply(body)) as service, pytest.raises(ModelError, match=f"jina:m: the answer {message}"):
        made(service).rerank("q", ["a"])


def test_nothing_is_asked_about_nothing() -> None:
    with serving(results((0, 0.5))) as service:
        model = made(service)
        assert model.rerank("q", []) == []
        assert model.rerank(" ", ["a"]) == [None]
        assert model.rerank("q", ["", " \n"]) == [None, None]
        assert service.asked == []
        # Empty texts are left out of what is sent, and the indices still fit.
        assert model.rerank("q", ["", "a", " "]) == [None, 0.5, None]
        assert service.asked[0].body["documents"] == ["a"]


def test_long_texts_are_cut() -> None:
    with serving(results((0, 0.5))) as service:
        made(service).rerank("q" * 9000, ["a" * 9000])
        body = service.asked[0].body
    assert [len(body["query"]), len(body["documents"][0])] == [MOST_CHARACTERS, MOST_CHARACTERS]


def by_number(body: Any) -> Reply:
    """Relevance of text "n" is n / 1000, told in reverse order."""
    pairs = [(index, int(text) / 1000) for index, text in enumerate(body["documents"])]
    return results(*reversed(pairs))


def test_many_texts_are_asked_about_in_batches() -> None:
    with serving(by_number) as service:
        texts = [str(number) for number in range(250)]
        assert made(service).rerank("q", texts) == [number / 1000 for number in range(250)]
        assert [len(asked.body["documents"]) for asked in service.asked] == [100, 100, 50]


def test_all_batches_share_the_time_of_one_call() -> None:
    hands = Hands()

    def slow(body: Any) -> Reply:
        hands.now += 3.0
        return by_number(body)

    with serving(slow) as service:
        with pytest.raises(ModelError, match=r"in time|no answer within|no time was left"):
            made(service, hands=hands).rerank("q", [str(number) for number in range(250)])
        assert len(service.asked) == 2


def test_failures_are_counted_and_named() -> None:
    with serving(Reply(status=401)) as service:
        model = made(service)
        with pytest.raises(ModelError, match="jina:m: status 401: check JINA_API_KEY"):
            model.rerank("q", ["a"])
    assert model.usage.snapshot() == {"calls": 1, "failures": 1, "tokens": 0}


@pytest.mark.parametrize(
    ("spec", "name", "url"),
    [
        ("jina", "jina:jina-reranker-v3", "https://api.jina.ai/v1"),
        ("jina:x", "jina:x", "https://api.jina.ai/v1"),
        ("voyage", "voyage:rerank-2.5-lite", "https://api.voyageai.com/v1"),
        ("siliconflow", "siliconflow:BAAI/bge-reranker-v2-m3", "https://api.siliconflow.com/v1"),
        (
            "siliconflow:Qwen/Qwen3-Reranker-8B@https://api.siliconflow.cn/v1",
            None,
            "https://api.siliconflow.cn/v1",
        ),
        ("pinecone", "pinecone:bge-reranker-v2-m3", "https://api.pinecone.io"),
        ("ollama:bge", "ollama:bge", "http://127.0.0.1:11434"),
        ("ollama:a/b:c@http://10.0.0.5:11434/", "ollama:a/b:c", "http://10.0.0.5:11434"),
        ("jina:m@http://127.0.0.1:8080/v1", "jina:m", "http://127.0.0.1:8080/v1"),
    ],
)
def test_a_spec_names_model_and_address(spec: str, name: str | None, url: str) -> None:
    model = reranker(spec)
    assert isinstance(model, PostedReranker)
    assert model.name == (name or spec.split("@")[0])
    assert model._client.url == url


@pytest.mark.parametrize("provider", KEYS)
def test_a_missing_key_is_named(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEYS[provider])
    with pytest.raises(ModelError, match=f"no key; set {KEYS[provider]}"):
        reranker(f"{provider}:m")
    # A server of one's own may need none.
    assert reranker(f"{provider}:m@http://127.0.0.1:9") is not None


def test_a_key_with_a_line_break_inside_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JINA_API_KEY", "secret\nkey")
    with pytest.raises(ModelError) as caught:
        reranker("jina:m")
    assert str(caught.value) == "jina:m: JINA_API_KEY has characters that are invalid in a key"
    monkeypatch.setenv("JINA_API_KEY", " secret\n")
    assert reranker("jina:m") is not None


def test_no_key_goes_to_another_machine_in_the_clear() -> None:
    with pytest.raises(ModelError, match="another machine and unencrypted"):
        reranker("jina:m@http://10.0.0.5/v1")


UNKNOWN: list[tuple[str, str]] = [
    ("", "is not known"),
    ("none:x", "is not known"),
    ("onnx:", "is not known"),
    ("cohere:x", "is not known"),
    ("ollama", "Name a model"),
    ("ollama:@http://127.0.0.1", "Name a model"),
    ("jina:two words", "cannot be parsed"),
    ("jina:m@http://user:pass@host", "contains a password"),
    ("jina:m@http://", "cannot be parsed"),
    ("jina:m@http://host:99999", "is not (a valid|the) address"),
    ("jina:m@http://host/?key=1", "is not (a valid|the) address"),
]


@pytest.mark.parametrize(("spec", "message"), UNKNOWN)
def test_a_wrong_spec_is_explained(spec: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        reranker(spec)


def test_none_is_none_and_all_are_listed() -> None:
    assert reranker("none") is None
    with pytest.raises(InvalidInputError) as caught:
        reranker("?")
    assert all(each in str(caught.value) for each in RERANKERS)


def test_an_engine_runs_on_it_and_goes_on_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the setting alone; a service that refuses is told in the trace, and costs no memory."""

    def longest(body: Any) -> Reply:
        return results(*((index, len(text) / 100) for index, text in enumerate(body["documents"])))

    with serving(longest) as service:
        monkeypatch.setenv("COMBRAY_RERANKER", f"jina:m@{service.url}")
        with combray.open(":memory:", embedder="none", preset="mnemo") as engine:
            engine.remember("A fox")
            engine.remember("A fox that runs and runs until nobody sees it any more")
            answer = engine.recall("fox")
            assert {len(hit.memory.content): hit.signals["rerank"] for hit in answer} == {5: 0.05, 54: 0.54}
            assert service.asked[0].body["query"] == "fox"
            service.replies[:] = [Reply(status=401)]
            answer = engine.recall("fox")
            assert len(answer) == 2
            notes = [step.note for step in answer.trace if step.stage == "Rerank"]
            assert notes == ["not reranked: jina:m: status 401: check JINA_API_KEY"]
