"""Preset engram: "last 7 days" is a range and a filter, in words and digits, in several languages.

Source: Engram's page, stage 2, "The resolved dates are … used as Qdrant filter constraints".
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import combray
from combray.testing.fakes import FakeClock

NOW = datetime(2024, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize("preset", ["engram", "default"])
@pytest.mark.parametrize(
    "question",
    [
        "last 7 days",
        "deploys in the last 7 days",
        "What was deployed in the past 7 days?",
        "deploys of the last seven days",
        "Which deploys were there in the previous 7 days?",
        "What did we deploy during the last 7 days?",
        "deploy 7 ngày qua",
        "过去7天的 deploy",
        "deploys in den letzten 7 Tagen",
        "les deploys des 7 derniers jours",
        "deploys de los últimos 7 días",
    ],
)
def test_the_last_seven_days(question: str, preset: str) -> None:
    clock = FakeClock(NOW.timestamp())
    with combray.open(":memory:", preset=preset, embedder="none", worker=False, clock=clock) as engine:
        for days in (2, 6, 9, 20):
            engine.remember(f"deploy number {days} went well", occurred_at=NOW - timedelta(days=days))
        found = sorted(hit.memory.content.split()[2] for hit in engine.recall(question).hits)
        # The default preset ranks by a date and does not filter by it.
        assert found == ["2", "6"] if preset == "engram" else {"2", "6"} <= set(found)
