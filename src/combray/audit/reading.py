"""Reading the log: the latest entries that fit, or every line as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from combray.audit.chain import MemoryChain
from combray.audit.entry import Entry, read
from combray.audit.log import AuditLog

_AT_ONCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries: those that fit everything that is not None. `query` is a keyed digest."""

    operation: str | None = None
    since: datetime | None = None
    namespace: str | None = None
    memory_id: str | None = None
    query: str | None = None

    def fits(self, entry: Entry) -> bool:
        """Whether an entry is wanted."""
        return (
            (self.operation is None or self.operation in (entry.operation, entry.within))
            and (self.namespace is None or self.namespace == entry.namespace)
            and (self.query is None or self.query == entry.query)
            and (self.memory_id is None or any(each.startswith(self.memory_id) for each in entry.ids))
            and (self.since is None or _is_from(entry.at, self.since))
        )


def _is_from(at: str, since: datetime) -> bool:
    """Whether a line's time is not before `since`; a line that was changed may hold anything."""
    try:
        return datetime.fromisoformat(at) >= since
    except (ValueError, TypeError):
        return False


def latest(log: AuditLog, wanted: Wanted, limit: int | None) -> list[Entry]:
    """The entries that fit, newest first; lines that cannot be read are left out: a check names them."""
    found: list[Entry] = []
    for line in _backwards(log):
        if limit is not None and len(found) >= limit:
            break
        entry = read(line)
        if entry is not None and wanted.fits(entry):
            found.append(entry)
    return found


def lines(log: AuditLog) -> Iterator[str]:
    """Every line with its end, oldest first, as far as the log went when this was called."""
    if isinstance(log.chain, MemoryChain):
        yield from (line.decode("utf-8", "replace") + "\n" for line in log.chain.lines())
        return
    for path, size in log.chain.measured():
        with Path(path).open("rb") as file:
            while size > 0 and (line := file.readline(size)):
                size -= len(line)
                yield line.decode("utf-8", "replace")


def _backwards(log: AuditLog) -> Iterator[bytes]:
    """Every line without its end, newest first."""
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
