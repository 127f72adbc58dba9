"""Golden runs of preset engram, the read side; each test quotes the line of seeds/engram.md it holds."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from exact import PLACES, ExactEmbedder, opened, sharing

import combray
from combray.presets import load
from combray.testing.fakes import START, FakeClock, FakeEmbedder, FakeLanguageModel

# START, the clock's "now", is Wednesday 1 May 2024, 12:00.


def store(*texts: str, embedder: Any = "none", **fields: Any) -> combray.Engine:
    engine = opened(FakeClock(), embedder, "engram")
    for text in texts:
        engine.remember(text, **fields)
    return engine


def texts(answer: combray.Answer) -> list[str]:
    return [hit.memory.content for hit in answer]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_season_of_a_thing_is_no_date(embedder: str) -> None:
    text = "The summer house has a green door and its key hangs in the pantry."
    engine = store(text, embedder=embedder)
    assert texts(engine.recall("Where does the key of the summer house hang?")) == [text]


def test_a_season_alone_is_a_date() -> None:
    engine = store("We painted the boat red.", embedder="none")
    assert texts(engine.recall("What did we paint last winter?")) == []


# -- Stage 1: Query Decision ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", ["ok", "thanks", "yes", "no", "👍", "?!…", "hm", "Cảm ơn!", "cam on", "再见", "OK thanks 🙏"]
)
def test_trivial_queries_return_an_empty_result_immediately(query: str) -> None:
    """ "Trivial queries return an empty result immediately, saving embedding and LLM API calls."

    "ok, thanks, yes, no, single emoji, pure punctuation, messages under a length threshold".
    """
    embedder = FakeEmbedder()
    engine = store("Yes, ok: thanks for the tea, no hm", embedder=embedder)
    before = len(embedder.calls)
    answer = engine.recall(query)
    assert len(answer) == 0
    assert len(embedder.calls) == before
    assert [step.stage for step in answer.trace] in (["SkipTrivial", "KeepOwnText"], ["KeepOwnText"])
    assert answer.reason.startswith(("trivial query (", "the query holds no words"))


# -- Stage 2: Temporal Resolution ----------------------------------------------------------------------

TABLE = [
    # "`today`, `hom nay` | Current date"
    (["today", "hom nay", "hôm nay", "今天"], "2024-05-01", "2024-05-02"),
    # "`yesterday`, `hom qua` | Yesterday's date"
    (["yesterday", "hom qua", "hôm qua", "昨天"], "2024-04-30", "2024-05-01"),
    # "`last week`, `tuan truoc` | Date range"
    (["last week", "tuan truoc", "tuần trước", "上周"], "2024-04-22", "2024-04-29"),
    # "`3 days ago` | Specific date"
    (["3 days ago", "3 ngay truoc", "3 ngày trước", "三天前"], "2024-04-28", "2024-04-29"),
    # "`this month` | Month range"
    (["this month", "thang nay", "tháng này", "本月"], "2024-05-01", "2024-06-01"),
]


@pytest.mark.parametrize(("phrase", "since", "until"), [(each, *row[1:]) for row in TABLE for each in row[0]])
def test_the_pages_table_of_dates_is_ranges_and_filters(phrase: str, since: str, until: str) -> None:
    """ "The resolved dates are embedded into the query and used as Qdrant filter constraints." """
    first = START.fromisoformat(f"{since}T00:00:00+00:00")
    last = START.fromisoformat(f"{until}T00:00:00+00:00")
    engine = opened(FakeClock(), "none", "engram")
    for name, moment in {
        "before": first - timedelta(seconds=1),
        "first": first,
        "last": last - timedelta(seconds=1),
        "after": last,
    }.items():
        engine.remember(f"The standup of room {name} was short", occurred_at=moment)
    answer = engine.recall(f"standup {phrase}")
    assert sorted(texts(answer)) == [
        "The standup of room first was short",
        "The standup of room last was short",
    ]
    assert answer.details["resolved"] == [
        {"phrase": phrase, "from": first.isoformat(), "to": last.isoformat(), "as": "filter"}
    ]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("question", "text"),
    [
        # 1 May 2024 is a Wednesday: Thursday is tomorrow, and August is to come.
        ("what is on Thursday", "The dentist appointment is on Thursday at four"),
        ("do I have to see the dentist on Thursday", "The dentist appointment is on Thursday at four"),
        ("when does the library close in August", "The library closes early in August"),
        ("thứ năm có lịch gì", "Lịch hẹn nha sĩ là thứ năm lúc bốn giờ"),
    ],
)
def test_a_day_that_may_be_the_coming_one_is_no_filter(question: str, text: str, embedder: str) -> None:
    """ "So time-relative queries find the right memories": last Thursday holds nothing about the next one."""
    engine = store(text, "The piano tuner comes from Graz", embedder=embedder)
    answer = engine.recall(question)
    assert texts(answer)[:1] == [text], answer.reason
    assert [each["as"] for each in answer.details["resolved"]] == ["soft"]
    # The verb says that it is over.
    assert engine.recall("what happened on Thursday").reason.startswith("nothing is dated Thursday (2024-04-25)")


# -- Stage 3: Pronoun Resolution -----------------------------------------------------------------------


def test_he_is_alice_where_only_alice_was_talked_about() -> None:
    """ "`what did he decide?` | `what did [Alice] decide?`"; "Look up recent entities in the active session"."""
    engine = opened(FakeClock(), "none", "engram")
    engine.remember("Later on Alice took over the release", session="s1", kind="episode")
    engine.remember("The board and Alice decided to postpone")
    answer = engine.recall("what did he decide?", sessions=["s1"])
    assert answer.details["resolved_query"] == "what did [Alice] decide?"
    assert answer.details["pronouns"] == [{"phrase": "he", "resolved": "Alice", "by": "session"}]


def test_anh_ay_is_bob() -> None:
    """ "`anh ay lam gi?` | `[Bob] lam gi?`"; "Search the semantic graph for recently-mentioned entities"."""
    engine = store("We know that Bob writes the reports", "We know that Alice reads them")
    answer = engine.recall("anh ay lam gi?")
    assert answer.details["resolved_query"] == "[Bob] lam gi?"
    assert answer.details["pronouns"] == [{"phrase": "anh ay", "resolved": "Bob", "by": "graph"}]
    assert texts(answer)[0] == "We know that Bob writes the reports"


def test_the_language_model_is_asked_when_the_graph_is_ambiguous() -> None:
    """ "Fall back to LLM-based resolution if graph lookup is ambiguous"."""
    engine = store("In the end Bob decided to wait", "In the end Carlos decided to go")
    assert engine.recall("what did he decide?").details["pronouns"][0]["candidates"] == ["Carlos", "Bob"]
    engine._at.runtime = replace(engine.runtime, language_model=FakeLanguageModel(["Bob"]))
    answer = engine.recall("what did he decide?")
    assert answer.details["resolved_query"] == "what did [Bob] decide?"
    assert texts(answer)[0] == "In the end Bob decided to wait"


# -- Stage 4: Parallel Search --------------------------------------------------------------------------


def test_memories_above_the_similarity_threshold() -> None:
    """ "Returns the top-K memories above a similarity threshold." (notes 5.1.4: min_relevance .3)"""
    near = {f"near {n}": sharing(30 + n) for n in range(5)}
    embedder = ExactEmbedder({"where": PLACES, "below": sharing(29, 500), **near})
    engine = store(*near, "below", embedder=embedder)
    assert texts(engine.recall("where")) == [f"near {n}" for n in (4, 3, 2, 1, 0)]


def test_an_entity_brings_its_memories_and_their_neighbours() -> None:
    """ "Looks up entities mentioned in the query by name in the semantic graph, then retrieves episodic memories
    associated with those entities. Effective for … ("what do we know about Redis?")." """
    engine = store("Redis caches the sessions of Kafka", "Kafka runs on four brokers", "Elsewhere it rains")
    answer = engine.recall("what do we know about Redis?")
    assert [(hit.memory.content, hit.via) for hit in answer] == [
        ("Redis caches the sessions of Kafka", "entity"),
        ("Kafka runs on four brokers", "graph"),
    ]


def test_keywords_help_out_when_vectors_find_few() -> None:
    """ "If vector search returns fewer results than a minimum threshold, a keyword search is performed".

    We search keywords however many vectors are near (docs/reference/presets.md): every word is worth .6.
    """
    many = {f"near {n}": sharing(40) for n in range(9)}
    embedder = ExactEmbedder({"lathe": PLACES, **many})
    engine = store("The lathe is broken", *list(many)[:4], embedder=embedder)
    assert "The lathe is broken" in texts(engine.recall("lathe"))
    for more in list(many)[4:]:
        engine.remember(more)
    first = engine.recall("lathe")[0]
    assert (first.memory.content, first.signals["vector"]) == ("The lathe is broken", 0.6)


def test_the_vector_and_the_words_of_a_memory_add_up_by_hand() -> None:
    """vector = 1 - (1 - cosine)(1 - .6 · keyword): 1 - .5 · .4 = .8 with every word, and the cosine with none."""
    embedder = ExactEmbedder({"lathe oil": PLACES, "Lathe oil": sharing(50), "A saw": sharing(50)})
    engine = store("Lathe oil", "A saw", embedder=embedder)
    vectors = {hit.memory.content: hit.signals["vector"] for hit in engine.recall("lathe oil")}
    assert vectors == {"Lathe oil": pytest.approx(0.8, abs=1e-6), "A saw": pytest.approx(0.5, abs=1e-6)}


# -- Stage 5: Dedup + Composite Scoring ----------------------------------------------------------------


def test_the_composite_score_by_hand() -> None:
    """ "composite_score = (vector_similarity x 0.6) + (priority_score x 0.2) + (confidence_score x 0.1) +
    (recency_score x 0.1)"; notes 5.1.4: "decay_rate 0.03".

    0.6 · 0.5 + 0.2 · (4-1)/4 + 0.1 · 0.9 + 0.1 · e^(-0.03 · 10) = 0.3 + 0.15 + 0.09 + 0.1 · 0.740818 = 0.614082.
    """
    embedder = ExactEmbedder({"which lathe": PLACES, "A saw": sharing(50)})
    engine = store(embedder=embedder)
    engine.remember("A saw", importance=4, confidence=0.9, occurred_at=START - timedelta(days=10))
    (hit,) = engine.recall("which lathe")
    assert hit.signals == {
        "vector": pytest.approx(0.5, abs=1e-6),
        "priority": 0.75,
        "confidence": 0.9,
        "recency": round(math.exp(-0.3), 6),
        "keyword": 0.0,
        "entity": 0.0,
    }
    assert hit.score == pytest.approx(0.614082, abs=2e-6)


def test_results_are_sorted_by_the_composite_and_not_by_the_vector() -> None:
    """ "Results are sorted by composite score descending."; SEEDS.md 15: "fusion throws the vector score away".

    0.6 · 0.40 + 0.2 · 1 = 0.44 against 0.6 · 0.60 + 0.2 · 0 = 0.36, all else equal; then 0.6 · 0.90 = 0.54 wins.
    """
    embedder = ExactEmbedder({"which": PLACES, "vital": sharing(40), "near": sharing(60), "nearest": sharing(90)})
    engine = store(embedder=embedder)
    engine.remember("vital", importance=5)
    engine.remember("near", importance=1)
    engine.remember("nearest", importance=1)
    assert texts(engine.recall("which")) == ["nearest", "vital", "near"]


def test_each_text_comes_once_and_the_best_of_it() -> None:
    """ "Results from all search strategies are deduplicated by content hash"."""
    engine = store("The lathe was oiled", importance=2)
    engine.forget(engine.recall("lathe")[0].memory.id)
    engine.remember("The lathe was oiled.", importance=5)
    both = ["active", "forgotten"]
    assert [hit.memory.importance for hit in engine.recall("lathe oiled", statuses=both)] == [5]
    engine.remember("The lathe was oiled", author="Alice", diff=False)
    assert len(engine.recall("lathe oiled", statuses=both)) == 2


# -- Stage 6: Fusion Format ----------------------------------------------------------------------------


def test_the_pages_example_of_the_format() -> None:
    """The page's four lines, in the order of upstream notes 5.2: "order preference, fact, lesson, decision"."""
    engine = opened(FakeClock(), "none", "engram")
    engine.remember("Migrate to microservices in Q2", category="decision")
    engine.remember("Always index foreign keys before running migrations", category="insight")
    engine.remember("Redis is used for session caching", category="fact")
    engine.remember("Use PostgreSQL for production databases", category="preference")
    answer = engine.recall("PostgreSQL microservices Redis foreign keys")
    assert answer.details["grouped"].splitlines() == [
        "[preference] Use PostgreSQL for production databases",
        "[fact] Redis is used for session caching",
        "[lesson] Always index foreign keys before running migrations",
        "[decision] Migrate to microservices in Q2",
    ]


# -- what is mended on purpose -------------------------------------------------------------------------


def test_recall_never_changes_confidence() -> None:
    """SEEDS.md 17: "every return adds 0.1 confidence"; "recall never writes scores"."""
    engine = store("The lathe is broken", confidence=0.5)
    for _ in range(5):
        engine.recall("lathe")
    engine.remember("Something else")
    memory = engine.recall("lathe")[0].memory
    assert (memory.confidence, memory.access_count) == (0.5, 5)


def test_a_text_that_is_like_another_destroys_nothing() -> None:
    """Notes 5.2: "semantic dedup cosine ≥ .85 … merge"; here the number proposes and never decides."""
    embedder = ExactEmbedder({"The gate opens at nine": PLACES, "The gate never opens at nine": sharing(95)})
    engine = store("The gate opens at nine", embedder=embedder)
    second = engine.remember("The gate never opens at nine")
    assert second.action == "added"
    assert engine.store.status()["total_insights"] == 2


def test_the_six_stages_stand_in_the_pages_order() -> None:
    """ "1. Query Decision … 2. Temporal … 3. Pronoun … 4. Parallel Search … 5. Dedup + Fusion … 6. Format"."""
    names = [type(stage).__name__ for stage in load("engram").recall]
    staged = ["SkipTrivial", "ResolveDates", "ResolvePronouns", "SearchParallel", "ScoreComposite", "GroupByType"]
    assert [name for name in names if name in staged] == staged
