"""The filter language: what `where` means in recall, list, forget, restore, erase and export."""

from combray.where.condition import (
    FIELDS,
    And,
    Compare,
    Condition,
    Not,
    Or,
    fields_of,
    joined,
    matches,
    matches_data,
    one_of_texts,
)
from combray.where.parsing import parse

__all__ = [
    "FIELDS",
    "And",
    "Compare",
    "Condition",
    "Not",
    "Or",
    "fields_of",
    "joined",
    "matches",
    "matches_data",
    "one_of_texts",
    "parse",
]
