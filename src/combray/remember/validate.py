"""Checks of the caller's fields, and scopes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

import msgspec

from combray.errors import InvalidInputError
from combray.forms.remembering import Draft, Remembering
from combray.language.dates.statements import is_ahead
from combray.language.indexing import with_hash
from combray.language.scopes import GLOBAL, LONGEST, PREFIX, is_scope, is_scope_name, scopes_of
from combray.language.tense import tense_of
from combray.records import dataclass
from combray.runtime import Runtime
from combray.types import CATEGORIES, DEFAULT_TRUST, KINDS, TIERS, TRUSTS, Memory
from combray.values import (
    INSTEAD,
    MAX_EVIDENCE,
    MAX_ID,
    MAX_LABEL,
    MAX_METADATA,
    as_moment,
    clean_text,
    fraction,
    new_id,
    one_of,
    show,
    slot_name,
    whole,
)

TIME_FIELDS = ("occurred_at", "occurred_to", "valid_from", "valid_to", "expires_at", "recorded_at")
KNOWN = {
    "content", "text", "id", "category", "importance", "confidence", "tags", "entities", "source", "author",
    "kind", "context", "session", "position", "tier", "trust", "metadata", "evidence", "supersedes", "keep_both",
    "slot", *TIME_FIELDS,
}  # fmt: skip


_MOST_NAMED = 100
"""Memories that one text can supersede, or hold beside."""


@dataclass(frozen=True)
class Validate:
    """Turns the caller's fields into drafts. An item with a wrong value is refused.

    Limits are Mnemon's (docs/reference/presets.md): 8000 characters, 20 tags, 50 entities, importance 1-5,
    six categories; tag and entity lengths are its code's.
    """

    needs = ("items",)
    gives = ("drafts",)
    max_characters: int = 8000
    max_episode_characters: int = 200_000
    max_tags: int = 20
    max_tag_characters: int = 100
    max_entities: int = 50
    max_entity_characters: int = 200
    max_context_characters: int = 8000

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        for place, item in enumerate(state.items):
            if place in state.refused:
                continue
            with state.checking(place):
                draft = Draft(
                    self._memory(item, state, runtime.zone),
                    supersedes=_named_ids("supersedes", item.get("supersedes")),
                    keep_both=_named_ids("keep_both", item.get("keep_both")),
                )
                state.drafts.append(draft)
        return state

    def _memory(self, item: Mapping[str, Any], state: Remembering, zone: tzinfo) -> Memory:
        if not isinstance(item, Mapping):
            problem = f"must be a text or a mapping of fields, not {show(item)}."
            raise InvalidInputError("item", problem, "Give content and fields.")
        if not KNOWN.issuperset(item):
            unknown = sorted(str(name) for name in item if name not in KNOWN)
            fields = INSTEAD.get(unknown[0]) or f"Fields: {', '.join(sorted(KNOWN))}."
            raise InvalidInputError(unknown[0], "is not a field of a memory.", fields)
        # What was said is kept whole: an assistant's answer of ten pages is one turn.
        longest = self.max_episode_characters if item.get("kind") == "episode" else self.max_characters
        given = item.get("content", item.get("text"))
        several = "remember_many takes several texts, and messages with a role."
        of_another = several if isinstance(given, (list, tuple, Mapping)) else ""
        content = clean_text("content", given, longest, "Split it into several memories.", of_another)
        if not content.strip():
            raise InvalidInputError("content", "is empty.", "Give the text to remember.")
        times = {
            name: as_moment(
                name,
                item.get(name),
                state.now,
                zone,
                forward=_lies_ahead(name, item.get(name), content),
                # What expires on a day holds to the end of that day.
                whole_day=name == "expires_at",
            )
            for name in TIME_FIELDS
        }
        declared = self.entities(item.get("entities"))
        recorded = times["recorded_at"] or datetime.fromtimestamp(state.now, zone)
        memory = Memory(
            id=_identifier(item.get("id"), recorded),
            namespace=state.namespace,
            content=content,
            kind=one_of("kind", item.get("kind", "fact"), KINDS),
            category=one_of("category", item.get("category", "general"), CATEGORIES),
            importance=whole("importance", item.get("importance", 3), 1, 5),
            confidence=fraction("confidence", item.get("confidence", 0.7)),
            tier=one_of("tier", "working" if item.get("tier") is None else item["tier"], TIERS),
            tags=self._list("tags", item.get("tags"), self.max_tags, self.max_tag_characters),
            entities=tuple(declared),
            aliases=declared,
            source=_label("source", item.get("source")) or "user",
            author=_label("author", item.get("author")),
            session=_label("session", item.get("session")),
            position=None if item.get("position") is None else whole("position", item["position"], 0, 2**53),
            trust=one_of("trust", item.get("trust", DEFAULT_TRUST), TRUSTS),
            recorded_at=recorded,
            occurred_from=times["occurred_at"],
            occurred_to=times["occurred_to"],
            valid_from=times["valid_from"],
            valid_to=times["valid_to"],
            expires_at=times["expires_at"],
            context=clean_text("context", item.get("context") or "", self.max_context_characters),
            evidence=self._list("evidence", item.get("evidence"), MAX_EVIDENCE, MAX_LABEL),
            slot=slot_name(item.get("slot")),
            metadata=_metadata(item.get("metadata")),
        )
        return with_hash(memory)

    def entities(self, value: Any) -> dict[str, tuple[str, ...]]:
        """Return the declared entities, each with its aliases. Raises InvalidInputError."""
        most, longest = self.max_entities, self.max_entity_characters
        if not isinstance(value, Mapping):
            return dict.fromkeys(self._list("entities", value, most, longest), ())
        names = self._list("entities", list(value), most, longest)
        listed = {
            str(name).strip(): [other] if isinstance(other, str) else other for name, other in value.items()
        }
        return {name: self._list("entities", listed.get(name), most, longest) for name in names}

    def _list(self, field: str, value: Any, most: int, longest: int) -> tuple[str, ...]:
        if value is None:
            return ()
        if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
            raise InvalidInputError(field, f"must be a list of texts, not {show(value)}.")
        listed = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        texts = [clean_text(field, each, longest).strip() for each in listed]
        distinct = tuple(dict.fromkeys(text for text in texts if text))
        if len(distinct) > most:
            raise InvalidInputError(field, f"has {len(distinct)} entries, at most {most} are allowed.")
        return distinct


SCOPE_NAMES = (
    "Use scope:global, or scope:agent:ID, scope:project:ID, scope:user:ID or scope:custom:ID with an ID of "
    "letters, digits and . _ : -"
)
"""How a scope is named."""


def scope_tag(name: str) -> str:
    """Return the tag of a scope, named with or without `scope:`. Raises InvalidInputError."""
    tag = name if is_scope(name) else f"{PREFIX}{name}"
    if not is_scope_name(tag[len(PREFIX) :]):
        raise InvalidInputError("scope", f"{name!r} is not a scope.", SCOPE_NAMES)
    return tag


def _lies_ahead(field: str, value: Any, content: str) -> bool | None:
    """Whether a weekday given as a time is the next one: an expiry is, others as the text itself speaks of it."""
    if not isinstance(value, str) or value[:1].isdigit():
        return None
    if field == "expires_at":
        return True
    place = content.casefold().find(value.casefold())
    if place >= 0:
        return is_ahead(content, (place, place + len(value)))
    return {"planned": True, "past": False}.get(tense_of(content))


def _named_ids(field: str, value: Any) -> tuple[str, ...]:
    """The ids of other memories: one, or a list of them."""
    if value is None or isinstance(value, str):
        name = _label(field, value, MAX_ID)
        return () if name is None else (name,)
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise InvalidInputError(field, f"must be an id or a list of ids, not {show(value)}.")
    if len(value) > _MOST_NAMED:
        raise InvalidInputError(field, f"names {len(value)} memories, at most {_MOST_NAMED} are allowed.")
    listed = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
    names = (clean_text(field, each, MAX_ID).strip() for each in listed)
    return tuple(dict.fromkeys(name for name in names if name))


def _label(field: str, value: Any, most: int = MAX_LABEL) -> str | None:
    return None if value is None else clean_text(field, value, most).strip() or None


def _identifier(value: Any, recorded: datetime) -> str:
    if value is None:
        return new_id(recorded)
    text = clean_text("id", value, MAX_ID)
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise InvalidInputError("id", f"{text!r} is not a UUID.", "Omit it and one is generated.") from None


def _metadata(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInputError("metadata", f"must be a mapping, not {show(value)}.")
    if not value:
        return {}
    try:
        # Strict: msgspec would quietly make null of NaN, and texts and lists of dates, bytes and sets.
        encoded = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        decoded: dict[str, Any] = json.loads(encoded)
        msgspec.json.encode(decoded)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise InvalidInputError("metadata", f"cannot be kept as JSON ({error}).") from None
    if len(decoded) != len(value) or not all(isinstance(name, str) for name in value):
        raise InvalidInputError("metadata", "has names that are no texts.", "Use texts as names.")
    if len(encoded) > MAX_METADATA:
        allowed = f"at most {MAX_METADATA} are allowed."
        raise InvalidInputError("metadata", f"takes {len(encoded)} bytes as JSON, {allowed}")
    return decoded


@dataclass(frozen=True)
class AssignScope:
    """Checks the scopes among a draft's tags, and tags one without any as global.

    A scope is the tag `scope:NAME` with the name `global`, `agent:ID`, `project:ID`, `user:ID` or `custom:ID` of
    characters from a-z A-Z 0-9 . _ : - ; letter case does not matter. The default is stored, so that
    it can be asked for like any other scope: `tags=["scope:global", "scope:agent:a1"]`. Raises InvalidInputError
    for other names. Source: Mnemo, see docs/reference/presets.md.
    """

    needs = ("drafts",)
    longest: int = LONGEST
    """Characters of a scope's name."""

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        state.check_each(lambda _place, draft: self._assign(draft))
        return state

    def _assign(self, draft: Draft) -> None:
        scopes = scopes_of(draft.memory.tags)
        for tag in scopes:
            name = tag[len(PREFIX) :]
            if not is_scope_name(name, self.longest):
                raise InvalidInputError("tags", f"{tag!r} is not a scope.", SCOPE_NAMES)
        if not scopes:
            draft.memory = msgspec.structs.replace(draft.memory, tags=(*draft.memory.tags, GLOBAL))
