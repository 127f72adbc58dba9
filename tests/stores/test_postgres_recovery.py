"""Transactions that a deadlock or a lost connection rolls back are repeated, and never written twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from emptied import Emptied
from psycopg import Connection

from combray.errors import StoreBusyError, StoreError
from combray.runtime import Arrival, Filter
from combray.stores.postgres import PostgresStore
from combray.stores.postgres.recovery import Recovery
from combray.stores.postgres.session import PostgresSession
from combray.testing.fakes import memory, vector
from combray.testing.store_cases import MODEL, add

EVERY = Filter()


@contextmanager
def administrator(url: str) -> Iterator[Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def cut(admin: Connection) -> int:
    """End every connection of the store, as an administrator or a failover does; returns when they have ended."""
    ended = admin.execute(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'combray'"
    ).fetchall()
    assert all(each for (each,) in ended)
    return len(ended)


def until_it_waits(url: str, other: Connection) -> None:
    """Wait until another connection waits for a lock."""
    deadline = time.monotonic() + 60
    with administrator(url) as admin:
        while admin.execute(
            "SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s", (other.info.backend_pid,)
        ).fetchone() != ("Lock",):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def contents(store: PostgresStore) -> list[str]:
    reader = store.reader("default")
    return sorted(reader.contents(reader.scan(EVERY)))


def test_a_write_whose_connection_is_cut_is_repeated_once(
    postgres: Emptied, postgres_store: PostgresStore
) -> None:
    add(postgres_store, memory("tea"))
    with administrator(postgres.url) as admin, postgres_store.transaction("default") as tx:
        (key,) = tx.insert([Arrival(memory("plum", 1), {MODEL: vector(1, 0)})])
        assert cut(admin) >= 1
        tx.note("remember", "x", "after the cut", 0.0)
        assert tx.contents([key]) == ["plum"]
    assert contents(postgres_store) == ["plum", "tea"]
    reader = postgres_store.reader("default")
    assert [line["detail"] for line in reader.log(5)] == ["after the cut"]
    assert reader.vectors(MODEL, [key])[1].tolist() == [True]  # type: ignore[arg-type]
    assert postgres_store.check() == []


def test_the_first_write_of_a_namespace_is_repeated_too(postgres: Emptied, postgres_store: PostgresStore) -> None:
    with administrator(postgres.url) as admin, postgres_store.transaction("fresh") as tx:
        tx.insert([Arrival(memory("tea", namespace="fresh"))])
        cut(admin)
    assert len(postgres_store.reader("fresh").scan(EVERY)) == 1
    assert postgres_store.check() == []


@pytest.mark.parametrize("given", [0, 2])
def test_a_sequence_that_a_crash_has_set_back_hides_no_later_memory(
    postgres: Emptied, postgres_store: PostgresStore, given: int
) -> None:
    """A server that is killed may forget numbers of a sequence that no commit has used.

    `given`: how many of them other namespaces were given before the write was repeated.
    """
    (first,) = add(postgres_store, memory("tea"))
    with administrator(postgres.url) as admin, postgres_store.transaction("default") as tx:
        tx.insert([Arrival(memory(f"plum {each}", each)) for each in range(1, 6)])
        cut(admin)
        admin.execute("SELECT setval('combray.memory_key', %s)", (first + given,))
    add(postgres_store, memory("milk", 9))
    assert len(contents(postgres_store)) == 7
    assert postgres_store.check() == []


def test_a_read_whose_connection_is_cut_goes_on(postgres: Emptied, postgres_store: PostgresStore) -> None:
    keys = add(postgres_store, memory("tea"), memory("plum", 1))
    with administrator(postgres.url) as admin, postgres_store.view("default") as view:
        assert len(view.scan(EVERY)) == 2
        cut(admin)
        assert view.contents(keys) == ["tea", "plum"]


def test_what_was_read_and_has_changed_is_not_written(postgres: Emptied, postgres_store: PostgresStore) -> None:
    add(postgres_store, memory("tea"))
    with closing(PostgresStore(postgres.url)) as other, administrator(postgres.url) as admin:
        writing = postgres_store.transaction("default")
        with pytest.raises(StoreBusyError, match="Try again"), writing as tx:  # noqa: PT012 - one write
            tx.insert([Arrival(memory("plum", 1))])
            cut(admin)
            add(other, memory("milk", 2))
        with pytest.raises(StoreBusyError, match="Try again"), postgres_store.view("default") as view:  # noqa: PT012
            assert len(view.scan(EVERY)) == 2
            cut(admin)
            add(other, memory("salt", 3))
            view.contents([1])
    assert contents(postgres_store) == ["milk", "salt", "tea"]


@pytest.mark.parametrize("is_made", [True, False])
def test_a_commit_without_an_answer_is_looked_up(
    postgres: Emptied, postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch, is_made: bool
) -> None:
    add(postgres_store, memory("tea"))
    looked_up: list[bool] = []
    plain = Recovery._is_committed

    def watched(self: Recovery, session: PostgresSession, write_id: int, error: psycopg.Error) -> bool:
        looked_up.append(plain(self, session, write_id, error))
        return looked_up[-1]

    monkeypatch.setattr(Recovery, "_is_committed", watched)

    class Silent:
        """A connection that breaks when the transaction is committed, after or before the server has done so."""

        def __init__(self, connection: Connection) -> None:
            self._own = connection

        def __getattr__(self, name: str) -> object:
            return getattr(self._own, name)

        def execute(self, statement: object, *values: object, **options: object) -> object:
            if statement != b"COMMIT":
                return self._own.execute(statement, *values, **options)  # type: ignore[call-overload]
            if is_made:
                self._own.execute("COMMIT")
                self._own.pgconn.pipeline_sync()
                self._own.pgconn.flush()
            self._own.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    with postgres_store.transaction("default") as tx:
        tx.insert([Arrival(memory("plum", 1))])
        real = tx.session.connection
        tx.session.connection = Silent(real)  # type: ignore[assignment]
    assert looked_up == [is_made]
    assert contents(postgres_store) == ["plum", "tea"]
    assert postgres_store.reader("default").revision() == 2
    assert postgres_store.check() == []


def test_a_deadlock_is_repeated(
    postgres: Emptied, postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(postgres_store, memory("tea"))
    errors: list[psycopg.Error] = []
    plain = Recovery.again

    def watched(self: Recovery, session: PostgresSession, error: psycopg.Error) -> None:
        errors.append(error)
        plain(self, session, error)

    monkeypatch.setattr(Recovery, "again", watched)
    with administrator(postgres.url) as admin:
        # Only the store looks for deadlocks: it is the one that waits last, and is rolled back.
        admin.execute("SET deadlock_timeout = '10min'")
        admin.execute("BEGIN")
        admin.execute("LOCK TABLE combray.model IN ACCESS EXCLUSIVE MODE")

        def take_the_row() -> None:
            admin.execute("SELECT 1 FROM combray.namespace WHERE name = 'default' FOR UPDATE")
            admin.execute("ROLLBACK")

        other = threading.Thread(target=take_the_row)
        with postgres_store.transaction("default") as tx:
            other.start()
            until_it_waits(postgres.url, admin)
            tx.insert([Arrival(memory("plum", 1), {"new:2": vector(1, 0)})])
        other.join(60)
        assert not other.is_alive()
    assert [type(each) for each in errors] == [psycopg.errors.DeadlockDetected]
    assert contents(postgres_store) == ["plum", "tea"]


def test_an_error_of_the_caller_is_not_repeated(postgres_store: PostgresStore) -> None:
    tries = []
    with pytest.raises(StoreError, match="division"), postgres_store.transaction("default") as tx:  # noqa: PT012
        tries.append(1)
        tx.session.rows("SELECT 1 / 0")
    assert tries == [1]
    assert contents(postgres_store) == []


def test_a_short_statement_time_out_names_the_setting(postgres: Emptied) -> None:
    hasty = PostgresStore(f"{postgres.url}&options=-cstatement_timeout%3D1s")
    with closing(hasty) as store, administrator(postgres.url) as admin:
        admin.execute("BEGIN")
        admin.execute("LOCK TABLE combray.namespace IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreBusyError, match="Raise statement_timeout"):
            add(store, memory("tea"))
        admin.execute("ROLLBACK")


def test_one_connection_serves_many_threads(postgres: Emptied) -> None:
    wrong: list[BaseException] = []
    with closing(PostgresStore(f"{postgres.url}&pool_size=1", busy_timeout=120)) as store:

        def work(part: int) -> None:
            try:
                for place in range(5):
                    add(store, memory(f"{part} {place}", namespace=f"n{part}"), namespace=f"n{part}")
                    assert len(store.reader(f"n{part}").scan(EVERY)) == place + 1
            except BaseException as error:  # noqa: BLE001 - any error is what the test looks for
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
