"""What all tests start from. One PostgreSQL server serves all tests of a worker; each finds an empty store."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import psycopg
import pytest

from combray.stores.postgres import PostgresStore
from combray.testing.postgres import Server

EMPTY = """
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'combray'::regnamespace
        AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'setting' LOOP
        EXECUTE format('DELETE FROM combray.%I', name);
    END LOOP;
    DELETE FROM combray.setting WHERE setting.name LIKE 'audit%';
END
$$
"""


@dataclass(frozen=True)
class Emptied:
    """A database whose tables can be emptied faster than made."""

    url: str

    def empty(self) -> None:
        """Remove every row but the settings."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            if connection.execute("SELECT to_regclass('combray.memory')").fetchone() == (None,):
                return
            connection.execute(EMPTY)
        self.rewind()

    def rewind(self) -> None:
        """Give back the keys and numbers that no row has."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            last = connection.execute("SELECT coalesce(max(key), 0) FROM combray.memory").fetchone()
            connection.execute("SELECT setval('combray.memory_key', %s + 1, false)", last)
            number = connection.execute("SELECT coalesce(max(number), 0) FROM combray.operation").fetchone()
            connection.execute("SELECT setval('combray.operation_number_seq', %s + 1, false)", number)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    server = Server()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def postgres(postgres_server: Server) -> Emptied:
    database = Emptied(postgres_server.url())
    database.empty()
    return database


@pytest.fixture
def postgres_store(postgres: Emptied) -> Iterator[PostgresStore]:
    with closing(PostgresStore(postgres.url)) as store:
        yield store


def pytest_configure() -> None:
    """Processes that tests start heed Ctrl-C, also where the tests themselves were started in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
