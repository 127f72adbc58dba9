"""Threads that write to a PostgreSQL store while something happens to its server."""

from __future__ import annotations

import threading
import time
from types import TracebackType

from combray.errors import InvalidInputError, StoreError
from combray.runtime import Arrival, Filter
from combray.stores.postgres import PostgresStore
from combray.testing.fakes import memory, vector

WRITERS = 3


class Load:
    """Threads that write, each to its namespace, from `with` to its end, and what was confirmed to them."""

    def __init__(self, store: PostgresStore) -> None:
        self.store = store
        self.confirmed: list[tuple[str, str]] = []
        self.failed: list[StoreError] = []
        """Writes that failed as they may; each is tried again."""
        self.wrong: list[BaseException] = []
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(part,)) for part in range(WRITERS)]

    def __enter__(self) -> Load:
        for thread in self.threads:
            thread.start()
        self.goes_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        if error is None:
            assert self.wrong == []

    def goes_on(self, writes: int = 1) -> float:
        """Wait until so many more writes are confirmed: the seconds that the first took."""
        started, before, first = time.monotonic(), len(self.confirmed), 0.0
        while len(self.confirmed) < before + writes:
            assert time.monotonic() - started < 120, "the writers do not go on"
            time.sleep(0.005)
            if not first and len(self.confirmed) > before:
                first = time.monotonic() - started
        return first

    def write(self, part: int) -> None:
        place, namespace = 0, f"space {part}"
        while not self.stopped.is_set():
            one = memory(f"tea {part} {place}", place, id=f"{part}-{place:08}", namespace=namespace)
            try:
                with self.store.transaction(namespace) as tx:
                    tx.insert([Arrival(one, {"m:2": vector(1, place)})])
            except InvalidInputError:
                pass  # the commit before the kill was made, and not confirmed
            except StoreError as error:
                self.failed.append(error)
                continue
            except BaseException as error:  # noqa: BLE001 - any other error is what the test looks for
                self.wrong.append(error)
                return
            self.confirmed.append((namespace, one.id))
            place += 1

    def assert_kept(self, store: PostgresStore) -> None:
        """Fail unless a store has everything that was confirmed."""
        for namespace in {each for each, _ in self.confirmed}:
            ids = [memory_id for place, memory_id in self.confirmed if place == namespace]
            assert set(store.reader(namespace).keys_of(ids)) == set(ids)
            assert len(store.reader(namespace).scan(Filter())) >= len(ids)
