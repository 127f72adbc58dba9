"""Calls to a language model about stored texts: fenced texts in, JSON out."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Generic, TypeVar

import msgspec

from combray.language.model_tokens import disarmed
from combray.records import known
from combray.types import Memory
from combray.values import new_id

T = TypeVar("T")
_OPENING = re.compile(r"[{\[]")


class PairDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one pair, by its number. A subclass has the decision."""

    pair: int


D = TypeVar("D", bound=PairDecision)


class PairDecisions(msgspec.Struct, Generic[D], frozen=True, forbid_unknown_fields=True):
    """The requested object."""

    decisions: list[D]


def marker(now: float) -> str:
    """Return a line that fences stored texts. No stored text can contain it, so none can close the fence."""
    return f"---{new_id(datetime.fromtimestamp(now, UTC))}---"


def pairs(told: Iterable[Sequence[tuple[str, Memory]]], now: float) -> str:
    """Return numbered pairs of texts. Each text is fenced and has a title."""
    fence, parts = marker(now), []
    for number, pair in enumerate(told, 1):
        parts.append(f"Pair {number}")
        parts += [f"{title}:\n{fence}\n{disarmed(memory.content)}\n{fence}" for title, memory in pair]
    return "\n".join(parts)


def decoded(answer: str, shape: type[T]) -> T:
    """Parse the one JSON value of the requested shape in an answer.

    Many models put it into a code fence, write a sentence around it, or wrap an array in an object of one field.
    Raises msgspec.MsgspecError if the answer has no value of that shape, or several different ones.
    """
    fitting: list[T] = []
    failure = msgspec.ValidationError("the answer contains no JSON")
    for value in json_values(answer):
        for candidate in (value, *_wrapped(value)):
            try:
                found = msgspec.convert(candidate, type=known(shape))
            except msgspec.ValidationError as error:
                failure = error
            else:
                fitting += [] if found in fitting else [found]
                break
    if len(fitting) > 1:
        raise msgspec.ValidationError("the answer contains several values of the requested shape")
    if not fitting:
        raise failure
    return fitting[0]


def json_values(answer: str) -> Iterator[object]:
    """Yield the objects and arrays of an answer, the outermost ones, in their order."""
    decoder, place = json.JSONDecoder(), 0
    while opening := _OPENING.search(answer, place):
        try:
            value, place = decoder.raw_decode(answer, opening.start())
        except ValueError:
            place = opening.end()
        except RecursionError:
            # Nested too deeply, and so is what begins at the next bracket: all of them are passed over.
            place = len(answer) - len(answer[opening.start() :].lstrip("[{ \t\r\n"))
        else:
            yield value


def _wrapped(value: object) -> list[object]:
    """Return the array inside an object of one field."""
    inside = list(value.values()) if isinstance(value, dict) and len(value) == 1 else []
    return [each for each in inside if isinstance(each, list)]


def decisions(answer: str, shape: type[D], count: int) -> dict[int, D]:
    """Parse decisions by pair number, 1 to `count`, without pairs that have two different answers.

    Raises msgspec.MsgspecError for an answer that is not the requested JSON.
    """
    found: dict[int, set[D]] = defaultdict(set)
    reply: PairDecisions[D] = decoded(answer, PairDecisions[shape])  # type: ignore[valid-type]
    for each in reply.decisions:
        found[each.pair].add(each)
    return {
        number: next(iter(given)) for number, given in found.items() if 1 <= number <= count and len(given) == 1
    }
