"""Open Knowledge Format 0.2: a folder of Markdown files with YAML front matter, one concept each.

Source: https://github.com/GoogleCloudPlatform/knowledge-catalog, `okf/SPEC.md`, version 0.2 at commit 069875af.
Checked against it: the reserved files (3.1, 8, 9), front matter and its extensions (4.1), `generated` with the
fallback to `timestamp` (5.2, 13.1), links and derivation by `sources` (5.1, 6), actors (7), and conformance (11),
which is all that an import refuses. Not checked: a later edition, which asks for an offset from UTC in every
time. Times without one are counted.

All front matter is kept in `metadata.okf`, so that an import and an export give the same bundle. `verified`,
`status`, `stale_after` and the computation of section 10 have no effect. What Combray has beside it is in the
key `combray`, which other consumers ignore.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from combray.transfer.formats.drafts import Drafts, declared, labels
from combray.transfer.formats.markdown import Note, dumped, links, listed, moment, notes
from combray.types import Edge, Memory

VERSION = "0.2"
_RESERVED = ("index", "log")
_RELATED = "<!-- combray: related -->"
_HEADING = re.compile(r"^##\s+(?!\d{4}-\d\d-\d\d\b).*$", re.M)
_WRITTEN = re.compile(r"[^\w]+")
_LINKED = ("semantic", "causal")
"""Edges that an import does not make again from times and entities."""
_KEPT = (
    "category",
    "importance",
    "confidence",
    "source",
    "author",
    "kind",
    "trust",
    "tier",
    "session",
    "position",
    "context",
    "slot",
    "valid_from",
    "valid_to",
    "expires_at",
)
_OFFSET = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")


def is_bundle(folder: Path) -> bool:
    """Return whether the index of a folder declares the format, or every Markdown file of it has a type."""
    index = folder / "index.md"
    if index.is_file() and re.search(rb"^okf_version:", index.read_bytes()[:2000], re.M):
        return True
    found = [each for each in sorted(folder.rglob("*.md")) if each.stem not in _RESERVED][:50]
    return bool(found) and all(
        re.match(rb"---\s*\n(?:.*\n)*?type:\s*\S", each.read_bytes()[:4000]) for each in found
    )


def read(folder: Path) -> Drafts:
    """Read a bundle. What does not conform to section 11 of the specification is a problem."""
    drafts = Drafts("okf")
    found = []
    for note in notes(folder, drafts):
        if posixpath.basename(note.path) in _RESERVED:
            _check_reserved(note, drafts)
        elif note.front is None:
            drafts.problem(f"{note.path}.md", "has no front matter.", "Write a type between lines of ---.")
        elif not isinstance(note.front.get("type"), str) or not note.front["type"].strip():
            drafts.problem(f"{note.path}.md", "has no type.", "Write one, such as type: Reference.")
        else:
            found.append(note)
            _add(note, drafts)
    known = {note.path for note in found}
    for note in found:
        for target in links(note.path, _body(note)):
            drafts.link(note.path, target)
        for target in known.intersection(_derived_from(note)):
            drafts.link(note.path, target, "source")
        for edge in _own(note).get("edges") or ():
            if isinstance(edge, Mapping):
                target = str(edge.get("target")).removeprefix("/").removesuffix(".md")
                drafts.link(
                    note.path,
                    target,
                    str(edge.get("reason") or ""),
                    edge.get("weight", 0.5),
                    str(edge.get("type") or "semantic"),
                )
    return drafts


def _check_reserved(note: Note, drafts: Drafts) -> None:
    place = f"{note.path}.md"
    if note.front is not None and (note.path != "index" or set(note.front) - {"okf_version"}):
        drafts.problem(
            place, "has front matter, which only okf_version in the root's index.md may be.", "Remove it."
        )
    if posixpath.basename(note.path) == "log" and (wrong := _HEADING.search(note.body)):
        drafts.problem(place, f"has the heading {wrong[0]!r} without a date.", "Write ## YYYY-MM-DD.")
    drafts.left("index.md and log.md")


def _derived_from(note: Note) -> Iterator[str]:
    """Yield the paths that the sources of a concept name. Most name what is outside the bundle."""
    given = (note.front or {}).get("sources")
    for source in given if isinstance(given, list) else ():
        if isinstance(source, Mapping) and isinstance(source.get("resource"), str):
            yield from links(note.path, f"]({source['resource'].partition('#')[0]})")


def _own(note: Note) -> Mapping[str, Any]:
    own = (note.front or {}).get("combray")
    return own if isinstance(own, Mapping) else {}


def _body(note: Note) -> str:
    """Return the body without the list of edges that an export ends it with. A text may have that line too."""
    text, marked, _ = note.body.rpartition(_RELATED)
    return text if marked and _own(note).get("edges") else note.body


def _add(note: Note, drafts: Drafts) -> None:
    front = {name: value for name, value in (note.front or {}).items() if name != "combray"}
    own = _own(note)
    body = _body(note).strip("\n")
    title = str(front.get("title") or posixpath.basename(note.path))
    given = front.get("generated")
    generated: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    written = moment(generated.get("at"), front.get("timestamp"))
    if written is not None and not _OFFSET.search(written.strip()):
        drafts.left("times without an offset from UTC, read in the store's time zone")
    fields: dict[str, Any] = {"context": title, "recorded_at": written, "author": generated.get("by")}
    metadata: dict[str, Any] = {"path": note.path, "okf": front}
    if own:
        fields |= {"context": None, "author": None}
        metadata = dict(own["metadata"]) if isinstance(own.get("metadata"), Mapping) else {}
        if own.get("bundle"):
            metadata |= {"path": note.path, "okf": front}
    fields |= {name: own[name] for name in (*_KEPT, "entities") if name in own}
    fields |= {"occurred_at": own.get("occurred_at"), "occurred_to": own.get("occurred_to")}
    if not body.strip():
        metadata["empty"] = True
    name = str(own["id"]) if own.get("id") else note.path
    tags = labels(listed(front.get("tags")), 1000)
    drafts.left("tags above 20 of a concept", max(0, len(tags) - 20))
    if name != note.path:
        drafts.alias(note.path, name)
    drafts.add(
        name,
        body if body.strip() else str(front.get("description") or title),
        f"{note.path}.md",
        tags=tags[:20],
        metadata=metadata,
        **fields,
    )


# -- writing -------------------------------------------------------------------------------------


def write(folder: Path, memories: Iterable[Memory], edges: Iterable[Edge]) -> tuple[int, tuple[str, ...]]:
    """Write memories as a bundle into an empty folder. Return the number of concepts."""
    concepts: dict[str, list[Memory]] = {}
    for memory in memories:
        concepts.setdefault(_path(memory, concepts), []).append(memory)
    paths = {memory.id: path for path, parts in concepts.items() for memory in parts}
    linked: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        ends = paths.get(edge.source), paths.get(edge.target)
        if edge.type in _LINKED and None not in ends and ends[0] != ends[1]:
            linked[str(ends[0])].append(edge)
    listing = []
    for path, parts in concepts.items():
        front, body = _concept(sorted(parts, key=lambda each: each.metadata.get("part", 0)), linked[path], paths)
        about, title = str(front.get("description") or ""), str(front.get("title") or "")
        told = f" - {_label(about)}" if title and about else ""
        listing.append(f"* [{_label(title or about or posixpath.basename(path))}]({path}.md){told}")
        file = folder / f"{path}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dumped(front, body), encoding="utf-8", newline="\n")
    index = dumped({"okf_version": VERSION}, "\n".join(["# Memories", "", *sorted(listing)]))
    (folder / "index.md").write_text(index, encoding="utf-8", newline="\n")
    return len(concepts), ()


def _path(memory: Memory, taken: Mapping[str, Any]) -> str:
    """Return where a memory is written: its own path if it is one within the bundle and not another's."""
    own = memory.metadata.get("path")
    if isinstance(own, str) and "okf" in memory.metadata:
        path = PurePosixPath(own)
        safe = not path.is_absolute() and ".." not in path.parts and path.name not in ("", *_RESERVED)
        free = own not in taken or memory.metadata.get("part", 1) > 1
        if safe and free and "\\" not in own and "\0" not in own:
            return own
    words = _WRITTEN.sub("-", memory.content[:60].casefold()).strip("-")[:40].strip("-")
    return f"{memory.category}/{words or 'memory'}-{memory.id.replace('-', '')[-12:]}"


def _concept(parts: list[Memory], edges: list[Edge], paths: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    first = parts[0]
    foreign = first.metadata.get("okf")
    bundled = isinstance(foreign, dict) and bool(foreign.get("type"))
    front: dict[str, Any] = (
        dict(foreign) if bundled and isinstance(foreign, dict) else {"type": first.kind.title()}
    )
    if first.tags:
        front["tags"] = list(first.tags)
    if not bundled:
        by = f"human:{first.author}" if first.author and first.trust == "owner" else "process:combray"
        front |= {"description": " ".join(first.content.split())[:120]}
        front["generated"] = {"by": by, "at": first.recorded_at.isoformat()}
    front["combray"] = _fields(first, bundled) | (
        {"edges": [_edge(each, paths) for each in edges]} if edges else {}
    )
    body = "" if first.metadata.get("empty") else "".join(each.content for each in parts)
    related = [f"* [{posixpath.basename(paths[each.target])}](/{paths[each.target]}.md)" for each in edges]
    return front, "\n".join([body, "", _RELATED, *related]) if related else body


def _fields(memory: Memory, bundled: bool) -> dict[str, Any]:
    values = msgspec.to_builtins(memory)
    found: dict[str, Any] = {"id": memory.id, "bundle": True} if bundled else {"id": memory.id}
    found |= {name: values[name] for name in _KEPT if values.get(name) not in (None, "", [], {})}
    if names := declared(memory):
        found["entities"] = names if any(names.values()) else list(names)
    times = {"occurred_at": values["occurred_from"], "occurred_to": values["occurred_to"]}
    found |= {name: value for name, value in times.items() if value}
    metadata = {
        k: v for k, v in memory.metadata.items() if k not in ("okf", "path", "empty", "part") or not bundled
    }
    return found | ({"metadata": metadata} if metadata else {})


def _edge(edge: Edge, paths: Mapping[str, str]) -> dict[str, Any]:
    found = {"target": f"/{paths[edge.target]}.md", "type": edge.type, "weight": edge.weight}
    return found | ({"reason": edge.reason} if edge.reason else {})


def _label(text: str) -> str:
    return " ".join(re.sub(r"[\[\]\\]", " ", text).split())
