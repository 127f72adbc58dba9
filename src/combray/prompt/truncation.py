"""Truncate texts in the middle, with a mark at the gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MARK = " […] "


def shortened(text: str, kept: int) -> str:
    """Truncate a text to `kept` characters: two thirds from its start, a third from its end, a mark between.

    The end is kept because a long message often ends with its request.
    """
    if len(text) <= kept:
        return text
    end = kept // 3
    tail = text[len(text) - end :].lstrip()
    return f"{text[: kept - end].rstrip()}{MARK}{tail}".strip()


Cut = Callable[[str, int], str]
"""Shortens a text to that many characters."""


def cut_evenly(texts: Sequence[str], fits: Callable[[list[str]], bool], cut: Cut = shortened) -> list[str] | None:
    """Truncate the longest texts to the greatest common length that `fits`; None if no length does."""
    best: list[str] | None = None
    low, high = 0, max(map(len, texts), default=0)
    while low <= high:
        # The first try is the whole texts, which usually fit.
        kept = high if best is None and high == max(map(len, texts), default=0) else (low + high) // 2
        tried = [cut(text, kept) for text in texts]
        if fits(tried):
            best, low = tried, kept + 1
        else:
            high = kept - 1
    return best
