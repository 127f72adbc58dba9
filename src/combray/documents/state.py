"""What the indexing pipeline carries from stage to stage: a batch of files of one workspace."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from combray.documents.files import ReadFile
from combray.remember.guard import Verdict
from combray.runtime import Reader, Writer
from combray.types import Step


@dataclass(frozen=True, slots=True)
class Arriving:
    """A file to place. `session` groups its chunks; `moved_from` is the path it had before."""

    file: ReadFile
    session: str
    moved_from: str | None = None


@dataclass(slots=True)
class Placing:
    """State of the pipeline: some files that were read, and paths that are gone, of one workspace."""

    namespace: str
    root: str
    arriving: list[Arriving]
    gone: list[str]
    reader: Reader
    now: float
    fresh_vectors: bool = False
    verdicts: dict[str, dict[int, Verdict | None]] = field(default_factory=dict)
    """What the guard made of chunks, by path and place; a chunk without one keeps what it has."""
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    leaving: set[int] = field(default_factory=set)
    """Rows that the files of this batch held before it."""
    embedded: int = 0
    reused: int = 0
    quarantined: list[str] = field(default_factory=list)
    """Ids of chunks that came into quarantine."""
    tx: Writer | None = None
    trace: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def size(self) -> int:
        """Chunks of the files."""
        return sum(len(each.file.chunks) for each in self.arriving)

    @property
    def writer(self) -> Writer:
        """The open transaction."""
        if self.tx is None:
            raise AssertionError("this stage runs inside a Transaction")
        return self.tx
