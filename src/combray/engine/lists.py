"""Lists of memories in pages: a filter, an order, and a cursor that stays valid while others write."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from combray.audit.audited import audited
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError, brief
from combray.runtime import Order, Place
from combray.types import LIVE_STATUSES, Memory, Page, Where
from combray.values import show, whole
from combray.where import FIELDS, Condition, fields_of, joined, one_of_texts, parse

MAX_PAGE = 1_000
SORTABLE = tuple(name for name in FIELDS if name not in ("content", "tags", "entities"))
"""Fields a list can be sorted by."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Listed = tuple[Place, str, Memory]
"""A memory's position in the order, its namespace, and the memory."""


@audited("list")
def list_memories(
    at: Namespace, where: Where | None, *, order: str, limit: int, after: str, namespaces: Sequence[str] | None
) -> Page:
    """Return one page of the memories that match."""
    spaces = at.several(namespaces)
    ordered = _order(order)
    names = [each.namespace for each in spaces]
    asked = _digest(where, order, names)
    behind = _opened(after, asked) if after else None
    most = whole("limit", limit, 1, MAX_PAGE)
    condition = parse(where, at.runtime.clock(), at.runtime.zone)
    if "status" not in fields_of(condition):
        condition = joined(one_of_texts("status", LIVE_STATUSES), condition)
    found: list[Listed] = []
    total = 0
    for space in spaces:
        shown = joined(one_of_texts("trust", space.trusts), condition)
        total += space.reader.count(shown)
        found += _page(space, shown, ordered, most + 1, behind)
    found = _sorted(found, ordered)[: most + 1]
    cursor = _closed(*found[most - 1][:2], asked) if len(found) > most else None
    return Page(tuple(memory for _, _, memory in found[:most]), cursor, total)


def _page(
    space: Namespace, condition: Condition | None, order: Order, limit: int, behind: tuple[Place, str] | None
) -> list[Listed]:
    place = None
    if behind is not None:
        # Memories with the same value and id in later namespaces follow.
        place, namespace = behind
        place = Place(place.value, place.id, inclusive=space.namespace > namespace)
    memories = space.reader.memories(space.reader.page(condition, order, limit, place))
    return [(Place(_value(each, order), each.id), space.namespace, each) for each in memories]


def _sorted(found: list[Listed], order: Order) -> list[Listed]:
    """Sort, memories without a value last. The sort is stable: equal ids go by namespace."""
    found.sort(key=lambda each: each[1])
    found.sort(key=lambda each: each[0].id, reverse=order.descending)
    with_value = [each for each in found if each[0].value is not None]
    with_value.sort(key=lambda each: each[0].value, reverse=order.descending)  # type: ignore[arg-type, return-value]
    return [*with_value, *(each for each in found if each[0].value is None)]


def _value(memory: Memory, order: Order) -> str | int | float | None:
    value = getattr(memory, order.field)
    if isinstance(value, datetime):
        return (value - _EPOCH) // _MICROSECOND
    found: str | int | float | None = value
    return found


def _order(order: str) -> Order:
    field = order.removeprefix("-") if isinstance(order, str) else ""
    field = {"occurred_at": "occurred_from"}.get(field, field)
    if field not in SORTABLE:
        raise InvalidInputError(
            "order", f"{brief(order)} is not known.", f"Use one of: {', '.join(SORTABLE)}; - in front sorts down."
        )
    return Order(field, descending=order.startswith("-"))


# -- cursors -----------------------------------------------------------------------------------------


def _digest(where: Where | None, order: str, namespaces: Sequence[str]) -> str:
    """Return a digest of the query, so that a cursor works only with the same query."""
    asked = json.dumps([where, order, list(namespaces)], sort_keys=True, default=str)
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _closed(place: Place, namespace: str, asked: str) -> str:
    plain = json.dumps([asked, place.value, place.id, namespace]).encode()
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


def _storable(value: object) -> bool:
    """Whether a database can compare with the value of a forged cursor."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str) or (isinstance(value, int) and abs(value) < 2**63)


def _opened(cursor: Any, asked: str) -> tuple[Place, str]:
    try:
        plain = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        belongs, value, memory_id, namespace = json.loads(plain)
        if not (_storable(value) and isinstance(memory_id, str) and isinstance(namespace, str)):
            raise ValueError
        # A lone surrogate is valid JSON and no text that a database takes.
        f"{value}{memory_id}{namespace}".encode()
    except (ValueError, TypeError, RecursionError, binascii.Error):
        raise InvalidInputError(
            "after", f"{show(cursor)} is not a cursor.", "Give the cursor of the page before."
        ) from None
    if belongs != asked:
        raise InvalidInputError(
            "after", "is the cursor of another list.", "Keep where, order and namespaces as they were."
        )
    return Place(value, memory_id), namespace
