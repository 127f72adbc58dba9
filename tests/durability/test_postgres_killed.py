"""kill -9 of the PostgreSQL server in mid-load: no confirmed write is lost, and clients go on by themselves.

COMBRAY_KILLS sets the number of kills.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from postgres_load import Load

from combray.errors import StoreError
from combray.runtime import Arrival, Filter
from combray.stores.postgres import PostgresStore, recovery
from combray.testing.fakes import memory
from combray.testing.postgres import Server

KILLS = int(os.environ.get("COMBRAY_KILLS", "3"))


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(durable=True)
    try:
        yield server
    finally:
        server.stop()


def test_killed_servers_lose_nothing_they_confirmed(server: Server) -> None:
    waits = []
    with closing(PostgresStore(server.url())) as store:
        with Load(store) as load:
            for _ in range(KILLS):
                time.sleep(0.3)
                server.kill()
                server.start()
                waits.append(load.goes_on())
        assert len(load.confirmed) > KILLS
        print(f"{KILLS} kills, {len(load.confirmed)} confirmed writes, longest wait {max(waits):.2f} s")
        load.assert_kept(store)
        assert store.check() == []
        assert store.unwritable == ""


def test_without_a_server_writes_fail_reads_fail_and_both_come_back(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresStore(server.url(), busy_timeout=60.0)) as store:
        with store.transaction("default") as tx:
            tx.insert([Arrival(memory("tea"))])
        server.kill()
        # Not earlier, and not the time for a busy pool: a slow machine needs more to connect, or to see it fail.
        monkeypatch.setattr(recovery, "PATIENCE", 1.0)
        store._pool._patience = 1.0
        with pytest.raises(StoreError, match="cannot be reached"), store.transaction("default"):
            pass
        assert "cannot be reached" in store.unwritable
        assert "cannot be reached" in store.probe()
        server.start()
        monkeypatch.undo()
        assert store.probe() == ""
        assert len(store.reader("default").scan(Filter())) == 1
