"""Conditions as SQL over the table `memory`, as far as it is the same in every dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from combray.where import And, Compare, Condition, Not

Fragment = tuple[str, list[Any]]
"""An expression and its parameters, one for each of its question marks."""

COMPARED = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
LABELS = {"tags": "tag", "entities": "entity"}
"""Field -> the sort of its rows in the table `label`."""
_BARE = re.compile(r"\?(?!\d)")
_ESCAPED = frozenset('"\\/\x7f')


def combined(condition: Condition, compared: Callable[[Compare], Fragment]) -> Fragment:
    """Return the expression of a condition, given those of its comparisons."""
    if isinstance(condition, Not):
        text, values = combined(condition.part, compared)
        return f"NOT ({text})", values
    if isinstance(condition, Compare):
        return compared(condition)
    parts = [combined(part, compared) for part in condition.parts]
    glue = " AND " if isinstance(condition, And) else " OR "
    return f"({glue.join(text for text, _ in parts)})", [value for _, values in parts for value in values]


def numbered(text: str, first: int, sign: str) -> str:
    """Replace the question marks that no number follows by numbered parameters that begin with a sign."""
    head, *rest = _BARE.split(text)
    return head + "".join(f"{sign}{first + place}{part}" for place, part in enumerate(rest))


def needle(compare: Compare) -> str | None:
    """Return a text that the JSON of every matching metadata holds; None where there is none to look for."""
    if compare.operator == "ne" or (compare.operator == "exists" and compare.values == (False,)):
        return None
    one_text = compare.operator == "eq" and compare.sort == "text"
    text = str(compare.values[0]) if one_text else compare.path[-1]
    if any(each < " " or each in _ESCAPED for each in text):
        return None
    return f'"{text}"' if one_text else f'"{text}":'
