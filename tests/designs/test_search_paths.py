"""The three paths of preset mnemo: each alone, and the graph's scores and places by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

import combray
from combray import Engine, presets
from combray.designs.mnemo.search import ExpandQuery, SearchPaths
from combray.forms.recalling import Recalling, RecallRequest
from combray.pipeline import Transaction
from combray.recall.query import EmbedQuery, ReadQuery
from combray.remember.write import Settle, TakeSurvey, Write
from combray.runtime import Embedder, Filter, Link
from combray.testing.fakes import FakeClock, FakeEmbedder


def opened(embedder: str | Embedder = "none") -> Engine:
    """A store that makes no edges by itself, so that a test makes the only ones there are."""
    preset = presets.load("default")
    (atomic,) = [stage for stage in preset.remember if isinstance(stage, Transaction)]
    kept = [stage for stage in atomic.stages if isinstance(stage, (Settle, TakeSurvey, Write))]
    remember = preset.remember.replace("Transaction", Transaction(tuple(kept)))
    preset = replace(preset, name="without edges", remember=remember)
    return combray.open(":memory:", embedder=embedder, clock=FakeClock(), preset=preset)


def searched(
    engine: Engine, query: str, stage: SearchPaths | None = None, **fields: Any
) -> dict[str, dict[str, float]]:
    """List -> text -> score, in the list's order."""
    state = Recalling(query, engine.namespace, engine.reader, engine.runtime.clock(), **fields)
    for each in (ReadQuery(), ExpandQuery(), EmbedQuery(), stage or SearchPaths()):
        state = each(state, engine.runtime)
    assert state.found is not None
    assert state.keys.tolist() == state.found.keys.tolist()
    return {
        name: dict(zip(engine.reader.contents(ranked.keys), ranked.scores.tolist(), strict=True))
        for name, ranked in state.found.lists.items()
    }


def remember(engine: Engine, *texts: str, **fields: Any) -> list[int]:
    return [engine._at.key_of(engine.remember(text, diff=False, **fields).id) for text in texts]


def link(engine: Engine, *links: Link) -> None:
    with engine.runtime.store.transaction(engine.namespace) as tx:
        tx.link(list(links), engine.runtime.clock())


def test_each_path_works_without_the_others() -> None:
    """Stage 3: "Three independent search paths"."""
    engine = opened(FakeEmbedder())
    remember(engine, "Qdrant stores vectors", "pears ripen in the orchard")
    assert set(searched(engine, "pears")) == {"vector", "bm25"}
    engine = opened()
    remember(engine, "pears ripen in the orchard")
    assert set(searched(engine, "pears")) == {"bm25"}
    remember(engine, "the index lives elsewhere", entities=["Qdrant"])
    # The name is in no text: neither words nor vectors find it.
    found = searched(engine, "Qdrant")
    assert found["bm25"] == {}
    assert list(found["graph"]) == ["the index lives elsewhere"]


def test_a_search_that_finds_nothing_gives_empty_lists() -> None:
    assert searched(opened(), "pears") == {"bm25": {}}


def test_the_pool_bounds_every_path_and_grows_with_the_callers_limit() -> None:
    """Page: "candidatePoolSize: 20"."""
    engine = opened(FakeEmbedder())
    remember(engine, *(f"Qdrant holds pears{n} and pears" for n in range(30)))
    found = searched(engine, "pears of Qdrant", SearchPaths(pool=20))
    assert [len(found[name]) for name in ("vector", "bm25")] == [20, 20]
    found = searched(engine, "pears of Qdrant", SearchPaths(pool=20), asked=RecallRequest(limit=25))
    assert [len(found[name]) for name in ("vector", "bm25")] == [25, 25]


def test_graph_scores_by_hand() -> None:
    """Notes 3.2: "0.65 (search) / 0.45 (spread) + 0.01 (rank bonus) + min(0.15, ln(1+degree) 0.03)"."""
    engine = opened()
    named, near, far = remember(engine, "Qdrant is the index", "wine sells well", "roofs leak")
    link(engine, Link(named, near, "entity", 0.9), Link(named, far, "causal", 0.4))
    graph = searched(engine, "Qdrant")["graph"]
    # The first of ten places is 9 before the last; degrees are 2, 1 and 1.
    assert graph == {
        "Qdrant is the index": pytest.approx(0.65 + 0.09 + 0.03 * math.log(3), abs=1e-6),
        "wine sells well": pytest.approx(0.45 + 0.09 + 0.03 * math.log(2), abs=1e-6),
        "roofs leak": pytest.approx(0.45 + 0.08 + 0.03 * math.log(2), abs=1e-6),
    }


def test_one_hop_and_no_more_and_not_along_time_or_history() -> None:
    engine = opened()
    first, second, third, before, old = remember(
        engine, "Qdrant is the index", "wine sells well", "roofs leak", "bells ring", "doors creak"
    )
    link(engine, Link(first, second, "semantic", 0.9), Link(second, third, "semantic", 0.9),
         Link(before, first, "temporal", 1.0), Link(first, old, "supersedes", 1.0))  # fmt: skip
    assert list(searched(engine, "Qdrant")["graph"]) == ["Qdrant is the index", "wine sells well"]


def test_the_degree_adds_015_at_most() -> None:
    engine = opened()
    hub, *others = remember(engine, "Qdrant is the index", *(f"filler{n}" for n in range(200)))
    link(engine, *(Link(hub, other, "entity", 0.5) for other in others))
    assert searched(engine, "Qdrant")["graph"]["Qdrant is the index"] == pytest.approx(0.65 + 0.09 + 0.15)


def test_the_graph_fills_five_places_where_nothing_else_speaks_and_fewer_where_much_does() -> None:
    """Notes 3.2: "Graph slots: round((1 - third-best local score) 5)"."""
    engine = opened()
    remember(engine, *(f"filler{n}" for n in range(9)), entities=["Qdrant"])
    assert len(searched(engine, "Qdrant")["graph"]) == 5
    # Two memories hold every word of the query and a third two of the three: the third-best share decides.
    engine = opened()
    remember(engine, "alpha beta Qdrant", "beta alpha Qdrant", "alpha and beta of another kind")
    remember(engine, *(f"filler{n}" for n in range(9)), entities=["Qdrant"])
    found = searched(engine, "alpha beta Qdrant")
    shares = list(found["bm25"].values())
    alone = [text for text in found["graph"] if text.startswith("filler")]
    assert [round((1 - shares[place]) * 5) for place in (0, 2)] == [3, 4]
    assert len(alone) == 4


def test_of_many_that_name_the_entity_those_come_first_that_the_words_speak_for() -> None:
    engine = opened()
    remember(engine, "Qdrant pears", *(f"Qdrant note{n}" for n in range(15)))
    graph = list(searched(engine, "pears in Qdrant")["graph"])
    assert (graph[0], graph[1], len(graph)) == ("Qdrant pears", "Qdrant note14", 10)


def test_what_names_more_of_the_entities_comes_first() -> None:
    engine = opened()
    remember(engine, "roofs leak", entities=["Qdrant", "Milvus"])
    remember(engine, "Qdrant Qdrant", "Qdrant again", entities=["Qdrant"])
    assert next(iter(searched(engine, "Qdrant and Milvus")["graph"])) == "roofs leak"


@pytest.mark.parametrize(
    "where", [Filter(tags=("scope:agent:a1",)), Filter(sources=("mail",)), Filter(sessions=("s1",))]
)
def test_filters_act_inside_every_path(where: Filter) -> None:
    """SEEDS 12: "scope is pushed down into every retriever"."""
    engine = opened(FakeEmbedder())
    tags = ["scope:agent:a1"] if where.tags else []
    mine: dict[str, Any] = {"tags": tags, "source": "mail", "session": "s1"}
    (inside,) = remember(engine, "Qdrant keeps pears", **mine)
    outside = remember(engine, "Qdrant keeps pears safely", "Qdrant keeps pears cool", entities=["Qdrant"])
    link(engine, *(Link(inside, other, "entity", 1.0) for other in outside))
    found = searched(engine, "pears in Qdrant", where=where)
    assert list(found) == ["vector", "bm25", "graph"]
    assert all(list(texts) == ["Qdrant keeps pears"] for texts in found.values())
    loose = searched(engine, "pears in Qdrant", SearchPaths(push_down=False), where=where)
    assert all(len(texts) == 3 for texts in loose.values())


def test_tags_are_no_words() -> None:
    """Else "global" would find every memory of the global scope."""
    engine = opened()
    remember(engine, "pears ripen", tags=["scope:global", "harvest"])
    assert searched(engine, "the global harvest") == {"bm25": {}}


def test_a_variant_finds_what_the_query_does_not_say() -> None:
    engine = opened()
    remember(engine, "a red sofa by the window", "a red chair by the window")
    assert list(searched(engine, "couch")["bm25"]) == ["a red sofa by the window"]


def test_the_name_of_somebody_who_speaks_here_starts_no_graph_path() -> None:
    """Every second turn addresses one of two speakers: by their names everything is related."""
    engine = opened()
    remember(engine, "We keep the vectors in Qdrant, Marta", author="Jo", entities=["Qdrant", "Marta"])
    remember(engine, "Marta, are you there?", author="Jo", entities=["Marta"])
    assert set(searched(engine, "What did Marta say about Qdrant?")["graph"]) == {
        "We keep the vectors in Qdrant, Marta",
        "Marta, are you there?",
    }
    remember(engine, "Yes", author="Marta")
    graph = searched(engine, "What did Marta say about Qdrant?")["graph"]
    assert set(graph) == {"We keep the vectors in Qdrant, Marta"}
