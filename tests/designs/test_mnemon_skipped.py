"""What the JSON of `remember` says about a skipped text, and why a text has no vector (preset mnemon)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from exact import PLACES, ExactEmbedder, opened

from combray import Engine
from combray.errors import ModelError
from combray.runtime import Vectors
from combray.testing.fakes import FakeClock

EMBEDDERS = ("none", "wordllama")
TEXT = "Deploys need approval from Dana"


class Broken(ExactEmbedder):
    """An embedder whose server does not answer."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        raise ModelError("the server does not answer")


def _importance(engine: Engine, memory_id: str) -> float:
    found = engine.retention.candidates(threshold=99.0, limit=99)
    return next(each.effective_importance for each in found if each.memory.id == memory_id)


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_skipped_text_reports_the_live_memory(embedder: str) -> None:
    """Issue: "a skipped text's JSON reports the live memory's importance and embedding"."""
    clock = FakeClock()
    engine = opened(clock, embedder)
    first = engine.remember(TEXT, importance=4)
    clock.pass_(days=30)
    again = engine.remember(TEXT, importance=1)
    assert (again.action, again.id) == ("skipped", first.id)
    # Base 0.8 of importance 4, half of it after 30 days (notes 2.2); no edges.
    assert again.effective_importance == pytest.approx(0.4)
    assert again.effective_importance == pytest.approx(_importance(engine, first.id), abs=1e-6)
    assert again.embedded == (embedder == "wordllama")
    told = again.as_json()
    assert told["effective_importance"] == 0.4
    if embedder == "none":
        assert told["not_embedded"] == "no embedder is configured"
    else:
        assert "not_embedded" not in told


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_text_that_repeats_one_of_its_batch_reports_that(embedder: str) -> None:
    first, again = opened(embedder=embedder).remember_many([TEXT, TEXT])
    assert (again.action, again.id) == ("skipped", first.id)
    assert (again.embedded, again.effective_importance) == (first.embedded, first.effective_importance)
    assert again.not_embedded == first.not_embedded


def test_an_added_text_says_why_it_has_no_vector() -> None:
    """Issue: " `embedded: false` says why": no embedder, no vector for the words, or a failure."""
    assert opened().remember(TEXT).as_json()["not_embedded"] == "no embedder is configured"
    other = opened(embedder=ExactEmbedder({TEXT: PLACES}))
    assert "not_embedded" not in other.remember(TEXT).as_json()
    unknown = other.remember("zzz qqq").as_json()
    assert (unknown["embedded"], unknown["not_embedded"]) == (False, "the embedder has no vector for this text")


def test_a_failed_embedder_is_named_and_the_vector_is_queued() -> None:
    engine = opened(embedder=Broken({}))
    told = engine.remember(TEXT).as_json()
    assert told["embedded"] is False
    assert "the embedder failed" in told["not_embedded"]
    assert "the server does not answer" in told["not_embedded"]
    again = engine.remember(TEXT).as_json()
    assert (again["action"], again["not_embedded"]) == ("skipped", "queued: a worker makes the vector")


def test_a_queued_text_says_so() -> None:
    """Preset semantic-facts leaves vectors to a worker."""
    engine = opened(embedder="wordllama", preset="semantic-facts")
    assert engine.remember(TEXT).not_embedded == "queued: a worker makes the vector"
    assert engine.remember(TEXT).not_embedded == "queued: a worker makes the vector"
    engine.vectors.make()
    assert (engine.remember(TEXT).embedded, engine.remember(TEXT).not_embedded) == (True, "")
