"""Statements with more than one user, and reads too long to stand inside a method."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from combray.runtime import Link
from combray.stores.sqlite.rows import moment_of, plain_value, reading
from combray.types import EDGE_TYPES, Edge, Version

NAMED = "SELECT 1 FROM label WHERE namespace = ? AND sort = 'entity' AND name = ? AND live LIMIT 1"
ENTITY_COUNTS = """
SELECT name, count(*) AS holding FROM label WHERE namespace = ? AND sort = 'entity' AND live
GROUP BY name ORDER BY holding DESC, name LIMIT ?
"""
_LINK_COLUMNS = "source, target, type, subtype, weight, reason, created_by"
MIN_PREFIX = 8


def key_of(connection: sqlite3.Connection, namespace: int | None, wanted: str) -> int | None:
    """The key of an id, or of the only id that starts so."""
    row = connection.execute(
        "SELECT key FROM memory WHERE namespace = ? AND id = ?", (namespace, wanted)
    ).fetchone()
    if row is None and len(wanted) >= MIN_PREFIX:
        # U+10FFFF sorts behind every character of an id: a range the (namespace, id) index can walk.
        rows = connection.execute(
            "SELECT key FROM memory WHERE namespace = ? AND id >= ? AND id < ? LIMIT 2",
            (namespace, wanted, wanted + "\U0010ffff"),
        ).fetchall()
        row = rows[0] if len(rows) == 1 else None
    return int(row[0]) if row else None


def collect_links(
    connection: sqlite3.Connection,
    namespace: int | None,
    keys: Sequence[int],
    types: Sequence[str],
    found: dict[tuple[int, int, int, str], Link],
) -> None:
    """Add every edge that starts or ends at one of the keys, as far as they are of the namespace."""
    marks = ", ".join("?" * len(keys))
    limit, codes = "", []
    if types:
        codes = [EDGE_TYPES.index(each) for each in types]
        limit = f" AND type IN ({', '.join('?' * len(codes))})"
    for side in ("source", "target"):
        mine = f"SELECT key FROM memory WHERE +namespace = ? AND key IN ({marks})"
        sql = f"SELECT {_LINK_COLUMNS} FROM edge WHERE {side} IN ({mine}){limit}"
        for source, target, code, subtype, weight, reason, maker in connection.execute(
            sql, (namespace, *keys, *codes)
        ):
            found[source, target, code, subtype] = Link(
                source, target, EDGE_TYPES[code], weight, subtype, reason or "", maker or "combray"
            )


def all_edges(connection: sqlite3.Connection, namespace: int | None, types: Sequence[str]) -> list[Edge]:
    """Edges with ids, ordered by keys."""
    codes = [EDGE_TYPES.index(each) for each in types]
    sql = f"""
    SELECT a.id, b.id, e.type, e.subtype, e.weight, e.reason, e.created_by, e.created_at
    FROM edge AS e JOIN memory AS a ON a.key = e.source JOIN memory AS b ON b.key = e.target
    WHERE a.namespace = ? AND e.type IN ({", ".join("?" * len(codes))})
    ORDER BY e.source, e.target, e.type, e.subtype
    """
    return [
        Edge(
            source=source,
            target=target,
            type=EDGE_TYPES[code],
            subtype=subtype,
            weight=weight,
            reason=reason or "",
            created_by=maker or "combray",
            created_at=_time(f"an edge of memory {source!r}", at) or _never(),
        )
        for source, target, code, subtype, weight, reason, maker, at in connection.execute(
            sql, (namespace, *codes)
        )
    ]


def _time(what: str, at: int | None) -> datetime | None:
    return reading(what, lambda: moment_of(at))


def _never() -> Any:
    raise AssertionError("edge.created_at is NOT NULL")


def versions(connection: sqlite3.Connection, namespace: int | None, key: int) -> list[Version]:
    """Version rows of a memory, oldest first."""
    rows = connection.execute(
        "SELECT id, number, changed_at, actor, operation, before FROM version JOIN memory USING (key) "
        "WHERE namespace = ? AND key = ? ORDER BY number",
        (namespace, key),
    ).fetchall()
    return [reading(f"version {row[1]} of memory {row[0]!r}", partial(_version, row)) for row in rows]


def _version(row: Sequence[Any]) -> Version:
    return Version(
        memory_id=row[0],
        number=row[1],
        changed_at=moment_of(row[2]) or _never(),
        actor=row[3],
        operation=row[4],
        before={name: plain_value(name, value) for name, value in msgspec.json.decode(row[5]).items()},
    )


def counts(connection: sqlite3.Connection, namespace: int | None) -> dict[str, Any]:
    """Counts by status, kind, category and so on."""

    def by(column: str, only_live: bool = True) -> dict[str, int]:
        live = " AND status IN ('active', 'pending_embed')" if only_live else ""
        sql = f"SELECT {column}, count(*) FROM memory WHERE namespace = ?{live} GROUP BY 1 ORDER BY 1"
        return dict(connection.execute(sql, (namespace,)).fetchall())

    edges = connection.execute(
        "SELECT type, count(*) FROM edge JOIN memory ON memory.key = edge.source WHERE namespace = ? GROUP BY 1",
        (namespace,),
    ).fetchall()
    vectors = connection.execute(
        "SELECT name, count(*) FROM vector JOIN model ON model.id = vector.model WHERE namespace = ? GROUP BY 1",
        (namespace,),
    ).fetchall()
    first, last, operations = connection.execute(
        "SELECT (SELECT min(moment) FROM memory WHERE namespace = ?1), "
        "(SELECT max(moment) FROM memory WHERE namespace = ?1), "
        "(SELECT count(*) FROM operation WHERE namespace = ?1)",
        (namespace,),
    ).fetchone()
    return {
        "by_status": by("status", only_live=False),
        "by_kind": by("kind"),
        "by_category": by("category"),
        "edges": reading("an edge", lambda: {EDGE_TYPES[code]: count for code, count in edges}),
        "vectors": dict(vectors),
        "operations": operations,
        "first_moment": _time("the first moment", first),
        "last_moment": _time("the last moment", last),
    }


def operations(connection: sqlite3.Connection, namespace: int | None, limit: int) -> list[dict[str, Any]]:
    """The latest lines of the operation log, newest first."""
    rows = connection.execute(
        "SELECT number, at, name, memory_id, detail FROM operation "
        "WHERE namespace = ? ORDER BY number DESC LIMIT ?",
        (namespace, limit),
    ).fetchall()
    return [
        {
            "number": number,
            "at": _time(f"operation {number}", at),
            "operation": name,
            "memory_id": memory_id,
            "detail": detail,
        }
        for number, at, name, memory_id, detail in rows
    ]
