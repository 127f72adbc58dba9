"""Files of other tools: read as items for an import, and written from an export.

`FORMATS` is the one table. A reader takes a path, and the columns for fields where a format has columns. It
returns `Drafts`, which are items and a report of what has no place. A writer takes a path, memories and edges. It
returns how many memories it wrote, and what has no place in the format.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.sessions.session import decoded
from combray.transfer.exports import read_edge, read_memory
from combray.transfer.parser import Parsed, parse
from combray.types import Edge, Memory

OURS = "combray"
SERVER_MEMORY = "server-memory"
CHATS = "chats"
_HEAD = 64_000


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `reads` and `writes` name functions of the modules of this package."""

    name: str
    about: str
    reads: str = ""
    writes: str = ""
    folder: bool | None = False
    """Whether it is a folder; None for a file or a folder."""
    columns: bool = False
    """Whether fields are read from columns that the caller may name."""


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format(OURS, "an export of Combray, a Mnemon draft, or JSON lines of items"),
        Format(SERVER_MEMORY, "JSON lines of the reference MCP memory server"),
        Format(
            "mem0",
            "JSON of mem0's get_all, or the folder of its local Qdrant",
            "databases:read_mem0",
            folder=None,
        ),
        Format("graphiti", "JSON of Zep or Graphiti: nodes, edges, episodes", "graphiti:read"),
        Format("langgraph", "the SQLite file of a LangGraph store", "databases:read_langgraph"),
        Format("letta", "an agent file of Letta (.af)", "letta:read"),
        Format("okf", "a bundle of Open Knowledge Format 0.2", "okf:read", "okf:write", folder=True),
        Format("markdown", "a vault of Obsidian or basic-memory", "markdown:read", folder=True),
        Format("csv", "CSV or TSV with a header", "rows:read_csv", columns=True),
        Format("jsonl", "JSON lines with other names, with --map", "rows:read_lines", columns=True),
        Format("parquet", "Parquet (extra parquet)", "rows:read_parquet", "rows:write_parquet", columns=True),
        Format("graphml", "GraphML, to export only", "", "graphml:write"),
    )
}
READ = tuple(each.name for each in FORMATS.values() if each.reads or each.name in (OURS, SERVER_MEMORY))
WRITTEN = tuple(each.name for each in FORMATS.values() if each.writes or each.name in (OURS, SERVER_MEMORY))


def detect(path: Path, *, mapped: bool = False) -> str:
    """Return the name of the format of a file or folder. Raises InvalidInputError, OSError."""
    form = _of_folder(path) if path.is_dir() else _of_file(path, mapped)
    # "." and ".." have no name of their own.
    name = path.name or path.resolve().name or str(path)
    if form == CHATS:
        remedy = f"Use `combray ingest {name}`."
        raise InvalidInputError(name, "has conversations, which are stored as turns.", remedy)
    if not form:
        known = "; ".join(f"{each.name}: {each.about}" for each in FORMATS.values() if each.name in READ)
        raise InvalidInputError(name, "has no format that is known.", f"Known: {known}.")
    return form


def read_file(path: str | Path, form: str = "", names: Mapping[str, str] | None = None) -> Parsed:
    """Read a file or folder as the lines of `import_from`. The format is detected unless `form` names it.

    `names` maps fields of a memory to columns of CSV, JSON lines or Parquet. Raises InvalidInputError for an
    unknown format or a file that cannot be read, MissingExtraError, and OSError.
    """
    place = Path(path)
    form = form or detect(place, mapped=bool(names))
    if form not in READ:
        raise InvalidInputError("format", f"{form!r} cannot be read.", f"Use one of {', '.join(READ)}.")
    found = FORMATS[form]
    if found.folder not in (None, place.is_dir()):
        expected = "a folder" if found.folder else "a file"
        raise InvalidInputError(place.name, f"is not {expected}, as {form} is.", "Check the path.")
    if names and not found.columns:
        raise InvalidInputError("map", f"does not apply to {form}.", "Use it with CSV, JSON lines or Parquet.")
    if form == OURS:
        with place.open("rb") as lines:
            return parse(lines)
    read = _called(found.reads)
    parsed: Parsed = (read(place, names or {}) if found.columns else read(place)).parsed
    return parsed


def write_file(path: Path, form: str, lines: Iterable[str]) -> tuple[int, tuple[str, ...]]:
    """Write the lines of an export in another format. Return the number of memories, and what was not written.

    The file or folder gets its name when it is whole. A folder must be new or empty.
    """
    memories, edges, left = _exported(lines)
    part = path.with_name(f"{path.name}.part")
    if path.is_dir() and any(path.iterdir()):
        raise InvalidInputError(str(path), "is a folder that is not empty.", "Name a new folder.")
    shutil.rmtree(part, ignore_errors=True)
    try:
        if FORMATS[form].folder:
            part.mkdir()
        count, more = _called(FORMATS[form].writes)(part, memories, edges)
        if path.is_dir():
            path.rmdir()
        part.replace(path)
    finally:
        if part.is_dir():
            shutil.rmtree(part)
        part.unlink(missing_ok=True)
    return count, (*left, *more)


def _exported(lines: Iterable[str]) -> tuple[list[Memory], list[Edge], tuple[str, ...]]:
    parsed = parse(lines)
    namespace = str(parsed.head.get("namespace", ""))
    fields = [entry.fields for entry in parsed.entries]
    memories = [read_memory(each, namespace) for each in fields if each.get("record") == "memory"]
    edges = [read_edge(each) for each in fields if each.get("record") == "edge"]
    shown = [each for each in memories if each.status == "active" and each.trust != "quarantined"]
    hidden, versions = len(memories) - len(shown), sum(each.get("record") == "version" for each in fields)
    left = [f"{hidden} memories that are not active"] if hidden else []
    return shown, edges, (*left, *([f"{versions} earlier states"] if versions else []))


def _called(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), function)
    return found


def _of_folder(path: Path) -> str:
    from combray.transfer.formats import databases, okf

    if databases.mem0_collections(path):
        return "mem0"
    if okf.is_bundle(path):
        return "okf"
    return "markdown" if next(path.rglob("*.md"), None) is not None else ""


def _of_file(path: Path, mapped: bool) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    suffix = path.suffix.lower()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"SQLite format 3\x00"):
        from combray.transfer.formats.databases import is_langgraph

        return "langgraph" if is_langgraph(path) else ""
    if suffix in (".csv", ".tsv"):
        return "csv"
    if mapped:
        return "jsonl"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:4] == b"PK\x03\x04":
        return CHATS
    if not start or start[:1] in (b"{", b"["):
        return _of_json(path, start)
    return OURS if suffix in (".jsonl", ".json", ".ndjson") else ""


def _of_json(path: Path, start: bytes) -> str:
    """Return the format of a file that begins like JSON. One that is none of another tool is ours to judge."""
    from combray.transfer.formats import databases, graphiti, letta

    first = start.split(b"\n", 1)[0]
    line = decoded(first)
    if isinstance(line, dict) and line.get("type") in ("entity", "relation"):
        return SERVER_MEMORY
    if isinstance(line, dict) and (line.get("format") == OURS or "content" in line or "text" in line):
        return OURS
    value = decoded(path.read_bytes())
    if letta.is_agent_file(value):
        return "letta"
    if graphiti.is_graph(value):
        return "graphiti"
    if databases.is_mem0(value):
        return "mem0"
    listed = value if isinstance(value, list) else []
    if any(isinstance(each, dict) and {"mapping", "chat_messages"} & each.keys() for each in listed[:1]):
        return CHATS
    return OURS
