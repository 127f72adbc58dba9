"""Audit logs to be spoilt: with segments, a database that remembers, and an anchor."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from combray.audit.chain import FileChain, segments
from combray.audit.log import AnchorFile, AuditKey, AuditLog
from combray.runtime import Deeds
from combray.testing.fakes import FakeClock


class Kept:
    """The database's part: what it keeps with each commit."""

    def __init__(self, log: AuditLog, text: str = "") -> None:
        self.log = log
        self.text = text
        log.ask(lambda: self.text)

    def write(self, *, commit: bool = True, killed: bool = False) -> None:
        """A write that is committed, rolled back, or killed before its commit."""
        deeds = Deeds({"added": 1}, ["id"], "remember")
        kept = self.log.committing("default", deeds, self.text)
        if killed:
            return
        if commit:
            self.text = kept
        else:
            self.log.rolled_back("default", deeds, OSError())


def opened(folder: Path, *, segment: int = 1200, anchored: bool = True) -> AuditLog:
    path = str(folder / "a.db.audit")
    anchor = None
    if anchored:
        (folder / "anchors").mkdir(exist_ok=True)
        anchor = AnchorFile(str(folder / "anchors"), path)
    return AuditLog(
        FileChain(path, segment=segment), clock=FakeClock(), key=AuditKey(f"{path}-key"), anchor=anchor
    )


def filled(folder: Path, entries: int = 12, *, anchored: bool = True) -> tuple[AuditLog, Kept]:
    """A log of that many entries, every third a write, the last a read."""
    log = opened(folder, anchored=anchored)
    kept = Kept(log)
    for number in range(entries):
        if number % 3 == 0:
            kept.write()
        else:
            log.record("recall", "default", ids=[f"id-{number}"], counts={"found": 1}, query=f"question {number}")
    return log, kept


def files(folder: Path) -> list[Path]:
    """All files of the log, in order."""
    path = str(folder / "a.db.audit")
    paths = [*(Path(each) for _, each in segments(path)), Path(path)]
    return [each for each in paths if each.exists()]


def resealed(line: bytes, previous: str, **changes: object) -> tuple[bytes, str]:
    """A line with other fields and hashes that fit: what somebody with a text editor and a script would write."""
    entry = {**json.loads(line), "previous": previous, **changes}
    entry.pop("hash")
    body = json.dumps(entry, separators=(",", ":")).encode()
    own = hashlib.sha256(body).hexdigest()
    return body[:-1] + b',"hash":"' + own.encode() + b'"}', own
