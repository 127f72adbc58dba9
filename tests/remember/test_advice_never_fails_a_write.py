"""A stage that only advises never fails a write: what it raises is logged and counted, the memory is stored."""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

import pytest

import combray
from combray import presets
from combray.errors import StoreError
from combray.facts.candidates import SuggestRevisions
from combray.pipeline import Transaction, stage_name, walk
from combray.remember.diff import Diff
from combray.remember.extract import ExtractEntities
from combray.remember.link import LinkCausal, LinkTemporal

BAD = "Louisiana is where the otters sleep"
GOOD = ("Ada works at Acme in Lisbon", "The deploy failed because the lock expired")


def advising(preset: str) -> list[tuple[Any, bool]]:
    """The advising stages of a preset, each with whether it runs inside the transaction."""
    pipeline = presets.load(preset).remember
    inside = [each for stage in pipeline if isinstance(stage, Transaction) for each in walk(stage.stages)]
    return [(each, each in inside) for each in walk(pipeline.stages) if getattr(each, "advises", False)]


CASES = [
    pytest.param(preset, type(stage), id=f"{preset}-{stage_name(stage)}")
    for preset in presets.names()
    for stage, _ in advising(preset)
]


def fail(monkeypatch: pytest.MonkeyPatch, kind: Any, error: Exception | None = None) -> None:
    """Let a stage raise whenever the bad text is among its drafts."""
    works = kind.__call__

    def call(self: Any, state: Any, runtime: Any) -> Any:
        if any(BAD in draft.memory.content for draft in state.drafts):
            raise error or IndexError(f"no phrase in {BAD}")
        return works(self, state, runtime)

    monkeypatch.setattr(kind, "__call__", call)


def test_stages_inside_and_outside_the_transaction_advise() -> None:
    for preset in presets.names():
        assert {inside for _, inside in advising(preset)} >= {False}
    names = {stage_name(stage): inside for stage, inside in advising("default")}
    assert names["Diff"] is names["Warn"] is names["SuggestCausal"] is names["ReadTime"] is False
    assert names["SuggestRevisions"] is names["KeepRevisions"] is names["LinkEntities"] is True


@pytest.mark.parametrize(("preset", "kind"), CASES)
def test_a_text_is_stored_whatever_stage_raises(
    preset: str, kind: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fail(monkeypatch, kind)
    with combray.open(":memory:", preset=preset, embedder="none") as engine:
        engine.remember(GOOD[0])
        with caplog.at_level(logging.ERROR, "combray"):
            done = engine.remember(BAD)
        assert (done.action, engine.get(done.id).content) == ("added", BAD)
        assert engine.store.status()["failed_advice"] == 1
        (line,) = [each.getMessage() for each in caplog.records]
        assert f"stage {kind.__name__} failed on text {engine.get(done.id).content_hash}: IndexError" in line
        assert "Louisiana" not in line
        engine.remember(GOOD[1])
        assert engine.store.status()["failed_advice"] == 1


@pytest.mark.parametrize(("preset", "kind"), CASES)
def test_one_bad_text_costs_the_rest_of_its_batch_nothing(
    preset: str, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with combray.open(":memory:", preset=preset, embedder="none") as engine:
        engine.remember_many([GOOD[0], "Ada and Bob met", GOOD[1]])
        whole = [each.entities for each in engine.list()]
    fail(monkeypatch, kind)
    with combray.open(":memory:", preset=preset, embedder="none") as engine:
        done = engine.remember_many([GOOD[0], BAD, "Ada and Bob met", GOOD[1]])
        assert [each.action for each in done] == ["added"] * 4
        assert engine.store.status()["total_insights"] == 4
        assert engine.store.status()["failed_advice"] == 1
        assert [each.entities for each in engine.list() if BAD not in each.content] == whole


@pytest.mark.parametrize("kind", [ExtractEntities, LinkTemporal, SuggestRevisions])
@pytest.mark.parametrize("error", [StoreError("the disk is gone"), sqlite3.OperationalError("disk I/O error")])
def test_an_error_of_the_store_ends_the_write(
    kind: Any, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, kind, error)
    with combray.open(":memory:", embedder="none") as engine:
        with pytest.raises((StoreError, sqlite3.Error)):
            engine.remember(BAD)
        assert engine.store.status()["total_insights"] == 0


def test_a_comparison_that_is_repeated_under_the_write_lock_may_fail_too(monkeypatch: pytest.MonkeyPatch) -> None:
    compares = Diff.__call__

    def outdated(self: Diff, state: Any, runtime: Any) -> Any:
        done = compares(self, state, runtime)
        done.seen_revision = -9
        return done

    decides, calls = Diff.decide, []

    def decide(self: Diff, state: Any, reader: Any) -> None:
        calls.append(state)
        if len(calls) > 1:
            raise ValueError("no comparison")
        decides(self, state, reader)

    monkeypatch.setattr(Diff, "__call__", outdated)
    monkeypatch.setattr(Diff, "decide", decide)
    with combray.open(":memory:", embedder="none") as engine:
        assert engine.remember(BAD).action == "added"
        assert engine.store.status()["failed_advice"] == 1


def test_an_update_is_written_without_edges_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with combray.open(":memory:", preset="mnemon", embedder="none") as engine:
        engine.remember("The deploy failed")
        known = engine.remember(GOOD[0]).id
        monkeypatch.setattr(LinkCausal, "between", lambda *_: 1 // 0)
        assert engine.update(known, content=GOOD[1]).content == GOOD[1]


def test_a_night_goes_on_after_a_text_that_cannot_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    considers = SuggestRevisions.consider

    def consider(self: SuggestRevisions, draft: Any, *rest: Any) -> None:
        if BAD in draft.memory.content:
            raise IndexError(BAD)
        considers(self, draft, *rest)

    monkeypatch.setattr(SuggestRevisions, "consider", consider)
    with combray.open(":memory:", embedder="none") as engine:
        engine.remember_many([BAD, "I live in Porto", *(f"Room {number} is empty" for number in range(9))])
        engine.remember_many(["I moved to Braga", *(f"Hall {number} is dry" for number in range(9))])
        engine.consolidation.run()
        assert engine.unsettled()


def test_an_update_is_written_without_the_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, ExtractEntities)
    with combray.open(":memory:", embedder="none") as engine:
        known = engine.remember(GOOD[0]).id
        assert engine.update(known, content=BAD).content == BAD
