"""The tokenizer of the default embedder, opened in a millisecond.

The tokenizers library parses 1.8 MB of JSON (65 ms) before the first token, and reads every word of every text.
Here words are remembered with their ids, and the merges lie in a compact file that is mapped and shared by all
processes. `building/table.py` writes it, from the library's file, when Combray is built.

The algorithm is byte-pair encoding as the library does it (Sennrich et al., 2016,
https://aclanthology.org/P16-1162): of all neighbouring pairs, merge the one of the lowest rank, the leftmost
first. No piece of the vocabulary continues after a word boundary, so each word is merged by itself.
"""

from __future__ import annotations

import functools
import mmap
import re
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import chain, pairwise
from pathlib import Path

from combray.language.caches import keyed_by_text

SPACE = "▁"
LONGEST_WORD = 64
"""Characters up to which the lowest pair is searched anew each time: faster than a heap for short words."""
MOST_WORDS = 16_384
"""Words whose ids are remembered: 4 MB."""
_HEAD = struct.Struct("<8s2I")
"""Magic bytes, format, and the CRC-32 of what follows."""
_MAGIC, _FORMAT = b"combrayM", 2
_COUNTS = struct.Struct("<3I")
_WORD = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
_SPECIAL = {"<unk>": 0, "<s>": 1, "</s>": 2}
"""What the library reads as one token wherever it stands."""
_SPECIALS = re.compile("(<unk>|</?s>)")
_NONE = 1 << 30
"""The rank of a pair that is never merged."""
_NO_MERGE = (_NONE, 0)
_MOST_SEEN = 16_384
"""Letters, and pairs of pieces, that are remembered: 3 MB."""


class Merges:
    """The vocabulary and merges of a byte-pair encoding, in arrays sorted by their first column.

    `letters` and `letter_ids`: code points that are pieces, with ids. `pairs`: two ids as `left << 16 | right`,
    with the pair's rank and the id of the merged piece. `bytes_from`: id of the piece of byte 0.
    """

    def __init__(
        self,
        letters: Sequence[int],
        letter_ids: Sequence[int],
        pairs: Sequence[int],
        ranks: Sequence[int],
        merged: Sequence[int],
        *,
        bytes_from: int,
    ) -> None:
        self._letters, self._letter_ids = letters, letter_ids
        self._pairs, self._ranks, self._merged = pairs, ranks, merged
        self._bytes_from = bytes_from
        self._spelling: dict[str, list[int]] = {}
        self._pairs_seen: dict[int, tuple[int, int]] = {}
        """Letters and pairs that were looked up: few of them make up most words."""

    def encode(self, text: str, most: int | None = None) -> list[int]:
        """Return the ids of a text, at most `most`."""
        if "<" not in text or not _SPECIALS.search(text):
            return self._plain(text, most)
        parts = _SPECIALS.split(text)
        ids = ([_SPECIAL[each]] if each in _SPECIAL else self._plain(each, most) for each in parts)
        return list(chain.from_iterable(ids))[:most]

    def _plain(self, text: str, most: int | None) -> list[int]:
        """Return the ids of a text without special tokens."""
        if not text:
            return []
        # The library puts a space before a text. A word has at least one id.
        words = _WORD.findall(SPACE + text.replace(" ", SPACE))[:most]
        known = _ids_of(self)
        return [each for word in words for each in known.get(word) or self._learn(word, known)][:most]

    def _learn(self, word: str, known: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        # The garbage collector passes over tuples of numbers.
        ids = tuple(self.pieces(word))
        if len(word) <= LONGEST_WORD:
            if len(known) >= MOST_WORDS:
                known.clear()
            known[word] = ids
        return ids

    def pieces(self, word: str) -> list[int]:
        """Return the ids of a word with the spaces before it."""
        seen = self._spelling
        ids = [piece for letter in word for piece in seen.get(letter) or self._spelt(letter)]
        return self._merge(ids) if len(ids) <= LONGEST_WORD else self._merge_long(ids)

    def _spelt(self, letter: str) -> list[int]:
        """Return the id of a letter, or those of its bytes in UTF-8."""
        if len(self._spelling) >= _MOST_SEEN:
            self._spelling.clear()
        found = self._spelling[letter] = self._looked_up(letter)
        return found

    def _looked_up(self, letter: str) -> list[int]:
        code = ord(letter)
        at = bisect_left(self._letters, code)
        if at < len(self._letters) and self._letters[at] == code:
            return [self._letter_ids[at]]
        return [self._bytes_from + each for each in letter.encode("utf-8", "surrogatepass")]

    def _merge(self, ids: list[int]) -> list[int]:
        seen = self._pairs_seen
        found = [seen.get(left << 16 | right) or self._found(left, right) for left, right in pairwise(ids)]
        while found:
            best = min(found)
            if best[0] == _NONE:
                break
            at = found.index(best)
            ids[at : at + 2] = [best[1]]
            del found[at]
            if at:
                found[at - 1] = self._found(ids[at - 1], ids[at])
            if at < len(found):
                found[at] = self._found(ids[at], ids[at + 1])
        return ids

    def _merge_long(self, ids: list[int]) -> list[int]:
        """Merge by a heap of pairs, in a time that grows with n log n instead of n²."""
        size = len(ids)
        before, after = list(range(-1, size - 1)), list(range(1, size + 1))
        heap: list[tuple[int, int, int, int]] = []

        def offer(left: int, right: int) -> None:
            pair = ids[left] << 16 | ids[right]
            rank, _ = self._pairs_seen.get(pair) or self._found(ids[left], ids[right])
            if rank != _NONE:
                heappush(heap, (rank, left, right, pair))

        for left in range(size - 1):
            offer(left, left + 1)
        while heap:
            _, left, right, pair = heappop(heap)
            # Outdated: one of the two was merged with another since. A merged right piece has the id -1.
            if after[left] != right or ids[left] << 16 | ids[right] != pair:
                continue
            ids[left] = self._found(ids[left], ids[right])[1]
            ids[right] = -1
            follower = after[left] = after[right]
            if follower < size:
                before[follower] = left
                offer(left, follower)
            if before[left] >= 0:
                offer(before[left], left)
        return [each for each in ids if each >= 0]

    def _found(self, left: int, right: int) -> tuple[int, int]:
        """Return the rank of a pair and the id that it merges to."""
        pair = left << 16 | right
        known = self._pairs_seen.get(pair)
        if known is None:
            if len(self._pairs_seen) >= _MOST_SEEN:
                self._pairs_seen.clear()
            at = bisect_left(self._pairs, pair)
            there = at < len(self._pairs) and self._pairs[at] == pair
            known = self._pairs_seen[pair] = (self._ranks[at], self._merged[at]) if there else _NO_MERGE
        return known


@keyed_by_text
@functools.lru_cache(maxsize=4)
def _ids_of(merges: Merges) -> dict[str, tuple[int, ...]]:
    """Return the remembered words with their ids: few words make up most texts."""
    del merges
    return {}


def opened(path: Path) -> Merges:
    """Return the merges of a compact file, mapped. Raises OSError, ValueError."""
    with path.open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    body = content[_HEAD.size :]
    if len(content) < _HEAD.size or _HEAD.unpack_from(content) != (_MAGIC, _FORMAT, zlib.crc32(body)):
        raise ValueError("it is damaged or of another version")
    letters, pairs, bytes_from = _COUNTS.unpack_from(body)
    columns, start = [], _COUNTS.size
    for length in (letters, letters, pairs, pairs, pairs):
        columns.append(_numbers(body[start : start + 4 * length]))
        start += 4 * length
    return Merges(*columns, bytes_from=bytes_from)


def _numbers(column: memoryview) -> Sequence[int]:
    """Return little-endian numbers: as they lie in the file, unless the processor orders bytes the other way."""
    if sys.byteorder == "little":
        return column.cast("I")
    swapped = array("I", column.tobytes())
    swapped.byteswap()
    return swapped
