"""Calls to a language model about stored texts: fenced texts in, JSON out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from combray.types import Memory
from combray.values import new_id

T = TypeVar("T")


def marker(now: float) -> str:
    """Return a line that fences stored texts. No stored text can contain it, so none can close the fence."""
    return f"---{new_id(datetime.fromtimestamp(now, UTC))}---"


def pairs(told: Iterable[Sequence[tuple[str, Memory]]], now: float) -> str:
    """Return numbered pairs of texts. Each text is fenced and has a title."""
    fence, parts = marker(now), []
    for number, pair in enumerate(told, 1):
        parts.append(f"Pair {number}")
        parts += [f"{title}:\n{fence}\n{memory.content}\n{fence}" for title, memory in pair]
    return "\n".join(parts)


def decoded(answer: str, shape: type[T]) -> T:
    """Parse an answer. Raises msgspec.MsgspecError if it is not exactly the requested JSON."""
    return msgspec.json.decode(answer.strip().encode("utf-8", "replace"), type=shape)


def unanimous(answers: Iterable[tuple[int, T]], count: int) -> dict[int, T]:
    """Return answers by number, 1 to `count`, without numbers that have two different answers."""
    found: dict[int, set[T]] = defaultdict(set)
    for number, answer in answers:
        found[number].add(answer)
    return {
        number: next(iter(given)) for number, given in found.items() if 1 <= number <= count and len(given) == 1
    }
