"""The trust of a chunk: its folder's, lowered by the guard's verdict. Released chunks stay released.

The guard judges each chunk, the path, and the cuts between chunks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from combray.documents.chunks import Chunk
from combray.documents.files import Arriving, Placing
from combray.records import dataclass
from combray.remember.guard import Guard, Verdict, was_released
from combray.runtime import Reader, Runtime
from combray.types import TRUSTS, Memory, Trust

SEAM = 240
"""Characters on each side of a cut that are judged together. The guard's longest sentence has about 300."""
_ENDS = re.compile(r"[.!?。！？]+(?=\s|$)")
_WORDS = str.maketrans("-_./+", "     ")


@dataclass(frozen=True)
class JudgeChunks:
    """Judges every chunk that is new in its file, or all chunks with `everything`.

    Chunks have the trust of their folder. An injection that is split by a cut counts for both chunks, one in the
    path for the whole file. If the guard is off, new chunks get the trust of their folder and quarantined ones
    stay quarantined.
    """

    needs = ("files",)
    gives = ("verdicts",)
    guard: Guard
    trust: Trust
    everything: bool = False

    def __call__(self, state: Placing, runtime: Runtime) -> Placing:
        """Fill `verdicts` by path and place in the file; a chunk without a verdict keeps its trust."""
        del runtime
        for each in state.arriving:
            places = range(len(each.file.chunks)) if self.everything else self._new(state, each)
            chunks = [one.chunk for one in each.file.chunks]
            state.verdicts[each.file.document.path] = self.judge(each.file.document.path, chunks, places)
        return state

    def judge(self, path: str, chunks: Sequence[Chunk], places: Iterable[int]) -> dict[int, Verdict | None]:
        """Return verdicts on the chunks at some places of a file, and on their neighbours across a cut."""
        wanted = sorted(places)
        if not wanted or not self.guard.enabled:
            return dict.fromkeys(wanted)
        seams = {at for place in wanted for at in (place - 1, place) if _is_cut(chunks, at)}
        named = self.guard.verdict(str(PurePosixPath(path).with_suffix("")).translate(_WORDS), self.trust)
        found: dict[int, Verdict | None] = {}
        for place in sorted({*wanted, *seams, *(at + 1 for at in seams)}):
            found[place] = _worse(self.guard.verdict(chunks[place].text, self.trust), named)
        for at in sorted(seams):
            parted = self._parted(chunks[at], chunks[at + 1])
            for place in (at, at + 1):
                found[place] = _worse(found[place], parted)
        return found

    def _parted(self, first: Chunk, second: Chunk) -> Verdict | None:
        """Return the verdict on the sentence that is split by a cut, if neither half gets one alone."""
        before = _ENDS.split(first.text[-SEAM:])[-1]
        after = _ENDS.split(second.text[:SEAM], maxsplit=1)[0]
        if not before.strip() or not after.strip():
            return None
        within = second.start_line == first.end_line
        verdict = self.guard.verdict(f"{before}{'' if within else ' '}{after}", self.trust)
        # Separate lines may be unrelated: an injection that is whole in one of them does not affect the other.
        if verdict is None or within:
            return verdict
        return None if any(self.guard.verdict(each, self.trust) for each in (before, after)) else verdict

    def _new(self, state: Placing, arriving: Arriving) -> list[int]:
        """Return the places of texts that this path did not have, or had fewer times."""
        document = arriving.file.document
        held = Counter(text for _, text in state.reader.documents.chunks(document.root, document.path))
        new = []
        for place, each in enumerate(arriving.file.chunks):
            if held[each.hash]:
                held[each.hash] -= 1
            else:
                new.append(place)
        return new


def _is_cut(chunks: Sequence[Chunk], at: int) -> bool:
    """Whether the chunk at a place and the next one do not overlap."""
    if not 0 <= at < len(chunks) - 1:
        return False
    first, second = chunks[at], chunks[at + 1]
    return second.start_line > first.end_line or not first.text.endswith(second.text.split("\n", 1)[0])


def _worse(one: Verdict | None, other: Verdict | None) -> Verdict | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda each: (TRUSTS.index(each.trust), each.score))


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
