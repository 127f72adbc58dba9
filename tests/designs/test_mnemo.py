"""Golden runs of preset mnemo; each test quotes the line of seeds/mnemo.md, or of the notes, that it holds."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exact import PLACES, ExactEmbedder, opened, sharing
from tiers import nightly

import combray
from combray import Engine, InvalidInputError, presets
from combray.designs.mnemo.results import Rerank
from combray.designs.mnemo.search import SearchPaths
from combray.designs.shared import FuseRRF
from combray.forms.recalling import Recalling
from combray.pipeline import stage_name
from combray.presets import Preset
from combray.presets.tuning import tuned
from combray.runtime import Embedder, Found, Ranked
from combray.scoring.ageing import SHAPES, weibull
from combray.settings import load as load_settings
from combray.testing.fakes import START, FakeClock, FakeEmbedder, FakeReranker

MNEMO = presets.load("mnemo")


def mnemo(
    clock: FakeClock | None = None, embedder: str | Embedder = "none", preset: str | Preset = "mnemo"
) -> Engine:
    return opened(clock or FakeClock(), embedder, preset)


def texts(answer: Any) -> list[str]:
    return [hit.memory.content for hit in answer]


# -- the page's architecture ---------------------------------------------------------------------------


def test_the_preset_reads_like_the_page() -> None:
    """ "Preprocessing -> Embedding -> Triple-Path Search -> Fusion -> Decay -> Rerank -> MMR -> Filter"."""
    assert [stage_name(stage) for stage in MNEMO.recall] == [
        "ReadScope",  # 8 already, for every path
        "ReadQuery", "ReadNames", "ReadDay", "ReadAliases", "ExpandQuery",  # 1 preprocessing
        "EmbedQuery",  # 2 embedding
        "SearchPaths",  # 3 three paths
        "FuseRRF",  # 4 reciprocal rank fusion
        "RequireEvidence",  # a question without any has no hits
        "WeibullDecay",  # 5 decay
        "SetNoiseAside",  # 9 already, so that noise takes no place of stages 6 and 7
        "Rerank",  # 6 cross-encoder
        "MMR",  # 7 maximal marginal relevance
        "FilterScope",  # 8 scope
        "FilterNoise",  # 9 noise
        "RequireDay",  # a question for a day and nothing else is answered by that day
        "KeepOwnText",  # its own text is neither noise nor of another day
        "Cut", "Assemble", "AssembleContext",  # 10 context
    ]  # fmt: skip


TALK = [
    "Alice moved to Berlin in March 2023",
    "Alice adopted a dog called Bruno",
    "We decided to keep the vectors in Qdrant because the old index was slow",
    "昨天我们在上海开了会",
    "Hello!",
    "Do you remember the dog of Alice?",
]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_whole_preset_runs_with_and_without_an_embedder(embedder: str) -> None:
    engine = mnemo(embedder=embedder)
    engine.remember_many(TALK)
    answer = engine.recall("What is the name of Alice's dog?", limit=3)
    assert answer[0].memory.content == TALK[1]
    assert TALK[4] not in texts(answer)
    assert TALK[5] not in texts(answer)
    assert engine.recall("Why Qdrant?")[0].memory.content == TALK[2]
    assert engine.recall("上海")[0].memory.content == TALK[3]
    assert answer.reason.startswith("hybrid" if embedder == "wordllama" else "keyword and graph only")
    assert answer.details["context"].startswith("<relevant-memories>")


def test_nothing_found_is_a_right_answer() -> None:
    engine = mnemo()
    engine.remember_many(TALK)
    answer = engine.recall("quantum chromodynamics lattice")
    assert (len(answer), "context" in answer.details) == (0, False)
    assert answer.reason == "nothing here matches: no shared words, names or meaning"


# -- stages 3 and 4 ------------------------------------------------------------------------------------


def test_rrf_over_three_paths_by_hand() -> None:
    """Stage 4: "Results from all three paths are fused using RRF"; 1 / (60 + rank + 1), rank from 0."""
    engine = mnemo()

    def ranked(*keys: int) -> Ranked:
        return Ranked(np.array(keys, dtype=np.int64), np.linspace(1, 0.5, len(keys)))

    lists = {"vector": ranked(5, 7), "bm25": ranked(7, 9), "graph": ranked(7)}
    state = Recalling("q", engine.namespace, engine.reader, engine.runtime.clock())
    state.found = Found(np.array([5, 7, 9], dtype=np.int64), lists, {}, 3)
    (stage,) = [stage for stage in MNEMO.recall if isinstance(stage, FuseRRF)]
    state = stage(state, engine.runtime)
    fused = np.array([1 / 61, 1 / 62 + 1 / 61 + 1 / 61, 1 / 62])
    assert state.signals["anchor"] == pytest.approx(fused / fused[1])
    assert state.via == {5: "vector", 7: "hybrid", 9: "bm25"}


def test_what_two_paths_find_comes_before_what_one_finds() -> None:
    engine = mnemo(
        embedder=ExactEmbedder({"pears": PLACES, "wine sells well": sharing(90), "pears ripen": sharing(50)})
    )
    engine.remember("wine sells well")
    engine.remember("pears ripen")
    answer = engine.recall("pears")
    assert texts(answer) == ["pears ripen", "wine sells well"]
    assert [hit.via for hit in answer] == ["hybrid", "vector"]
    # Ranks 1 and 0 against rank 0: (1/62 + 1/61) and 1/61.
    assert [hit.score for hit in answer] == pytest.approx([1.0, (1 / 61) / (1 / 62 + 1 / 61)], abs=1e-6)
    assert answer[0].signals["vector"] == pytest.approx(0.5)


def test_the_graph_finds_what_neither_words_nor_vectors_find() -> None:
    """Stage 3: "Graph | … | Entity relationships"."""
    engine = mnemo()
    engine.remember("Qdrant holds the index", entities=["Marta Klein"])
    engine.remember("The invoices are late", entities=["Marta Klein"])
    answer = engine.recall("Marta Klein")
    assert set(texts(answer)) == {"Qdrant holds the index", "The invoices are late"}
    assert {hit.via for hit in answer} == {"graph"}


# -- stage 5 -------------------------------------------------------------------------------------------


def test_age_by_tier_in_a_whole_recall() -> None:
    """Stage 5: "score x exp(-(t/lambda)^beta)", "Working | 1.0 | Exponential (standard)"."""
    clock = FakeClock()
    engine = mnemo(clock)
    engine.remember("pears ripen", diff=False)
    clock.pass_(days=15)
    engine.remember("pears fall", diff=False)
    new, old = engine.recall("pears")
    # Both match alike, so age decides: e^(-15/30) = .6065, and 1 - .1 · (1 - .99) · (1 - .6065) = .999607.
    assert (texts([new, old]), new.score) == (["pears fall", "pears ripen"], 1.0)
    assert [new.signals["decay"], old.signals["decay"]] == pytest.approx([1.0, 0.606531])
    assert new.signals["anchor"] == old.signals["anchor"]
    assert old.score == pytest.approx(0.999607, abs=1e-6)


def test_the_table_of_the_document_shows_the_factors_in_force() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "presets.md"
    lines = re.findall(
        r"^ +(\d+) .*?(\d\.\d\d) .*?(\d\.\d\d) .*?(\d\.\d\d)$", page.read_text("utf-8"), re.MULTILINE
    )
    assert len(lines) == 8
    for days, *shown in lines:
        left = [
            float(weibull(np.array(float(days)), np.array(30.0), np.array(shape))) for shape in SHAPES.values()
        ]
        assert [float(each) for each in shown] == [round(each, 2) for each in left]


# -- stage 6 and 7 -------------------------------------------------------------------------------------


def test_reranking_is_optional_and_says_nothing_when_there_is_none() -> None:
    """Stage 6: "Optional high-precision reranking"."""
    engine = mnemo()
    engine.remember_many(TALK)
    answer = engine.recall("dog of Alice")
    assert answer.details["degraded"] == ()
    assert "rerank" not in answer[0].signals


def test_a_reranker_decides_among_the_candidates() -> None:
    plain = mnemo()
    words = ["pears pears pears pears", "the orchard of pears and of apples"]
    plain.remember_many(words)
    query = "orchard pears apples pears"
    runtime = replace(plain.runtime, reranker=FakeReranker())
    reranked = Engine(runtime, plain.namespace, MNEMO)
    assert texts(reranked.recall(query))[0] == words[1]
    failing = Engine(replace(plain.runtime, reranker=FakeReranker(failing=True)), plain.namespace, MNEMO)
    answer = failing.recall(query)
    assert set(texts(answer)) == set(words)
    assert any("does not answer" in each for each in answer.details["degraded"])


def test_a_repetition_waits_behind_what_is_new() -> None:
    """Stage 7: "penalizing results that are too similar to already-selected results"."""
    places = {
        "pears": PLACES,
        "pears ripen in May": sharing(80, 100),
        "pears ripen in the month of May": [*range(78), *range(100, 122)],
        "pears are sold by weight": sharing(60, 300),
        "wine sells well": sharing(20, 500),
    }
    engine = mnemo(embedder=ExactEmbedder(places))
    engine.remember_many(list(places)[1:], diff=False)
    assert texts(engine.recall("pears"))[:2] == ["pears ripen in May", "pears are sold by weight"]


# -- stage 8: scopes -----------------------------------------------------------------------------------


def _scoped(engine: Engine) -> None:
    for number in range(120):
        tags = {0: ["scope:agent:a1"], 1: ["scope:agent:a2"], 2: []}[number % 3]
        engine.remember(f"pears note{number} {'orchard ' * (number % 7)}", tags=tags, diff=False)


SCOPES = [
    ("scope:global", "scope:agent:a2"),
    *nightly([("scope:agent:a1",), ("scope:global",)], "each is half of the other"),
]


def _with_pool(engine: Engine, pool: int, push_down: bool) -> Engine:
    """The same store, asked with another pool and the scopes pushed down or not."""
    recall = MNEMO.recall.replace("SearchPaths", SearchPaths(pool=pool, push_down=push_down))
    return Engine(engine.runtime, engine.namespace, replace(MNEMO, recall=recall))


@pytest.mark.parametrize("scope", SCOPES)
def test_pushing_the_scope_down_and_filtering_at_stage_8_give_the_same_answer_on_a_large_pool(
    scope: tuple[str, ...],
) -> None:
    """SEEDS 12: "same stages, and scope is pushed down into every retriever"."""
    engine = mnemo()
    _scoped(engine)
    answers = [
        _with_pool(engine, 1000, push_down).recall("pears in the orchard", limit=100, tags=scope)
        for push_down in (True, False)
    ]
    # By score, since the order after MMR also depends on how far the ranks of one scope lie apart.
    pushed, filtered = (texts(sorted(answer, key=lambda hit: -hit.score)) for answer in answers)
    assert pushed == filtered
    assert len(pushed) == 40 * len(scope)


def test_with_vectors_both_give_the_same_memories() -> None:
    """Ranks of two paths move apart when others stand between, so only the order may differ."""
    engine = mnemo(embedder=FakeEmbedder())
    _scoped(engine)
    pushed, filtered = (
        {
            hit.memory.id
            for hit in _with_pool(engine, 1000, push_down).recall(
                "pears in the orchard", limit=100, tags=["scope:agent:a1"]
            )
        }
        for push_down in (True, False)
    )
    assert pushed == filtered
    assert len(pushed) == 40


def test_a_small_scope_is_not_starved_by_a_large_one() -> None:
    engine = mnemo()
    engine.remember_many([f"pears pears note{n}" for n in range(60)], diff=False)
    engine.remember("the gate of the orchard has pears on it", tags=["scope:user:ann"])
    assert len(engine.recall("pears", tags=["scope:user:ann"])) == 1
    starved = _with_pool(engine, 20, push_down=False).recall("pears", tags=["scope:user:ann"])
    assert len(starved) == 0


def test_a_memory_is_global_unless_it_says_otherwise() -> None:
    engine = mnemo()
    made = engine.remember("pears ripen")
    engine.remember("pears fall", tags=["scope:project:orchard"])
    assert engine.get(made.id).tags == ("scope:global",)
    assert texts(engine.recall("pears", tags=["scope:global"])) == ["pears ripen"]
    both = engine.recall("pears", tags=["scope:global", "scope:project:orchard"])
    assert set(texts(both)) == {"pears ripen", "pears fall"}
    with pytest.raises(InvalidInputError, match="is not a scope"):
        engine.remember("pears", tags=["scope:elsewhere"])


def test_no_scope_leads_out_of_its_namespace_and_no_write_reaches_into_another() -> None:
    """SEEDS 13: "nothing crosses a namespace"."""
    engine = mnemo(embedder=FakeEmbedder())
    engine.remember("The team meets on Friday", tags=["scope:agent:a1"])
    other = engine.within("other")
    other.remember("The team meets on Monday", tags=["scope:agent:a1"])
    other.remember("The team no longer meets on Friday but on Tuesday", tags=["scope:agent:a1"])
    (hit,) = engine.recall("team meets", tags=["scope:agent:a1"])
    assert (hit.memory.content, hit.memory.status) == ("The team meets on Friday", "active")
    assert engine.history(hit.memory.id) == []


def test_what_has_expired_is_hidden_and_kept() -> None:
    """SEEDS 13: "expiry hides, never deletes"."""
    clock = FakeClock()
    engine = mnemo(clock)
    made = engine.remember("the offer on pears", expires_at="2024-05-10")
    assert len(engine.recall("pears offer")) == 1
    clock.pass_(days=30)
    engine.remember("apples are red")
    assert texts(engine.recall("pears offer")) == []
    assert engine.get(made.id).status == "active"
    assert texts(engine.recall("pears offer", as_of=START)) == ["the offer on pears"]


def test_a_scope_is_kept_when_other_tags_are_asked_for_too() -> None:
    engine = mnemo()
    engine.remember("pears ripen", tags=["scope:agent:a1", "harvest"])
    engine.remember("pears fall", tags=["scope:agent:a2", "harvest"])
    engine.remember("pears rot", tags=["scope:agent:a1"])
    assert texts(engine.recall("pears", tags=["scope:agent:a1", "harvest"])) == ["pears ripen"]
    engine.remember("pears are sold", tags=["harvest"])
    assert texts(engine.recall("pears", tags=["harvest"])) == ["pears are sold"]


# -- stage 9 -------------------------------------------------------------------------------------------


def test_noise_that_looks_like_the_question_does_not_push_the_answer_down() -> None:
    """With stage 9 alone MMR would choose the question first and then avoid what resembles it: the answer."""
    engine = mnemo()
    engine.remember_many(TALK)
    answer = engine.recall("Alice's dog")
    assert texts(answer)[0] == TALK[1]
    assert answer.details["noise"] == {"questions": 1}
    as_paged = replace(MNEMO, recall=MNEMO.recall.without("SetNoiseAside"))
    assert set(texts(engine.recall("Alice's dog", preset=as_paged))) == {TALK[0], TALK[1]}


# -- stage 10 ------------------------------------------------------------------------------------------


def test_the_context_holds_the_hits_in_their_order() -> None:
    """Stage 10: "Final results are assembled with metadata for injection into the LLM context"."""
    engine = mnemo()
    engine.remember("Alice likes pears", category="preference", tags=["scope:user:alice"],
                    occurred_at=datetime(2024, 4, 2, tzinfo=UTC))  # fmt: skip
    answer = engine.recall("pears", tags=["scope:user:alice"])
    lines = answer.details["context"].splitlines()
    assert lines[2] == f"[W][preference:user:alice] Alice likes pears (2024-04-02; {answer[0].memory.id})"
    assert len(lines) == 4


# -- configuration -------------------------------------------------------------------------------------


def test_the_pool_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "candidatePoolSize: 20, // candidates before reranking"."""
    stages = {stage_name(stage): stage for stage in MNEMO.recall}
    assert isinstance(stages["SearchPaths"], SearchPaths)
    assert isinstance(stages["Rerank"], Rerank)
    assert (stages["SearchPaths"].pool, stages["Rerank"].most, load_settings().candidate_pool_size) == (
        20,
        20,
        20,
    )
    stages = {stage_name(stage): stage for stage in tuned(MNEMO, {"candidate_pool_size": 40}).recall}
    assert (stages["SearchPaths"], stages["Rerank"]) == (SearchPaths(pool=40), Rerank(most=40))
    monkeypatch.setenv("COMBRAY_CANDIDATE_POOL_SIZE", "0")
    with pytest.raises(InvalidInputError, match="candidate_pool_size: 0 is out of range"):
        combray.open(":memory:")


def test_the_read_side_stands_alone() -> None:
    """Recall by mnemo works on what another preset has written."""
    engine = mnemo(preset="default")
    engine.remember_many(TALK)
    assert engine.recall("Alice's dog", preset="mnemo")[0].memory.content == TALK[1]
