"""Which of many byte strings occur in blocks of bytes, in one pass over the blocks.

At every place the first bytes are compared with those of all strings at once; where they agree, the rest is
compared. This file imports nothing of Combray, so that another process can load it by its path
(`audit/looking.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_AT_ONCE = 1 << 20
"""Bytes of short blocks that are searched together."""
_LEAST = 5
"""Bytes of the shortest string that is not searched for alone."""
_BITS = 22
"""Of the table that most places are ruled out by."""
_ODD = 0x9E3779B97F4A7C15


def occurring(wanted: Sequence[bytes], blocks: Iterable[bytes]) -> set[int]:
    """Places in `wanted` of the strings that some block holds."""
    search = Substrings(wanted)
    joined: list[bytes] = []
    size = 0
    for block in blocks:
        joined.append(block)
        size += len(block) + 1
        if size > _AT_ONCE:
            search.look(b"\0".join(joined))
            joined, size = [], 0
    search.look(b"\0".join(joined))
    return search.found


class Substrings:
    """Finds the strings in one block after another. `found` has their places in `wanted`."""

    def __init__(self, wanted: Sequence[bytes]) -> None:
        self.found: set[int] = set()
        self._short = {at: value for at, value in enumerate(wanted) if len(value) < _LEAST}
        by_width: dict[int, dict[int, bytes]] = {}
        for at, value in enumerate(wanted):
            if len(value) >= _LEAST:
                width = 16 if len(value) >= 16 else min(len(value), 8)
                by_width.setdefault(width, {})[at] = value
        self._groups = [_Group(width, held) for width, held in by_width.items()]

    def look(self, block: bytes) -> None:
        """Add to `found` the places of the strings that the block holds."""
        self.found.update(at for at, value in self._short.items() if value in block)
        for group in self._groups:
            self.found.update(group.search(block))


class _Group:
    """Strings whose first `width` bytes are compared at once."""

    def __init__(self, width: int, wanted: dict[int, bytes]) -> None:
        self.width = width
        beginnings: dict[bytes, list[tuple[int, bytes]]] = {}
        for at, value in wanted.items():
            beginnings.setdefault(value[:width], []).append((at, value))
        joined = b"".join(each.ljust(16, b"\0") for each in beginnings)
        halves = np.frombuffer(joined, dtype="<u8").reshape(-1, 2)
        keys = self._mixed(halves[:, 0], halves[:, 1])
        order = np.argsort(keys)
        self.keys = keys[order]
        every = list(beginnings.values())
        self.strings = [every[place] for place in order.tolist()]
        """For each key the strings that begin so and were not found yet."""
        self.open = np.ones(len(self.keys), dtype=np.bool_)
        self.table = np.zeros(1 << _BITS, dtype=np.bool_)
        self.table[self.keys >> np.uint64(64 - _BITS)] = True

    def _mixed(self, low: Words, high: Words) -> Words:
        """One number for the first bytes: alike for alike bytes, rarely alike for others."""
        if self.width < 8:
            low = low & np.uint64((1 << 8 * self.width) - 1)
        elif self.width == 16:
            low = low ^ (high * np.uint64(_ODD) + (high >> np.uint64(29)))
        return low * np.uint64(_ODD)

    def search(self, block: bytes) -> list[int]:
        """Places of the strings that the block holds; they are not looked for again."""
        padded = block + bytes(24)
        found: list[int] = []
        for shift in range(min(8, len(block))):
            words = np.frombuffer(padded, dtype="<u8", count=(len(block) - shift + 7) // 8 + 1, offset=shift)
            mixed = self._mixed(words[:-1], words[1:])
            here = np.flatnonzero(self.table[mixed >> np.uint64(64 - _BITS)])
            keys = np.minimum(np.searchsorted(self.keys, mixed[here]), len(self.keys) - 1)
            alike = (self.keys[keys] == mixed[here]) & self.open[keys]
            here, keys = here[alike], keys[alike]
            # A string that occurs often is found at its first place, and closes its key for the others.
            firsts = np.zeros(len(keys), dtype=np.bool_)
            firsts[np.unique(keys, return_index=True)[1]] = True
            for some in (firsts, ~firsts):
                some = some & self.open[keys]
                for key, place in zip(keys[some].tolist(), (here[some] * 8 + shift).tolist(), strict=True):
                    matching = [each for each in self.strings[key] if block.startswith(each[1], place)]
                    if matching:
                        found += (at for at, _ in matching)
                        self.strings[key] = [each for each in self.strings[key] if each not in matching]
                        self.open[key] = bool(self.strings[key])
        return found
