"""Reading the log: the latest matching entries, or every line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice, takewhile
from pathlib import Path

from combray.audit.chain import MemoryChain
from combray.audit.entry import Entry, read
from combray.audit.log import AuditLog
from combray.records import dataclass

_AT_ONCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """A filter for entries; None matches any. `memory_id` is a prefix, `query` a keyed digest."""

    operation: str | None = None
    since: datetime | None = None
    namespace: str | None = None
    memory_id: str | None = None
    query: str | None = None

    def fits(self, entry: Entry) -> bool:
        """Whether an entry matches."""
        return (
            (self.operation is None or self.operation in (entry.operation, entry.within))
            and (self.namespace is None or self.namespace == entry.namespace)
            and (self.query is None or self.query == entry.query)
            and (self.memory_id is None or any(each.startswith(self.memory_id) for each in entry.ids))
            and (self.since is None or self._is_recent(entry.at, self.since))
        )

    @staticmethod
    def _is_recent(at: str, since: datetime) -> bool:
        try:
            return datetime.fromisoformat(at) >= since
        except (ValueError, TypeError):
            # A line that was edited may hold any text.
            return False


def latest(log: AuditLog, wanted: EntryFilter, limit: int | None) -> list[Entry]:
    """Return matching entries, newest first. Unreadable lines are skipped; `verify` reports them."""
    entries = filter(None, map(read, _backwards(log)))
    return list(islice(filter(wanted.fits, entries), limit))


def since(log: AuditLog, start: datetime) -> list[Entry]:
    """Return the entries from a moment on, oldest first. Reads no further back than the first earlier one."""
    found = takewhile(lambda each: EntryFilter(since=start).fits(each), filter(None, map(read, _backwards(log))))
    return list(found)[::-1]


def lines(log: AuditLog) -> Iterator[str]:
    """Yield every line with its newline, oldest first, up to the end of the log at the time of the call."""
    if isinstance(log.chain, MemoryChain):
        yield from (line.decode("utf-8", "replace") + "\n" for line in log.chain.lines())
        return
    for path, size in log.chain.measured():
        with Path(path).open("rb") as file:
            while size > 0 and (line := file.readline(size)):
                size -= len(line)
                yield line.decode("utf-8", "replace")


def _backwards(log: AuditLog) -> Iterator[bytes]:
    """Yield every line without its newline, newest first."""
    if isinstance(log.chain, MemoryChain):
        yield from reversed(log.chain.lines())
        return
    for path, size in reversed(log.chain.measured()):
        rest = b""
        with Path(path).open("rb") as file:
            while size > 0:
                length = min(size, _AT_ONCE)
                size -= length
                file.seek(size)
                first, *whole = (file.read(length) + rest).split(b"\n")
                rest = first
                yield from reversed(whole)
        if rest:
            yield rest
