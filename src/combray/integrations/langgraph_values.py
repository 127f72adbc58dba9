"""Paths, texts and filters of LangGraph's items, in the engine's terms. Needs no framework."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_RANGES = {"$gt": "gt", "$gte": "gte", "$lt": "lt", "$lte": "lte"}
_OPERATORS = {"$eq": "eq", "$ne": "ne", **_RANGES}
_EXACT = 2**53


def fits(match_type: str, path: Sequence[str], namespace: Sequence[str]) -> bool:
    """Return whether a namespace starts or ends with a path; "*" stands for any one label."""
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", given) for wanted, given in zip(path, part, strict=True))


def text_of(value: Mapping[str, Any]) -> str:
    """Return a whole value as text: a line for each leaf, with its name unless it is the only one."""
    leaves = list(_leaves("", value))
    if len(leaves) == 1 and isinstance(leaves[0][1], str):
        return str(leaves[0][1])
    return "\n".join(f"{name}: {leaf if isinstance(leaf, str) else json.dumps(leaf)}" for name, leaf in leaves)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _leaves(f"{name}.{inner}" if name else str(inner), each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(name, each)
    elif value is not None:
        yield name, value


def where_of(path: str, wanted: Mapping[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """Return conditions that every match meets, and whether they are the whole filter.

    What the engine's filters do not have (values below a field, lists, None, ranges of texts, names with other
    characters) is left to `matches`.
    """
    found: list[dict[str, Any]] = []
    whole = True
    for name, value in wanted.items():
        compared = value if isinstance(value, Mapping) else {"$eq": value}
        for operator, operand in compared.items():
            if _SEGMENT.fullmatch(name) and operator in _OPERATORS and _comparable(operator, operand):
                found.append({f"{path}.{name}": {_OPERATORS[operator]: operand}})
            else:
                whole = False
        whole = whole and bool(compared)
    return found, whole


def _comparable(operator: str, operand: Any) -> bool:
    if isinstance(operand, str):
        return operator not in _RANGES and operand.isprintable()
    if isinstance(operand, bool):
        return operator not in _RANGES
    return isinstance(operand, (int, float)) and math.isfinite(operand) and abs(operand) <= _EXACT


def matches(value: Any, wanted: Mapping[str, Any] | None) -> bool:
    """Return whether a value passes a filter, as `InMemoryStore` decides it."""
    return all(_compares(_at(value, name), each) for name, each in (wanted or {}).items())


def _at(value: Any, name: str) -> Any:
    """Return what a name leads to: the field of that name, else the path that its dots make."""
    if not isinstance(value, Mapping) or name in value:
        return value.get(name) if isinstance(value, Mapping) else None
    first, dot, rest = name.partition(".")
    return _at(value.get(first), rest) if dot else None


def _compares(given: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(each).startswith("$") for each in wanted):
            return all(_holds(given, operator, operand) for operator, operand in wanted.items())
        return isinstance(given, Mapping) and matches(given, wanted)
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(given, Sequence)
            and not isinstance(given, str)
            and len(given) == len(wanted)
            and all(map(_compares, given, wanted))
        )
    return bool(given == wanted)


def _holds(given: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(given == operand) is (operator == "$eq")
    if operator not in _RANGES:
        raise ValueError(f"{operator} is not an operator. Use one of: {', '.join(_OPERATORS)}.")
    if isinstance(given, str) != isinstance(operand, str) or given is None or isinstance(given, (Mapping, list)):
        return False
    above, below = bool(given > operand), bool(given < operand)
    if operator in ("$gt", "$lt"):
        return above if operator == "$gt" else below
    return bool(given == operand) or (above if operator == "$gte" else below)
