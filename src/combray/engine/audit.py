"""The engine's verbs on its audit: read it, check it, write it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from combray.errors import StoreError

if TYPE_CHECKING:
    from combray.audit.entry import Entry
    from combray.audit.log import AuditLog
    from combray.audit.verify import Report
    from combray.runtime import Runtime


class Auditing:
    """The engine's verbs about the audit."""

    if TYPE_CHECKING:
        runtime: Runtime
        namespace: str

    @property
    def audit(self) -> AuditLog:
        """The audit log of the open store. Raises StoreError when it is switched off."""
        from combray.audit.log import AuditLog

        log = self.runtime.audit
        if not isinstance(log, AuditLog):
            raise StoreError(
                f"{self.runtime.store.location}: has no audit: it is switched off. Take out COMBRAY_AUDIT=false."
            )
        return log

    def audit_entries(
        self,
        limit: int | None = 20,
        *,
        operation: str | None = None,
        since: Any = None,
        namespace: str | None = None,
        memory_id: str | None = None,
        query: str | None = None,
    ) -> list[Entry]:
        """The latest entries of the audit that fit, newest first, of all namespaces unless one is named.

        `operation` is a verb, at work itself or for another. `since`: a moment, as in `recall`. `memory_id` may
        be the beginning of an id. `query`: entries where exactly this was asked. `limit` None gives all. Raises
        InvalidInputError, StoreError.
        """
        from combray.audit.reading import Wanted, latest
        from combray.values import as_moment

        wanted = Wanted(
            operation=operation,
            since=as_moment("since", since, self.runtime.clock()),
            namespace=namespace,
            memory_id=memory_id,
            query=None if query is None else self.audit.key.digest(query),
        )
        return latest(self.audit, wanted, limit)

    def certificates(self, memory_id: str) -> list[Entry]:
        """What was written down of proofs that a memory was erased, newest first; without their salts.

        `memory_id` may be the beginning of an id. Raises StoreError.
        """
        from combray.audit.erasure import OPERATION

        return self.audit_entries(None, operation=OPERATION, memory_id=memory_id)

    def audit_lines(self) -> Iterator[str]:
        """Every line of the audit as it stands in its files, oldest first. Raises StoreError."""
        from combray.audit.reading import lines

        return lines(self.audit)

    def verify_audit(self) -> Report:
        """Check the whole audit: every line, their order, and what the database and the anchor remember.

        Raises StoreError when it is switched off, OSError when it cannot be read.
        """
        from combray.audit.verify import verify

        return verify(self.audit)

    def note_read(self, operation: str, ids: Iterable[str] = (), count: int | None = None) -> None:
        """Write down in the audit, if there is one, that memories were handed out by other means than a verb."""
        if self.runtime.audit is not None:
            shown = tuple(ids)
            found = {"found": len(shown) if count is None else count}
            self.runtime.audit.record(operation, self.namespace, ids=shown, counts=found)
