"""Ids of erased memories in the texts of other rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_FEW = 8
"""Up to this number of ids, each is searched for in a text separately."""


def cleaner(ids: Sequence[str]) -> Callable[[str], str]:
    """Return a function that replaces every id in a text by the word "erased", the longest first."""
    by_length: dict[int, set[str]] = {}
    for each in sorted(ids, key=len, reverse=True):
        by_length.setdefault(len(each), set()).add(each)

    def cleaned(text: str) -> str:
        for length, some in by_length.items():
            if len(some) <= _FEW:
                found = {each for each in some if each in text}
            else:
                found = some.intersection(text[at : at + length] for at in range(len(text) - length + 1))
            for each in found:
                text = text.replace(each, "erased")
        return text

    return cleaned
