"""Golden runs of preset openclaw; each test quotes the line of seeds/openclaw.rst, or of SEEDS.md, it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from exact import PLACES, ExactEmbedder, opened, sharing

from combray import Answer, Engine, presets
from combray.designs.openclaw.search import FileAgeDecay
from combray.designs.shared import MMR
from combray.presets.tuning import tuned
from combray.testing.fakes import FakeClock

QUERY = "ripe pears"


def near(places: Mapping[str, Sequence[int]], **queries: Sequence[int]) -> ExactEmbedder:
    """An embedder for QUERY and these texts."""
    return ExactEmbedder({QUERY: PLACES, **places, **queries})


def filled(texts: Sequence[Any], embedder: ExactEmbedder | str = "none") -> Engine:
    engine = opened(FakeClock(), embedder, "openclaw")
    engine.remember_many(texts, diff=False)
    return engine


def scores(answer: Answer) -> dict[str, float]:
    return {hit.memory.content: hit.score for hit in answer}


def settings(name: str) -> dict[str, Any]:
    (found,) = [each for each in presets.load("openclaw").recall.describe() if each["stage"] == name]
    return dict(found["settings"])


def test_the_defaults_of_the_page() -> None:
    """The table "Default configuration values"."""
    assert settings("Threshold") == {"minimum": 0.35}
    assert settings("MergeHybrid") == {"vector_weight": 0.7, "text_weight": 0.3}
    # min(200, maxResults * 4) of the page is its greatest value, whatever maxResults is (SEEDS.md 4).
    assert settings("SearchHybrid")["pool"] == 200
    assert (settings("MMR")["enabled"], settings("MMR")["trade_off"]) == (False, 0.7)
    assert settings("FileAgeDecay") == {"half_life_days": 30.0, "enabled": False}


# -- Stage 2: keyword search -------------------------------------------------------------------------


def test_bm25_of_four_rows_by_hand() -> None:
    """SEEDS.md 1: "best hit = 1, order kept; works on a store of 4 rows".

    The word is in half of the rows, where FTS5 would give 1e-6. All rows have four words, so the length norm
    is k1 = 1.2: twice is 2 / 3.2, once 1 / 2.2, and their ratio 1.375.
    """
    engine = filled(["red wine red cup", "red tea green leaf", "old bread sea salt", "dark blue boots soak"])
    assert scores(engine.recall("red")) == {
        "red wine red cup": 1.0,
        "red tea green leaf": pytest.approx(1 / 1.375, abs=1e-6),
    }


def test_what_the_keywords_score_is_added_up() -> None:
    """The page keeps "the highest score" of the keywords; docs/reference/presets.md says why we add.

    N = 4: "wine" is in 2 rows, idf ln(1 + 2.5/2.5) = .693; "cheese" in 1, ln(1 + 3.5/1.5) = 1.204. All rows have
    three words, so the row with "wine" alone has .693 / (.693 + 1.204) of the row with both.
    """
    engine = filled(["wine cheese table", "wine bottle table", "dark blue boots", "cold grey roof"])
    answer = engine.recall("that wine and the cheese yesterday")
    assert answer.details["keywords"] == ("wine", "cheese")
    assert scores(answer) == {
        "wine cheese table": 1.0,
        "wine bottle table": pytest.approx(0.693147 / (0.693147 + 1.203973), abs=1e-5),
    }
    assert answer.reason == "keyword only: no embedder is configured"


def test_text_is_indexed_without_an_embedder() -> None:
    """SEEDS.md 5: "text is indexed always"; kinds of every sort are found."""
    kinds = ("fact", "episode", "chunk", "insight", "summary")
    engine = filled([{"content": f"pears number{n}", "kind": kind} for n, kind in enumerate(kinds)])
    assert {hit.memory.kind for hit in engine.recall("pears")} == set(kinds)


def test_numbers_and_short_words_are_not_lost() -> None:
    """SEEDS.md, ask 2: "exact names, ids and dates are findable by keyword"."""
    engine = filled(["invoice 4710 paid", "invoice 4711 paid", "invoice 4712 paid", "AI budget", "OK budget"])
    assert engine.recall("the invoice 4711")[0].memory.content == "invoice 4711 paid"
    assert list(scores(engine.recall("4712"))) == ["invoice 4712 paid"]
    assert engine.recall("AI budget")[0].memory.content == "AI budget"
    assert list(scores(engine.recall("AI"))) == ["AI budget"]


# -- Stage 3: hybrid merge, stage 6: threshold -------------------------------------------------------

PLACED = {
    "ripe pears fall": sharing(60, 100),
    "sweet fruit drops": sharing(80, 200),
    "ripe pears sell": sharing(0, 300),
    "green roofs leak": sharing(49, 400),
    "tall houses stand": sharing(50, 500),
}


def test_the_merge_and_the_threshold_by_hand() -> None:
    """ "score = vectorWeight * vectorScore + textWeight * textScore", .7 and .3; "minScore = 0.35".

    SEEDS.md 2: a hit of words alone tops out at .30, and stays, behind all that score enough.
    """
    answer = filled(list(PLACED), near(PLACED)).recall(QUERY)
    assert scores(answer) == {
        "ripe pears fall": pytest.approx(0.7 * 0.6 + 0.3),
        "sweet fruit drops": pytest.approx(0.7 * 0.8),
        "tall houses stand": pytest.approx(0.7 * 0.5),
        # .7 * .49 = .343 < .35, and no word of the query: "green roofs leak" is gone.
        "ripe pears sell": pytest.approx(0.3),
    }
    assert [hit.via for hit in answer] == ["hybrid", "vector", "vector", "keyword"]
    assert answer[0].signals == {"vector": 0.6, "text": 1.0}
    assert answer.reason == "hybrid: keywords and exact:1000"


def test_a_missing_score_is_0_and_a_negative_cosine_too() -> None:
    """ "If a chunk appears in only one result set, the missing score is 0"."""
    embedder = near({"ripe pears sell": range(500, 600)})
    assert scores(filled(["ripe pears sell"], embedder).recall(QUERY)) == {"ripe pears sell": pytest.approx(0.3)}


def test_strict_hits_take_the_places_first() -> None:
    """SEEDS.md 2: "strict hits first; remaining places go to keyword hits"."""
    engine = filled(list(PLACED), near(PLACED))
    assert "ripe pears sell" not in scores(engine.recall(QUERY, limit=3))
    assert "ripe pears sell" in scores(engine.recall(QUERY, limit=4))


def test_the_callers_threshold() -> None:
    """ "This can be overridden per-call via the minScore parameter"."""
    engine = filled(list(PLACED), near(PLACED))
    assert "green roofs leak" in scores(engine.recall(QUERY, min_score=0.0))
    assert list(scores(engine.recall(QUERY, min_score=0.56))) == ["ripe pears fall", "sweet fruit drops"]


def test_nothing_is_an_answer() -> None:
    answer = filled(["green roofs leak"], near({"green roofs leak": sharing(49, 400)})).recall(QUERY)
    assert len(answer) == 0
    assert answer.reason == "nothing here holds a word of this or scores 0.35 by meaning"


def test_a_natural_question_finds_what_holds_some_of_its_words() -> None:
    """SEEDS.md 3: "AND first; if it fills fewer than `limit`, OR over the expanded keywords"."""
    question = "where did we buy the ripe pears yesterday?"
    engine = filled(["ripe pears of Anna", "blue boots"], ExactEmbedder({question: PLACES}))
    assert list(scores(engine.recall(question))) == ["ripe pears of Anna"]


def test_all_words_go_before_some() -> None:
    """One row holds both words, two hold one of them, however often."""
    texts = ["we sold the ripe pears to the neighbours of the farm", "pears pears pears", "ripe ripe"]
    engine = filled(texts, near(dict.fromkeys(texts, range(500, 600))))
    answer = engine.recall(QUERY)
    assert answer[0].memory.content == texts[0]
    assert set(scores(answer)) == set(texts)
    assert answer[0].signals["text"] == 1.0
    assert [hit.memory.content for hit in engine.recall(QUERY, limit=1)] == texts[:1]


def test_the_best_hit_does_not_depend_on_how_many_are_wanted() -> None:
    """SEEDS.md 4: "candidate pool independent of k"."""
    places = {f"text number{n} {'pears' if n % 3 else 'ripe'}": sharing(30 + n, 1) for n in range(40)}
    engine = filled(list(places), near(places))
    first = {limit: engine.recall(QUERY, limit=limit)[0].memory.content for limit in (1, 2, 6, 40)}
    assert len(set(first.values())) == 1
    whole = [hit.memory.content for hit in engine.recall(QUERY, limit=40)]
    assert [hit.memory.content for hit in engine.recall(QUERY, limit=7)] == whole[:7]


# -- Stage 4: temporal decay, stage 5: MMR -----------------------------------------------------------

NOTES = [
    {"content": "ripe pears fall", "kind": "chunk", "occurred_at": "2024-03-02T12:00Z"},
    {"content": "ripe pears sell", "kind": "chunk"},
]


def test_decay_by_file_when_the_setting_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "evergreen knowledge (MEMORY.md) always has full weight"; 60 days are two half-lives."""
    places = {"ripe pears fall": sharing(80, 100), "ripe pears sell": sharing(60, 200)}
    assert list(scores(filled(NOTES, near(places)).recall(QUERY)).values()) == pytest.approx([0.86, 0.72])
    monkeypatch.setenv("COMBRAY_DECAY", "1")
    answer = filled(NOTES, near(places)).recall(QUERY)
    assert scores(answer) == {"ripe pears sell": pytest.approx(0.72), "ripe pears fall": pytest.approx(0.215)}
    assert [hit.signals["decay"] for hit in answer] == [1.0, 0.25]


def test_mmr_by_hand() -> None:
    """ "MMR = lambda * relevance - (1 - lambda) * max_similarity_to_selected", Jaccard of words, lambda .7.

    Scores .93, .895, .79 (cosines .9, .85, .7) are 1, .75 and 0 when min-max scaled. The twin shares 3 of 4
    words: .7 * .75 - .3 * .75 = .3; the third shares 2 of 5: 0 - .3 * .4 = -.12. At lambda .3 the twin has
    .225 - .525 = -.3 and the third -.7 * .4 = -.28.
    """
    texts = ["ripe pears fall", "ripe pears fall down", "ripe pears sell well"]
    places = dict(zip(texts, (sharing(90, 100), sharing(85, 200), sharing(70, 300)), strict=True))
    shipped = presets.load("openclaw")
    orders = {}
    for trade_off in (0.7, 0.3):
        stage = MMR(similarity="words", trade_off=trade_off, enabled=True)
        mine = replace(shipped, recall=shipped.recall.replace("MMR", stage))
        engine = opened(FakeClock(), near(places), mine)
        engine.remember_many(texts, diff=False)
        orders[trade_off] = [texts.index(hit.memory.content) for hit in engine.recall(QUERY)]
    assert orders == {0.7: [0, 1, 2], 0.3: [0, 2, 1]}


def test_the_optional_stages_have_settings() -> None:
    """ "optional" in the page's overview: the settings `decay` and `mmr` switch them on."""
    shipped = presets.load("openclaw")
    assert tuned(shipped, {"decay": False, "mmr": False}) == shipped
    on = tuned(shipped, {"decay": True, "mmr": True})
    assert [stage.enabled for stage in on.recall if isinstance(stage, (FileAgeDecay, MMR))] == [True, True]


# -- writing -----------------------------------------------------------------------------------------


def test_writing_links_nothing_and_corrects_facts() -> None:
    """The page has no graph; a text that names the old and the new value supersedes, as in the default preset."""
    engine = opened(FakeClock(), "none", "openclaw")
    old = engine.remember("Our storage is SQLite")
    assert engine.remember("Our storage is SQLite").action == "skipped"
    assert engine.remember("Alice chose Fridays for backups").edges_created == dict.fromkeys(
        ("temporal", "entity", "causal", "semantic"), 0
    )
    assert engine.remember("Our storage moved from SQLite to PostgreSQL").replaced_id == old.id
    assert [edge.type for edge in engine.reader.edges()] == ["supersedes"]
    assert list(scores(engine.recall("storage"))) == ["Our storage moved from SQLite to PostgreSQL"]
