"""The tokenizer of the default embedder, opened in a millisecond.

The tokenizers library parses 1.8 MB of JSON (65 ms) before the first token, and reads every word of every text.
Here words are remembered with their ids. The merges are read from a compact file, which is mapped and shared by
all processes. The file is derived from the package and lies in the user's cache folder. A missing, damaged or
outdated one is made again. If it cannot be made, the library takes over, as it does for a text with a very long
word.

The algorithm is byte-pair encoding as the library does it (Sennrich et al., 2016,
https://aclanthology.org/P16-1162): of all neighbouring pairs, merge the one of the lowest rank, the leftmost
first. No piece of the vocabulary continues after a word boundary, so each word is merged by itself.
"""

from __future__ import annotations

import functools
import json
import mmap
import os
import re
import struct
import threading
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from combray.language.caches import keyed_by_text

SPACE = "▁"
LONGEST_WORD = 64
"""Characters. The time grows with the square of a word's length; the library's does not."""
MOST_WORDS = 16_384
"""Words whose ids are remembered: 4 MB."""
_FORMAT = 1
_HEAD = struct.Struct("=8s5I")
"""Magic bytes, format, then size and time of the source, and the CRC-32 of what follows."""
_MAGIC = b"combrayM"
_WORD = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
_NONE = 1 << 30
"""The rank of a pair that is never merged."""
_NO_MERGE = (_NONE, 0)
_MOST_SEEN = 16_384
"""Letters, and pairs of pieces, that are remembered: 3 MB."""
_MASK = 0xFFFFFFFF


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
        self.learnt = 0
        """Words that were merged."""
        self.library: Callable[[str], list[int]] | None = None
        """Merges a word of a text three times as fast, once the library is loaded."""
        self._spelling: dict[str, list[int]] = {}
        self._pairs_seen: dict[int, tuple[int, int]] = {}
        """Letters and pairs that were looked up: few of them make up most words."""

    def encode(self, text: str, most: int | None = None) -> list[int] | None:
        """Return the ids of a text, at most `most`, or None for one that the library must encode."""
        if not text:
            return []
        # A word has at least one id.
        words = _WORD.findall(SPACE + text.replace(" ", SPACE))[:most]
        if max(map(len, words)) > LONGEST_WORD:
            return None
        known = _ids_of(self)
        return [each for word in words for each in known.get(word) or self._learn(word, known)][:most]

    def _learn(self, word: str, known: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        if len(known) >= MOST_WORDS:
            known.clear()
        self.learnt += 1
        # The library puts a space before every text but an empty one.
        if self.library is None or word == SPACE:
            found = self.pieces(word)
        else:
            found = self.library(word[1:].replace(SPACE, " "))
        # The garbage collector passes over tuples of numbers.
        ids = known[word] = tuple(found)
        return ids

    def pieces(self, word: str) -> list[int]:
        """Return the ids of a word with the spaces before it."""
        seen = self._spelling
        return self._merge([piece for letter in word for piece in seen.get(letter) or self._spelt(letter)])

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


def compact(source: Path) -> bytes | None:
    """Return the compact form of a tokenizer's JSON file, without the head; None for another kind."""
    data: dict[str, Any] = json.loads(source.read_bytes())
    model, normalizer = data["model"], data["normalizer"]
    vocabulary: dict[str, int] = model["vocab"]
    pairs = [each.split(" ") if isinstance(each, str) else each for each in model["merges"]]
    spaces: list[dict[str, Any]] = [
        {"type": "Prepend", "prepend": SPACE},
        {"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
    ]
    usual = (
        model["type"] == "BPE"
        and model["byte_fallback"]
        and not model.get("dropout")
        and not model.get("ignore_merges")
        and data["pre_tokenizer"] is None
        and normalizer == {"type": "Sequence", "normalizers": spaces}
        and max(vocabulary.values()) < 1 << 16
        and [vocabulary.get(f"<0x{each:02X}>") for each in range(256)]
        == list(range(vocabulary["<0x00>"], vocabulary["<0x00>"] + 256))
        and all(_WORD.fullmatch(left + right) for left, right in pairs)
        and len({(left, right) for left, right in pairs}) == len(pairs)
    )
    if not usual:
        return None
    letters = sorted((ord(piece), number) for piece, number in vocabulary.items() if len(piece) == 1)
    rows = sorted(
        (vocabulary[left] << 16 | vocabulary[right], rank, vocabulary[left + right])
        for rank, (left, right) in enumerate(pairs)
    )
    columns = [column for table in (letters, rows) for column in zip(*table, strict=True)]
    counts = struct.pack("=3I", len(letters), len(rows), vocabulary["<0x00>"])
    return counts + b"".join(array("I", column).tobytes() for column in columns)


def read(content: memoryview) -> Merges:
    """Return the merges of a compact form."""
    letters, pairs, bytes_from = struct.unpack_from("=3I", content)
    columns, start = [], 12
    for length in (letters, letters, pairs, pairs, pairs):
        columns.append(content[start : start + 4 * length].cast("I"))
        start += 4 * length
    return Merges(*columns, bytes_from=bytes_from)


def opened(source: Path, folder: Path) -> Merges | None:
    """Return the merges of a tokenizer's JSON file through its compact file in `folder`; None without one.

    Two processes that make the file at the same time write the same bytes; each renames a file of its own into
    place. The checksum rejects a file that was cut short or damaged.
    """
    stat = source.stat()
    seconds, rest = divmod(stat.st_mtime_ns, 10**9)
    head = (_MAGIC, _FORMAT, stat.st_size & _MASK, seconds & _MASK, rest)
    path = folder / f"merges-{zlib.crc32(os.fsencode(source)):08x}"
    with suppress(OSError, ValueError):
        content = _mapped(path, head)
        if content is not None:
            return read(content)
    with suppress(OSError, ValueError, KeyError, TypeError):
        made = compact(source)
        if made is not None:
            _store(path, _HEAD.pack(*head, zlib.crc32(made)) + made)
            return read(memoryview(made))
    return None


def _mapped(path: Path, head: tuple[Any, ...]) -> memoryview | None:
    """Return what follows the head of a compact file, mapped; None if the file is outdated or damaged."""
    with path.open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if len(content) < _HEAD.size:
        return None
    *found, checksum = _HEAD.unpack_from(content)
    body = content[_HEAD.size :]
    return body if tuple(found) == head and zlib.crc32(body) == checksum else None


def _store(path: Path, content: bytes) -> None:
    """Write the file in one step. A failure is ignored: the next process tries again."""
    new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new.write_bytes(content)
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
