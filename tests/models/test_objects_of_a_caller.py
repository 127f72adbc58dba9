"""Models that a caller has written: whatever they raise, return or lack, no verb fails for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import combray
from combray.errors import ModelError
from combray.models.breaker import watched
from combray.testing.fakes import FakeClock, FakeEmbedder

FACTS = ("Ann lives in Porto.", "Ann moved to Lisbon.", "Ann lives in Porto now.")


class Bare:
    """A language model with `complete` alone, which raises or gives what a test wants."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> Any:
        del system, prompt, max_tokens
        return self.answer()


def any_of(model: object) -> Any:
    """A model that a type checker would refuse: callers have no type checker."""
    return model


def odd(answer: Callable[[], Any]) -> Any:
    """A language model that answers so."""
    return Bare(answer)


class OutsideError(Exception):
    """An exception of another library."""


def _raises(error: BaseException) -> Callable[[], Any]:
    def answer() -> Any:
        raise error

    return answer


BAD: dict[str, Callable[[], Any]] = {
    "timeout": _raises(TimeoutError()),
    "foreign": _raises(OutsideError("429: too many")),
    "key": _raises(KeyError("choices")),
    "recursion": _raises(RecursionError("deep")),
    "refusal": lambda: "I am sorry, I cannot help with that.",
    "empty": lambda: "",
    "none": lambda: None,
    "bytes": lambda: b"{}",
    "object": lambda: {"facts": []},
    "cut": lambda: '{"facts": [{"fact": "Ann lives in Por',
    "deep": lambda: "[" * 100_000,
    "surrogate": lambda: "\ud800",
    "language": lambda: json.dumps({"facts": [{"fact": "安住在波尔图", "lines": [1]}], "known": []}),
    "chinese": lambda: "对不起，我不能回答。",
}


@pytest.mark.parametrize("bad", BAD)
def test_a_language_model_may_do_anything(bad: str) -> None:
    with combray.open(":memory:", embedder="none", language_model=odd(BAD[bad]), clock=FakeClock()) as engine:
        for each in FACTS:
            engine.remember(each)
        done = engine.extract([{"role": "user", "content": "I live in Porto, says Ann."}])
        assert len(done.turns) == 1
        assert engine.think("Where does Ann live?").answer
        engine.consolidation.run()
        assert engine.store.status()["models"][0]["calls"] > 0
        kept = engine.conversation(engine.get(done.turns[0]).session or "").turns()
        assert [turn.content for turn in kept] == ["I live in Porto, says Ann."]
        waiting = engine.extraction.status()
        assert waiting["waiting"] + waiting["set_aside"] + waiting["read"] == 1
        assert waiting["facts"] == 0


def test_what_ends_the_process_is_not_caught() -> None:
    class StopNow(BaseException):
        """Such as KeyboardInterrupt."""

    stop = odd(_raises(StopNow()))
    with combray.open(":memory:", embedder="none", language_model=stop) as engine:
        with pytest.raises(StopNow):
            engine.extract(["I live in Porto."])
        assert engine.extraction.status()["waiting"] == 1, "the turn is as it was before"


class Vectors:
    """An embedder of a caller without an optional attribute, which fails as a test wants."""

    name, dimensions = "mine:8", 8

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        del query
        return self.answer(texts)


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: 1 / 0,
        lambda _: None,
        lambda _: [[0.5]],
        lambda _: "vectors",
        lambda texts: [[1.0] * 8] * (len(texts) + 1),
    ],
)
def test_an_embedder_may_fail_in_any_way(answer: Callable[[Sequence[str]], Any]) -> None:
    with combray.open(":memory:", embedder=any_of(Vectors(answer)), worker=False) as engine:
        for each in FACTS:
            engine.remember(each)
        assert engine.recall("Porto")
        engine.vectors.make()
        engine.consolidation.run()
        assert engine.think("Where does Ann live?").answer


def test_an_embedder_without_optional_attributes_works() -> None:
    def rows(texts: Sequence[str]) -> Any:
        return [[float(len(text) % 7 + 1)] + [0.0] * 7 for text in texts]

    with combray.open(":memory:", embedder=any_of(Vectors(rows)), worker=False) as engine:
        done = engine.remember("Ann lives in Porto.")
        assert done.embedded
        assert engine.runtime.embedder is not None
        assert (engine.runtime.embedder.leaves_process, engine.runtime.embedder.contextual) == (True, False)
        assert engine.vectors.reembed(to=any_of(Vectors(rows))).lacking == 0


@pytest.mark.parametrize("answer", [None, [0.5], ["high", "low"], [float("nan"), None, 1.0, 2.0]])
def test_a_reranker_may_answer_anything(answer: Any) -> None:
    class Ranker:
        name = "mine"

        def rerank(self, query: str, texts: Sequence[str]) -> Any:
            del query, texts
            return answer

    with combray.open(":memory:", preset="mnemo", embedder=FakeEmbedder(), reranker=any_of(Ranker())) as engine:
        for each in FACTS:
            engine.remember(each)
        assert engine.recall("Where does Ann live?")


def test_what_a_model_raises_is_named_and_counted() -> None:
    model = watched(Bare(_raises(OutsideError("the quota is used up"))), "complete", FakeClock())  # type: ignore[type-var]
    with pytest.raises(ModelError, match="Bare: OutsideError: the quota is used up"):
        model.complete("", "")
    assert (model.health().calls, model.health().failures) == (1, 1)  # type: ignore[attr-defined]


def test_usage_and_health_of_another_kind_are_ignored() -> None:
    class Odd(Bare):
        usage = ("tokens", 3)

        def health(self) -> str:
            return "fine"

    with combray.open(":memory:", embedder="none", language_model=any_of(Odd(lambda: "OK"))) as engine:
        engine.remember("Ann lives in Porto.")
        assert engine.think("Where does Ann live?").answer
        assert engine.store.status()["models"][0]["state"] == "closed"


def test_vectors_may_be_plain_lists() -> None:
    found = watched(Vectors(lambda texts: [[1, 0]] * len(texts)), "embed", FakeClock()).embed(["a"])  # type: ignore[type-var]
    assert np.array_equal(found, np.array([[1.0, 0.0]], dtype=np.float32))
