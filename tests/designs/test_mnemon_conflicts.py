"""What preset mnemon calls CONFLICT: "CONFLICT/UPDATE (sim 0.65-0.90)" of its page, by what the two texts say.

Expected actions: a text that states a change replaces ("conflict auto-replaced"); without such words both are
kept, since similarity with another polarity, name or number destroyed memories (SEEDS 6).
"""

from __future__ import annotations

import pytest
from exact import PLACES, ExactEmbedder, opened, sharing, status_of

EMBEDDERS = ("none", "wordllama")
SUPPORT = "The parser of the billing service reads YAML files from the shared folder"
NO_SUPPORT = "The parser of the billing service does not read YAML files from the shared folder"
AT_TWO = "The nightly backup of the orders database runs at 2 am"
AT_FIVE = "The nightly backup of the orders database runs at 5 am"


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize(
    ("old", "new", "suggestion", "action"),
    [
        # Polarity: negation, opposites.
        (SUPPORT, NO_SUPPORT, "CONFLICT", "added"),
        (
            "The cache of the web shop is enabled for every logged in visitor",
            "The cache of the web shop is disabled for every logged in visitor",
            "CONFLICT",
            "added",
        ),
        # Another value of the same subject: 6 of 8 terms are shared.
        (AT_TWO, AT_FIVE, "CONFLICT", "added"),
        # "If conflict with existing "Chose SQLite as storage": auto-replaces old insight".
        (
            "Chose SQLite as storage",
            "Chose PostgreSQL to replace SQLite as the primary database",
            "CONFLICT",
            "replaced",
        ),
        # The same subject, and more is said: both hold, and the new one has all of it.
        (
            "The team uses Kafka for the order pipeline of the shop",
            "The team uses Kafka for the whole order pipeline of the shop, started in Lyon",
            "UPDATE",
            "replaced",
        ),
        # Another subject is no conflict.
        (
            "Alice drinks green tea every morning in the small kitchen",
            "Bob drinks green tea every morning in the small kitchen",
            "ADD",
            "added",
        ),
        # A statement about the past does not contradict one about the present.
        (AT_TWO, "The nightly backup of the orders database ran at 5 am last year", "ADD", "added"),
        # "ADD (sim < 0.65)".
        (AT_TWO, "The garden gate squeaks in winter", "ADD", "added"),
    ],
)
def test_a_contradiction_is_a_conflict_and_an_extension_an_update(
    embedder: str, old: str, new: str, suggestion: str, action: str
) -> None:
    engine = opened(embedder=embedder)
    first = engine.remember(old)
    second = engine.remember(new)
    assert (second.diff_suggestion, second.action) == (suggestion, action)
    assert second.replaced_id == (first.id if action == "replaced" else None)
    assert status_of(engine, first.id) == ("superseded" if action == "replaced" else "active")
    assert second.as_json()["diff_suggestion"] == suggestion


@pytest.mark.parametrize(
    ("percent", "suggestion"),
    [(91, "CONFLICT"), (90, "CONFLICT"), (70, "CONFLICT"), (69, "ADD"), (64, "ADD")],
)
def test_the_band_of_a_conflict(percent: int, suggestion: str) -> None:
    """ "CONFLICT/UPDATE (sim 0.65-0.90)", cosine from 0.70; above 0.90 a negation is no duplicate (SEEDS 6)."""
    # Token overlap 3/6, so that the cosine decides.
    old, new = "Search uses Qdrant", "Search does not use Qdrant in Lyon, Oslo, Bonn"
    engine = opened(embedder=ExactEmbedder({old: PLACES, new: sharing(percent)}))
    engine.remember(old)
    assert engine.remember(new).diff_suggestion == suggestion


def test_a_conflict_with_an_item_of_the_same_batch_is_told() -> None:
    results = opened().remember_many([SUPPORT, NO_SUPPORT])
    assert [each.diff_suggestion for each in results] == ["ADD", "CONFLICT"]


def test_the_caller_decides_what_a_text_supersedes() -> None:
    """A verdict of the caller is an update, whatever the diff found about another memory."""
    engine = opened()
    engine.remember(SUPPORT)
    other = engine.remember("The garden gate squeaks in winter")
    done = engine.remember(NO_SUPPORT, supersedes=[other.id])
    assert (done.action, done.diff_suggestion, done.replaced_id) == ("replaced", "UPDATE", other.id)
