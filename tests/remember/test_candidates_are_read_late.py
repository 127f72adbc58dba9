"""Candidates for links are looked up when a caller reads the reply, and never by the write."""

from __future__ import annotations

import copy
import logging
import pickle
from pathlib import Path
from typing import Any

import pytest

import combray
from combray.remember.suggest import SuggestCausal, SuggestSemantic

EARLIER, NEW = "Lunch is at noon", "The cellar is wet because of the rain"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The look-ups that were made, by the name of their stage."""
    made: list[str] = []
    for kind, name in ((SuggestSemantic, "_near"), (SuggestCausal, "_causal")):
        whole = getattr(kind, name)

        def look(self: Any, *given: Any, whole: Any = whole) -> Any:
            made.append(type(self).__name__)
            return whole(self, *given)

        monkeypatch.setattr(kind, name, look)
    return made


@pytest.mark.parametrize("preset", ["default", "mnemon"])
def test_a_write_looks_nothing_up_and_a_field_once(preset: str, counted: list[str]) -> None:
    with combray.open(":memory:", preset=preset, embedder="none") as engine:
        known = engine.remember(EARLIER).id
        done = engine.remember(NEW)
        assert (done.action, done.may_revise, counted) == ("added", (), [])
        assert [each["id"] for each in done.causal_candidates] == [known]
        assert counted == ["SuggestCausal"]
        assert done.as_json()["causal_candidates"] == list(done.causal_candidates)
        assert counted == ["SuggestCausal", "SuggestSemantic"]


def test_a_reply_shows_what_is_there_when_it_is_read() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        known = engine.remember(EARLIER).id
        done = engine.remember(NEW)
        engine.erase(known)
        assert done.causal_candidates == ()


def test_a_reply_is_copied_and_pickled_with_its_values() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        engine.remember(EARLIER)
        done = engine.remember(NEW)
        kept = pickle.loads(pickle.dumps(done))
        assert kept == done == copy.deepcopy(done)
        assert kept.causal_candidates


def test_a_reply_can_be_read_after_the_engine_is_closed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        engine.remember(EARLIER)
        read, unread = engine.remember(NEW), engine.remember(f"{NEW} again")
        assert read.causal_candidates
    assert read.as_json()["causal_candidates"]
    assert unread.as_json()["causal_candidates"] == []
    assert not caplog.records


def test_a_look_up_that_fails_is_logged_and_gives_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(SuggestCausal, "_around", lambda *_: 1 // 0)
    with combray.open(":memory:", embedder="none") as engine, caplog.at_level(logging.ERROR, "combray"):
        assert engine.remember(NEW).causal_candidates == ()
    (line,) = [each.getMessage() for each in caplog.records]
    assert "stage SuggestCausal failed on text" in line
    assert "cellar" not in line
