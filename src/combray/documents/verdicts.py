"""The guard's verdicts on the chunks of a file: on each chunk, on the path, and on the cuts between chunks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from combray.documents.chunks import Chunk
from combray.documents.state import Arriving, Placing
from combray.records import dataclass
from combray.remember.guard import Guard, Verdict
from combray.runtime import Runtime
from combray.types import TRUSTS, Trust

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
