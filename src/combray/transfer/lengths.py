"""Maximum lengths of the fields of an export: those of `remember`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from combray.errors import InvalidInputError
from combray.remember.validate import Validate

_REDACTED = 1000
"""Extra characters: a redaction note may be longer than the secret."""
_LABEL = 200 + _REDACTED
_PATH = 5000
"""Maximum length of a chunk's session, which is the path of its file."""
_METADATA = 101_000
_TEXTS = {
    "content": Validate.max_characters + _REDACTED,
    "context": Validate.max_context_characters + _REDACTED,
    "reason": 2000,
}
_LISTS = {
    "tags": (Validate.max_tags, Validate.max_tag_characters + _REDACTED),
    "entities": (Validate.max_entities, Validate.max_entity_characters + _REDACTED),
    "evidence": (10_000, _LABEL),
}


def check_lengths(values: Mapping[str, Any], kind: str) -> None:
    """Raise InvalidInputError for the first field that is too long for a memory of this kind."""
    for name, value in values.items():
        if isinstance(value, str):
            most = _most(name, kind)
            if len(value) > most:
                raise InvalidInputError(name, f"has {len(value)} characters, at most {most} are allowed.")
        elif name in _LISTS and value:
            count, longest = _LISTS[name]
            if len(value) > count:
                raise InvalidInputError(name, f"has {len(value)} entries, at most {count} are allowed.")
            length = max(map(len, value))
            if length > longest:
                problem = f"has an entry of {length} characters, at most {longest} are allowed."
                raise InvalidInputError(name, problem)
        elif name == "metadata" and value and (size := len(msgspec.json.encode(value))) > _METADATA:
            raise InvalidInputError(name, f"takes {size} bytes as JSON, at most {_METADATA} are allowed.")


def _most(name: str, kind: str) -> int:
    if name == "content" and kind == "episode":
        return Validate.max_episode_characters + _REDACTED
    if name == "session" and kind in ("chunk", ""):
        return _PATH
    return _TEXTS.get(name, _LABEL)
