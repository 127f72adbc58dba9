"""Edges and vectors of a memory whose text is changed, by the preset with every kind of edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import combray
from combray import Engine
from combray.runtime import Vectors
from combray.testing.fakes import FakeClock, FakeEmbedder

TEXTS = (
    "The billing server lost its power supply",
    "Ann painted the kitchen wall green",
    "Checkout fails because the billing server is down",
    "Bob waters the garden plants every morning",
    "The night shift restarts the billing server",
)


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "a.db"
    with combray.open(path, preset="mnemon", embedder=request.param, clock=FakeClock(), worker=False) as opened:
        yield opened


def remembered(engine: Engine, texts: Sequence[str]) -> list[str]:
    assert isinstance(engine.runtime.clock, FakeClock)
    ids = []
    for text in texts:
        engine.runtime.clock.pass_(minutes=1)
        ids.append(engine.remember(text, diff=False).id)
    return ids


def causal(engine: Engine) -> set[tuple[str, str, float, str]]:
    """The causal edges that Combray made: texts of cause and effect, weight and type."""
    return {
        (engine.get(each.source).content, engine.get(each.target).content, each.weight, each.subtype)
        for each in engine.reader.edges(("causal",))
        if each.created_by == "combray"
    }


@pytest.mark.parametrize("at", range(len(TEXTS)))
@pytest.mark.parametrize(
    "text",
    ["The garden plants died because of the power supply", "The billing server is slow", "Ann sings"],
)
def test_causal_edges_are_those_of_the_new_text_at_its_place(
    engine: Engine, tmp_path: Path, at: int, text: str
) -> None:
    ids = remembered(engine, TEXTS)
    assert causal(engine)
    engine.update(ids[at], content=text)
    with combray.open(
        tmp_path / "b.db", preset="mnemon", embedder=engine.settings["embedder"], clock=FakeClock(), worker=False
    ) as other:
        remembered(other, [*TEXTS[:at], text, *TEXTS[at + 1 :]])
        assert causal(engine) == causal(other)
    engine.restore(ids[at], version=1)
    with combray.open(
        tmp_path / "c.db", preset="mnemon", embedder=engine.settings["embedder"], clock=FakeClock(), worker=False
    ) as other:
        remembered(other, TEXTS)
        assert causal(engine) == causal(other)


def test_memories_of_one_moment_are_compared_in_the_order_they_came(engine: Engine, tmp_path: Path) -> None:
    texts = [f"The billing server number {at} stopped" for at in range(15)]
    new = "The billing server stopped because of the storm"
    ids = [engine.remember(text, diff=False).id for text in texts]
    engine.update(ids[7], content=new)
    with combray.open(tmp_path / "b.db", preset="mnemon", embedder="none", clock=FakeClock()) as other:
        for text in (*texts[:7], new, *texts[8:]):
            other.remember(text, diff=False)
        assert causal(engine) == causal(other)
        assert len(causal(engine)) == 14


def test_a_causal_edge_made_by_hand_stays(engine: Engine) -> None:
    ids = remembered(engine, TEXTS)
    engine.link(ids[1], ids[2], type="causal", reason="by hand")
    engine.update(ids[2], content="Ann sings in a choir")
    (left,) = [each for each in engine.reader.edges(("causal",)) if ids[2] in (each.source, each.target)]
    assert (left.source, left.target, left.reason, left.created_by) == (ids[1], ids[2], "by hand", "user")


def test_edges_follow_only_the_text_and_a_hidden_memory_has_none(engine: Engine) -> None:
    ids = remembered(engine, TEXTS)
    before = causal(engine)
    engine.update(ids[2], importance=5, tags=["billing"])
    assert causal(engine) == before
    engine.forget(ids[0])
    engine.update(ids[0], content="The billing server is down because of the power supply")
    assert all(TEXTS[0] not in each[:2] for each in causal(engine))
    assert all(engine.get(ids[0]).content not in each[:2] for each in causal(engine))


# -- an update while another process works on the same memory -----------------------------------------


@dataclass
class InterruptedEmbedder(FakeEmbedder):
    """Calls `meanwhile` once while it embeds, after it has read the texts."""

    meanwhile: Callable[[], object] | None = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        rows = super().embed(texts, query=query)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return rows


def vector_of(engine: Engine, memory_id: str) -> Vectors | None:
    keys = np.array([engine.reader.keys_of([memory_id])[memory_id]], dtype=np.int64)
    rows, has = engine.reader.vectors("fake:64", keys)
    return rows if has[0] else None


def like(text: str) -> Vectors:
    return FakeEmbedder().embed([text])


@pytest.mark.parametrize("preset", ["semantic-facts", "default"])
def test_a_worker_never_stores_the_vector_of_a_text_that_changed(tmp_path: Path, preset: str) -> None:
    """The other process either queues the new text (semantic-facts) or stores its vector at once."""
    path, clock, embedder = tmp_path / "a.db", FakeClock(), InterruptedEmbedder()
    with (
        combray.open(path, preset="semantic-facts", embedder=embedder, clock=clock, worker=False) as engine,
        combray.open(path, preset=preset, embedder=FakeEmbedder(), clock=clock, worker=False) as other,
    ):
        one = engine.remember("the kettle is blue").id
        two = engine.remember("Zoe moved to Lisbon").id
        embedder.meanwhile = lambda: other.update(one, content="a bicycle in Oslo")
        assert engine.vectors.make().left == 0
        assert engine.get(one).status == "active"
        found = vector_of(engine, one)
        assert found is not None
        assert np.allclose(found, like("a bicycle in Oslo"), atol=0.02)
        assert vector_of(engine, two) is not None
        assert engine.recall("where is the bicycle")[0].memory.id == one


def test_a_vector_that_was_there_and_is_dropped_meanwhile_is_made_again(tmp_path: Path) -> None:
    path, clock, embedder = tmp_path / "a.db", FakeClock(), InterruptedEmbedder()
    with (
        combray.open(path, preset="semantic-facts", embedder=embedder, clock=clock, worker=False) as engine,
        combray.open(path, preset="semantic-facts", embedder=FakeEmbedder(), clock=clock, worker=False) as other,
    ):
        one = engine.remember("the kettle is blue").id
        engine.vectors.make()
        with engine.runtime.store.transaction("default") as tx:
            tx.queue.put("fake:64", [engine.reader.keys_of([one])[one]], clock())
        engine.remember("Zoe moved to Lisbon")
        embedder.meanwhile = lambda: other.update(one, content="a bicycle in Oslo")
        engine.vectors.make()
        found = vector_of(engine, one)
        assert found is not None
        assert np.allclose(found, like("a bicycle in Oslo"), atol=0.02)


def test_a_text_that_was_given_up_is_tried_again_once_it_is_changed(tmp_path: Path) -> None:
    clock, embedder = FakeClock(), FakeEmbedder()
    with combray.open(
        tmp_path / "a.db", preset="semantic-facts", embedder=embedder, clock=clock, worker=False
    ) as engine:
        one = engine.remember("the kettle is blue").id
        with engine.runtime.store.transaction("default") as tx:
            (job,) = tx.queue.jobs("fake:64")
            tx.queue.update([replace(job, failed=True, attempts=16, error="refused")])
        assert engine.vectors.make().embedded == 0
        engine.update(one, content="the bicycle is red")
        assert engine.vectors.make().embedded == 1


def test_two_updates_at_once_leave_the_vector_of_the_text_that_is_stored(tmp_path: Path) -> None:
    path, clock, embedder = tmp_path / "a.db", FakeClock(), InterruptedEmbedder()
    with (
        combray.open(path, embedder=embedder, clock=clock, worker=False) as engine,
        combray.open(path, embedder=FakeEmbedder(), clock=clock, worker=False) as other,
    ):
        one = engine.remember("the kettle is blue").id
        embedder.meanwhile = lambda: other.update(one, content="a bicycle in Oslo")
        done = engine.update(one, context="a photo of winter")
        assert (done.content, done.context) == ("a bicycle in Oslo", "a photo of winter")
        found = vector_of(engine, one)
        assert found is not None
        assert np.allclose(found, like("a bicycle in Oslo a photo of winter"), atol=0.02)
