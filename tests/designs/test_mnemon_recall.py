"""Golden runs of preset mnemon, the read side; each test quotes the line of seeds/mnemon.md it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exact import PLACES, ExactEmbedder, opened, sharing

from combray import Engine
from combray.designs.mnemon.search import (
    LIMITS,
    WITH_EMBEDDINGS,
    WITHOUT_EMBEDDINGS,
    BeamSearch,
    WeightedSumByIntent,
)
from combray.designs.shared import FuseRRF
from combray.forms.recalling import QueryVector, Recalling
from combray.runtime import Found, Link, Ranked
from combray.testing.fakes import FakeClock, FakeEmbedder

# -- Step 1: Intent Detection -------------------------------------------------------------------------

TRIGGERS = {
    "WHY": ["why", "reason", "because", "cause", "motivation", "为什么", "原因", "理由"],
    "WHEN": ["when", "time", "before", "after", "timeline", "什么时候", "何时", "时间"],
    "ENTITY": ["what is", "who is", "tell me about", "是什么", "谁是", "关于"],
}
VIETNAMESE = {
    "WHY": ["tại sao", "tai sao", "vì sao"],
    "WHEN": ["khi nào", "khi nao"],
    "ENTITY": ["là gì", "là ai"],
}


@pytest.mark.parametrize(
    ("intent", "trigger"),
    [(intent, each) for table in (TRIGGERS, VIETNAMESE) for intent, listed in table.items() for each in listed],
)
def test_intents_of_the_page(intent: str, trigger: str) -> None:
    """The table "Intent | Trigger Patterns", and the same questions in Vietnamese."""
    answer = opened().recall(f"{trigger} Qdrant")
    assert (answer.intent, answer.intent_source) == (intent, "auto")


def test_general_and_override() -> None:
    """ "GENERAL | None of the above match"; "Supports the --intent flag to manually override"."""
    engine = opened()
    assert engine.recall("Qdrant vectors").intent == "GENERAL"
    overridden = engine.recall("why Qdrant", intent="when")
    assert (overridden.intent, overridden.intent_source) == ("WHEN", "override")


# -- Step 2: Multi-Signal Anchor Selection (RRF Fusion) -----------------------------------------------


def _state(engine: Engine, **fields: Any) -> Recalling:
    return Recalling("a query", engine.namespace, engine.reader, engine.runtime.clock(), **fields)


def _ranked(*keys: int) -> Ranked:
    return Ranked(np.array(keys, dtype=np.int64), np.linspace(1, 0.5, len(keys)))


def test_rrf_by_hand() -> None:
    """ "RRF Score = sum 1 / (k + rank_i + 1) (k = 60)", rank from 0; then divided by the best."""
    engine = opened()
    lists = {"keyword": _ranked(7, 3), "vector": _ranked(3), "time": _ranked(9, 3, 7)}
    keys = np.array([3, 7, 9], dtype=np.int64)
    state = _state(engine, found=Found(keys, lists, {}, 3))
    state = FuseRRF(k=60)(state, engine.runtime)
    fused = np.array([1 / 62 + 1 / 61 + 1 / 62, 1 / 61 + 1 / 63, 1 / 61])
    assert state.signals["anchor"] == pytest.approx(fused / fused[0])
    assert state.via == {3: "hybrid", 7: "keyword", 9: "time"}


def test_twenty_anchors_a_signal() -> None:
    """ "KeywordSearch(all_insights, query, top-20)" and "sort by created_at DESC, top-20"."""
    clock = FakeClock()
    engine = opened(clock)
    for number in range(50):
        engine.remember(f"the orchard has tree{number}" if number < 25 else f"filler{number}", diff=False)
        clock.pass_(minutes=1)
    # 20 of the 25 that hold the word, and the 20 newest, which are all fillers.
    assert engine.recall("orchard").details["anchor_count"] == 40


def test_vector_anchors_need_a_cosine_of_010() -> None:
    """ "VECTOR_SEARCH_MIN_SIM = 0.10": below, a hit is noise; recency alone is no evidence (SEEDS 8)."""
    texts = {"first note": sharing(10, 100), "second paper": sharing(9, 300)}
    clock = FakeClock()
    engine = opened(clock, ExactEmbedder({"something": PLACES, **texts}))
    for source, text in enumerate(texts):
        engine.remember(text, source=f"source{source}", diff=False)
        clock.pass_(hours=30)
    assert [hit.memory.content for hit in engine.recall("something")] == ["first note"]


# -- Step 3: Beam Search Graph Traversal --------------------------------------------------------------


def _tiny_graph() -> tuple[Engine, list[int]]:
    """Three memories in a row, 30 hours apart, from three sources: no edges but those a test makes."""
    clock = FakeClock()
    places = {"pears ripen": sharing(50, 100), "wine sells": sharing(20, 300), "roofs leak": sharing(60, 500)}
    engine = opened(clock, ExactEmbedder({"pears": PLACES, "why pears": PLACES, **places}))
    keys = []
    for number, text in enumerate(places):
        keys.append(engine._at.key_of(engine.remember(text, source=f"source{number}", diff=False).id))
        clock.pass_(hours=30)
    return engine, keys


def _link(engine: Engine, *links: Link) -> None:
    with engine.runtime.store.transaction(engine.namespace) as tx:
        tx.link(list(links), engine.runtime.clock())


def test_beam_score_by_hand() -> None:
    """ "total = score_node + lambda1 * structural + lambda2 * semantic", lambda1 = 1.0, lambda2 = 0.4."""
    engine, (pears, wine, roofs) = _tiny_graph()
    _link(engine, Link(pears, wine, "causal", 0.5, "causes"), Link(wine, roofs, "temporal", 1.0))
    state = _state(
        engine, intent="WHY", keys=np.array([pears], dtype=np.int64), embedded=QueryVector(model="exact:1000")
    )
    state.embedded.vector = engine.runtime.embedder.embed(["pears"])[0] if engine.runtime.embedder else None
    state.signals = {"anchor": np.array([1.0])}
    state.found = Found(state.keys, {"keyword": _ranked(pears)}, {}, 3)
    state = BeamSearch(limits={"WHY": (15, 2, 500)})(state, engine.runtime)
    # WHY: causal .70, temporal .20. First hop, wine: 1 + .70 * .5 + .4 * .2 = 1.43. Second hop, roofs:
    # 1.43 + .20 * 1 + .4 * .6 = 1.87. "visited = {}": the walk does not go back to pears, which keeps its 1.
    assert dict(zip(state.keys.tolist(), state.signals["traversal"].tolist(), strict=True)) == {
        pears: pytest.approx(1.0),
        wine: pytest.approx(1.43),
        roofs: pytest.approx(1.87),
    }
    # Divided by the nodes of the path: 1.43 / 2 and 1.87 / 3, so that no hop outranks the anchor by its length.
    assert state.signals["path"].tolist() == pytest.approx([1.0, 0.715, 1.87 / 3])
    assert (state.via[wine], state.via[roofs]) == ("causal", "temporal")


def test_width_depth_visited() -> None:
    """The table "Intent | Beam Width | Max Depth | Max Visited"."""
    assert LIMITS == {"WHY": (15, 5, 500), "WHEN": (10, 5, 400), "ENTITY": (10, 4, 400), "GENERAL": (10, 4, 500)}


@pytest.mark.parametrize(("intent", "depth"), [("WHY", 5), ("WHEN", 5), ("ENTITY", 4), ("GENERAL", 4)])
def test_the_walk_ends_at_the_depth_of_the_intent(intent: str, depth: int) -> None:
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("pears ripen")
    for number in range(8):
        clock.pass_(hours=30)
        engine.remember(f"filler{number}")
    answer = engine.recall("pears", intent=intent, limit=50)
    # A chain of backbone edges; the anchor is at its end.
    assert {hit.memory.content for hit in answer if hit.via == "temporal"} | {"pears ripen"} == {
        "pears ripen", *(f"filler{number}" for number in range(depth))
    }  # fmt: skip


@pytest.mark.parametrize(("intent", "width"), [("WHY", 15), ("GENERAL", 10)])
def test_the_beam_keeps_its_width(intent: str, width: int) -> None:
    """One hub with twenty neighbours, each with one of its own: the second hop starts from the best `width`."""
    engine = opened(FakeClock())
    keys = [engine._at.key_of(each.id) for each in engine.remember_many(
        [{"content": text, "source": text, "occurred_at": f"20{number:02}-01-01"} for number, text in
         enumerate(["pears ripen", *(f"near{n}" for n in range(20)), *(f"far{n}" for n in range(20))], 10)],
        diff=False,
    )]  # fmt: skip
    hub, near, far = keys[0], keys[1:21], keys[21:]
    _link(engine, *(Link(hub, each, "causal", 0.5 + number / 100) for number, each in enumerate(near)))
    _link(engine, *(Link(one, other, "causal", 1.0) for one, other in zip(near, far, strict=True)))
    found = {hit.memory.content for hit in engine.recall("pears", intent=intent, limit=100)}
    assert {text for text in found if text.startswith("far")} == {f"far{n}" for n in range(20 - width, 20)}


# -- Step 4: Multi-Factor Re-Ranking ------------------------------------------------------------------

SIGNALS = {"keyword": 1.0, "entity": 0.5, "similarity": 0.4, "graph": 0.2}


@pytest.mark.parametrize(
    ("intent", "embedded", "score"),
    [
        # .10 * 1 + .10 * .5 + .30 * .4 + .50 * .2
        ("WHY", True, 0.37),
        # .15 + .075 + .12 + .08
        ("WHEN", True, 0.425),
        # .20 + .20 + .08 + .04
        ("ENTITY", True, 0.52),
        # .25 * (1 + .5 + .4 + .2)
        ("GENERAL", True, 0.525),
        # SEEDS 9: WHY .20/.10/0/.70: .20 + .05 + .14
        ("WHY", False, 0.39),
        # WHEN .25/.15/0/.60: .25 + .075 + .12
        ("WHEN", False, 0.445),
        # ENTITY .30/.50/0/.20: .30 + .25 + .04
        ("ENTITY", False, 0.59),
        # GENERAL .35/.35/0/.30: .35 + .175 + .06
        ("GENERAL", False, 0.585),
    ],
)
def test_final_score_by_hand(intent: str, embedded: bool, score: float) -> None:
    """ "final = w_kw*keyword + w_ent*entity + w_sim*similarity + w_gr*graph"; "Weights vary by intent"."""
    engine = opened()
    key = engine._at.key_of(engine.remember("pears ripen").id)
    state = _state(engine, intent=intent, keys=np.array([key], dtype=np.int64))
    state.signals = {name: np.array([value]) for name, value in SIGNALS.items()}
    state.embedded.vector = np.ones(3, dtype=np.float32) if embedded else None
    state = WeightedSumByIntent()(state, engine.runtime)
    assert state.scores.tolist() == [pytest.approx(score)]


def test_weights_add_up_to_one() -> None:
    for table in (WITH_EMBEDDINGS, WITHOUT_EMBEDDINGS):
        assert [sum(weights.values()) for weights in table.values()] == pytest.approx([1.0] * 4)


def test_signals_by_hand() -> None:
    """ "keyword_score = token_intersection / query_token_count"; entities; cosine; min-max."""
    query = "Does Qdrant or Milvus store vectors"
    texts = {
        "Things of ours are in the vector store": sharing(30, 100),
        "Milvus vectors store Qdrant": sharing(80, 300),
    }
    clock = FakeClock()
    engine = opened(clock, ExactEmbedder({query: PLACES, **texts}))
    for source, text in enumerate(texts):
        engine.remember(text, source=f"source{source}", diff=False)
        clock.pass_(hours=30)
    best, other = engine.recall(query)
    # Query terms: qdrant, milvus, store, vector; query entities: Qdrant, Milvus.
    assert best.memory.content == "Milvus vectors store Qdrant"
    assert best.signals == {"keyword": 1.0, "entity": 1.0, "similarity": 0.8, "graph": 1.0}
    assert other.signals == {"keyword": 0.5, "entity": 0.0, "similarity": 0.3, "graph": 0.0}
    # GENERAL, .25 each.
    assert [best.score, other.score] == pytest.approx([0.95, 0.2])
    assert best.via == "hybrid"


def test_signals_and_via_of_every_hit() -> None:
    """ "Each retrieval result includes a detailed signal breakdown": keyword, entity, similarity, graph; via."""
    engine = opened()
    engine.remember("Qdrant stores vectors", source="a")
    engine.remember("Backups run nightly", source="a")
    hits = {hit.memory.content: hit for hit in engine.recall("stores")}
    assert list(hits["Qdrant stores vectors"].signals) == ["keyword", "entity", "similarity", "graph"]
    assert hits["Qdrant stores vectors"].via == "keyword"
    assert hits["Qdrant stores vectors"].signals["keyword"] == 1.0


# -- Step 5: WHY Post-Processing ----------------------------------------------------------------------


def test_causes_come_first() -> None:
    """ "causes come first, effects follow" (Kahn), for WHY only."""
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("The disk of the database server was full")
    clock.pass_(hours=1)
    engine.remember("The database stopped because the disk of the database server was full")
    clock.pass_(hours=1)
    engine.remember("The shop closed because the database stopped")
    causes = [hit.memory.content for hit in engine.recall("why did the shop database stop")]
    assert causes == [
        "The disk of the database server was full",
        "The database stopped because the disk of the database server was full",
        "The shop closed because the database stopped",
    ]
    scored = engine.recall("why did the shop database stop", intent="GENERAL")
    assert [hit.score for hit in scored] == sorted((hit.score for hit in scored), reverse=True)


# -- Basic, and saying nothing ------------------------------------------------------------------------


def test_basic_is_a_substring_search() -> None:
    """ "Use --basic for legacy SQL LIKE fallback"."""
    clock = FakeClock()
    engine = opened(clock)
    for text in ("Chose Qdrant early", "Nothing here", "Left qdrants late"):
        engine.remember(text)
        clock.pass_(minutes=1)
    answer = engine.recall("QDRANT", basic=True)
    assert [hit.memory.content for hit in answer] == ["Left qdrants late", "Chose Qdrant early"]
    assert {hit.via for hit in answer} == {"substring"}
    assert engine.recall("drant ea", basic=True)[0].memory.content == "Chose Qdrant early"
    assert engine.recall("milvus", basic=True).reason == "no memory holds 'milvus'"


def test_recency_alone_is_no_answer() -> None:
    """SEEDS 8: "hits with no keyword, entity, vector or graph evidence are dropped"."""
    engine = opened(embedder=FakeEmbedder())
    engine.remember("Bees swarm in May")
    engine.remember("Invoices go out on Fridays")
    answer = engine.recall("quantum chromodynamics")
    assert len(answer) == 0
    assert answer.reason.startswith("nothing here matches: no shared words, names or meaning")
