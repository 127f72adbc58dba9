"""A statement about the past, a plan, a rumour or a question replaces nothing, and nothing replaces it."""

from __future__ import annotations

import pytest

import combray

EMBEDDERS = ("none", "wordllama")


def statuses(texts: list[str], embedder: str, preset: str) -> list[str]:
    with combray.open(":memory:", embedder=embedder, preset=preset, worker=False) as engine:
        ids = [engine.remember(text).id for text in texts]
        return [engine.get(each).status for each in ids]


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", ["default", "mnemon"])
@pytest.mark.parametrize(
    "hedged",
    [
        "The user used to live in Lisbon",
        "The user might live in Lisbon",
        "Someone said the user lives in Lisbon",
        "The user will live in Lisbon",
        "Does the user live in Lisbon?",
    ],
)
def test_the_present_stays(hedged: str, preset: str, embedder: str) -> None:
    assert statuses(["The user lives in Berlin", hedged], embedder, preset) == ["active", "active"]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_past_stays_beside_a_new_present(embedder: str) -> None:
    texts = ["The user used to live in Lisbon", "The user lives in Berlin"]
    assert statuses(texts, embedder, "default") == ["active", "active"]


def test_a_new_present_still_replaces_the_old_one() -> None:
    texts = ["My favourite colour is blue", "My favourite colour is green now, no longer blue"]
    assert statuses(texts, "wordllama", "default") == ["superseded", "active"]
