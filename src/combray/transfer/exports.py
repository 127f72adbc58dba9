"""The export of a namespace: a header, then memories, versions and edges; one JSON object per line, keys sorted.

Writing and reading a line are both here, so that they match. The same values give the same bytes. `imports`
restores an export exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Protocol, get_type_hints

import msgspec
import numpy as np

from combray.errors import InvalidInputError, StoreBusyError
from combray.language.indexing import with_current_hash
from combray.remember.validate import Validate
from combray.runtime import Filter, Store
from combray.transfer.parser import shown
from combray.types import Edge, Memory, Version
from combray.values import fraction, whole
from combray.where import Condition

FORMAT = "combray"
VERSION = 1
"""Increase it if the meaning of a line changes; a reader rejects newer versions."""

_MEMORY_TYPES = get_type_hints(Memory)
_EDGE_TYPES = get_type_hints(Edge)
_VERSION_TYPES = get_type_hints(Version)
_LARGEST = 2**53
"""Largest integer that every JSON parser reads exactly."""

_REDACTED = 1000
"""Extra characters over the limits of `remember`: a redaction note may be longer than the secret."""
_LABEL = 200 + _REDACTED
_PATH = 5000
"""Maximum length of a chunk's session, which is the path of its file."""
_METADATA = 101_000
LONGEST_REASON = 8000
"""Characters of an edge's reason in an import of items, which an export must read again."""
_TEXTS = {
    "content": Validate.max_characters + _REDACTED,
    "context": Validate.max_context_characters + _REDACTED,
    "reason": LONGEST_REASON,
}
_LISTS = {
    "tags": (Validate.max_tags, Validate.max_tag_characters + _REDACTED),
    "entities": (Validate.max_entities, Validate.max_entity_characters + _REDACTED),
    "evidence": (10_000, _LABEL),
}

_encode = msgspec.json.Encoder(order="deterministic").encode
_EVERYTHING = Filter(statuses=(), trusts=())
_AT_ONCE = 1000
_TRIES = 5


def header(namespace: str, memories: int, versions: int, edges: int) -> str:
    """Return the first line. Its counts let a reader detect truncation."""
    fields = {"format": FORMAT, "version": VERSION, "namespace": namespace}
    counts = {"memories": memories, "versions": versions, "edges": edges}
    return _encode({**fields, **counts}).decode() + "\n"


def line(record: str, value: Memory | Version | Edge) -> str:
    """Return the line of a record: every field but the namespace, which is in the header."""
    fields = {"record": record, **msgspec.structs.asdict(value)}
    fields.pop("namespace", None)
    fields |= {name: each.astimezone(UTC) for name, each in fields.items() if isinstance(each, datetime)}
    return _encode(fields).decode() + "\n"


def check_header(fields: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for a format version this Combray cannot read."""
    version = fields.get("version")
    if version != VERSION:
        raise InvalidInputError(
            "version",
            f"{version!r} of the export format is not supported; this Combray reads version {VERSION}.",
            "Import the file with the Combray that wrote it, or a newer one.",
        )


def read_memory(fields: Mapping[str, Any], namespace: str) -> Memory:
    """Read an exported memory. A missing hash is computed; other missing fields get their defaults.

    Raises InvalidInputError.
    """
    values = _values(fields, _MEMORY_TYPES)
    memory: Memory = _convert({**values, "namespace": namespace}, Memory)
    whole("importance", memory.importance, 1, 5)
    fraction("confidence", memory.confidence)
    whole("access_count", memory.access_count, 0, _LARGEST)
    if memory.position is not None:
        whole("position", memory.position, -_LARGEST, _LARGEST)
    for name in ("id", "content"):
        if not getattr(memory, name):
            raise InvalidInputError(name, "must not be empty.", "Give every memory an id and a content.")
    _check_lengths(msgspec.structs.asdict(memory), memory.kind)
    return with_current_hash(memory)


def read_version(fields: Mapping[str, Any]) -> Version:
    """Read a version; its fields get the types they have in a memory. Raises InvalidInputError."""
    version: Version = _convert(_values(fields, _VERSION_TYPES), Version)
    before = {}
    for name, value in version.before.items():
        if name not in _MEMORY_TYPES or name in ("id", "namespace", "content"):
            raise InvalidInputError(
                "before", f"has a field {name!r} that a memory does not have or cannot change."
            )
        before[name] = _in_utc(name, _convert(value, _MEMORY_TYPES[name], name))
    whole("number", version.number, 1, _LARGEST)
    _check_lengths({"memory_id": version.memory_id, "actor": version.actor, "operation": version.operation}, "")
    _check_lengths(before, before.get("kind", ""))
    return msgspec.structs.replace(version, before=before)


def read_edge(fields: Mapping[str, Any]) -> Edge:
    """Read an edge. Raises InvalidInputError."""
    edge: Edge = _convert(_values(fields, _EDGE_TYPES), Edge)
    fraction("weight", edge.weight)
    _check_lengths({"subtype": edge.subtype, "reason": edge.reason, "created_by": edge.created_by}, "")
    return edge


def _values(fields: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: value for name, value in fields.items() if name != "record"}
    for name in values:
        if name not in types or name == "namespace":
            raise InvalidInputError(name, "is not a field of this record.", "Remove it or move it to metadata.")
    return values


def _convert(value: Any, type_: Any, field: str = "record") -> Any:
    try:
        made = msgspec.convert(value, type_)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InvalidInputError(field, f"{error}: {shown(value)}.", "Fix the value.") from None
    if isinstance(made, msgspec.Struct):
        times = {
            name: _in_utc(name, each)
            for name in made.__struct_fields__
            if isinstance(each := getattr(made, name), datetime)
        }
        return msgspec.structs.replace(made, **times)
    return made


def _in_utc(name: str, value: Any) -> Any:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise InvalidInputError(
            name, f"{value.isoformat()} has no time zone.", 'Add one, as in "2026-03-01T09:00:00Z".'
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(name, f"{value.isoformat()} is outside the years 1 to 9999.") from None


def _check_lengths(values: Mapping[str, Any], kind: str) -> None:
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
        elif name in ("metadata", "aliases") and value and (size := len(msgspec.json.encode(value))) > _METADATA:
            raise InvalidInputError(name, f"takes {size} bytes as JSON, at most {_METADATA} are allowed.")


def _most(name: str, kind: str) -> int:
    if name == "content" and kind == "episode":
        return Validate.max_episode_characters + _REDACTED
    if name == "session" and kind in ("chunk", ""):
        return _PATH
    return _TEXTS.get(name, _LABEL)


class TextSink(Protocol):
    """A writable text stream."""

    def write(self, text: str, /) -> object:
        """Write the text."""
        ...


def export_to(store: Store, namespace: str, stream: TextSink, condition: Condition | None = None) -> int:
    """Write every memory of any status, its history and all edges. Return the number of memories.

    The output is deterministic, and importing it into an empty namespace of the same name and exporting that
    gives the same bytes. Vectors, the operation log and the keyword index are omitted because an import rebuilds
    them. Open the file with `encoding="utf-8", newline="\\n"`. Raises StoreBusyError if another process writes
    during each of five attempts to read a consistent state.
    """
    reader = store.reader(namespace)
    for _ in range(_TRIES):
        revision = reader.revision()
        keys = [int(key) for key in np.sort(reader.scan(replace(_EVERYTHING, condition=condition)))]
        batches = (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))
        memories = [line("memory", each) for batch in batches for each in reader.memories(batch)]
        versions = [line("version", each) for key in keys for each in reader.history(key)]
        ids = set(reader.ids(np.array(keys, dtype=np.int64))) if condition is not None else None
        every = (each for each in reader.edges() if ids is None or ids.issuperset((each.source, each.target)))
        edges = [line("edge", each) for each in every]
        if reader.revision() == revision:
            first = header(namespace, len(memories), len(versions), len(edges))
            for each in chain([first], memories, versions, edges):
                stream.write(each)
            return len(memories)
    raise StoreBusyError(
        f"namespace {namespace!r} of {store.location} changed during each of {_TRIES} attempts to export it. "
        "Make a backup and export that."
    )
