"""A move that was interrupted goes on where it was, in every direction, and holds up nobody meanwhile."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from emptied import Emptied
from tiers import nightly

from combray.errors import StoreError
from combray.runtime import Filter, Link, Store
from combray.stores.postgres import PostgresStore
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import memory
from combray.testing.store_cases import MODEL, T0, X, Y, add
from combray.transfer import moving
from combray.types import Edge

DIRECTIONS = ("file to server", "server to file", "server to server", "file to file")
EVERY = Filter(statuses=(), trusts=())
KILLED_IN = [*DIRECTIONS[:2], *nightly(DIRECTIONS[2:], "every direction is interrupted without a kill")]
KILLED = """
import os, signal, sys
from combray.stores.postgres import PostgresStore
from combray.stores.sqlite import SqliteStore
from combray.transfer import moving

moving._AT_ONCE = 2
kinds = [PostgresStore if place.startswith("postgresql:") else SqliteStore for place in sys.argv[1:]]
source, target = (kind(place) for kind, place in zip(kinds, sys.argv[1:]))

def kill(_, done, total):
    if done >= 4:
        os.kill(os.getpid(), signal.SIGKILL)

moving.move(source, target, "default", kill)
"""
Places = tuple[str, str]


class InterruptedError(Exception):
    """What stands for a key pressed, a lost connection, or a full disk."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "_AT_ONCE", 2)


@pytest.fixture(params=DIRECTIONS)
def places(request: pytest.FixtureRequest, postgres: Emptied, tmp_path: Path) -> Places:
    """Return the source's place and the target's."""
    start, _, end = request.param.partition(" to ")
    second = Emptied(f"{postgres.url}&schema=second", schema="second")
    second.empty()
    source = str(tmp_path / "source.db") if start == "file" else postgres.url
    return source, str(tmp_path / "target.db") if end == "file" else second.url


@pytest.fixture
def stores(places: Places) -> Iterator[tuple[Store, Store]]:
    with ExitStack() as stack:
        source, target = (stack.enter_context(closing(opened(place))) for place in places)
        yield source, target


def opened(place: str) -> Any:
    return PostgresStore(place) if place.startswith("postgresql:") else SqliteStore(place)


def filled(source: Store) -> list[int]:
    """Store nine memories with vectors, edges, a history and a log."""
    keys = add(source, *((memory(f"tea {place}", place), X) for place in range(9)))
    with source.transaction("default") as tx:
        links = [Link(keys[place], keys[place + 1], "causal", 1.0) for place in range(8)]
        tx.link(links[:4], T0)
        tx.link(links[4:], T0 + 1)
        tx.change(keys[2], "edit", "ann", T0, importance=5)
        tx.note("remember", "x", "a line of the log", T0)
    return keys


def details(store: Store) -> list[str]:
    return [line["detail"] for line in store.reader("default").log(99) if line["operation"] == "remember"]


def assert_same(source: Store, target: Store) -> None:
    assert moving.checksum(source, "default") == moving.checksum(target, "default")
    assert details(source) == details(target)
    assert target.check() == []


def interrupted(monkeypatch: pytest.MonkeyPatch, where: str) -> Callable[[str, int, int], None]:
    """Break the next move at a step. Return the progress to give to it."""

    def broken(*_: object) -> Any:
        raise InterruptedError

    def at_four(_: str, done: int, __: int) -> None:
        if done >= 4:
            raise InterruptedError

    if where == "memories":
        return at_four
    if where == "edges":
        plain = moving._link

        def half(edge: Edge, known: dict[str, int]) -> Link:
            return broken() if edge.created_at.timestamp() > T0 else plain(edge, known)

        monkeypatch.setattr(moving, "_AT_ONCE", 1)
        monkeypatch.setattr(moving, "_link", half)
    else:
        name = {"files and log": "_copy_rest", "verification": "checksum"}[where]
        monkeypatch.setattr(moving, name, broken)
    return lambda _, __, ___: None


@pytest.mark.parametrize("where", ["memories", "edges", "files and log", "verification"])
def test_an_interrupted_move_goes_on_where_it_was(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    source, target = stores
    keys = filled(source)
    with monkeypatch.context() as patched:
        progress = interrupted(patched, where)
        with pytest.raises(InterruptedError):
            moving.move(source, target, "default", progress)
    there = target.reader("default").count(None)
    assert there == (4 if where == "memories" else 9)
    moved = moving.move(source, target, "default")
    assert (moved.memories, moved.edges, moved.copied) == (len(keys), 8, len(keys) - there)
    assert_same(source, target)


def test_what_changes_while_a_move_is_interrupted_is_caught_up(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = stores
    keys = filled(source)
    with pytest.raises(InterruptedError):
        moving.move(source, target, "default", interrupted(monkeypatch, "memories"))
    with source.transaction("default") as tx:
        tx.erase([keys[0]], T0)
        tx.change(keys[1], "edit", "ann", T0, content="coffee")
        tx.put_vectors(MODEL, [keys[2]], Y[None, :])
        tx.note("remember", "x", "another line", T0)
    add(source, memory("late", 20))
    moving.move(source, target, "default")
    assert_same(source, target)
    reader = target.reader("default")
    assert sorted(reader.contents(reader.scan(EVERY)))[:3] == ["coffee", "late", "tea 2"]


def test_the_log_is_whole_though_the_move_has_replaced_memories(stores: tuple[Store, Store]) -> None:
    source, target = stores
    keys = filled(source)
    changed: list[int] = []

    def change(_: str, done: int, __: int) -> None:
        if done >= 4 and not changed:
            changed.append(1)
            with source.transaction("default") as tx:
                tx.change(keys[0], "edit", "ann", T0, content="coffee")
                tx.note("remember", "x", "during the move", T0)

    moving.move(source, target, "default", change)
    assert details(target) == ["during the move", "a line of the log"]
    assert_same(source, target)


@pytest.mark.parametrize("places", KILLED_IN, indirect=True)
def test_a_killed_process_leaves_what_the_next_one_needs(places: Places) -> None:
    with closing(opened(places[0])) as source:
        filled(source)
    done = subprocess.run([sys.executable, "-c", KILLED, *places], check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with closing(opened(places[0])) as source, closing(opened(places[1])) as target:
        assert target.reader("default").count(None) == 4
        assert moving.move(source, target, "default").copied == 5
        assert_same(source, target)


def test_a_memory_of_somebody_else_is_never_erased(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a write to the half-made copy, what is not in the source may be somebody's: the move refuses."""
    source, target = stores
    filled(source)
    with pytest.raises(InterruptedError):
        moving.move(source, target, "default", interrupted(monkeypatch, "memories"))
    add(target, memory("mine", 50))
    with pytest.raises(StoreError, match="differs after the move"):
        moving.move(source, target, "default")
    reader = target.reader("default")
    assert "mine" in reader.contents(reader.scan(EVERY))


def test_a_move_keeps_no_transaction_open_between_batches(tmp_path: Path) -> None:
    """An erasure rewrites the file, and for that nobody may read an old state."""
    path = str(tmp_path / "source.db")
    found: list[int] = []
    with closing(SqliteStore(path)) as source, closing(SqliteStore(str(tmp_path / "target.db"))) as target:
        filled(source)

        def look(_: str, __: int, ___: int) -> None:
            with closing(sqlite3.connect(path, timeout=0)) as other:
                other.execute("PRAGMA user_version")
                found.append(other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])

        moving.move(source, target, "default", look)
    assert found == [0] * 5
