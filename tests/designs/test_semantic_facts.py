"""Golden runs of preset semantic-facts; each test quotes the line of seeds/semantic-facts.md it holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from exact import PLACES, ExactEmbedder, opened, sharing

from combray import Answer, Engine, InvalidInputError, presets
from combray.designs.semantic_facts.preset import PASSIVE
from combray.testing.fakes import START, FakeClock

QUERY = "user's work projects"


def filled(cosines: Mapping[str, int], **fields: Mapping[str, Any]) -> Engine:
    """Facts whose cosine with QUERY is so many hundredths, and whose own places are theirs alone."""
    places = {text: sharing(share, 100 + 100 * number) for number, (text, share) in enumerate(cosines.items())}
    embedder = ExactEmbedder({QUERY: PLACES, **places}, name="exact:4000", dimensions=4000)
    engine = opened(FakeClock(), embedder, "semantic-facts")
    items: list[Any] = [
        {"content": text, **{name: values[text] for name, values in fields.items() if text in values}}
        for text in cosines
    ]
    engine.remember_many(items, diff=False)
    engine.vectors.make()
    return engine


def told(answer: Answer) -> list[str]:
    return [hit.memory.content for hit in answer]


def set_status(engine: Engine, text: str, status: str) -> None:
    (memory,) = [hit.memory for hit in engine.recall(text, basic=True)]
    key = engine._at.key_of(memory.id)
    with engine.runtime.store.transaction(engine.namespace) as tx:
        tx.change(key, "edit", "test", engine.runtime.clock(), status=status)


# -- relevance ---------------------------------------------------------------------------------------


def test_relevance_by_hand() -> None:
    """ "relevance_score = similarity * 0.6 + confidence * 0.3 + recency * 0.1"."""
    long_ago = (START - timedelta(days=100)).isoformat()
    engine = filled(
        {"writes compilers": 80, "tends gardens": 90},
        confidence={"writes compilers": 0.9, "tends gardens": 0.5},
        occurred_at={"tends gardens": long_ago},
    )
    first, second = engine.recall(QUERY)
    # .6 * .8 + .3 * .9 + .1 * 1, and .6 * .9 + .3 * .5 + .1 * exp(-.01 * 100).
    assert first.memory.content == "writes compilers"
    assert first.score == pytest.approx(0.48 + 0.27 + 0.1)
    assert second.score == pytest.approx(0.54 + 0.15 + 0.1 * math.exp(-1), abs=1e-6)
    assert second.signals == {
        "similarity": 0.9,
        "confidence": 0.5,
        "recency": pytest.approx(math.exp(-1), abs=1e-6),
    }
    assert engine.recall(QUERY).reason == "hybrid: keywords and exact:4000"


def test_hits_are_memories_with_text_confidence_and_timestamp() -> None:
    """ "List of Memory objects with text, confidence, timestamp"."""
    memory = filled({"writes compilers": 80}, confidence={"writes compilers": 0.9}).recall(QUERY)[0].memory
    assert (memory.content, memory.confidence, memory.moment) == ("writes compilers", 0.9, START)


# -- 1. Vector Search (Top 20 candidates), 2. Symbolic Filtering -------------------------------------


def test_twenty_candidates() -> None:
    """ "Vector Search (Top 20 candidates)": what is not among the nearest cannot win by confidence."""
    cosines = {f"near{n}": 60 for n in range(20)} | {"surest": 50}
    confidence = dict.fromkeys(cosines, 0.4) | {"surest": 1.0}
    engine = filled(cosines, confidence=confidence)
    # .6 * .6 + .3 * .4 = .48 against .6 * .5 + .3 = .60.
    assert "surest" not in told(engine.recall(QUERY, limit=20))
    assert told(engine.recall(QUERY, limit=21))[0] == "surest"


BANDS = {"deprecated": 0.29, "at 0.3": 0.3, "above 0.3": 0.31, "at 0.5": 0.5, "above 0.5": 0.51}


def test_the_bands_of_confidence() -> None:
    """ "Confidence threshold: `> 0.5` for passive, `> 0.3` for active tool"."""
    engine = filled(dict.fromkeys(BANDS, 50), confidence=BANDS)
    assert set(told(engine.recall(QUERY))) == {"above 0.3", "at 0.5", "above 0.5"}
    passive = replace(presets.load("semantic-facts"), name="passive", recall=PASSIVE)
    assert told(engine.recall(QUERY, preset=passive)) == ["above 0.5"]
    assert set(told(engine.recall(QUERY, min_confidence=0.5))) == {"at 0.5", "above 0.5"}


def test_a_place_is_not_wasted_on_the_unsure() -> None:
    """The filter is part of the search: twenty unsure facts nearer than a sure one do not hide it."""
    cosines = {f"unsure{n}": 90 for n in range(25)} | {"sure": 50}
    engine = filled(cosines, confidence=dict.fromkeys(cosines, 0.3) | {"sure": 0.6})
    assert told(engine.recall(QUERY, limit=5)) == ["sure"]


@pytest.mark.parametrize("status", ["deprecated", "merged", "superseded", "forgotten"])
def test_only_active_facts(status: str) -> None:
    """ "Status: Only `active` facts"."""
    engine = filled({"writes compilers": 80, "tends gardens": 50})
    set_status(engine, "writes compilers", status)
    assert told(engine.recall(QUERY)) == ["tends gardens"]


def test_a_fact_without_vector_is_found_by_its_words() -> None:
    """ "facts queryable immediately via text fallback": "New Fact -> DB (status='pending_embed')"."""
    engine = filled({"tends gardens": 50})
    waiting = engine.remember("The user leads two projects at work", diff=False)
    assert not waiting.embedded
    assert engine.get(waiting.id).status == "pending_embed"
    hits = {hit.memory.content: hit for hit in engine.recall(QUERY)}
    assert set(hits) == {"tends gardens", "The user leads two projects at work"}
    found = hits["The user leads two projects at work"]
    assert (found.via, 0 < found.signals["similarity"] < 1) == ("keyword", True)


def test_a_fact_that_waits_for_a_new_vector_is_found_by_its_words_too() -> None:
    """ "Re-embed Modified Facts": what waits is found by the word it shares, not by the vector it had."""
    engine = filled({"leads two projects": 80, "tends gardens": 50})
    set_status(engine, "leads two projects", "pending_embed")
    assert {hit.memory.content: hit.via for hit in engine.recall(QUERY)} == {
        "leads two projects": "keyword",
        "tends gardens": "vector",
    }
    set_status(engine, "tends gardens", "pending_embed")
    assert told(engine.recall(QUERY)) == ["leads two projects"]


def test_words_count_beside_the_vector_by_hand() -> None:
    """SEEDS.md, ask 2: "exact names, ids and dates are findable by keyword"; similarity 1 - (1 - cos)(1 - text).

    N = 3, every row has three words, so the norm is k1 = 1.2 and a word held once has 1 / 2.2 of its most.
    "bill" is in one row and "4711" in one: the row that holds both has a text of 1 / 2.2 = .454545.
    """
    places = {
        "bill 4711 paid": sharing(20, 100),
        "old stones glow": sharing(50, 200),
        "new moons rise": sharing(0, 300),
    }
    engine = opened(FakeClock(), ExactEmbedder({"bill 4711": PLACES, **places}), "semantic-facts")
    engine.remember_many(list(places), diff=False)
    engine.vectors.make()
    first, second = engine.recall("bill 4711")
    assert (first.memory.content, first.via, second.via) == ("bill 4711 paid", "hybrid", "vector")
    assert first.signals["similarity"] == pytest.approx(1 - 0.8 * (1 - 1 / 2.2), abs=1e-6)
    assert second.signals["similarity"] == 0.5


def test_nothing_near_is_no_answer() -> None:
    """SEEDS.md, ask 3: "abstain when evidence is weak": twenty are always the nearest."""
    assert told(filled({"green roofs leak": 10, "tall houses stand": 9}).recall(QUERY)) == ["green roofs leak"]
    answer = filled({"tall houses stand": 9}).recall(QUERY)
    assert (len(answer), answer.reason) == (0, "nothing here matches: no shared words, names or meaning")


# -- 3. Diversity Sampling ---------------------------------------------------------------------------


def test_the_surest_of_each_cluster_first() -> None:
    """ "cluster_by_embedding(candidates, threshold=0.8)", "best = max(cluster, key=lambda x: x.confidence)"."""
    # Two say nearly the same: 80 of their 100 places are one and the same.
    places = {
        "codes compilers daily": [*range(60), *range(200, 240)],
        "builds compilers often": [*range(10, 60), *range(200, 230), *range(300, 320)],
        "tends gardens": sharing(40, 400),
    }
    embedder = ExactEmbedder({QUERY: PLACES, **places})
    engine = opened(FakeClock(), embedder, "semantic-facts")
    confidence = dict(zip(places, (0.6, 0.9, 0.6), strict=True))
    engine.remember_many([{"content": t, "confidence": c} for t, c in confidence.items()], diff=False)
    engine.vectors.make()
    answer = engine.recall(QUERY)
    # .6 * .6 + .3 * .6 + .1 = .64; .6 * .5 + .3 * .9 + .1 = .67; .6 * .4 + .3 * .6 + .1 = .52.
    assert told(answer) == ["builds compilers often", "tends gardens", "codes compilers daily"]
    assert [hit.score for hit in answer] == pytest.approx([0.67, 0.52, 0.64])
    assert answer.details["clusters"] == 2
    assert told(engine.recall(QUERY, limit=2)) == ["builds compilers often", "tends gardens"]


# -- the tool ----------------------------------------------------------------------------------------

KINDS = ("fact", "insight", "summary", "episode", "chunk")


@pytest.mark.parametrize(
    ("search_type", "kinds"),
    [("facts", {"fact", "insight", "summary"}), ("episodes", {"episode"}), ("both", set(KINDS))],
)
def test_what_is_searched(search_type: str, kinds: set[str]) -> None:
    """ "search_type: Literal["facts", "episodes", "both"] = "both""."""
    names = {f"{kind} text": 60 for kind in KINDS}
    engine = filled(names, kind={f"{kind} text": kind for kind in KINDS})
    assert {hit.memory.kind for hit in engine.search_memory(QUERY, search_type)} == kinds
    with pytest.raises(InvalidInputError, match=r"'all' is not known\. Use one of: both, facts, episodes"):
        engine.search_memory(QUERY, "all")


def test_five_results_unless_more_are_wanted() -> None:
    """ "limit: int = 5"."""
    engine = filled({f"text{n}": 60 for n in range(9)})
    assert [len(engine.search_memory(QUERY)), len(engine.search_memory(QUERY, "both", 7))] == [5, 7]
    assert len(engine.search_memory(QUERY, limit=2)) == 2


def test_without_an_embedder_words_answer() -> None:
    engine = opened(FakeClock(), "none", "semantic-facts")
    engine.remember_many(["The user writes compilers", "Alice tends gardens"])
    answer = engine.search_memory("who writes compilers?")
    assert told(answer) == ["The user writes compilers"]
    assert answer.reason == "keyword only: no embedder is configured"
