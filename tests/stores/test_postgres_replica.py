"""Reads from a streaming replica: one's own writes are seen at once, and a replica that is away is not missed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import combray
from combray.errors import ReadOnlyStoreError
from combray.runtime import Filter
from combray.stores.postgres import PostgresStore, recovery
from combray.testing.fakes import memory
from combray.testing.postgres import Server
from combray.testing.store_cases import add

EVERY = Filter()


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Server, Server]]:
    primary = Server()
    try:
        with closing(PostgresStore(primary.url())):
            pass
        replica = Server(primary=primary)
        try:
            yield primary, replica
        finally:
            replica.stop()
    finally:
        primary.stop()


def told(server: Server, statement: str) -> object:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchone()


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_so()


def asked(store: PostgresStore, namespace: str) -> str:
    """Which server a read of a namespace goes to."""
    with store._reading(namespace) as session:
        ((replica,),) = session.rows("SELECT pg_is_in_recovery()")
    return "replica" if replica else "primary"


def test_a_replica_answers_when_it_has_ones_own_writes(servers: tuple[Server, Server]) -> None:
    primary, replica = servers
    with closing(PostgresStore(primary.url(), replica=replica.url())) as store:
        assert told(replica, "SELECT pg_wal_replay_pause()") is not None
        try:
            add(store, memory("tea", namespace="a"), namespace="a")
            assert asked(store, "a") == "primary"
            assert len(store.reader("a").scan(EVERY)) == 1
            assert "a" in store.namespaces()
        finally:
            told(replica, "SELECT pg_wal_replay_resume()")
        until(lambda: asked(store, "a") == "replica")
        assert len(store.reader("a").scan(EVERY)) == 1
        assert asked(store, "never written") == "replica"
        assert asked(store, "") == "replica"
        add(store, memory("plum", 1, namespace="a"), namespace="a")
        assert len(store.reader("a").scan(EVERY)) == 2


def test_what_was_read_once_is_never_unread(servers: tuple[Server, Server]) -> None:
    primary, replica = servers
    with (
        closing(PostgresStore(primary.url())) as writer,
        closing(PostgresStore(primary.url(), replica=replica.url())) as reader,
    ):
        add(writer, memory("tea", namespace="b"), namespace="b")
        told(replica, "SELECT pg_wal_replay_pause()")
        try:
            add(writer, memory("plum", 1, namespace="b"), namespace="b")
            assert reader._replica is not None
            reader._replica.rest()
            assert len(reader.reader("b").scan(EVERY)) == 2  # of the primary
            reader._replica._rests_until = -1.0
            assert len(reader.reader("b").scan(EVERY)) == 2
        finally:
            told(replica, "SELECT pg_wal_replay_resume()")


def test_a_replica_that_is_away_is_replaced_by_the_primary(servers: tuple[Server, Server]) -> None:
    primary, replica = servers
    with closing(PostgresStore(primary.url(), replica=replica.url())) as store:
        add(store, memory("tea", namespace="c"), namespace="c")
        until(lambda: asked(store, "c") == "replica")
        with store.view("c") as view:
            assert len(view.scan(EVERY)) == 1
            replica.stop(remove=False)
            assert view.contents(view.scan(EVERY)) == ["tea"]  # in the middle of a read
        assert asked(store, "c") == "primary"
        add(store, memory("plum", 1, namespace="c"), namespace="c")
        replica.start()
        assert store._replica is not None
        store._replica._rests_until = -1.0
        until(lambda: asked(store, "c") == "replica")
        assert len(store.reader("c").scan(EVERY)) == 2


def test_a_missing_replica_does_not_keep_a_store_from_opening(
    servers: tuple[Server, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))
    monkeypatch.setattr(recovery, "PATIENCE", 1.0)
    nowhere = f"postgresql://postgres@/postgres?host={tmp_path}"
    with combray.open(servers[0].url(), replica=nowhere, namespace="d", worker=False) as engine:
        engine.remember("Bob drinks tea.")
        assert [hit.memory.content for hit in engine.recall("tea").hits] == ["Bob drinks tea."]


def test_a_replica_as_the_store_itself_is_read_only(servers: tuple[Server, Server]) -> None:
    with (
        closing(PostgresStore(servers[1].url())) as store,
        pytest.raises(ReadOnlyStoreError),
        store.transaction("default"),
    ):
        pass


def test_the_doctor_reports_a_server_that_is_a_replica(servers: tuple[Server, Server]) -> None:
    with combray.open(servers[1].url(), worker=False) as engine:
        (writing,) = [each for each in engine.store.doctor() if each.name == "writing"]
    assert not writing.ok
    assert writing.detail.endswith("the server is a replica or read-only")
