from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

import combray
from combray import Engine
from combray.designs.mnemo.results import FilterNoise
from combray.forms.recalling import Recalling
from combray.language.trivial import prototypes
from combray.recall.query import EmbedQuery
from combray.runtime import Filter, Vectors
from combray.testing.fakes import FakeClock

FIRST, SECOND = prototypes()[:2]


@dataclass
class Places:
    """A text's vector is one at a hundred places of a thousand: a cosine is the share of places in common."""

    name: str
    places: dict[str, Iterable[int]]
    dimensions: int = 1000
    leaves_process: bool = False
    contextual: bool = True
    calls: list[list[str]] = field(default_factory=list)
    failing: bool = False

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        del query
        self.calls.append(list(texts))
        if self.failing and len(texts) > 1:
            raise combray.ModelError(f"{self.name}: does not answer")
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[list(self.places.get(text, ()))] = 0.1
        return rows

    def knows(self, language: str) -> float:
        del language
        return 1.0


def sharing(count: int, start: int) -> list[int]:
    """`count` places of the first hundred, the others from `start` on."""
    return [*range(count), *range(start, start + 100 - count)]


QUERY = "what is there"
TEXTS = {"stored exactly at the threshold": sharing(82, 300), "stored a little below it here": sharing(81, 500)}


def opened(name: str, **more: Iterable[int]) -> tuple[Engine, Places]:
    places: dict[str, Iterable[int]] = {
        QUERY: range(100),
        FIRST: range(100),
        SECOND: range(100, 200),
        **TEXTS,
        **more,
    }
    embedder = Places(name, places)
    engine = combray.open(":memory:", embedder=embedder, clock=FakeClock())
    engine.remember_many([text for text in places if text not in (QUERY, FIRST, SECOND)], diff=False)
    return engine, embedder


def kept(engine: Engine, query: str = QUERY) -> tuple[set[str], Recalling]:
    """What FilterNoise leaves of all memories."""
    keys = engine.reader.scan(Filter())
    state = Recalling(
        query, engine.namespace, engine.reader, engine.runtime.clock(), keys=keys, scores=np.ones(len(keys))
    )
    state = FilterNoise()(EmbedQuery()(state, engine.runtime), engine.runtime)
    return set(engine.reader.contents(state.keys)), state


def test_a_cosine_of_082_to_a_built_in_sentence_is_noise() -> None:
    """Stage 9: "Removes low-quality fragments using an embedding-based noise bank"; notes 3.2: ">= 0.82"."""
    engine, _ = opened("places:one")
    left, state = kept(engine)
    assert left == {"stored a little below it here"}
    assert state.details["noise"] == {"bank": 1}


def test_only_texts_of_9_to_300_characters_are_judged() -> None:
    nine, eight, long, longer = "ninechars", "onlyeight"[:8], "x" * 300, "y" * 301
    engine, _ = opened("places:two", **{text: range(100) for text in (nine, eight, long, longer)})
    left, _ = kept(engine)
    assert {eight, longer} <= left
    assert not {nine, long} & left


def test_the_built_in_sentences_are_embedded_once_a_process() -> None:
    engine, embedder = opened("places:three")
    kept(engine)
    kept(engine)
    assert [len(call) for call in embedder.calls if FIRST in call] == [len(prototypes())]


def test_an_embedder_that_tells_nothing_apart_switches_the_bank_off() -> None:
    """Notes 3.2: "disabled if first two prototypes have cosine > 0.98 (degenerate embeddings)"."""
    engine, _ = opened("places:degenerate", **{SECOND: sharing(99, 900)})
    left, state = kept(engine)
    assert left >= set(TEXTS)
    assert state.details["noise_bank"] == "off: places:degenerate tells no sentences apart"
    engine, _ = opened("places:nearly", **{SECOND: sharing(98, 900)})
    assert kept(engine)[0] == {"stored a little below it here"}


def test_what_was_forgotten_as_noise_teaches_the_bank() -> None:
    engine, _ = opened("places:learning", **{
        "the weekly status bot wrote again": range(600, 700),
        "the weekly status bot wrote once more": [*range(600, 690), *range(800, 810)],
    })  # fmt: skip
    assert len(kept(engine)[0]) == 3
    (again,) = [each for each in engine.reader.memories(engine.reader.scan(Filter())) if "again" in each.content]
    key = engine._at.key_of(again.id)
    engine.forget(again.id)
    assert "the weekly status bot wrote once more" in kept(engine)[0], "being forgotten alone says nothing"
    with engine.runtime.store.transaction(engine.namespace) as tx:
        tx.change(key, "mark_noise", "user", engine.runtime.clock(), tags=("noise",))
    assert kept(engine)[0] == {"stored a little below it here"}


def test_a_namespace_learns_from_its_own_memories_only() -> None:
    engine, _ = opened("places:apart", **{"the weekly status bot wrote again": range(600, 700)})
    other = engine.within("other")
    noise = other.remember("the weekly status bot wrote again", tags=["noise"])
    other.forget(noise.id)
    assert "the weekly status bot wrote again" in kept(engine)[0]


def test_patterns_work_without_an_embedder_and_the_rest_keeps_its_order() -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    engine.remember_many(["pears ripen late", "Do you remember the pears?", "Hello!", "pears are sold", "ab"])
    left, state = kept(engine, query="pears")
    assert left == {"pears ripen late", "pears are sold"}
    assert state.details["noise"] == {"boilerplate": 1, "fragment": 1, "questions": 1}
    assert engine.reader.contents(state.keys) == ["pears ripen late", "pears are sold"]


def test_when_only_noise_was_found_the_answer_says_so() -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    engine.remember("Do you remember the pears?")
    _, state = kept(engine, query="pears")
    assert len(state.keys) == 0
    assert "noise" in state.reason


def test_a_bank_that_cannot_be_embedded_leaves_the_patterns_and_says_so() -> None:
    engine, embedder = opened("places:failing")
    engine.remember("Do you remember the pears?")
    embedder.failing = True
    left, state = kept(engine)
    assert left == set(TEXTS)
    assert state.degraded == ["noise by patterns only: places:failing: does not answer"]


@pytest.mark.parametrize(
    "text",
    [
        "Alice moved to Berlin in March 2023",
        "Hey Mel! Good to see you! I joined a choir last week.",
        "I told you about my dog Bruno, he is three now",
        "我们选择了向量数据库来保存记忆",
        "Lan thích trà sữa trân châu",
    ],
)
def test_the_embedder_of_the_install_takes_no_talk_for_noise(text: str) -> None:
    engine = combray.open(":memory:", clock=FakeClock())
    engine.remember(text)
    assert kept(engine, query=text)[0] == {text}


def test_the_embedder_of_the_install_finds_noise_in_new_words() -> None:
    engine = combray.open(":memory:", clock=FakeClock())
    engine.remember("Sorry, there is nothing about this topic in my memory")
    assert kept(engine)[0] == set()
