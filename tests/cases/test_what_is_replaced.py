"""Preset mnemon: a text that names what it replaces replaces only that; other words for the same are no new fact.

Source: Mnemon's page, sections 5.1 and 5.3. No preset may replace a memory about something else.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import combray
from combray import presets

sys.path.insert(0, str(Path(__file__).parents[1] / "designs"))

from exact import PLACES, ExactEmbedder, opened, sharing

SOMETHING_ELSE = [
    ("Chose Qdrant as the vector database", "Chose PostgreSQL to replace SQLite as the primary database"),
    ("We use Grafana for dashboards", "We replaced Jenkins with Buildkite for builds"),
    ("Kafka carries our events", "Redis replaces RabbitMQ as our queue"),
    ("Picked React as the frontend framework", "Picked Django to replace Flask as the backend framework"),
    ("Ana leads the data team", "Maria was hired to replace Bob as lead of the web team"),
    ("The office is in Porto", "The team moved from Slack to Zulip"),
    ("Wir nutzen Grafana für die Berichte", "Wir haben Jenkins durch Buildkite ersetzt"),
    ("Nous utilisons Grafana pour les rapports", "Nous avons remplacé Jenkins par Buildkite"),
    ("我们用Grafana做报表", "我们用Buildkite取代了Jenkins"),
    ("Chúng tôi dùng Grafana làm báo cáo", "Chúng tôi thay Jenkins bằng Buildkite"),
    ("I drink green tea in the evening", "I replaced coffee with cocoa in the evening"),
]


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize(("known", "text"), SOMETHING_ELSE)
def test_a_replacement_of_something_else_replaces_nothing(known: str, text: str, preset: str) -> None:
    with combray.open(":memory:", preset=preset, worker=False) as engine:
        engine.remember(known)
        done = engine.remember(text)
        assert (done.action, done.replaced_id) == ("added", None)


@pytest.mark.parametrize("percent", [80, 95])
@pytest.mark.parametrize(("known", "text"), SOMETHING_ELSE[:5])
def test_nor_where_an_embedder_finds_them_alike(known: str, text: str, percent: int) -> None:
    engine = opened(embedder=ExactEmbedder({known: PLACES, text: sharing(percent)}))
    engine.remember(known)
    assert engine.remember(text).action == "added"


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Chose SQLite as storage", "Chose PostgreSQL to replace SQLite as the primary database"),
        ("We use Jenkins for builds", "We replaced Jenkins with Buildkite for builds"),
        ("We use Qdrant as the vector database", "We switched to Milvus as the vector database"),
    ],
)
def test_what_is_named_is_replaced(known: str, text: str) -> None:
    with combray.open(":memory:", preset="mnemon", worker=False) as engine:
        old = engine.remember(known)
        done = engine.remember(text)
        assert (done.action, done.replaced_id) == ("replaced", old.id)


RESTATED = [
    ("I prefer dark mode in editors", "I like editors in dark mode"),
    ("Alice works at Acme", "Alice is employed at Acme"),
    ("The API returns JSON", "Responses of the API are JSON"),
    ("User likes coffee", "User drinks coffee daily"),
    ("The build fails on Windows", "The build breaks under Windows"),
    ("Bob enjoys chess", "Bob loves playing chess"),
    ("The cache keeps sessions", "The cache holds sessions"),
    ("Clara bikes to the office", "Clara cycles to the office"),
    ("Der Server speichert Bilder", "Der Server legt Bilder ab"),
    ("Le serveur garde les images", "Le serveur conserve les images"),
    ("El servidor guarda imágenes", "El servidor almacena imágenes"),
]


@pytest.mark.parametrize(("known", "text"), RESTATED)
@pytest.mark.parametrize(
    ("percent", "action"), [(91, "skipped"), (90, "replaced"), (71, "replaced"), (60, "added")]
)
def test_other_words_for_the_same_where_an_embedder_says_so(
    known: str, text: str, percent: int, action: str
) -> None:
    """ "DUPLICATE (sim > 0.90)", "CONFLICT/UPDATE (sim 0.65-0.90)", "ADD (sim < 0.65)"."""
    engine = opened(embedder=ExactEmbedder({known: PLACES, text: sharing(percent)}))
    old = engine.remember(known)
    done = engine.remember(text)
    assert (done.action, done.replaced_id) == (action, old.id if action == "replaced" else None)
    assert engine.get(old.id).status == ("superseded" if action == "replaced" else "active")


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("The frontend uses React", "The backend uses React"),
        ("The budget is 100 euros", "The budget is 200 euros"),
        ("Ana likes tea", "Ana does not like tea"),
        ("My brother lives in Rome", "My sister lives in Rome"),
        ("Ana likes Ben", "Ben likes Ana"),
        ("Ana's cat is black", "Ben's cat is black"),
        ("Host web1 serves images", "Host web2 serves images"),
        ("The review is on 3 May", "The review is on 4 May"),
        ("The door is open", "The door is closed"),
    ],
)
def test_another_thing_or_another_value_is_never_skipped(known: str, text: str) -> None:
    """An embedder finds them as alike as paraphrases."""
    engine = opened(embedder=ExactEmbedder({known: PLACES, text: sharing(95)}))
    engine.remember(known)
    assert engine.remember(text).action == "added"
