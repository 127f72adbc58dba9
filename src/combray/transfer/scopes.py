"""Whom a memory is for: mem0's entity ids as scopes (tags `scope:…`).

Automatic changes, duplicates and edges stay within a scope, so that those of one user never touch another's. Two
ids never have the same tag: tags ignore letter case and ids do not, so capital letters are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from combray.errors import InvalidInputError

ENTITIES: Mapping[str, str] = {
    "user_id": "scope:user:",
    "agent_id": "scope:agent:",
    "app_id": "scope:project:",
    "run_id": "scope:custom:",
}
"""mem0's field -> how its tags begin."""
LONGEST_TAG = 100
_WRITTEN = re.compile(r"[^a-z0-9._-]")
_READ = re.compile(r"((?::[0-9a-f]{2})+)")


def tag_of(field: str, value: Any) -> str:
    """Return the tag of an entity. Raises InvalidInputError."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(field, "must be a text that is not empty.")
    tag = ENTITIES[field] + _WRITTEN.sub(_escaped, value.strip())
    if len(tag) > LONGEST_TAG:
        raise InvalidInputError(field, f"is longer than a scope can be ({LONGEST_TAG} characters as a tag).")
    return tag


def _escaped(found: re.Match[str]) -> str:
    return "".join(f":{byte:02x}" for byte in found[0].encode("utf-8", "surrogatepass"))


def entities_of(tags: Iterable[str]) -> dict[str, str | None]:
    """Return mem0's fields of a memory's tags; None where it has none."""
    found: dict[str, str | None] = dict.fromkeys(ENTITIES)
    for tag in tags:
        for field, start in ENTITIES.items():
            if tag.startswith(start):
                found[field] = _READ.sub(_unescaped, tag[len(start) :])
    return found


def _unescaped(found: re.Match[str]) -> str:
    return bytes.fromhex(found[1].replace(":", "")).decode("utf-8", "replace")
