"""Checks before a write, so that no reader ever meets an invalid row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from combray.errors import InvalidInputError
from combray.language.indexing import SEPARATED
from combray.types import KINDS, STATUSES, TIERS, TRUSTS, Memory, Version

_CHOICES: dict[str, tuple[str, ...]] = {"status": STATUSES, "tier": TIERS, "kind": KINDS, "trust": TRUSTS}
_RANGES = {"importance": (1, 5), "confidence": (0, 1)}
CHANGEABLE = frozenset(Memory.__struct_fields__) - {"id", "namespace"}
"""Fields that `Writer.change` accepts."""
EMBEDDED = frozenset({"content", "context"})
"""Fields that are embedded: when one changes, the memory's vectors are dropped."""
INDEXED = frozenset({"content", "context", "author", "occurred_from", "entities", "tags", "aliases"})
"""Changeable fields that the keyword index covers."""
MOST_NAMED = 100
"""Maximum number of memories whose ids are reported to the witness of a transaction."""


def must_index(changes: Mapping[str, Any], old: Memory) -> bool:
    """Return whether changes of a memory alter its terms, labels or names."""
    if INDEXED.intersection(changes):
        return True
    metadata = changes.get("metadata", old.metadata)
    # The metadata holds which learned names were separated, and nothing else that is indexed.
    return bool(metadata.get(SEPARATED) != old.metadata.get(SEPARATED))


def check_values(values: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for an unknown status, tier, kind or trust, or a number out of range."""
    for name, choices in _CHOICES.items():
        if name in values and values[name] not in choices:
            raise InvalidInputError(name, f"must be one of {', '.join(choices)}, got {values[name]!r}.")
    for name, (least, most) in _RANGES.items():
        if name in values and not least <= values[name] <= most:
            raise InvalidInputError(name, f"must be between {least} and {most}, got {values[name]!r}.")


def check_memory(memory: Memory) -> None:
    """Raise InvalidInputError for a memory that must not be stored."""
    check_values({name: getattr(memory, name) for name in (*_CHOICES, *_RANGES)})


def check_changes(changes: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for unknown or fixed fields and for invalid values."""
    for name in changes:
        if name not in CHANGEABLE:
            raise InvalidInputError("changes", f"{name!r} is not a field of a memory that can change.")
    check_values(changes)


def check_history(versions: Sequence[Version], has_some: object) -> None:
    """Raise InvalidInputError unless the version rows can be the whole history of a memory."""
    if has_some:
        raise InvalidInputError("versions", "cannot replace the history that this memory already has.")
    numbers = [each.number for each in versions]
    if numbers != sorted(set(numbers)) or any(number < 1 for number in numbers):
        raise InvalidInputError("versions", f"must have ascending numbers from 1, got {numbers}.")
    for each in versions:
        check_changes(each.before)
