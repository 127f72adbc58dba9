"""Which trust a chunk gets: its folder's, less by the guard's verdict; what a person has released stays so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from combray.documents.state import Arriving, Placing
from combray.documents.verdicts import JudgeChunks
from combray.remember.guard import Verdict, was_released
from combray.runtime import Reader
from combray.types import TRUSTS, Memory, Trust


@dataclass(frozen=True, slots=True)
class ChunkTrust:
    """Trust of the chunks of one file. `judging`: whether the guard is on; without it nothing leaves quarantine.
    `foreign`: places of rows that come from other files, perhaps of a folder that was trusted more.

    `verdicts` by place: those that were judged now. `released`: the least trust to which a person has let a text
    out of quarantine anywhere in the namespace, by place.
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
        """Inside the transaction. `coming`: places of chunks that the file did not have."""
        verdicts = dict(state.verdicts.get(arriving.file.document.path, {}))
        # Somebody else may have written since the files were judged.
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
        trust, told = self._of(at, memory)
        return {**fields, "trust": trust, "metadata": {**fields["metadata"], **({"guard": told} if told else {})}}

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
            return max(self.trust, self.released[at], key=TRUSTS.index), verdict.told(self.trust)
        return verdict.trust, verdict.told(self.trust)


def released(reader: Reader, hashes: Iterable[str]) -> dict[str, Trust]:
    """Texts, by SHA-256, that a person has let out of quarantine in any file: the least trust they were given."""
    wanted = sorted(set(hashes))
    found: dict[str, Trust] = {}
    for text_hash, held in reader.documents.holding(wanted).items() if wanted else ():
        twins = reader.memories(key for key, _ in held)
        levels = [each.trust for each in twins if was_released(each)]
        if levels:
            found[text_hash] = max(levels, key=TRUSTS.index)
    return found
