"""How well memory served, counted by hand beside it (docs/reference/presets.md, preset semantic-facts)."""

from datetime import UTC, datetime

import pytest

import combray
from combray.errors import InvalidInputError, StoreError

NOW = datetime(2026, 5, 4, tzinfo=UTC).timestamp()


class Clock:
    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("preset", "embedder"), [("default", "wordllama"), ("semantic-facts", "none")])
def test_shares_are_counted_from_what_happened(preset: str, embedder: str) -> None:
    with combray.open(":memory:", preset=preset, embedder=embedder, worker=False, clock=Clock()) as engine:
        plums = engine.remember("The plums of the northern garden are ripe.")
        engine.remember("The plums of the northern garden are ripe.")
        engine.remember_many(["The boat leaves at nine.", "The boat leaves at nine.", "Ana plays the cello."])
        assert len(engine.recall("Are the plums ripe?")) > 0
        assert len(engine.recall("Are the plums ripe?", authors=["nobody"])) == 0
        engine.context("plums boat cello garden")
        engine.get(plums.id)
        found = engine.store.metrics()
    # Five texts of which two were known; two questions of which one found something; one memory was read.
    assert (found["written"], found["duplicates"]) == (5, 0.4)
    assert (found["asked"], found["answered"]) == (2, 0.5)
    assert found["streamed"] >= 1
    assert found["used"] == round(1 / found["streamed"], 4)
    assert found["cost"] is None


def test_older_days_do_not_count() -> None:
    clock = Clock()
    with combray.open(":memory:", embedder="none", clock=clock) as engine:
        engine.remember("The boat leaves at nine.")
        engine.recall("boat")
        clock.now = NOW + 8 * 86_400
        engine.remember("Ana plays the cello.")
        assert (engine.store.metrics()["written"], engine.store.metrics()["asked"]) == (1, 0)
        assert (engine.store.metrics(9)["written"], engine.store.metrics(9)["asked"]) == (2, 1)
        assert engine.store.metrics()["answered"] is None
        with pytest.raises(InvalidInputError, match="days"):
            engine.store.metrics(0)


def test_each_day_has_its_questions_empty_answers_and_texts() -> None:
    clock = Clock()
    with combray.open(":memory:", embedder="none", clock=clock) as engine:
        engine.remember("The boat leaves at nine.")
        engine.remember("The boat leaves at nine.")
        engine.recall("boat")
        clock.now = NOW + 2 * 86_400
        engine.remember_many(["Ana plays the cello.", "The plums are ripe."])
        engine.recall("boat", authors=["nobody"])
        days = engine.store.metrics(3)["by_day"]
    assert days == [
        {"day": "2026-05-03", "asked": 0, "empty": 0, "written": 0},
        {"day": "2026-05-04", "asked": 1, "empty": 0, "written": 1},
        {"day": "2026-05-05", "asked": 0, "empty": 0, "written": 0},
        {"day": "2026-05-06", "asked": 1, "empty": 1, "written": 2},
    ]


def test_without_an_audit_there_is_nothing_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_AUDIT", "false")
    with (
        combray.open(":memory:", embedder="none") as engine,
        pytest.raises(StoreError, match="audit is switched off"),
    ):
        engine.store.metrics()
