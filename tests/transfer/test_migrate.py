"""`migrate`: files and servers, both ways, interrupted and while the source is written to."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from emptied import Emptied

import combray
from combray.engine.opening import migrate
from combray.errors import InvalidInputError, NotFoundError, StoreError
from combray.runtime import Doubt, Link, Run, Store
from combray.runtime.documents import Document, Workspace
from combray.runtime.queue import EXTRACTION, Job
from combray.stores.postgres import PostgresStore
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import START, memory
from combray.testing.store_cases import MODEL, T0, X, Y, add
from combray.transfer import moving

TEXTS = ("Alice lives in Berlin.", "Bob likes green tea.", "Alice moved to Hamburg.", "The disk was full.")


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(moving, "_AT_ONCE", 2)


def filled(location: str) -> dict[str, list[str]]:
    """Write memories with the default configuration, and return what a few questions find."""
    for name in ("work", "home"):
        with combray.open(location, namespace=name, clock=lambda: START.timestamp()) as engine:
            for place, text in enumerate(TEXTS):
                engine.remember(f"{text} ({name})", session="s", position=place)
            first = engine.list().memories[0]
            engine.update(first.id, importance=5)
    return answers(location)


def answers(location: str) -> dict[str, list[str]]:
    found = {}
    for name in ("work", "home"):
        with combray.open(location, namespace=name, clock=lambda: START.timestamp() + 60) as engine:
            found[name] = [
                f"{hit.memory.id} {hit.memory.content} {hit.score:.6f}"
                for question in ("Where does Alice live?", "tea")
                for hit in engine.recall(question).hits
            ]
    return found


@pytest.mark.parametrize("back", [False, True])
def test_both_ways_with_the_same_answers(postgres: Emptied, tmp_path: Path, back: bool) -> None:
    file, server = str(tmp_path / "a.db"), postgres.url
    source, target = (server, file) if back else (file, server)
    before = filled(source)
    assert all(before.values())
    moved = migrate(source, target)
    assert [(each.namespace, each.memories, each.copied) for each in moved] == [("home", 4, 4), ("work", 4, 4)]
    again = migrate(source, target)
    assert [(each.copied, each.checksum) for each in again] == [(0, each.checksum) for each in moved]
    assert answers(target) == before
    assert answers(source) == before


def test_everything_beside_the_memories_moves(postgres_store: PostgresStore, tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path / "a.db"))) as source:
        a, b, c = add(source, (memory("a"), X), memory("b", 1), memory("c", 2))
        with source.transaction("default") as tx:
            tx.change(a, "edit", "ann", T0, context="x", confidence=0.5)
            tx.put_vectors(MODEL, [a], X[None, :])
            tx.queue.put("other:2", [b], T0)
            tx.queue.put(EXTRACTION, [a], T0)
            tx.queue.update([Job(a, EXTRACTION, T0, 1, T0, done=T0)])
            tx.documents.put_workspace(Workspace("/notes"))
            tx.documents.put(Document("/notes", "a.md", "memory", "h", 3, 4), [(c, "t")])
            tx.put_run(Run("r", T0, T0 + 1, "done", {"merged": 1}))
            tx.put_doubts([Doubt(a, b, "why")])
            tx.note("remember", "x", "detail", T0)
            tx.touch({a: (3, T0)})
        add(postgres_store, memory("elsewhere"), namespace="other")  # keys differ in the target
        result = moving.move(source, postgres_store, "default")
        assert (result.memories, result.copied) == (3, 3)
        one, other = source.reader("default"), postgres_store.reader("default")
        ids = [one.memories([key])[0].id for key in (a, b, c)]
        found = other.keys_of(ids)
        keys = [found[each] for each in ids]
        assert keys == sorted(keys)
        assert other.memories(keys) == one.memories([a, b, c])
        assert other.history(keys[0]) == one.history(a)
        assert [job.key for job in other.queue.jobs("other:2")] == [keys[1]]
        assert other.documents.workspaces() == one.documents.workspaces()
        assert other.documents.chunks("/notes", "a.md") == [(keys[2], "t")]
        assert [(job.key, job.done) for job in other.queue.jobs(EXTRACTION)] == [(keys[0], T0)]
        assert other.runs(9) == one.runs(9)
        assert other.doubts() == [Doubt(keys[0], keys[1], "why")]
        shown = [(line["operation"], line["memory_id"], line["detail"]) for line in one.log(9)]
        assert [(line["operation"], line["memory_id"], line["detail"]) for line in other.log(9)] == shown
        assert postgres_store.check() == []


def test_what_is_written_during_a_move_is_caught_up(postgres_store: PostgresStore, tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path / "a.db"))) as source:
        keys = add(source, *(memory(f"tea {place}", place) for place in range(5)))
        written: list[int] = []

        def write(_: str, done: int, __: int) -> None:
            if done == 4 and not written:
                written.extend(add(source, memory("late", 9)))
                with source.transaction("default") as tx:
                    tx.change(keys[0], "edit", "ann", T0, content="changed", valid_to=START + timedelta(days=1))
                    tx.erase([keys[1]], T0)

        moving.move(source, postgres_store, "default", write)
        with postgres_store.view("default") as other:
            assert moving.checksum(source, "default") == moving.checksum(postgres_store, "default")
            assert sorted(other.contents(other.scan(moving._EVERYTHING))) == [
                "changed", "late", "tea 2", "tea 3", "tea 4",
            ]  # fmt: skip


@pytest.mark.parametrize("back", [False, True])
def test_vectors_edges_and_histories_that_change_during_a_move_are_caught_up(
    postgres_store: PostgresStore, tmp_path: Path, back: bool
) -> None:
    """What changes beside a memory leaves the memory itself as it was."""
    with closing(SqliteStore(str(tmp_path / "a.db"))) as file:
        source, target = (postgres_store, file) if back else (file, postgres_store)
        keys = add(source, (memory("a"), X), *(memory(f"tea {place}", place + 1) for place in range(4)))
        with source.transaction("default") as tx:
            tx.link([Link(keys[0], keys[1], "causal", 1.0), Link(keys[1], keys[2], "entity", 0.5)], T0)
        written: list[int] = []

        def write(_: str, done: int, __: int) -> None:
            if done == 4 and not written:
                written.append(1)
                with source.transaction("default") as tx:
                    tx.put_vectors(MODEL, keys[:2], np.stack([Y, X]))
                    tx.unlink(keys[0], keys[1], "causal")
                    tx.link([Link(keys[1], keys[2], "entity", 0.9)], T0)
                    tx.change(keys[1], "edit", "ann", T0, importance=5)
                    tx.change(keys[1], "edit", "ann", T0 + 1, importance=memory("x").importance)

        moved = moving.move(source, target, "default", write)
        with target.view("default") as other:
            assert moving.checksum(source, "default") == (5, 1, moved.checksum)
            assert moving.checksum(target, "default") == (5, 1, moved.checksum)
            assert [(each.type, each.weight) for each in other.edges()] == [("entity", 0.9)]
        assert moving.move(source, target, "default").copied == 0


def test_a_copy_is_not_overwritten(postgres_store: PostgresStore, tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path / "a.db"))) as source:
        add(source, memory("tea"))
        add(postgres_store, memory("mine"))
        with pytest.raises(StoreError, match="already has memories"):
            moving.move(source, postgres_store, "default")
        add(source, memory("tea"), namespace="moved")
        moving.move(source, postgres_store, "moved")
        add(postgres_store, memory("written since"), namespace="moved")
        with pytest.raises(StoreError, match="written to since"):
            moving.move(source, postgres_store, "moved")
        assert postgres_store.reader("moved").count(None) == 2


def test_wrong_places_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with pytest.raises(InvalidInputError, match="is the source"):
        migrate(path, path)
    store: Store = SqliteStore(path)
    add(store, memory("tea"))
    store.close()
    with pytest.raises(NotFoundError, match="'nobody'"):
        migrate(path, str(tmp_path / "b.db"), namespaces=["nobody"])
