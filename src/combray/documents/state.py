"""The state of the indexing pipeline: a batch of files of one workspace."""

from __future__ import annotations

from datetime import UTC, tzinfo

import numpy as np
from numpy.typing import NDArray

from combray.documents.files import ReadFile
from combray.records import dataclass, field
from combray.remember.guard import Verdict
from combray.runtime import Reader, Writer
from combray.types import Step


@dataclass(frozen=True, slots=True)
class Arriving:
    """A file to index. `session` groups its chunks; `moved_from` is its previous path."""

    file: ReadFile
    session: str
    moved_from: str | None = None


@dataclass(slots=True)
class Placing:
    """State of the pipeline: files that were read, and deleted paths."""

    namespace: str
    root: str
    arriving: list[Arriving]
    gone: list[str]
    reader: Reader
    now: float
    scope: str = ""
    """Scope tag of the chunks, "" for none."""
    zone: tzinfo = UTC
    """Time zone of the days in names of files."""
    fresh_vectors: bool = False
    verdicts: dict[str, dict[int, Verdict | None]] = field(default_factory=dict)
    """Verdicts on chunks by path and place. A chunk without a verdict keeps its trust."""
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    leaving: set[int] = field(default_factory=set)
    """Previous rows of the files in this batch."""
    embedded: int = 0
    reused: int = 0
    quarantined: list[str] = field(default_factory=list)
    """Ids of chunks that were quarantined."""
    tx: Writer | None = None
    trace: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def size(self) -> int:
        """Return the number of chunks."""
        return sum(len(each.file.chunks) for each in self.arriving)

    @property
    def writer(self) -> Writer:
        """The open transaction."""
        if self.tx is None:
            raise AssertionError("this stage runs inside a Transaction")
        return self.tx
