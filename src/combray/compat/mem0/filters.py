"""mem0's filters as the filter language. Source: https://docs.mem0.ai, "Memory filters".

A filter must bound what it finds by an entity: without a user, agent, app or run there is nothing to answer from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from combray.errors import InvalidInputError
from combray.transfer.scopes import ENTITIES, tag_of

_DEEPEST = 16
_FIELDS = {
    "created_at": "moment",
    "timestamp": "moment",
    "categories": "category",
    "memory_ids": "id",
    "id": "id",
    "expiration_date": "expires_at",
}
"""mem0's field -> the field of a memory."""
_COMPARED = ("eq", "ne", "in", "gt", "gte", "lt", "lte")
_UNBOUND = "Name a user_id, agent_id, app_id or run_id in every branch of the filter."


def where_of(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a filter as Combray has it. Raises InvalidInputError for one that no entity bounds."""
    if not _bound(filters, 0):
        raise InvalidInputError("filters", "must name an entity.", _UNBOUND)
    return _where(filters, 0)


def _where(filters: Any, depth: int) -> dict[str, Any]:
    parts = [_part(name, value, depth) for name, value in _checked(filters, depth).items()]
    return parts[0] if len(parts) == 1 else {"and": parts}


def _checked(filters: Any, depth: int) -> Mapping[str, Any]:
    if depth > _DEEPEST:
        raise InvalidInputError("filters", f"are nested more than {_DEEPEST} deep.")
    if not isinstance(filters, Mapping) or not filters:
        raise InvalidInputError("filters", "must be an object that is not empty.")
    return filters


def _part(name: str, value: Any, depth: int) -> dict[str, Any]:
    operator = name.lower()
    if operator in ("and", "or"):
        return {operator: [_where(each, depth + 1) for each in _listed(name, value)]}
    if operator == "not":
        inner = [_where(each, depth + 1) for each in (value if isinstance(value, list) else [value])]
        return {"not": {"or": inner}}
    if name in ENTITIES:
        return _compared("tags", value, lambda each: tag_of(name, each))
    if name == "metadata":
        given = value if isinstance(value, Mapping) else {}
        parts = [_compared(_path(key), each, _same) for key, each in given.items()]
        if not parts:
            raise InvalidInputError("metadata", "must be an object that is not empty.")
        return parts[0] if len(parts) == 1 else {"and": parts}
    # mem0's own server filters metadata by plain names.
    return _compared(_FIELDS.get(name) or _path(name), value, _same)


def _listed(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InvalidInputError("filters", f"{name} must be a list that is not empty.")
    return value


def _path(key: str) -> str:
    return f'metadata."{key}"' if "." in key else f"metadata.{key}"


def _same(value: Any) -> Any:
    return value


def _compared(field: str, value: Any, read: Callable[[Any], Any]) -> dict[str, Any]:
    if isinstance(value, list):
        value = {"in": value}
    if not isinstance(value, Mapping):
        value = {"eq": value}
    conditions: dict[str, Any] = {}
    for operator, operand in value.items():
        known = "eq" if operator == "contains" and field in ("category", "tags") else operator
        if known not in _COMPARED or operand == "*":
            said = "A wildcard" if operand == "*" else f"{operator!r}"
            raise InvalidInputError("filters", f"{said} is not available. Use {', '.join(_COMPARED)}.")
        conditions[known] = (
            [read(each) for each in _listed(operator, operand)] if known == "in" else read(operand)
        )
    return {field: conditions}


def _bound(filters: Any, depth: int) -> bool:
    """Whether every memory that a filter finds belongs to an entity that the filter names."""
    for name, value in _checked(filters, depth).items():
        operator = name.lower()
        if operator in ("and", "or"):
            bounds = [_bound(each, depth + 1) for each in _listed(name, value)]
            if any(bounds) if operator == "and" else all(bounds):
                return True
        elif name in ENTITIES:
            operators = value.keys() if isinstance(value, Mapping) else {"eq"}
            if operators & {"eq", "in", "contains"}:
                return True
    return False
