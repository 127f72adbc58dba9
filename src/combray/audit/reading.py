"""Reading the log: the latest matching entries, every line, and the verification of the whole chain."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice, takewhile
from pathlib import Path

from combray.audit.chain import MemoryChain
from combray.audit.entry import CUT, GAP, GENESIS, ChainFields, Entry, Mark, link_of, parted, read
from combray.audit.log import AuditLog
from combray.records import dataclass, field

MOST_FINDINGS = 1000
"""Most findings in a report; `Report.more` counts the rest."""
_MOST_MISSING = 100_000
_FROM_END = 64 * 1024
_AT_ONCE = 1024 * 1024


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
    for _, some in _files(log):
        for line, ended in some:
            yield line.decode("utf-8", "replace") + "\n" * ended


def _files(
    log: AuditLog, look: Callable[[], None] = lambda: None
) -> list[tuple[str, Iterator[tuple[bytes, bool]]]]:
    """Return the name of every file with its lines, and whether each ends. `look` is called at that moment."""
    if isinstance(log.chain, MemoryChain):
        look()
        return [("memory", ((line, True) for line in log.chain.lines()))]
    return [(path, _lines(path, size)) for path, size in log.chain.measured(look)]


def _lines(path: str, size: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of the file's first `size` bytes."""
    rest = b""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a raw file, read in large pieces
        while size > 0 and (data := file.read(min(size, _AT_ONCE))):
            size -= len(data)
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line, True
    if rest:
        yield rest, False


def _backwards(log: AuditLog) -> Iterator[bytes]:
    """Yield every line without its newline, newest first."""
    if isinstance(log.chain, MemoryChain):
        yield from reversed(log.chain.lines())
        return
    for path, size in reversed(log.chain.measured()):
        rest = b""
        with Path(path).open("rb") as file:
            while size > 0:
                length = min(size, _FROM_END)
                size -= length
                file.seek(size)
                first, *whole = (file.read(length) + rest).split(b"\n")
                rest = first
                yield from reversed(whole)
        if rest:
            yield rest


# -- verification ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Deviation:
    """One deviation: file, line from 1 (0: no line), kind, description."""

    file: str
    line: int
    kind: str
    detail: str


@dataclass(slots=True)
class Report:
    """Result of a verification. `findings` break the chain; `notes` (torn lines, lost commits) do not."""

    files: list[str] = field(default_factory=list)
    entries: int = 0
    last: int = 0
    findings: list[Deviation] = field(default_factory=list)
    notes: list[Deviation] = field(default_factory=list)
    more: int = 0

    @property
    def ok(self) -> bool:
        """Whether the chain is intact."""
        return not self.findings

    def add(self, finding: Deviation) -> None:
        """Add a finding, or count it if there are too many."""
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(finding)
        else:
            self.more += 1


def verify(log: AuditLog) -> Report:
    """Check every line of the log, their order, and the marks of the database and the anchor.

    Entries written during the check are not included. Raises OSError.
    """
    known: list[tuple[str, Mark]] = []
    written: list[int] = []

    def look() -> None:
        kept = log.in_database()
        if kept is not None:
            known.append(("the database", kept[0]))
            written.append(kept[1])
        there = log.anchor.read() if log.anchor is not None else None
        if there is not None:
            known.append(("the anchor", there))

    return check(_files(log, look), known, written)


Lines = Iterable[tuple[bytes, bool]]
"""Every line without its newline, and whether it had one."""


def check(
    files: Sequence[tuple[str, Lines]], known: Sequence[tuple[str, Mark]] = (), written: Sequence[int] = ()
) -> Report:
    """Check lines from any source, file by file.

    `known`: who remembers an entry, and which. `written`: the last committed write.
    """
    walk = _LinesPass({mark.seq for _, mark in known})
    for name, lines in files:
        walk.report.files.append(name)
        for number, (line, ended) in enumerate(lines, 1):
            walk.place = (name, number)
            walk.line(line, ended)
    walk.finish(known, written)
    return walk.report


class _LinesPass:
    """One pass over the lines, in constant memory."""

    def __init__(self, remembered: set[int]) -> None:
        self.report = Report()
        self.place = ("", 0)
        self.next = 1
        self.previous: str | None = GENESIS
        self.unread = 0
        self.fragment: tuple[tuple[str, int], bytes, bool] | None = None
        self.missing: set[int] = set()
        self.remembered = dict.fromkeys(remembered, "")
        self.committed = 0
        self.waiting: tuple[int, tuple[str, int]] | None = None

    def line(self, line: bytes, ended: bool) -> None:
        parts = parted(line)
        link = None if parts is None else link_of(parts[0])
        if parts is None or link is None or not ended:
            self.unreadable(line, ended)
            return
        body, stated = parts
        self.settle_fragment(link)
        self.report.entries += 1
        if hashlib.sha256(body).hexdigest() != stated:
            self.found("edited", f"entry {link.seq} is not what its hash says")
            # Whatever was changed, numbers and hashes behind it cannot be judged by this line.
            self.next, self.previous, self.unread = self.next + self.unread + 1, None, 0
            return
        self.order(link)
        if link.seq >= self.next:
            self.next, self.previous, self.unread = link.seq + 1, stated, 0
        self.note_entry(link, stated)

    def order(self, link: ChainFields) -> None:
        seq, wanted = link.seq, self.next
        if seq < wanted and not self.unread:
            if seq in self.missing:
                self.missing.discard(seq)
                self.found("moved", f"entry {seq} stands behind entry {wanted - 1}")
            else:
                self.found("repeated", f"entry {seq} was there before, or was put in")
        elif seq > wanted + self.unread:
            which = f"entry {wanted} is" if seq == wanted + 1 else f"entries {wanted} to {seq - 1} are"
            self.found("removed", f"{which} missing before entry {seq}")
            self.missing.update(range(wanted, min(seq, wanted + _MOST_MISSING)))
        elif self.previous is not None and link.previous != self.previous and not self.unread:
            self.found("broken", f"entry {seq} does not follow the line before it: one of them was replaced")

    def note_entry(self, link: ChainFields, stated: str) -> None:
        if link.seq in self.remembered:
            self.remembered[link.seq] = stated
        if link.operation == GAP:
            seen = link.detail
            self.found(
                "removed",
                f"when entry {link.seq} was written, entry {seen.get('seq')} that {seen.get('known_to')} "
                "remembered was gone, or another stood in its place",
            )
        if link.result == "undone":
            self.waiting = None
        elif link.after is not None:
            self.judge_write(link.after)
            self.waiting = (link.seq, self.place)

    def judge_write(self, committed: int) -> None:
        """Note a previous write that was not committed, now that the last committed one is known."""
        if self.waiting is not None and self.waiting[0] > committed >= self.committed:
            detail = f"the write of entry {self.waiting[0]} is not in the database: killed before its commit"
            self.report.notes.append(Deviation(*self.waiting[1], "not committed", detail))
        elif committed < self.committed:
            detail = (
                f"the database had committed entry {self.committed} and knows of entry {committed} only: "
                "it was set back to a backup"
            )
            self.report.notes.append(Deviation(*self.place, "set back", detail))
        self.committed, self.waiting = committed, None

    # -- lines that cannot be read -------------------------------------------------------------------

    def unreadable(self, line: bytes, ended: bool) -> None:
        self.settle_fragment(None)
        self.fragment = (self.place, line, ended)
        self.unread += 1

    def settle_fragment(self, link: ChainFields | None) -> None:
        """Decide whether the previous line was torn and closed by the entry that follows."""
        if self.fragment is None:
            return
        place, line, _ = self.fragment
        self.fragment = None
        cut = link is not None and link.operation == CUT and link.seq == self.next
        if cut and link is not None and link.detail.get("sha256") == hashlib.sha256(line).hexdigest():
            detail = f"cut while it was written, and closed off by entry {link.seq}"
            self.report.notes.append(Deviation(*place, "cut", detail))
            self.unread -= 1
        else:
            self.report.add(Deviation(*place, "unreadable", "is no line of this log: edited, or put in"))
            self.previous = None

    # -- the end -------------------------------------------------------------------------------------

    def finish(self, known: Sequence[tuple[str, Mark]], written: Sequence[int]) -> None:
        report = self.report
        report.last = self.next - 1
        if self.fragment is not None and not self.fragment[2]:
            place = self.fragment[0]
            report.notes.append(Deviation(*place, "cut", "cut while it was written; nothing was written since"))
        else:
            self.settle_fragment(None)
        self.place = (report.files[-1] if report.files else "", 0)
        if written:
            self.judge_write(written[-1])
        for who, mark in known:
            if self.remembered.get(mark.seq, "") == mark.hash:
                continue
            if mark.seq >= self.next:
                self.found("truncated", f"ends at entry {report.last}, and {who} remembers entry {mark.seq}")
            else:
                self.found("replaced", f"entry {mark.seq} is another than {who} remembers")

    def found(self, kind: str, detail: str) -> None:
        self.report.add(Deviation(*self.place, kind, detail))
