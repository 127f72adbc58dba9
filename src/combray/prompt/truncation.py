"""Texts made shorter with a mark where something is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MARK = " […] "


def shortened(text: str, kept: int) -> str:
    """The text, or `kept` characters of it: two thirds from its beginning, a third from its end, a mark between.

    A long message often ends in what it asks for, so its end is not given up.
    """
    if len(text) <= kept:
        return text
    end = kept // 3
    tail = text[len(text) - end :].lstrip()
    return f"{text[: kept - end].rstrip()}{MARK}{tail}".strip()


def cut_evenly(texts: Sequence[str], fits: Callable[[list[str]], bool]) -> list[str] | None:
    """The texts, the longest cut to one common length: the greatest found that `fits`; None if no length does."""
    best: list[str] | None = None
    low, high = 0, max(map(len, texts), default=0)
    while low <= high:
        # The first try is the whole texts: mostly nothing has to be cut.
        kept = high if best is None and high == max(map(len, texts), default=0) else (low + high) // 2
        tried = [shortened(text, kept) for text in texts]
        if fits(tried):
            best, low = tried, kept + 1
        else:
            high = kept - 1
    return best
