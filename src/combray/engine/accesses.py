"""Counting what is recalled without writing while recalling: counts wait for the next write or for close."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from combray.errors import StoreBusyError, StoreError
from combray.runtime import Store
from combray.runtime.calls import briefly

MOST_PENDING = 10_000


class Accesses:
    """Pending access counts of one namespace. Losing them in a crash loses no memory."""

    def __init__(self, store: Store, namespace: str) -> None:
        self._store = store
        self._namespace = namespace
        self._lock = threading.Lock()
        self._pending: dict[str, tuple[int, float]] = {}

    def note(self, ids: Iterable[str], at: float) -> None:
        """Remember that these were recalled."""
        with self._lock:
            for memory_id in ids:
                if len(self._pending) < MOST_PENDING or memory_id in self._pending:
                    times, last = self._pending.get(memory_id, (0, at))
                    self._pending[memory_id] = (times + 1, max(last, at))

    def flush(self) -> None:
        """Write the counts, if the store can be written to. They wait on if another process writes."""
        with self._lock:
            pending, self._pending = self._pending, {}
        if not pending or not self._store.writable:
            return
        try:
            with briefly(), self._store.transaction(self._namespace) as tx:
                keys = tx.keys_of(list(pending))
                tx.touch({keys[each]: counted for each, counted in pending.items() if each in keys})
        except StoreBusyError:
            with self._lock:
                for each, (times, at) in pending.items():
                    more, last = self._pending.get(each, (0, at))
                    self._pending[each] = (times + more, max(at, last))
        except StoreError:
            # Counts are not worth an error: a full store must not fail the caller.
            return
