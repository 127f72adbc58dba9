"""MMR and clusters on a store: which candidates come first, and that their scores stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import combray
from combray import Engine
from combray.designs.semantic_facts.search import DiversityClusters
from combray.designs.shared import MMR
from combray.forms.recalling import Recalling
from combray.testing.fakes import FakeClock, vector


class PlacedEmbedder:
    """Gives each listed text its vector, any other text none."""

    name = "placed:3"
    dimensions = 3
    leaves_process = False
    contextual = True

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self.vectors = vectors

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        return np.stack([vector(*self.vectors.get(text, (0.0, 0.0, 0.0))) for text in texts])

    def knows(self, language: str) -> float:
        return 1.0


def scored(engine: Engine, scores: Mapping[str, float], **fields: Mapping[str, float]) -> Recalling:
    """A state whose candidates are these texts with these scores, stored for it."""
    items: list[Any] = [
        {"content": text, **{name: values[text] for name, values in fields.items()}} for text in scores
    ]
    ids = [each.id for each in engine.remember_many(items, diff=False)]
    keys = engine.reader.keys_of(ids)
    state = Recalling("q", engine.namespace, engine.reader, engine.runtime.clock())
    state.embedded.model = engine.runtime.embedder.name if engine.runtime.embedder is not None else ""
    state.keys = np.array([keys[each] for each in ids], dtype=np.int64)
    state.scores = np.array(list(scores.values()))
    return state


def told(state: Recalling) -> list[str]:
    return state.reader.contents(state.keys)


def opened(vectors: Mapping[str, Sequence[float]] | None = None) -> Engine:
    embedder = PlacedEmbedder(vectors) if vectors is not None else "none"
    return combray.open(":memory:", embedder=embedder, clock=FakeClock())


def test_words_by_hand() -> None:
    """Relevance 1, .8, 0 after min-max; {red fox ran} and {red fox ran home} share 3 of 4 words.

    Second choice: the near twin has .7 * .8 - .3 * .75 = .335, the other .7 * 0 - 0 = 0. At a trade-off of .4
    .4 * .8 - .6 * .75 = -.13 is less than 0.
    """
    engine = opened()
    state = scored(engine, {"red fox ran": 0.9, "red fox ran home": 0.86, "blue bird sings": 0.7})
    near = MMR(trade_off=0.7)(state, engine.runtime)
    assert told(near) == ["red fox ran", "red fox ran home", "blue bird sings"]
    apart = MMR(trade_off=0.4)(near, engine.runtime)
    assert told(apart) == ["red fox ran", "blue bird sings", "red fox ran home"]
    assert apart.scores.tolist() == [0.9, 0.7, 0.86]


def test_it_sorts_first_and_switched_off_it_does_nothing() -> None:
    engine = opened()
    state = scored(engine, {"one": 0.2, "two": 0.9, "three": 0.5})
    assert told(MMR(enabled=False)(state, engine.runtime)) == ["one", "two", "three"]
    assert told(MMR()(state, engine.runtime)) == ["two", "three", "one"]


def test_two_chinese_texts_are_told_apart() -> None:
    """SEEDS.md 4: "MMR of two CJK texts is 1"; by characters and pairs they share nothing here."""
    engine = opened()
    texts = {"我们选择数据库": 0.9, "我们选择数据库了": 0.89, "猫喜欢吃鱼": 0.8}
    state = MMR(trade_off=0.5)(scored(engine, texts), engine.runtime)
    # Twins: 7 characters and 6 pairs against 8 and 7: 13 of 15 shared. .5 * .9 - .5 * .867 = .017; the cat:
    # .5 * 0 - 0 = 0. At a trade-off of .4 the twin has .36 - .52 and comes last.
    assert told(state) == ["我们选择数据库", "我们选择数据库了", "猫喜欢吃鱼"]
    assert told(MMR(trade_off=0.4)(state, engine.runtime)) == ["我们选择数据库", "猫喜欢吃鱼", "我们选择数据库了"]


def test_texts_without_words_are_alike_only_when_equal() -> None:
    engine = opened()
    state = scored(engine, {"!!!": 0.9, "?!?": 0.8, "...": 0.7})
    assert told(MMR(trade_off=0.1)(state, engine.runtime)) == ["!!!", "?!?", "..."]


def test_only_the_first_700_characters_are_compared() -> None:
    """Upstream notes O9: "it runs on the 700-char snippet, not the chunk"."""
    engine = opened()
    filler = "word " * 140
    texts = {filler + "alpha beta gamma": 0.9, filler + "delta epsilon": 0.89, "quite another thing": 0.5}
    state = MMR(trade_off=0.4)(scored(engine, texts), engine.runtime)
    assert told(state)[1] == "quite another thing"


def test_vectors_and_words_where_one_has_none() -> None:
    """a and b point the same way; c has no vector and shares no word with either."""
    engine = opened({"a one": (1, 0, 0), "b two": (1, 0, 0), "d four": (0, 1, 0)})
    texts = {"a one": 0.9, "b two": 0.89, "c three": 0.8, "d four": 0.7}
    state = MMR(similarity="vectors", trade_off=0.4)(scored(engine, texts), engine.runtime)
    # b: .4 * .95 - .6 = -.22; c: .4 * .5 = .2; d: 0.
    assert told(state) == ["a one", "c three", "d four", "b two"]
    by_words = MMR(trade_off=0.4)(state, engine.runtime)
    assert told(by_words) == ["a one", "b two", "c three", "d four"]


def test_what_is_beyond_most_follows_by_score() -> None:
    engine = opened()
    texts = {"red fox": 0.9, "red fox!": 0.8, "blue bird": 0.7, "red fox?": 0.6, "green frog": 0.5}
    state = MMR(trade_off=0.1, most=3)(scored(engine, texts), engine.runtime)
    assert told(state) == ["red fox", "blue bird", "red fox!", "red fox?", "green frog"]


# -- clusters --------------------------------------------------------------------------------------


def test_the_surest_of_each_cluster_comes_first() -> None:
    """ "clusters = cluster_by_embedding(candidates, threshold=0.8)"; "best = max(cluster, key=confidence)"."""
    engine = opened({"a": (1, 0, 0), "b": (0.9, 0.3, 0), "c": (0, 1, 0), "d": (0, 0, 1)})
    scores = {"a": 0.9, "b": 0.7, "c": 0.6, "d": 0.8}
    state = scored(engine, scores, confidence={"a": 0.5, "b": 0.9, "c": 0.4, "d": 0.4})
    # cos(a, b) = .9 / sqrt(.9) = .949: one cluster, of which b is the surest. Then by score, a last.
    state = DiversityClusters()(state, engine.runtime)
    assert told(state) == ["d", "b", "c", "a"]
    assert state.scores.tolist() == [0.8, 0.7, 0.6, 0.9]
    assert state.details["clusters"] == 3


def test_equally_sure_ones_stand_by_score() -> None:
    engine = opened({"a": (1, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0)})
    state = scored(engine, {"a": 0.5, "b": 0.6, "c": 0.1})
    assert told(DiversityClusters()(state, engine.runtime)) == ["b", "c", "a"]


@pytest.mark.parametrize(("threshold", "first"), [(0.94, ["b", "c", "a"]), (0.96, ["a", "b", "c"])])
def test_the_threshold_is_the_cosine(threshold: float, first: list[str]) -> None:
    """cos(a, b) = .9 / sqrt(.9) = .949."""
    engine = opened({"a": (1, 0, 0), "b": (0.9, 0.3, 0), "c": (0, 0, 1)})
    state = scored(engine, {"a": 0.9, "b": 0.8, "c": 0.7}, confidence={"a": 0.1, "b": 0.9, "c": 0.1})
    assert told(DiversityClusters(threshold)(state, engine.runtime)) == first


def test_a_chain_is_no_cluster() -> None:
    """b is near a and c (cosine .87), but a and c are not near each other (.5): the surest, b, leads both."""
    angles = {"a": (0.5, 0.866, 0), "b": (0.866, 0.5, 0), "c": (1, 0, 0)}
    engine = opened(angles)
    scores = {"a": 0.9, "b": 0.5, "c": 0.8}
    led_by_b = scored(engine, scores, confidence={"a": 0.5, "b": 0.9, "c": 0.5})
    assert told(DiversityClusters()(led_by_b, engine.runtime)) == ["b", "a", "c"]
    led_by_a = scored(engine, scores, confidence={"a": 0.9, "b": 0.5, "c": 0.5})
    assert told(DiversityClusters()(led_by_a, engine.runtime)) == ["a", "c", "b"]


def test_without_vectors_only_the_same_words_make_a_cluster() -> None:
    engine = opened()
    texts = {"the red fox ran": 0.9, "The red fox ran.": 0.8, "the red fox slept": 0.7}
    state = DiversityClusters()(scored(engine, texts), engine.runtime)
    assert told(state) == ["the red fox ran", "the red fox slept", "The red fox ran."]
