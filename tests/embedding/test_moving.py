"""Another embedder: its vectors are made beside the old ones, which serve until it has all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from waiting import FACTS, jobs, opened, statuses

from combray import InvalidInputError
from combray.embedding.working import Worked
from combray.engine.vectors import Reembedding
from combray.testing.fakes import FakeClock, FakeEmbedder

OLD, NEW = "fake:64", "new:32"


def new() -> FakeEmbedder:
    return FakeEmbedder(name=NEW, dimensions=32)


def test_the_old_embedder_serves_until_the_new_one_has_every_memory(tmp_path: Path) -> None:
    path, clock = str(tmp_path / "a.db"), FakeClock()
    with opened(FakeEmbedder(), clock, path=path, preset="default") as engine:
        engine.remember_many(FACTS)
        edges = engine.reader.edges()
        moving = new()
        assert engine.vectors.reembed(to=moving) == Reembedding(NEW, memories=3, lacking=3, queued=3)
        assert engine.vectors.reembed(to=moving) == Reembedding(NEW, memories=3, lacking=3, queued=0)
        assert engine.vectors.make(limit=2) == Worked(embedded=2, left=1)
        assert engine.store.status()["vectors"] == {OLD: 3, NEW: 2}
        assert engine.recall("who tends gardens?").reason == f"hybrid: keywords, graph and {OLD}"
        # What comes meanwhile is made for both; memories that had a vector already get no new edges.
        engine.remember("Carl bakes bread")
        assert engine.vectors.make() == Worked(embedded=2)
        assert engine.store.status()["vectors"] == {OLD: 4, NEW: 4}
        assert engine.reader.edges(("semantic",)) == [each for each in edges if each.type == "semantic"]
        assert statuses(engine) == {"active": 4}
        assert moving.calls == [list(FACTS[:2]), [FACTS[2], "Carl bakes bread"]]
    with opened(new(), clock, path=path, preset="default") as engine:
        assert engine.recall("who tends gardens?").reason == f"hybrid: keywords, graph and {NEW}"
        assert engine.vectors.reembed(drop=OLD) == Reembedding(NEW, memories=4, lacking=0, dropped=4)
        assert engine.store.status()["vectors"] == {NEW: 4}
        assert engine.recall("who tends gardens?")[0].memory.content == FACTS[0]


def test_a_worker_of_the_new_embedder_moves_a_store_that_another_process_serves(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with opened(FakeEmbedder(), path=path) as serving, opened(new(), path=path) as worker:
        serving.remember_many(FACTS)
        serving.vectors.make()
        assert worker.vectors.reembed().queued == 3
        assert (serving.vectors.make(), worker.vectors.make()) == (Worked(), Worked(embedded=3))
        serving.remember("Carl bakes bread")
        # Whoever comes first makes it active; each makes the vector of its own model.
        assert worker.vectors.make() == Worked(embedded=1)
        assert statuses(serving) == {"active": 4}
        assert serving.vectors.make() == Worked(embedded=1)
        assert serving.store.status()["vectors"] == {OLD: 4, NEW: 4}


def test_moving_goes_on_after_a_crash(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with opened(FakeEmbedder(), path=path, preset="default") as engine:
        engine.remember_many(FACTS)
        engine.vectors.reembed(to=new())
        engine.vectors.make(limit=1)
    with opened(FakeEmbedder(), path=path, preset="default") as engine:
        # The jobs are in the store; who does them is said again.
        assert engine.vectors.make() == Worked()
        moving = new()
        assert engine.vectors.reembed(to=moving) == Reembedding(NEW, memories=3, lacking=2, queued=0)
        assert engine.vectors.make() == Worked(embedded=2)
        assert moving.calls == [list(FACTS[1:])]


def test_an_embedder_that_was_simply_changed_finds_what_lacks_its_vectors() -> None:
    engine = opened(FakeEmbedder(), FakeClock(), preset="default")
    engine.remember_many(FACTS)
    changed = engine.within("default")
    changed._at.runtime = type(engine.runtime)(engine.runtime.store, new(), clock=FakeClock())
    # Words find them meanwhile.
    answer = changed.recall("who tends gardens?")
    assert answer[0].memory.content == FACTS[0]
    assert answer.reason == (
        f"keyword only: 3 of 3 memories have no vector of {NEW} yet "
        "('combray worker --once --reembed' makes them)"
    )
    assert changed.store.status()["without_vector"] == 3
    (finding,) = [each for each in changed.store.doctor() if each.name == "vectors"]
    assert not finding.ok
    assert finding.detail == (
        f"0 of 3 memories have a vector of {NEW}; 'combray worker --once --reembed' makes the other 3; "
        f"there are vectors of {OLD} too"
    )
    changed.vectors.reembed()
    assert changed.vectors.make() == Worked(embedded=3)
    assert changed.recall("who tends gardens?").reason == f"hybrid: keywords, graph and {NEW}"
    assert changed.store.status()["without_vector"] == 0
    assert all(each.ok for each in changed.store.doctor())


def test_a_memory_with_nothing_to_embed_is_not_queued_for_ever() -> None:
    engine = opened(FakeEmbedder(), FakeClock(), preset="default")
    engine.remember("!!! ???")
    assert engine.vectors.reembed() == Reembedding(OLD, memories=1, lacking=1, queued=1)
    assert engine.vectors.make() == Worked(embedded=1)
    assert engine.vectors.reembed() == Reembedding(OLD, memories=1, lacking=0, queued=0)
    assert jobs(engine) == []


def test_vectors_in_use_or_not_yet_replaced_are_not_dropped() -> None:
    engine = opened(FakeEmbedder(), FakeClock())
    engine.remember_many(FACTS)
    with pytest.raises(InvalidInputError, match="is the embedder in use"):
        engine.vectors.reembed(drop=OLD)
    with pytest.raises(InvalidInputError, match=f"3 memories have no vector of {OLD} yet"):
        engine.vectors.reembed(drop=NEW)
    engine.vectors.make()
    assert engine.vectors.reembed(drop=NEW).dropped == 0
    with pytest.raises(InvalidInputError, match="makes no vectors"):
        engine.vectors.reembed(to="none")
    with pytest.raises(InvalidInputError, match="combined with `to`"):
        engine.vectors.reembed(to=new(), drop=OLD)


def test_a_dropped_model_leaves_no_jobs() -> None:
    engine = opened(FakeEmbedder(), FakeClock(), preset="default")
    engine.remember_many(FACTS)
    engine.vectors.reembed(to=new())
    assert [each["waiting"] for each in engine.store.status()["queue"]] == [3]
    engine.vectors.moving = None
    engine.vectors.reembed(drop=NEW)
    assert engine.store.status()["queue"] == []


def test_the_status_tells_the_depth_of_the_queue_and_the_age_of_the_oldest() -> None:
    clock = FakeClock()
    engine = opened(FakeEmbedder(), clock)
    engine.remember(FACTS[0])
    clock.pass_(minutes=2)
    engine.remember(FACTS[1])
    clock.pass_(seconds=1.5)
    assert engine.store.status()["queue"] == [
        {"model": OLD, "waiting": 2, "failed": 0, "oldest_seconds": 121.5, "error": ""}
    ]
    assert engine.vectors.pending() == 2


@pytest.mark.parametrize(("waiting", "told"), [(1, False), (2, True)])
def test_an_answer_says_so_only_where_more_than_a_tenth_has_no_vector(waiting: int, told: bool) -> None:
    embedder = FakeEmbedder()
    engine = opened(embedder, FakeClock(), preset="default")
    engine.remember_many([f"tree number{n} is green" for n in range(10 - waiting)], diff=False)
    embedder.failing = True
    engine.remember_many([f"house number{n} is red" for n in range(waiting)], diff=False)
    embedder.failing = False
    reason = engine.recall("which tree is green?").reason
    assert (f"{waiting} of 10 memories have no vector" in reason) == told
