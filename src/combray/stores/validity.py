"""What a store refuses to take in, so that no reader ever meets a row it cannot understand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from combray.errors import InvalidInputError
from combray.types import KINDS, STATUSES, TIERS, TRUSTS, Memory, Version

_CHOICES: dict[str, tuple[str, ...]] = {"status": STATUSES, "tier": TIERS, "kind": KINDS, "trust": TRUSTS}
_RANGES = {"importance": (1, 5), "confidence": (0, 1)}
CHECKED = (*_CHOICES, *_RANGES)

CHANGEABLE = frozenset(Memory.__struct_fields__) - {"id", "namespace"}
"""Fields that `Writer.change` takes."""
EMBEDDED = frozenset({"content", "context"})
"""Fields a vector is made of: when one changes, the memory's vectors are dropped."""
INDEXED = frozenset({"content", "context", "author", "occurred_from", "entities", "tags"})
"""Changeable fields whose words the keyword index holds."""


def check_values(values: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for a status, tier, kind or trust that does not exist, bad numbers."""
    for name, choices in _CHOICES.items():
        if name in values and values[name] not in choices:
            raise InvalidInputError(name, f"{values[name]!r} is none of {', '.join(choices)}.")
    for name, (least, most) in _RANGES.items():
        if name in values and not least <= values[name] <= most:
            raise InvalidInputError(name, f"{values[name]!r} is not between {least} and {most}.")


def check_memory(memory: Memory) -> None:
    """Raise InvalidInputError for a memory that must not be stored."""
    check_values({name: getattr(memory, name) for name in CHECKED})


def check_changes(changes: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for fields that do not exist or never change, and for impossible values."""
    for name in changes:
        if name not in CHANGEABLE:
            raise InvalidInputError("changes", f"{name!r} is no field of a memory that can change.")
    check_values(changes)


def check_history(versions: Sequence[Version], has_some: object) -> None:
    """Raise InvalidInputError for version rows that cannot be the whole history of a memory."""
    if has_some:
        raise InvalidInputError("versions", "this memory has a history already; it is never rewritten.")
    numbers = [each.number for each in versions]
    if numbers != sorted(set(numbers)) or any(number < 1 for number in numbers):
        raise InvalidInputError("versions", f"the numbers {numbers} do not ascend from 1.")
    for each in versions:
        check_changes(each.before)
