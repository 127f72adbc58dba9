"""From the bytes of one input to texts and values: the same bytes give the same values in every engine."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")
LONGEST = 20_000
"""Characters: no text of this length may take more than two seconds anywhere."""
SPREAD = 600
"""Characters to which a text is mostly repeated or spread: enough to show what is wrong, and quick."""
_RARELY = 64
"""One in so many of the texts that are repeated or spread has up to LONGEST characters."""
HOSTILE = (
    "\x00", "\ud800", "\udfff", "\u202e\u2066", "\u200b\u2060\ufeff", "e" + "\u0301" * 40, "\U0001f468\u200d",
    "\u0130\u0131\u1e9e", "\ufdfa", "'" * 30, '"' * 30, " " * 200, "\n" * 50, "a" * 300, "1" * 300, "-" * 100,
    "(" * 60, "not " * 40, "and " * 40, "数据" * 40, "خالد", "ไทย", "한국어는", "9" * 25 + " days ago",
    "0000-00-00", "2026-02-30T25:61", "9999-12-31", "1e999", "NaN", "../../etc/passwd", "%00", "\u2028",
    "\x1b[2J",
    '"; DROP TABLE memory; --', "NEAR(a b)", "a* OR b", "content:", "\u0000\u0001",
)  # fmt: skip
"""Pieces that have broken programs before: NUL, half surrogates, marks, scripts, quotes, dates, query syntax."""


class Draw:
    """Takes values off the front of an input; when it is used up, everything is 0, empty or the first choice."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes not yet used."""
        return len(self._data) - self._at

    def byte(self) -> int:
        """0 to 255."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def whole(self, most: int) -> int:
        """0 to `most`, from two bytes."""
        return (self.byte() << 8 | self.byte()) % (most + 1)

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.byte() % len(choices)]

    def raw(self, most: int | None = None) -> bytes:
        """The rest, or as many bytes as two bytes say and `most` allows."""
        length = self.left if most is None else min(self.whole(most), self.left)
        taken = self._data[self._at : self._at + length]
        self._at += length
        return taken

    def text(self, most: int | None = None) -> str:
        """A text: its first byte says how it is made.

        Mostly what the bytes are as UTF-8; sometimes with half surrogates for what is none, with hostile pieces
        between its words, or repeated. That makes SPREAD characters, and rarely LONGEST: what is not linear shows
        itself then, but an engine that kept such inputs and changed them would do little else. So it hangs on a
        checksum of all bytes, which no change passes on; how time grows is for `bench.fuzz.growth`.
        """
        mode = self.byte()
        text = self.raw(most).decode("utf-8", "surrogateescape" if mode % 16 == 1 else "replace")
        if mode % 16 in (2, 3):
            text = HOSTILE[mode // 16 * 2 % len(HOSTILE)] + text + HOSTILE[(mode * 7 + len(text)) % len(HOSTILE)]
        if mode % 16 in (4, 5) and text:
            length = max(len(text), LONGEST if zlib.crc32(self._data) % _RARELY == 0 else SPREAD)
            again = text * (length // len(text) + 1)
            spread = HOSTILE[(mode + len(text)) % len(HOSTILE)].join(text.split(" "))
            text = (again if mode % 16 == 5 else spread)[:length]
        return text[:LONGEST]

    def value(self, depth: int = 3) -> Any:
        """Anything JSON has, and things it has not."""
        kind = self.byte() % (12 if depth else 9)
        if kind < 3:
            return self.text(60)
        if kind < 9:
            plain = (None, self.whole(65535) - 5, self.whole(100) / 50, True, float("nan"), 10 ** self.byte())
            return plain[kind - 3]
        if kind < 11:
            return [self.value(depth - 1) for _ in range(self.byte() % 4)]
        return {self.text(12): self.value(depth - 1) for _ in range(self.byte() % 4)}
