"""kill -9 of the PostgreSQL server in mid-load: no confirmed write is lost, and clients go on by themselves.

COMBRAY_KILLS sets the number of kills.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from combray.errors import InvalidInputError, StoreError
from combray.runtime import Arrival, Filter
from combray.stores.postgres import PostgresStore, recovery
from combray.testing.fakes import memory, vector
from combray.testing.postgres import Server

KILLS = int(os.environ.get("COMBRAY_KILLS", "3"))
WRITERS = 3


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(durable=True)
    try:
        yield server
    finally:
        server.stop()


class Load:
    """Threads that write until they are stopped, and what was confirmed to them."""

    def __init__(self, store: PostgresStore) -> None:
        self.store = store
        self.confirmed: list[tuple[str, str]] = []
        self.wrong: list[BaseException] = []
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(part,)) for part in range(WRITERS)]

    def goes_on(self) -> float:
        """Wait until more writes are confirmed: the seconds that the first took."""
        started, before = time.monotonic(), len(self.confirmed)
        while len(self.confirmed) == before:
            assert time.monotonic() - started < 120, "the writers do not go on"
            time.sleep(0.005)
        return time.monotonic() - started

    def write(self, part: int) -> None:
        place, namespace = 0, f"space {part}"
        while not self.stopped.is_set():
            one = memory(f"tea {part} {place}", place, id=f"{part}-{place:08}", namespace=namespace)
            try:
                with self.store.transaction(namespace) as tx:
                    tx.insert([Arrival(one, {"m:2": vector(1, place)})])
            except InvalidInputError:
                pass  # the commit before the kill was made, and not confirmed
            except StoreError:
                continue
            except BaseException as error:  # noqa: BLE001 - any other error is what the test looks for
                self.wrong.append(error)
                return
            self.confirmed.append((namespace, one.id))
            place += 1


def test_killed_servers_lose_nothing_they_confirmed(server: Server) -> None:
    waits = []
    with closing(PostgresStore(server.url())) as store:
        load = Load(store)
        for thread in load.threads:
            thread.start()
        try:
            load.goes_on()
            for _ in range(KILLS):
                time.sleep(0.3)
                server.kill()
                server.start()
                waits.append(load.goes_on())
        finally:
            load.stopped.set()
            for thread in load.threads:
                thread.join()
        assert load.wrong == []
        assert len(load.confirmed) > KILLS
        print(f"{KILLS} kills, {len(load.confirmed)} confirmed writes, longest wait {max(waits):.2f} s")
        for namespace in {each for each, _ in load.confirmed}:
            ids = [memory_id for place, memory_id in load.confirmed if place == namespace]
            assert set(store.reader(namespace).keys_of(ids)) == set(ids)
            assert len(store.reader(namespace).scan(Filter())) >= len(ids)
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
