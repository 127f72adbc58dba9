"""Twenty-one flaws of the five published designs, by number, mended in the preset of each design.

The numbers are those of the project's list of flaws. Every test runs with the default embedder and with none.
"""

from __future__ import annotations

import math
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import combray
from combray import Engine, presets
from combray.designs.mnemon.search import WeightedSumByIntent
from combray.language.intent import detect
from combray.pipeline import stage_name
from combray.scoring.ageing import weibull
from combray.testing.fakes import FakeClock, FakeDistiller

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)

pytestmark = pytest.mark.parametrize("embedder", ["wordllama", "none"])


class Opened:
    """An engine of a preset with a clock that tests can move."""

    def __init__(
        self, preset: str, embedder: str, path: Path | str = ":memory:", model: FakeDistiller | str = "none"
    ) -> None:
        self.clock = FakeClock(NOON.timestamp())
        self.engine: Engine = combray.open(
            path, preset=preset, embedder=embedder, clock=self.clock, worker=False, language_model=model
        )

    def ready(self) -> Engine:
        """Make the vectors that preset semantic-facts leaves to a worker."""
        if self.engine.settings["embedder"] != "none":
            self.engine.vectors.make()
        return self.engine

    def texts(self, query: str, **options: Any) -> list[str]:
        return [hit.memory.content for hit in self.ready().recall(query, **options)]


def stage(preset: str, name: str) -> Any:
    return next(each for each in presets.load(preset).recall if stage_name(each) == name)


def test_flaw_1_openclaw_keyword_scores_differ_and_the_best_is_1(embedder: str) -> None:
    it = Opened("openclaw", embedder)
    it.engine.remember_many(
        ["pear pear pear crate", "pear crate of the neighbour next door", "a red bicycle", "a blue boat"]
    )
    scores = {hit.memory.content: hit.signals["text"] for hit in it.ready().recall("pear crate")}
    assert scores["pear pear pear crate"] == 1.0
    assert 0.0 < scores["pear crate of the neighbour next door"] < 1.0


def test_flaw_2_openclaw_keyword_hits_are_not_dropped_by_the_threshold(embedder: str) -> None:
    it = Opened("openclaw", embedder)
    it.engine.remember_many([f"pear crate number {n} of the pear farm" for n in range(3)])
    it.engine.remember("INC-90210 concerns the boiler")
    hits = it.ready().recall("pear crate INC-90210").hits
    weak = next(hit for hit in hits if "INC-90210" in hit.memory.content)
    assert weak.signals["text"] > 0


def test_flaw_3_openclaw_a_natural_question_finds_a_text_with_some_of_its_words(embedder: str) -> None:
    it = Opened("openclaw", embedder)
    it.engine.remember("The boiler was repaired by Tomas")
    assert it.texts("Who was it again that came to repair our old boiler in winter?") == [
        "The boiler was repaired by Tomas"
    ]


def test_flaw_4_openclaw_dated_files_decay_and_the_best_hit_is_the_same_for_every_limit(
    embedder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_DECAY", "true")
    (tmp_path / "memory" / "trips").mkdir(parents=True)
    (tmp_path / "memory" / "2026-03-07-slug.md").write_text("The heron nests at the lake\n")
    (tmp_path / "memory" / "trips" / "2025-03-08-slug.md").write_text("The heron nests at the pond\n")
    it = Opened("openclaw", embedder)
    it.engine.documents.index(tmp_path)
    found = {hit.memory.content: hit.signals["decay"] for hit in it.ready().recall("heron nests")}
    # Half-life 30 days: a day old, and 365 days old.
    assert found["The heron nests at the lake"] == pytest.approx(0.5 ** (1.5 / 30), abs=0.02)
    assert found["The heron nests at the pond"] == pytest.approx(0.5 ** (365 / 30), abs=0.001)
    best = {it.texts("heron nests", limit=limit)[0] for limit in (1, 2, 5, 50)}
    assert best == {"The heron nests at the lake"}


def test_flaw_5_openclaw_text_is_indexed_at_once(embedder: str, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("The key of the shed hangs behind the door\n")
    it = Opened("openclaw", embedder)
    it.engine.documents.index(tmp_path)
    assert it.texts("key of the shed") == ["The key of the shed hangs behind the door"]


def test_flaw_6_mnemon_replaced_memories_stay_and_other_facts_are_not_replaced(embedder: str) -> None:
    it = Opened("mnemon", embedder)
    other = it.engine.remember("Billing runs on PostgreSQL 14 in Frankfurt")
    kept = it.engine.remember("The parser supports YAML")
    negated = it.engine.remember("The parser does not support YAML")
    assert negated.action != "skipped"
    assert it.engine.get(other.id).status == "active"
    changed = it.engine.remember("Search runs on PostgreSQL 14 in Frankfurt")
    assert it.engine.get(other.id).status == "active"
    assert changed.action == "added"
    old = it.engine.get(kept.id)
    if old.status == "superseded":
        assert old.superseded_by == negated.id
        assert it.engine.restore(kept.id).status == "active"


def test_flaw_7_mnemon_two_writers_add_one_text_once(embedder: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    engines = [Opened("mnemon", embedder, path).engine for _ in range(2)]
    start = threading.Barrier(2)
    results: list[str] = []

    def write(engine: Engine) -> None:
        start.wait()
        results.extend(engine.remember(f"The ferry leaves at {hour}").action for hour in range(10))

    threads = [threading.Thread(target=write, args=(each,)) for each in engines]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    stored = [each.content for each in engines[0].list()]
    assert len(stored) == len(set(stored))
    assert results.count("skipped") == 10


def test_flaw_8_mnemon_recency_alone_is_no_answer(embedder: str) -> None:
    it = Opened("mnemon", embedder)
    it.engine.remember_many(["The ferry leaves at nine", "Paint for the fence is in the shed"])
    answer = it.ready().recall("zebra quantum knitting")
    assert not answer.hits
    assert answer.reason


def test_flaw_9_mnemon_weights_without_an_embedder(embedder: str) -> None:
    weights = stage("mnemon", "WeightedSumByIntent")
    assert isinstance(weights, WeightedSumByIntent)
    table = weights.without if embedder == "none" else weights.embedded
    expected = {
        "none": {
            "WHY": (0.20, 0.10, 0.0, 0.70),
            "WHEN": (0.25, 0.15, 0.0, 0.60),
            "ENTITY": (0.30, 0.50, 0.0, 0.20),
            "GENERAL": (0.35, 0.35, 0.0, 0.30),
        },
        "wordllama": {
            "WHY": (0.10, 0.10, 0.30, 0.50),
            "WHEN": (0.15, 0.15, 0.30, 0.40),
            "ENTITY": (0.20, 0.40, 0.20, 0.20),
            "GENERAL": (0.25, 0.25, 0.25, 0.25),
        },
    }[embedder]
    names = ("keyword", "entity", "similarity", "graph")
    assert {intent: tuple(row[name] for name in names) for intent, row in table.items()} == expected


@pytest.mark.parametrize(
    ("text", "query", "intent"),
    [
        ("我们因为性能选择了向量数据库", "为什么选择向量数据库", "WHY"),
        ("Lan chọn trà sữa vì rẻ", "tại sao Lan chọn trà sữa", "WHY"),
        ("Đội chuyển sang Kafka vào tháng ba", "khi nao doi chuyen sang Kafka", "WHEN"),
    ],
)
def test_flaw_10_mnemon_words_and_intents_in_other_scripts(
    text: str, query: str, intent: str, embedder: str
) -> None:
    it = Opened("mnemon", embedder)
    it.engine.remember_many(["The ferry leaves at nine", text])
    assert detect(query) == intent
    assert it.texts(query)[0] == text


@pytest.mark.parametrize(("tier", "beta"), [("core", 0.8), ("working", 1.0), ("peripheral", 1.3)])
def test_flaw_11_mnemo_weibull_decay_has_a_scale_in_days(tier: str, beta: float, embedder: str) -> None:
    """exp(-(t/30)^β) at t = 12 days."""
    decay = stage("mnemo", "WeibullDecay")
    assert (decay.shapes[tier], decay.scales[tier]) == (beta, 30.0)
    assert float(weibull(np.array(12.0), np.array(30.0), np.array(beta))) == pytest.approx(
        math.exp(-((12 / 30) ** beta))
    )
    assert Opened("mnemo", embedder).engine.preset == "mnemo"


def test_flaw_12_mnemo_a_small_scope_is_not_starved(embedder: str) -> None:
    it = Opened("mnemo", embedder)
    it.engine.remember_many(
        [
            {"content": f"Release plan of the big team, release plan part {n}", "tags": ["scope:project:big"]}
            for n in range(300)
        ],
        diff=False,
    )
    it.engine.remember("Somebody mentioned a release", tags=["scope:project:small"])
    found = it.texts("release plan of the big team", tags=["scope:project:small"])
    assert found == ["Somebody mentioned a release"]


def test_flaw_13_mnemo_conflicts_stay_in_their_scope_and_expiry_hides(embedder: str) -> None:
    it = Opened("mnemo", embedder)
    ann = it.engine.remember("My favourite colour is blue", tags=["scope:user:ann"])
    it.engine.remember("My favourite colour is green", tags=["scope:user:bob"])
    same = it.engine.remember("My favourite colour is blue", tags=["scope:user:bob"])
    assert same.action != "skipped"
    assert it.engine.get(ann.id).status == "active"
    assert it.texts("favourite colour", tags=["scope:user:ann"]) == ["My favourite colour is blue"]
    note = it.engine.remember("The guest code is 4471", expires_at=NOON + timedelta(days=1))
    it.clock.pass_(days=2)
    assert "The guest code is 4471" not in it.texts("guest code")
    assert it.engine.get(note.id).content == "The guest code is 4471"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what did Ana paint 3 days ago", "Ana painted the fence"),
        ("what did Ana paint this month", "Ana painted the fence"),
        ("hôm nay Ana sơn gì", "Ana sơn cửa"),
        ("hom nay Ana son gi", "Ana sơn cửa"),
    ],
)
def test_flaw_14_engram_dates_are_ranges(query: str, found: str, embedder: str) -> None:
    """NOON is 8 March 2026: three days ago is 5 March; February is another month; today is 8 March."""
    it = Opened("engram", embedder)
    it.engine.remember("Ana painted the fence", occurred_at=NOON - timedelta(days=3))
    it.engine.remember("Ana painted the gate", occurred_at=NOON - timedelta(days=20))
    it.engine.remember("Ana sơn cửa", occurred_at=NOON - timedelta(hours=2))
    hits = it.texts(query)
    assert hits[0] == found
    assert "Ana painted the gate" not in hits


def test_flaw_15_engram_scores_are_the_pages_sum_of_four_signals(embedder: str) -> None:
    it = Opened("engram", embedder)
    it.engine.remember("The boiler was repaired by Tomas", importance=4)
    for hit in it.ready().recall("who repaired the boiler"):
        expected = (
            0.6 * hit.signals["vector"]
            + 0.2 * hit.signals["priority"]
            + 0.1 * hit.signals["confidence"]
            + 0.1 * hit.signals["recency"]
        )
        if embedder != "none":
            assert hit.signals["vector"] > 0
            assert hit.score == pytest.approx(expected, abs=1e-4)
        assert {"vector", "priority", "confidence", "recency"} <= hit.signals.keys()


def test_flaw_16_engram_audit_is_on_and_finds_an_edit(embedder: str, tmp_path: Path) -> None:
    it = Opened("engram", embedder, tmp_path / "store.db")
    it.engine.remember_many(["The ferry leaves at nine", "Paint is in the shed"])
    assert it.engine.audit.verify().ok
    (log,) = [path for path in tmp_path.rglob("*") if path.is_file() and "audit" in path.name and path.suffix]
    written = log.read_bytes()
    log.write_bytes(written.replace(b'"remember', b'"reminded', 1))
    assert log.read_bytes() != written
    assert not it.engine.audit.verify().ok


def test_flaw_17_engram_recall_and_think_change_nothing(embedder: str) -> None:
    it = Opened("engram", embedder)
    stored = it.engine.remember("The boiler was repaired by Tomas", confidence=0.6)
    for _ in range(5):
        it.texts("who repaired the boiler")
    it.engine.think("Who repaired the boiler?")
    assert it.engine.get(stored.id).confidence == 0.6
    assert len(list(it.engine.list())) == 1


def test_flaw_18_semantic_facts_thirty_nights_are_one_night_after_thirty_days(embedder: str) -> None:
    """Confidence after 30 days without evidence: 0.7 · exp(-0.01 · 30) = 0.5186, stored with two decimals."""
    confidences = []
    for nights in (range(1, 31), (30,)):
        it = Opened("semantic-facts", embedder)
        fact = it.engine.remember("Ana drinks coffee every day", confidence=0.7)
        it.ready()
        for night in nights:
            it.clock.now = (NOON + timedelta(days=night)).timestamp()
            it.engine.consolidation.run()
        confidences.append(it.engine.get(fact.id).confidence)
    assert confidences[0] == pytest.approx(confidences[1])
    assert confidences[0] == pytest.approx(0.7 * math.exp(-0.3), abs=0.005)


def test_flaw_19_semantic_facts_paraphrases_are_merged_and_not_punished(embedder: str) -> None:
    it = Opened("semantic-facts", embedder)
    facts = it.engine.remember_many(
        [
            {"content": "Ana drinks coffee daily", "confidence": 0.9},
            {"content": "Ana drinks coffee daily!!", "confidence": 0.8},
            {"content": "Ana drinks tea daily", "confidence": 0.9},
        ],
        diff=False,
    )
    it.ready()
    it.engine.consolidation.run()
    first, second, third = (it.engine.get(each.id) for each in facts)
    assert (second.status, second.merged_into) == ("merged", first.id)
    assert first.confidence >= 0.9
    # Two drinks are not one claim and not the opposite of it.
    assert third.status == "active"


def test_flaw_20_semantic_facts_the_newer_of_two_values_wins(embedder: str) -> None:
    it = Opened("semantic-facts", embedder)
    old = it.engine.remember("Ana lives in Berlin", confidence=0.95)
    it.clock.pass_(days=10)
    new = it.engine.remember("Ana lives in Lisbon", confidence=0.6)
    it.ready()
    it.engine.consolidation.run()
    assert it.engine.get(new.id).status == "active"
    assert it.engine.get(old.id).status == "superseded"
    assert it.engine.get(old.id).superseded_by == new.id


def test_flaw_21_semantic_facts_evidence_is_a_union_of_what_supports(embedder: str) -> None:
    told = FakeDistiller({"I live in Lisbon.": "Ana lives in Lisbon"})
    it = Opened("semantic-facts", embedder, model=told)
    session = it.engine.conversation("monday")
    said = session.add("I live in Lisbon.", author="Ana")
    session.add("The weather is awful today, is it not?", author="Ana")
    again = it.engine.conversation("friday").add("I live in Lisbon.", author="Ana")
    it.ready()
    it.engine.consolidation.run()
    it.clock.pass_(days=1)
    it.engine.consolidation.run()
    (fact,) = [each for each in it.engine.list() if each.kind == "fact" and "Lisbon" in each.content]
    assert set(fact.evidence) == {said.id, again.id}
    assert len(fact.evidence) == 2
