"""The audit of the open store: entries, certificates, verification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from combray.audit.audited import record_read
from combray.engine.namespace import Namespace
from combray.errors import StoreError
from combray.types import Moment

if TYPE_CHECKING:
    from combray.audit.entry import Entry
    from combray.audit.log import AuditLog
    from combray.audit.verify import Report


class AuditTrail:
    """`engine.audit`: who read and wrote what. Its verbs raise StoreError if the audit is switched off."""

    def __init__(self, at: Namespace) -> None:
        self._at = at

    @property
    def log(self) -> AuditLog:
        """The audit log."""
        from combray.audit.log import AuditLog

        log = self._at.runtime.audit
        if not isinstance(log, AuditLog):
            location = self._at.runtime.store.location
            raise StoreError(f"{location}: the audit is switched off. Remove COMBRAY_AUDIT=false.")
        return log

    def entries(
        self,
        limit: int | None = 20,
        *,
        operation: str | None = None,
        since: Moment | None = None,
        namespace: str | None = None,
        memory_id: str | None = None,
        query: str | None = None,
    ) -> list[Entry]:
        """Return the latest matching entries, newest first, of all namespaces unless one is named.

        `operation` matches a verb called directly or by another verb. `memory_id` may be a prefix. `query`
        matches reads that asked exactly this. `limit` None returns all. Raises InvalidInputError.
        """
        from combray.audit.reading import EntryFilter, latest
        from combray.values import as_moment

        wanted = EntryFilter(
            operation=operation,
            since=as_moment("since", since, self._at.runtime.clock(), self._at.runtime.zone),
            namespace=namespace,
            memory_id=memory_id,
            query=None if query is None else self.log.key.digest(query),
        )
        return latest(self.log, wanted, limit)

    def certificates(self, memory_id: str) -> list[Entry]:
        """Return the erasure proofs of a memory id or prefix, newest first, without their salts."""
        from combray.audit.erasure import OPERATION

        return self.entries(None, operation=OPERATION, memory_id=memory_id)

    def lines(self) -> Iterator[str]:
        """Yield every line of the audit as stored, oldest first."""
        from combray.audit.reading import lines

        return lines(self.log)

    def verify(self) -> Report:
        """Check every line, their order, and the heads kept in the database and the anchor. Raises OSError."""
        from combray.audit.verify import verify

        return verify(self.log)

    def record_read(self, operation: str, ids: Iterable[str] = (), count: int | None = None) -> None:
        """Record that memories were handed out by other means than a verb. Does nothing without an audit."""
        record_read(self._at, operation, ids, count)
