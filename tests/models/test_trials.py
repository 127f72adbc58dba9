"""`combray models test` against real servers: what it asks, what it holds for working, how to mend the rest."""

from __future__ import annotations

from typing import Any

import pytest
from service import Reply, Service, serving

from combray.engine.models import Trial, trials
from combray.errors import InvalidInputError


@pytest.fixture(autouse=True)
def a_new_user(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "JINA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))


def embedding(**rows: list[float]) -> Any:
    def reply(body: Any) -> Reply:
        data = [{"index": place, "embedding": rows[word]} for place, word in enumerate(body["input"])]
        return Reply({"data": data})

    return reply


def ranking(*scores: float) -> Reply:
    return Reply({"results": [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]})


def tried(kind: str, service: Service, spec: str = "openai:m@{}") -> Trial:
    settings = {"embedder": "none", kind: spec.format(service.url)}
    (found,) = [each for each in trials(settings) if each.kind == kind]
    return found


def test_an_embedder_that_holds_cat_and_kitten_for_closer_works() -> None:
    """Cosines by hand: (1,0)·(0.8,0.6) = 0.8; (1,0)·(0,1) = 0."""
    with serving(embedding(cat=[1, 0], kitten=[0.8, 0.6], invoice=[0, 1])) as service:
        found = tried("embedder", service, "openai:m#2@{}")
        assert [request.body["input"] for request in service.asked] == [["cat", "kitten", "invoice"]]
    assert (found.ok, found.detail) == (True, "2 dimensions; cat/kitten 0.80, cat/invoice 0.00")
    assert found.milliseconds is not None


def test_an_embedder_that_knows_no_words_fails() -> None:
    with serving(embedding(cat=[1, 0], kitten=[0, 1], invoice=[0.6, 0.8])) as service:
        found = tried("embedder", service, "openai:m#2@{}")
    assert (found.ok, found.remedy) == (False, "Check that it is an embedding model with its own tokenizer.")
    assert found.detail.endswith("cat/kitten 0.00, cat/invoice 0.60: the wrong pair is closer")


@pytest.mark.parametrize(
    ("scores", "ok", "said"),
    [
        ((0.9, 0.1), True, "relevance 0.90 of the answer, 0.10 of another sentence"),
        ((0.1, 0.9), False, "relevance 0.10 of the answer, 0.90 of another sentence: the wrong one is first"),
        ((0.9,), False, "no relevance for one of two sentences"),
    ],
)
def test_a_reranker_puts_the_answer_first(scores: tuple[float, ...], ok: bool, said: str) -> None:
    with serving(ranking(*scores)) as service:
        found = tried("reranker", service, "jina:m@{}")
    assert (found.ok, found.detail) == (ok, said)


def test_a_language_model_is_asked_for_one_word() -> None:
    choice = {"message": {"content": "OK.\nIs there more?"}, "finish_reason": "stop"}
    with serving(Reply({"choices": [choice]})) as service:
        found = tried("language_model", service)
        assert service.asked[0].body["messages"][-1]["content"] == "Answer with OK."
    assert (found.ok, found.detail) == (True, "answers 'OK. Is there more?'")


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "Use a valid key of this service"),
        (404, "Check the model's name"),
        (422, "Check the model's name and what the service supports"),
    ],
)
def test_a_refusal_says_how_to_mend_it(status: int, remedy: str) -> None:
    with serving(Reply({"error": "no"}, status)) as service:
        found = tried("language_model", service)
    assert found.ok is False
    assert f"status {status}" in found.detail
    assert found.remedy.startswith(remedy)


@pytest.mark.parametrize("body", [b"<html>It works!</html>", {"hello": "world"}, {"choices": [{"message": 3}]}])
def test_what_answers_in_another_way_is_taken_for_another_service(body: Any) -> None:
    with serving(Reply(body)) as service:
        found = [
            tried(kind, service, spec)
            for kind, spec in (("embedder", "openai:m#2@{}"), ("language_model", "openai:m@{}"))
        ]
    assert [each.ok for each in found] == [False, False]
    assert {each.remedy.partition(".")[0] for each in found} == {
        "The server does not follow the protocol of this provider"
    }


def test_a_peer_is_asked_for_one_result(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Reply({"results": [{"text": "here"}]})) as service:
        settings = {"embedder": "none", "peers": f"combray:team={service.url}"}
        found = [each for each in trials(settings) if each.kind == "peer"]
        service.replies[:] = [Reply(b"<html>")]
        broken = [each for each in trials(settings) if each.kind == "peer"]
    assert [(each.name, each.ok, each.detail) for each in found] == [("team", True, "answers, with 1 result")]
    assert [(each.ok, "not JSON" in each.detail) for each in broken] == [(False, True)]


def test_a_setting_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="peers"):
        list(trials({"embedder": "none", "peers": "mem0"}))
