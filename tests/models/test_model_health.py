"""What models tell of themselves, met over HTTP: failures, back-off, recovery, tokens and cost."""

from __future__ import annotations

from typing import Any

import pytest
from service import Hands, Reply, Service, serving

import combray
from combray.engine import Engine
from combray.errors import ModelError
from combray.models.breaker import Breaker
from combray.models.embedders import FORMS, PostedEmbedder
from combray.models.http import Client
from combray.models.services import Spec
from combray.runtime import Health


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "COMBRAY_PRICES"):
        monkeypatch.delenv(name, raising=False)


def vectors(body: Any) -> Reply:
    rows = [[1, 0] if "fox" in text else [0, 1] for text in body["input"]]
    data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
    return Reply({"data": data, "usage": {"total_tokens": 1000}})


def said(text: str) -> Reply:
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return Reply({"choices": [choice], "usage": {"total_tokens": 12}})


def embedding_engine(service: Service, hands: Hands) -> Engine:
    """An engine whose embedder is a service, with a clock for its back-off that only the test moves."""
    client = Client("openai:m", service.url, timing=hands.timing())
    return combray.open(":memory:", embedder=PostedEmbedder(FORMS["openai"], Spec("m", 2), client))


def tiers(engine: Engine, times: int) -> list[str]:
    """The engine's tier after each of so many questions."""
    found: list[str] = []
    for _ in range(times):
        engine.recall("fox")
        found.append(engine.store.tier().name)
    return found


def test_an_embedder_that_fails_is_down_after_three_left_alone_after_five_and_back_when_it_answers() -> None:
    hands = Hands()
    with serving(vectors) as service, embedding_engine(service, hands) as engine:
        engine.remember("The fox is red")
        asked = len(service.asked)
        service.replies[:] = [Reply(status=401)]
        assert tiers(engine, 7) == ["STANDARD"] * 2 + ["BASIC"] * 5
        assert len(service.asked) == asked + 5
        hands.now += 15
        why = "openai:m:2 is down, the last failure: status 401: check the key; tried again in 45 s"
        assert engine.store.tier().why == why
        assert engine.store.status()["models"][0]["state"] == "open"
        hands.now += 45
        assert engine.store.status()["models"][0]["state"] == "half-open"
        # The next question is the probe; it fails, and the next minute begins.
        assert tiers(engine, 2) == ["BASIC"] * 2
        assert len(service.asked) == asked + 6
        service.replies[:] = [vectors]
        hands.now += 60
        assert tiers(engine, 1) == ["STANDARD"]
        assert engine.store.status()["models"][0]["state"] == "closed"


@pytest.mark.parametrize(
    "reply", [Reply({"data": []}), Reply(b"<html>"), Reply({"data": [{"index": 0, "embedding": [1, 0, 0]}]})]
)
def test_an_answer_that_cannot_be_used_counts_as_a_failure(reply: Reply) -> None:
    with serving(vectors) as service, embedding_engine(service, Hands()) as engine:
        service.replies[:] = [reply]
        assert tiers(engine, 3) == ["STANDARD", "STANDARD", "BASIC"]
        assert engine.store.status()["models"][0]["failures"] == 3


def test_a_model_that_does_not_exist_is_down_but_asked_on() -> None:
    """Status 404 blames the request: the breaker stays closed, and yet nothing is embedded."""
    with serving(Reply({"error": "no such model"}, 404)) as service:
        engine = embedding_engine(service, Hands())
        assert tiers(engine, 6)[2:] == ["BASIC"] * 4
        assert engine.store.status()["models"][0]["state"] == "closed"
        assert len(service.asked) == 6


def test_a_language_model_that_fails_lowers_full_to_standard_until_it_answers() -> None:
    with (
        serving(Reply(status=401)) as service,
        combray.open(":memory:", language_model=f"openai:m@{service.url}") as engine,
    ):
        engine.remember("The fox is red")
        model = engine.runtime.language_model
        assert model is not None
        assert engine.store.tier().name == "FULL"
        for _ in range(3):
            with pytest.raises(ModelError):
                model.complete("", "?")
        answer = engine.recall("fox")
        assert answer.details["tier"]["tier"] == "STANDARD"
        assert answer.reason.endswith(
            "; tier STANDARD: openai:m is down, the last failure: status 401: check OPENAI_API_KEY"
        )
        service.replies[:] = [said("yes")]
        assert model.complete("", "?") == "yes"
        assert engine.recall("fox").details["tier"]["tier"] == "FULL"


def test_status_tells_tokens_and_what_they_cost_where_a_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """3 calls of 1,000 tokens at 0.5 a million: 0.0015. 12 tokens without a price: none.

    The first recall of a process also embeds sample sentences; so no other test has this model.
    """
    monkeypatch.setenv("COMBRAY_PRICES", "openai:priced=0.5")
    with (
        serving(vectors) as embeds,
        serving(said("yes")) as talks,
        combray.open(
            ":memory:", embedder=f"openai:priced#2@{embeds.url}", language_model=f"openai:big@{talks.url}"
        ) as engine,
    ):
        engine.remember("The fox is red")
        engine.recall("fox")
        assert engine.runtime.language_model is not None
        engine.runtime.language_model.complete("", "?")
        told = [
            {name: each[name] for name in ("name", "calls", "failures", "tokens", "cost")}
            for each in engine.store.status()["models"]
        ]
    assert told == [
        {"name": "openai:priced:2", "calls": 3, "failures": 0, "tokens": 3000, "cost": 0.0015},
        {"name": "openai:big", "calls": 1, "failures": 0, "tokens": 12, "cost": None},
    ]


def test_what_a_breaker_tells() -> None:
    hands = Hands()
    breaker = Breaker(most=2, cool_down=10, clock=lambda: hands.now)
    assert breaker.health() == Health()
    breaker.failed("first")
    assert breaker.health() == Health("closed", 1, "first")
    hands.now += 1
    breaker.failed("second")
    assert breaker.health() == Health("open", 2, "second", 10.0)
    hands.now += 10
    assert breaker.health() == Health("half-open", 2, "second", 0.0)
    hands.now += 289
    # Second 300: the failure of second 0 is forgotten, that of second 1 not yet.
    assert breaker.health().in_a_row == 1
    breaker.passed()
    assert breaker.health() == Health()
