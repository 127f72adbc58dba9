"""A `where` of JSON values to a condition. Errors name the field, the operator, the value and what is allowed."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any

from combray.errors import InvalidInputError, brief
from combray.values import as_moment, clean_text
from combray.where.condition import (
    CHOICES,
    FIELDS,
    METADATA,
    OPERATORS,
    RANGES,
    And,
    Compare,
    Condition,
    Not,
    Operator,
    Or,
    Sort,
    Value,
)

MOST_DEPTH = 20
MOST_COMPARISONS = 200
MOST_VALUES = 10_000
"""Limits of one `where`: how deep, how many comparisons, how many values of one `in`."""
_LONGEST = 200_000
_WHOLE = 2**63
_SEGMENT = re.compile(r'"(?:[^"\\]|\\.)*"|[^."]+')
_ALIASES = {"occurred_at": "occurred_from"}
_bad = partial(InvalidInputError, "where")
_ORDERED: tuple[Sort, ...] = ("number", "time")


def parse(where: Mapping[str, Any] | None, now: float, zone: tzinfo = UTC) -> Condition | None:
    """The condition that a `where` means, None for one that lets everything through.

    `now` (unix seconds) is what times in words ("3 days ago") count from; days are those of `zone`. Raises
    InvalidInputError.
    """
    if where is None or (isinstance(where, Mapping) and not where):
        return None
    return _Parser(now, zone).condition(where, 0)


class _Parser:
    def __init__(self, now: float, zone: tzinfo) -> None:
        self.now, self.zone = now, zone
        self.comparisons = 0

    def condition(self, where: Any, depth: int) -> Condition:
        if not isinstance(where, Mapping):
            raise _bad(
                f"{brief(where)} is not a mapping.", 'Give fields and values, such as {"category": "decision"}.'
            )
        if not where:
            raise _bad("an empty mapping stands inside and, or or not.", "Name a field in it, or remove it.")
        if depth > MOST_DEPTH:
            raise _bad(f"it is nested more than {MOST_DEPTH} levels deep.", "Write it flatter.")
        return _all([self._part(name, value, depth) for name, value in where.items()])

    def _part(self, name: Any, value: Any, depth: int) -> Condition:
        if name == "not":
            return Not(self.condition(value, depth + 1))
        if name in ("and", "or"):
            if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence) or not value:
                raise _bad(
                    f"{name} {brief(value)} is not a list of conditions.", f"Give {name} a list of mappings."
                )
            parts = tuple(self.condition(each, depth + 1) for each in value)
            return And(parts) if name == "and" else Or(parts)
        field, path = _place(name)
        given = value if isinstance(value, Mapping) else {"eq": value}
        if not given:
            raise _bad(f"{name} {{}} names no operator.", f"Operators: {', '.join(OPERATORS)}.")
        return _all([self._compare(name, field, path, *each) for each in given.items()])

    def _compare(self, name: str, field: str, path: tuple[str, ...], operator: Any, value: Any) -> Condition:
        self.comparisons += 1
        if self.comparisons > MOST_COMPARISONS:
            raise _bad(
                f"it has more than {MOST_COMPARISONS} comparisons.", "Use in for many values of one field."
            )
        ordered = field == METADATA or FIELDS[field] in _ORDERED
        allowed = OPERATORS if ordered else tuple(each for each in OPERATORS if each not in RANGES)
        if operator not in allowed:
            raise _bad(
                f"{name} {brief(operator)} is not an operator of this field.", f"Operators: {', '.join(allowed)}."
            )
        said = f"{name} {operator} {brief(value)}"
        if operator == "exists":
            if not isinstance(value, bool):
                raise _bad(f"{said} is not true or false.", "Give true or false.")
            return Compare(field, "exists", FIELDS.get(field, "text"), (value,), path)
        if operator != "in":
            sort, checked = self._value(said, field, operator, value)
            return Compare(field, operator, sort, (checked,), path)
        if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, (Sequence, set, frozenset)):
            raise _bad(f"{said} is not a list.", "Give in a list of values.")
        if not 1 <= len(value) <= MOST_VALUES:
            raise _bad(f"{name} in has {len(value)} values.", f"Give 1 to {MOST_VALUES}.")
        by_sort: dict[Sort, dict[Value, None]] = {}
        for each in value:
            sort, checked = self._value(f"{name} in {brief(each)}", field, "in", each)
            by_sort.setdefault(sort, {})[checked] = None
        options = tuple(Compare(field, "in", sort, tuple(found), path) for sort, found in by_sort.items())
        return options[0] if len(options) == 1 else Or(options)

    def _value(self, said: str, field: str, operator: Operator, value: Any) -> tuple[Sort, Value]:
        if value is None:
            raise _bad(f"{said} is not a value.", 'Use {"exists": false} for what is missing.')
        sort = _sort_of(said, operator, value) if field == METADATA else FIELDS[field]
        if sort == "time":
            return sort, self._moment(said, value)
        if sort == "number":
            return sort, _number(said, value)
        if sort == "flag":
            return sort, bool(value)
        if not isinstance(value, str):
            raise _bad(f"{said} is not a text.", "Give a text.")
        text = clean_text("where", value, _LONGEST)
        if field == "slot":
            # As it is stored: names that differ in case are one slot.
            return sort, unicodedata.normalize("NFC", text).casefold()
        if field in CHOICES and text not in CHOICES[field]:
            raise _bad(f"{said} is not known.", f"Use one of: {', '.join(CHOICES[field])}.")
        return sort, text.casefold() if sort == "label" else text

    def _moment(self, said: str, value: Any) -> datetime:
        try:
            moment = as_moment("where", value, self.now, self.zone)
        except InvalidInputError as error:
            raise _bad(f"{said} is not a time: {error.problem}", error.remedy) from None
        if moment is None:
            raise _bad(f"{said} is not a time.", "Give a datetime or a text such as 2026-03-01.")
        return moment


def _all(parts: list[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _sort_of(said: str, operator: Operator, value: Any) -> Sort:
    """The sort of a value that metadata is compared with."""
    if isinstance(value, bool):
        if operator in RANGES:
            raise _bad(f"{said} has no order.", "Give a number or a text.")
        return "flag"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    raise _bad(f"{said} cannot be compared.", "Give a text, a number, true or false.")


def _number(said: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _bad(f"{said} is not a number.", "Give a number.")
    if not -_WHOLE <= value < _WHOLE if isinstance(value, int) else not math.isfinite(value):
        raise _bad(f"{said} is out of range.", "Give a finite number of at most 64 bits.")
    return value


def _place(name: Any) -> tuple[str, tuple[str, ...]]:
    """The field that a name means, and the path into metadata: `metadata.a.b`, or `metadata."a.b"`."""
    if not isinstance(name, str):
        raise _bad(f"{brief(name)} is not a field.", "Name fields with texts.")
    field, dotted, rest = name.partition(".")
    if field == METADATA:
        path = tuple(_segments(rest)) if dotted else ()
        if not path:
            raise _bad(f"{brief(name)} names no entry.", "Name one, such as metadata.user or metadata.app.name.")
        return METADATA, path
    field = _ALIASES.get(name, name)
    if field not in FIELDS:
        raise _bad(
            f"{brief(name)} is not a field.", f"Fields: {', '.join(FIELDS)}, metadata.NAME; also and, or, not."
        )
    return field, ()


def _segments(rest: str) -> Iterator[str]:
    place = 0
    while True:
        found = _SEGMENT.match(rest, place)
        ends = found is not None and (found.end() == len(rest) or rest[found.end()] == ".")
        try:
            if found is None or not ends:
                raise ValueError
            yield json.loads(found[0]) if found[0].startswith('"') else found[0]
        except ValueError:
            path = brief(f"{METADATA}.{rest}")
            raise _bad(f"{path} is not a path.", 'Join names with dots; quote others: metadata."a.b".') from None
        if found.end() == len(rest):
            return
        place = found.end() + 1
