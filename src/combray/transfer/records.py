"""The lines of an export: a header, then memories, versions and edges, each one JSON object with sorted keys.

Written and read here only, so that what is written can be read: the same values give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_type_hints

import msgspec

from combray.errors import InvalidInputError
from combray.language.indexing import content_hash
from combray.transfer.lengths import check_lengths
from combray.transfer.report import shown
from combray.types import Edge, Memory, Version
from combray.values import fraction, whole

FORMAT = "combray"
VERSION = 1
"""Raise when a line changes its meaning; a reader refuses what is newer than itself."""

_MEMORY_TYPES = get_type_hints(Memory)
_EDGE_TYPES = get_type_hints(Edge)
_VERSION_TYPES = get_type_hints(Version)
_LARGEST = 2**53
"""Whole numbers up to here survive every JSON reader."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def header(namespace: str, memories: int, versions: int, edges: int) -> str:
    """The first line: counts tell a reader whether the file is whole."""
    fields = {"format": FORMAT, "version": VERSION, "namespace": namespace}
    return _line({**fields, "memories": memories, "versions": versions, "edges": edges})


def memory_line(memory: Memory) -> str:
    """Every field but the namespace, which the header names."""
    fields = msgspec.structs.asdict(memory)
    del fields["namespace"]
    return _line({"record": "memory", **fields})


def version_line(version: Version) -> str:
    """One row of a memory's history."""
    return _line({"record": "version", **msgspec.structs.asdict(version)})


def edge_line(edge: Edge) -> str:
    """One edge, by the ids of its ends."""
    return _line({"record": "edge", **msgspec.structs.asdict(edge)})


def _line(fields: Mapping[str, Any]) -> str:
    return _encode(fields).decode() + "\n"


def check_header(fields: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for a format version this Combray cannot read."""
    version = fields.get("version")
    if version != VERSION:
        raise InvalidInputError(
            "version",
            f"{version!r} is not the export format this Combray reads ({VERSION}).",
            "Import it with the Combray that wrote it, or a newer one.",
        )


def read_memory(fields: Mapping[str, Any], namespace: str) -> Memory:
    """A memory as it was exported. A missing hash is computed; other missing fields have their defaults.

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
            raise InvalidInputError(name, "is empty.", "Every memory has an id and a text.")
    check_lengths(msgspec.structs.asdict(memory), memory.kind)
    if "content_hash" not in values:
        memory = msgspec.structs.replace(memory, content_hash=content_hash(memory))
    return memory


def read_version(fields: Mapping[str, Any]) -> Version:
    """A row of history; the fields it kept get the types they have in a memory. Raises InvalidInputError."""
    version: Version = _convert(_values(fields, _VERSION_TYPES), Version)
    before = {}
    for name, value in version.before.items():
        if name not in _MEMORY_TYPES or name in ("id", "namespace", "content"):
            raise InvalidInputError("before", f"{name!r} is no field of a memory that can change.")
        before[name] = _in_utc(name, _convert(value, _MEMORY_TYPES[name], name))
    whole("number", version.number, 1, _LARGEST)
    check_lengths({"memory_id": version.memory_id, "actor": version.actor, "operation": version.operation}, "")
    check_lengths(before, before.get("kind", ""))
    return msgspec.structs.replace(version, before=before)


def read_edge(fields: Mapping[str, Any]) -> Edge:
    """An edge. Raises InvalidInputError."""
    edge: Edge = _convert(_values(fields, _EDGE_TYPES), Edge)
    fraction("weight", edge.weight)
    check_lengths({"subtype": edge.subtype, "reason": edge.reason, "created_by": edge.created_by}, "")
    return edge


def _values(fields: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: value for name, value in fields.items() if name != "record"}
    for name in values:
        if name not in types or name == "namespace":
            raise InvalidInputError(name, "is no field of this record.", "Take it out, or put it under metadata.")
    return values


def _convert(value: Any, type_: Any, field: str = "record") -> Any:
    try:
        made = msgspec.convert(value, type_)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InvalidInputError(field, f"{error}: {shown(value)}.", "Mend the value.") from None
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
            name, f"{value.isoformat()} has no time zone.", 'Write one, such as "2026-03-01T09:00:00Z".'
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(name, f"{value.isoformat()} lies outside the years 1 to 9999.") from None
