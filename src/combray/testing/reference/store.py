"""The reference store: one state, replaced whole by every transaction that succeeds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, tzinfo

from combray.errors import StoreError
from combray.testing.reference.reader import ReferenceReader
from combray.testing.reference.state import StoreState
from combray.testing.reference.writer import ReferenceWriter


class ReferenceStore:
    """Implements `runtime.Store` in memory: slow and obvious, for tests."""

    location = "reference store in memory"
    writable = True
    unwritable = ""
    zone: tzinfo = UTC
    busy = False
    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        self._current: StoreState | None = StoreState()
        self._lock = threading.RLock()
        self._writing = False

    def _state(self) -> StoreState:
        if self._current is None:
            raise StoreError(f"{self.location}: the store is closed. Open it again.")
        return self._current

    def probe(self) -> str:
        return ""

    def namespaces(self) -> list[str]:
        return sorted(self._state().spaces)

    def reader(self, namespace: str) -> ReferenceReader:
        return ReferenceReader(namespace, self._state, self._state)

    @contextmanager
    def view(self, namespace: str) -> Iterator[ReferenceReader]:
        state = self._state()
        yield ReferenceReader(namespace, lambda: state, lambda: state)

    @contextmanager
    def transaction(self, namespace: str) -> Iterator[ReferenceWriter]:
        with self._lock:
            committed = self._state()
            if self._writing:
                raise StoreError(f"{self.location}: a transaction is already open. End it first.")
            self._writing = True
            try:
                writer = ReferenceWriter(namespace, committed)
                yield writer
                self._current = writer.draft
            finally:
                self._writing = False

    def check(self) -> list[str]:
        self._state()
        return []

    def repair(self) -> list[str]:
        return self.check()

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        del key
        raise StoreError(f"{path}: the {self.location} cannot be backed up. Export its memories instead.")

    def close(self) -> None:
        self._current = None
