"""What other processes write is caught up when they notify, and is read without a notification too."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from emptied import Emptied

from combray.runtime import Filter
from combray.stores.postgres import PostgresStore
from combray.stores.postgres.listening import Listener
from combray.stores.postgres.session import PostgresSession
from combray.testing.fakes import memory
from combray.testing.store_cases import MODEL, X, add

WRITER = """
import sys
from combray.runtime import Arrival
from combray.stores.postgres import PostgresStore
from combray.testing.fakes import memory
from combray.testing.store_cases import MODEL, X
store = PostgresStore(sys.argv[1])
print("ready", flush=True)
for place, line in enumerate(sys.stdin):
    with store.transaction("default") as tx:
        tx.insert([Arrival(memory(line.strip(), 100 + place), {MODEL: X})])
    print("written", flush=True)
store.close()
"""
EVERY = Filter()


class Writer:
    """Another process that stores a memory for each line it gets."""

    def __init__(self, url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._said("ready")

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        self._said("written")

    def _said(self, what: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == what


@contextmanager
def writing(url: str) -> Iterator[Writer]:
    writer = Writer(url)
    try:
        yield writer
    finally:
        writer.process.communicate(timeout=90)


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 90
    while not true() and time.monotonic() < deadline:
        time.sleep(0.01)
    return true()


def contents(store: PostgresStore) -> list[str]:
    with store.view("default") as view:
        return sorted(view.contents(view.scan(EVERY)))


def refused(_: Listener) -> None:
    raise psycopg.OperationalError("no connection")


def listening(store: PostgresStore, writer: Writer) -> None:
    """Read the store until it listens: it does from the first write of another process on that it finds."""
    add(store, (memory("own"), X))
    store.reader("default").covered(MODEL, EVERY)
    assert not store._listener.listens
    writer.write("first")
    assert contents(store) == ["first", "own"]
    assert until(lambda: store._listener.listens)


def test_a_write_of_another_process_is_caught_up_before_somebody_asks(
    postgres: Emptied, postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing(postgres.url) as writer:
        listening(postgres_store, writer)
        cache = postgres_store._cache("default")
        before = cache.revision
        writer.write("second")
        writer.write("third")
        assert until(lambda: cache.revision == before + 2)
        asked: list[str] = []
        plain = PostgresSession.of_several

        def watched(self: PostgresSession, *given: tuple[object, ...]) -> object:
            asked.append(str(given[0][0]))
            return plain(self, *given)

        monkeypatch.setattr(PostgresSession, "of_several", watched)
        with postgres_store.view("default") as view:
            # Columns and vectors are there: nothing is read but the state of the namespace.
            assert len(view.scan(EVERY)) == 4
            assert view.covered(MODEL, EVERY) == (4, 4)
        assert asked == []
        assert contents(postgres_store) == ["first", "own", "second", "third"]


def test_a_lost_notification_never_makes_an_answer_stale(
    postgres: Emptied, postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every read sees what was committed before it began, whether or not the notification came."""
    with writing(postgres.url) as writer:
        listening(postgres_store, writer)
        monkeypatch.setattr(
            Listener, "_listen", lambda self: (_ for _ in ()).throw(psycopg.OperationalError("no"))
        )
        with psycopg.connect(postgres.url, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        assert until(lambda: not postgres_store._listener.listens)
        for place in range(5):
            writer.write(f"unheard {place}")
            assert f"unheard {place}" in contents(postgres_store)


def test_a_lost_connection_is_opened_again_and_what_was_missed_is_caught_up(
    postgres: Emptied, postgres_store: PostgresStore
) -> None:
    with writing(postgres.url) as writer:
        listening(postgres_store, writer)
        cache = postgres_store._cache("default")
        with psycopg.connect(postgres.url, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        before = cache.revision
        writer.write("second")
        assert until(lambda: cache.revision == before + 1)
        assert until(lambda: postgres_store._listener.listens)
        writer.write("third")
        assert until(lambda: cache.revision == before + 2)


def test_a_process_that_writes_alone_does_not_listen(postgres: Emptied, postgres_store: PostgresStore) -> None:
    for place in range(3):
        add(postgres_store, memory(f"tea {place}", place))
        assert len(contents(postgres_store)) == place + 1
    assert not postgres_store._listener.listens
    with psycopg.connect(postgres.url, autocommit=True) as admin:
        listeners = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        # The server may take a moment to notice that a listener of the test before has gone.
        assert until(lambda: admin.execute(listeners).fetchone() == (0,))


def test_a_closed_store_leaves_no_thread_and_no_connection(postgres: Emptied) -> None:
    with writing(postgres.url) as writer, closing(PostgresStore(postgres.url)) as store:
        listening(store, writer)
        thread = store._listener._thread
        store.close()
        assert thread is not None
        assert not thread.is_alive()
