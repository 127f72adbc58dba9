"""The audit: a log whose bytes were changed, an anchor, a key file, what the database keeps of it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.files import CLOCK
from combray.audit.chain import FileChain
from combray.audit.log import AnchorFile, AuditKey, AuditLog
from combray.audit.reading import EntryFilter, latest, lines, verify
from combray.runtime import Deeds

_SINCE = datetime(2026, 1, 1, tzinfo=UTC)
_WANTED = (
    EntryFilter(),
    EntryFilter(since=_SINCE),
    EntryFilter(operation="recall", namespace="default", memory_id="a", query="0" * 32),
)
_KEPT = "database"


class _Place:
    """A log of six entries, a full file of one before, its anchor and key, and what the database keeps."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "store.audit")
        self.log_file, self.full_file = Path(self.path), Path(f"{self.path}.0001")
        self.anchor = AnchorFile(str(folder), self.path)
        self.kept = ""
        for segment in (1, 2**20):
            log = self.open(segment=segment)
            for number in range(1 if segment == 1 else 3):
                log.record("recall", "default", ids=("abc", "def"), query=f"who {number}", detail={"x": ["é"]})
                if segment > 1:
                    deeds = Deeds(operation="remember", counts={"added": 1})
                    self.kept = log.committing("default", deeds, self.kept)
            log.close()
        self.good = {
            "log": self.log_file.read_bytes(),
            "full": self.full_file.read_bytes(),
            "anchor": Path(self.anchor.path).read_bytes(),
            "key": Path(f"{self.path}-key").read_bytes(),
            _KEPT: self.kept.encode(),
        }

    def open(self, *, segment: int = 2**20) -> AuditLog:
        """The log, as a process that begins now opens it."""
        chain = FileChain(self.path, segment=segment)
        log = AuditLog(chain, clock=lambda: CLOCK, key=AuditKey(f"{self.path}-key"), anchor=self.anchor)
        log.ask(lambda: self.kept)
        return log

    def put(self, parts: dict[str, bytes]) -> None:
        """Lay out the files as they are wanted; segments of an earlier input go."""
        for each in self.log_file.parent.glob(self.log_file.name + ".*"):
            each.unlink()
        self.log_file.write_bytes(parts["log"])
        self.full_file.write_bytes(parts["full"])
        Path(self.anchor.path).write_bytes(parts["anchor"])
        Path(f"{self.path}-key").write_bytes(parts["key"])
        self.kept = parts[_KEPT].decode("utf-8", "replace")


def _changed(data: bytes, draw: Draw) -> bytes:
    """Some changes: bytes replaced, taken out, put in, a line moved or doubled, the end cut off."""
    for _ in range(1 + draw.byte() % 4):
        rows = data.splitlines(keepends=True) or [b""]
        at, row = draw.whole(2**16 - 1) % (len(data) + 1), draw.byte() % len(rows)
        other, piece, end = draw.byte() % len(rows), draw.raw(40), at + draw.byte() % 8
        kind = draw.byte() % 6
        if kind in (0, 1, 2):
            data = data[:at] + (b"" if kind == 1 else piece) + data[(at + len(piece), end, at)[kind] :]
        else:
            lines = ([rows[other], *rows[row:]], rows[row + 1 :], [])[kind - 3]
            data = data[:at] if kind == 5 else b"".join([*rows[:row], *lines])
    return data


def _audit(folder: Path) -> Run:
    """Any change of the log is found; nothing breaks reading it or writing on; and it stays found."""
    place = _Place(folder)
    place.put(place.good)
    assert verify(place.open()).ok, "the log that nobody changed"

    def run(data: bytes) -> Any:
        draw = Draw(data)
        part = draw.pick(("log", "full", "log", "anchor", "key", _KEPT))
        whole = draw.byte() % 4 == 0
        changed = draw.raw() if whole else _changed(place.good[part], draw)
        place.put({**place.good, part: changed})
        log = place.open()
        report = verify(log)
        if part in ("log", "full") and changed != place.good[part]:
            assert report.findings or report.notes, f"a changed {part} passes for the true one"
        found = [len(latest(log, wanted, limit)) for wanted in _WANTED for limit in (None, 2)]
        said = [len(line) for line in lines(log)]
        wrote = log.record("status", "default", query="who"), log.problem
        again = verify(log)
        log.close()
        assert report.ok or not again.ok, "what was found is hidden by the next entry"
        return report, found, said, wrote, again.last

    return run


def _seeds() -> list[bytes]:
    """Each part changed by each kind of change, taken whole, and forms that other programs may leave."""
    kinds = [
        bytes([part, 1, 0, 0, place, 1, 2, 0, 3, *b"abc", 4, kind])
        for part in range(6)
        for kind in range(6)
        for place in (0, 90)
    ]
    marks = (b"", b"12 ab 1 400 6", b"-1 x 1 1 1", b"9" * 150, b"\x00" * 160, "1 x ² 3 4".encode("latin-1"))
    rows = (
        b'{"seq":1,"previous":"'
        + b"0" * 64
        + b'","at":"soon","operation":"recall","namespace":"","actor":"","result":"ok"',
        b'{"seq":-5,"previous":"","at":"2026","operation":"audit.gap","namespace":"","actor":"","result":"undone"',
        b'{"seq":99999999999999999999,"previous":"","at":"","operation":"audit.cut","detail":{"sha256":[]}',
    )
    return [
        *kinds,
        *(b"\x03\x00" + each for each in marks),
        *(b"\x05\x00" + each for each in marks),
        *(b"\x04\x00" + each for each in (b"", b"k" * 32, b"k" * 64)),
        *(b"\x00\x00" + sealed(each) + b"\n" for each in rows),
        b"\x00\x00" + b"\n" * 50,
    ]


def sealed(body: bytes) -> bytes:
    """A line with the hash that fits it, whatever it says."""
    own = hashlib.sha256(body + b"}").hexdigest().encode()
    return body + b',"hash":"' + own + b'"}'


TARGETS = (
    Target("audit", "the log, its anchor and key, changed", _audit, _seeds, ("combray.audit",), longest=1024),
)
