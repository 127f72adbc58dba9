"""Which embedder answers after the setting was changed, and how the vectors of the new one come to be."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock, FakeEmbedder

OLD, NEW = "old:32", "new:32"
TEXTS = [f"Note {number} is about the {word} in the shed." for number, word in enumerate(("saw", "rake") * 10)]
ASKED = "where is the rake?"


def embedder(name: str) -> FakeEmbedder:
    made = FakeEmbedder()
    made.name = name
    return made


def filled(path: str = ":memory:") -> Engine:
    engine = combray.open(path, embedder=embedder(OLD), clock=FakeClock())
    engine.remember_many(TEXTS, diff=False)
    return engine


def changed(engine: Engine, before: FakeEmbedder | None) -> Engine:
    """The engine as another process opens it after the setting was changed."""
    other = engine.within("default")
    other._at.runtime = replace(engine.runtime, embedder=embedder(NEW), before=before, service_tier=None)
    return other


def test_the_old_embedder_serves_until_few_memories_lack_the_new_one() -> None:
    engine = filled()
    old = embedder(OLD)
    other = changed(engine, old)
    served = engine.recall(ASKED)
    answer = other.recall(ASKED)
    assert [(hit.memory.id, hit.score) for hit in answer] == [(hit.memory.id, hit.score) for hit in served]
    assert answer.reason == (
        f"hybrid: keywords, graph and {OLD}; 20 of 20 memories have no vector of {NEW} yet "
        f"('combray worker --once --reembed' makes them), so {OLD} answers"
    )
    other.vectors.reembed()
    # 18 of 20 are made: two lack one, a tenth, and the new one serves.
    other.vectors.make(limit=17)
    assert other.recall(ASKED).details["moving"].startswith("3 of 20 memories")
    other.vectors.make(limit=1)
    moved = other.recall(ASKED)
    assert "moving" not in moved.details
    assert moved.reason.startswith(f"hybrid: keywords, graph and {NEW}")


def test_where_the_old_one_is_gone_words_answer_while_most_lack_a_vector() -> None:
    other = changed(filled(), None)
    other.vectors.reembed()
    other.vectors.make(limit=9)
    answer = other.recall(ASKED)
    assert answer.reason.startswith(f"keyword only: 11 of 20 memories have no vector of {NEW} yet")
    assert answer.details.get("tier", {}).get("tier", "BASIC") == "BASIC"
    other.vectors.make(limit=1)
    assert other.recall(ASKED, keep=0).reason.startswith(f"hybrid: keywords, graph and {NEW}; 10 of 20")


def test_an_embedder_before_that_has_fewer_vectors_does_not_serve() -> None:
    other = changed(filled(), embedder("older:32"))
    assert other.recall(ASKED).reason.startswith("keyword only: 20 of 20")


def test_a_filter_counts_what_it_lets_through() -> None:
    engine = filled()
    engine.remember("The rake was sold.", category="decision")
    other = changed(engine, embedder(OLD))
    assert other.recall(ASKED, categories="decision").details["moving"].startswith("1 of 1 memories")


def opened(path: Path, name: str, worker: bool | None = None) -> Engine:
    return combray.open(path, embedder=embedder(name), clock=FakeClock(), worker=worker)


def lacking_in_the_end(engine: Engine) -> int:
    until = time.monotonic() + 90
    while (lacking := engine.store.status()["without_vector"]) and time.monotonic() < until:
        time.sleep(0.01)
    return int(lacking)


def test_opened_with_another_embedder_the_vectors_are_made_in_the_background(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(str(path)).close()
    with opened(path, NEW) as engine:
        assert lacking_in_the_end(engine) == 0
    with opened(path, NEW) as engine:
        assert not engine.vectors.outdated()
        assert engine.vectors._worker is None


def test_not_where_that_was_forbidden_or_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(str(path)).close()
    with opened(path, OLD) as engine:
        assert engine.vectors._worker is None
    with opened(path, NEW, worker=False) as engine:
        assert engine.vectors.outdated()
        assert engine.vectors._worker is None
        assert engine.store.status()["without_vector"] == 20


def test_a_move_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(str(path)).close()
    with opened(path, NEW, worker=False) as engine:
        engine.vectors.reembed()
        engine.vectors.make(limit=5)
    with opened(path, NEW) as engine:
        assert lacking_in_the_end(engine) == 0


def test_an_empty_store_and_one_without_vectors_start_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "empty.db", NEW) as engine:
        assert engine.vectors._worker is None
    with combray.open(tmp_path / "a.db", embedder="none", clock=FakeClock()) as engine:
        engine.remember_many(TEXTS, diff=False)
    with opened(tmp_path / "a.db", NEW) as engine:
        assert engine.vectors._worker is None


def test_the_embedder_before_is_a_setting_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_EMBEDDER_BEFORE", "worldllama")
    with pytest.raises(combray.InvalidInputError, match="embedder_before: 'worldllama' is not known"):
        combray.open(tmp_path / "a.db")
    monkeypatch.setenv("COMBRAY_EMBEDDER_BEFORE", "none")
    with combray.open(tmp_path / "a.db", embedder=embedder(NEW)) as engine:
        assert engine.runtime.before is None
    monkeypatch.delenv("COMBRAY_EMBEDDER_BEFORE")
    with combray.open(tmp_path / "a.db", embedder=embedder(NEW)) as engine:
        assert engine.runtime.before is not None
        assert engine.runtime.before.name == "wordllama:256"
    with combray.open(tmp_path / "a.db") as engine:
        assert engine.runtime.before is None
