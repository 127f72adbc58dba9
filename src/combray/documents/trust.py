"""The trust of a chunk: its folder's, lowered by the guard's verdict. Released chunks stay released."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from combray.documents.state import Arriving, Placing
from combray.documents.verdicts import JudgeChunks
from combray.records import dataclass
from combray.remember.guard import Verdict, was_released
from combray.runtime import Reader
from combray.types import TRUSTS, Memory, Trust


@dataclass(frozen=True, slots=True)
class ChunkTrust:
    """Trust of the chunks of one file, by place.

    `verdicts`: new verdicts. `released`: the lowest trust with which the text was released from quarantine
    anywhere in the namespace. `foreign`: rows that come from other files, whose folder may be trusted more.
    `judging`: whether the guard is on; if not, no chunk leaves quarantine.
    """

    trust: Trust
    verdicts: Mapping[int, Verdict | None]
    released: Mapping[int, Trust]
    foreign: frozenset[int]
    judging: bool = True

    @classmethod
    def of(
        cls,
        state: Placing,
        arriving: Arriving,
        coming: Iterable[int],
        foreign: Iterable[int],
        judging: JudgeChunks,
    ) -> ChunkTrust:
        """Complete the verdicts inside the transaction. `coming`: places of chunks that are new in the file."""
        verdicts = dict(state.verdicts.get(arriving.file.document.path, {}))
        # Another process may have written after the files were judged.
        unjudged = [place for place in coming if place not in verdicts]
        if unjudged:
            chunks = [each.chunk for each in arriving.file.chunks]
            verdicts |= judging.judge(arriving.file.document.path, chunks, unjudged)
        apart = [at for at, each in verdicts.items() if each is not None and each.trust == "quarantined"]
        hashes = {at: arriving.file.chunks[at].hash for at in apart}
        free = released(state.writer, hashes.values())
        let_out = {at: free[text_hash] for at, text_hash in hashes.items() if text_hash in free}
        return cls(judging.trust, verdicts, let_out, frozenset(foreign), judging.guard.enabled)

    def given(self, at: int, memory: Memory | None, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of a chunk with its trust and, under metadata "guard", why it is that; `memory` is its row."""
        trust, noted = self._of(at, memory)
        return {
            **fields,
            "trust": trust,
            "metadata": {**fields["metadata"], **({"guard": noted} if noted else {})},
        }

    def _of(self, at: int, memory: Memory | None) -> tuple[Trust, Any]:
        verdict = self.verdicts.get(at)
        if memory is not None:
            stays = at not in self.verdicts or was_released(memory)
            if stays or (memory.trust == "quarantined" and not self.judging):
                least = self.trust if at in self.foreign else memory.trust
                return max(least, memory.trust, key=TRUSTS.index), memory.metadata.get("guard")
        if verdict is None:
            return self.trust, None
        if at in self.released:
            return max(self.trust, self.released[at], key=TRUSTS.index), verdict.as_metadata(self.trust)
        return verdict.trust, verdict.as_metadata(self.trust)


def released(reader: Reader, hashes: Iterable[str]) -> dict[str, Trust]:
    """Return the texts, by SHA-256, that were released from quarantine in any file, with their lowest trust."""
    wanted = sorted(set(hashes))
    found: dict[str, Trust] = {}
    for text_hash, held in reader.documents.holding(wanted).items() if wanted else ():
        twins = reader.memories(key for key, _ in held)
        levels = [each.trust for each in twins if was_released(each)]
        if levels:
            found[text_hash] = max(levels, key=TRUSTS.index)
    return found
