"""The reference store: one state object, replaced whole by every transaction that succeeds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from combray.errors import StoreError
from combray.testing.reference.reader import ReferenceReader
from combray.testing.reference.state import State
from combray.testing.reference.writer import ReferenceWriter


class ReferenceStore:
    """Implements `runtime.Store` in memory: slow, obvious, for tests. Nothing outlives it."""

    def __init__(self) -> None:
        self._current = State()
        self._lock = threading.RLock()
        self._writing = False
        self._closed = False

    @property
    def location(self) -> str:
        """Where it is, for messages."""
        return "reference store in memory"

    @property
    def writable(self) -> bool:
        """Always."""
        return True

    @property
    def unwritable(self) -> str:
        """Never."""
        return ""

    def probe(self) -> str:
        """It can always be written to."""
        return ""

    def _state(self) -> State:
        if self._closed:
            raise StoreError(f"{self.location}: the store is closed; open it again.")
        return self._current

    def namespaces(self) -> list[str]:
        """Names of all namespaces, sorted."""
        return sorted(self._state().revisions)

    def reader(self, namespace: str) -> ReferenceReader:
        """A reader of one namespace."""
        return ReferenceReader(namespace, self._state, self._state)

    def transaction(self, namespace: str) -> AbstractContextManager[ReferenceWriter]:
        """One atomic write."""
        return self._transaction(namespace)

    @contextmanager
    def _transaction(self, namespace: str) -> Iterator[ReferenceWriter]:
        with self._lock:
            committed = self._state()
            if self._writing:
                raise StoreError(f"{self.location}: a transaction is open already; end it first.")
            self._writing = True
            try:
                draft = committed.copy()
                yield ReferenceWriter(namespace, draft, committed)
                self._current = draft
            finally:
                self._writing = False

    def check(self) -> list[str]:
        """Nothing here can go out of step: every read looks at the rows themselves."""
        self._state()
        return []

    def repair(self) -> list[str]:
        """Nothing to rebuild."""
        self._state()
        return []

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        """Always raises StoreError: there is no file to copy."""
        del key
        raise StoreError(f"{path}: the {self.location} cannot be backed up; export its memories instead.")

    def close(self) -> None:
        """Forget everything."""
        self._closed = True
        self._current = State()
