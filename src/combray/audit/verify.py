"""Verifies the whole chain and reports every deviation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from combray.audit.chain import Mark, MemoryChain
from combray.audit.entry import CUT, GAP, GENESIS, ChainFields, link_of, parted
from combray.audit.log import AuditLog
from combray.records import dataclass, field

MOST_FINDINGS = 1000
"""Most findings in a report; `Report.more` counts the rest."""
_MOST_MISSING = 100_000
_AT_ONCE = 1024 * 1024


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

    if isinstance(log.chain, MemoryChain):
        look()
        return check([("memory", ((line, True) for line in log.chain.lines()))], known, written)
    files = log.chain.measured(look)
    return check([(path, _lines(path, size)) for path, size in files], known, written)


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
