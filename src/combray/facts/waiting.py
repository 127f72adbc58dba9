"""Ranges of memories whose earlier candidates are left to consolidation: batches are too large for the write."""

from __future__ import annotations

from collections.abc import Sequence

from combray.runtime import Reader, Writer

_LEFT = "revisions:left"
_MOST_RANGES = 200


def leave(tx: Writer, first: int, last: int) -> None:
    """Leave the candidates of the memories from one key to another to consolidation."""
    ranges = left(tx)
    if len(ranges) >= _MOST_RANGES:
        first = ranges.pop()[0]
    put_left(tx, [*ranges, (first, last)])


def left(reader: Reader) -> list[tuple[int, int]]:
    """Return the first and the last key of every range of memories whose candidates are still to be found."""
    ends = (each.partition("-") for each in filter(None, reader.kept(_LEFT).split(",")))
    return [(int(first), int(last)) for first, _, last in ends]


def due(reader: Reader) -> int:
    """Return how many memories still wait for their candidates."""
    return sum(last - first + 1 for first, last in left(reader))


def put_left(tx: Writer, ranges: Sequence[tuple[int, int]]) -> None:
    """Keep the ranges that are left."""
    tx.keep(_LEFT, ",".join(f"{first}-{last}" for first, last in ranges))
