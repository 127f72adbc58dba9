"""Rows with named columns: CSV, JSON lines with a mapping, Parquet (extra `parquet`)."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from combray.errors import InvalidInputError, MissingExtraError
from combray.remember.validate import KNOWN
from combray.transfer.formats.drafts import Drafts, declared, plain
from combray.transfer.parser import parse
from combray.types import Edge, Memory

_LISTS = ("tags", "entities", "evidence")
_NUMBERS = {"importance": int, "position": int, "confidence": float}


def read_csv(path: Path, names: Mapping[str, str]) -> Drafts:
    """Read a CSV or TSV file with a header. Raises InvalidInputError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(path.name, f"byte {error.start + 1} is not UTF-8.", "Save it as UTF-8.") from None
    try:
        comma = "\t" if path.suffix.lower() == ".tsv" else ","
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=comma, strict=True)
        header = Counter(filter(None, reader.fieldnames or ()))
        listed: list[tuple[str, dict[str, Any]]] = [(f"line {reader.line_num}", row) for row in reader]
    except csv.Error as error:
        raise InvalidInputError(path.name, f"is not valid CSV: {error}.", "Close every quote.") from None
    if twice := next((name for name, count in header.items() if count > 1), None):
        raise InvalidInputError(path.name, f"has two columns {twice!r}.", "Rename or remove one of them.")
    drafts = Drafts("csv")
    whole = []
    for place, row in listed:
        if None in row or None in row.values():
            drafts.problem(place, "does not have as many values as the header.", "Fix the line.")
        else:
            whole.append((place, row))
    return _read(drafts, whole, names, path)


def read_lines(path: Path, names: Mapping[str, str]) -> Drafts:
    """Read JSON lines, or one JSON array, of objects with other names. Raises InvalidInputError."""
    with path.open("rb") as lines:
        parsed = parse(lines)
    drafts = Drafts("jsonl")
    drafts.parsed.problems += parsed.problems
    whole = ((each.item or f"line {each.line}", each.fields) for each in parsed.entries if not each.broken)
    return _read(drafts, whole, names, path)


def read_parquet(path: Path, names: Mapping[str, str]) -> Drafts:
    """Read a Parquet file. Raises InvalidInputError, MissingExtraError."""
    parquet = _parquet()
    try:
        listed = parquet.read_table(path).to_pylist()
    except Exception as error:  # noqa: BLE001 - the library's errors have no common class
        problem = f"cannot be read as Parquet: {str(error).splitlines()[0]}."
        raise InvalidInputError(path.name, problem, "Write it anew.") from None
    return _read(Drafts("parquet"), ((f"row {at}", row) for at, row in enumerate(listed, 1)), names, path)


def write_parquet(path: Path, memories: Sequence[Memory], edges: Sequence[Edge]) -> tuple[int, tuple[str, ...]]:
    """Write memories as a Parquet file: lists as lists, metadata as JSON. Edges and other names have no place."""
    parquet, arrow = _parquet(), import_module("pyarrow")
    texts, lists = arrow.string(), arrow.list_(arrow.string())
    kinds = {"importance": arrow.int64(), "position": arrow.int64(), "confidence": arrow.float64()}
    kinds |= dict.fromkeys(_LISTS, lists)
    schema = arrow.schema([(name, kinds.get(name, texts)) for name in ("id", *sorted(KNOWN - {"id", "text"}))])
    parquet.write_table(arrow.Table.from_pylist(list(map(_row, memories)), schema=schema), path)
    named = sum(len(names) for each in memories for names in each.aliases.values())
    left = ((len(edges), "edges"), (named, "other names of entities"))
    return len(memories), tuple(f"{count} {what}" for count, what in left if count)


def _row(memory: Memory) -> dict[str, Any]:
    """Return the fields of a memory that `remember` takes."""
    values = msgspec.to_builtins(memory)
    values |= {"occurred_at": values["occurred_from"], "entities": list(declared(memory))}
    item = {name: value for name, value in values.items() if name in KNOWN and value not in (None, "", [])}
    return item | {"metadata": msgspec.json.encode(item.get("metadata") or {}).decode()}


def _parquet() -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None


def _read(
    drafts: Drafts, rows: Iterable[tuple[str, Mapping[str, Any]]], names: Mapping[str, str], path: Path
) -> Drafts:
    """Add rows. `names`: a field of a memory -> the column. Columns without a field become metadata."""
    if wrong := sorted(set(names) - KNOWN):
        raise InvalidInputError(
            "map", f"{wrong[0]!r} is not a field of a memory.", f"Fields: {', '.join(sorted(KNOWN))}."
        )
    seen: Counter[str] = Counter()
    columns = {column: "content" if field == "text" else field for field, column in names.items()}
    for at, (place, row) in enumerate(rows):
        if not at and (missing := sorted(set(columns) - set(row))):
            has = ", ".join(map(str, row))
            raise InvalidInputError("map", f"{path.name} has no column {missing[0]!r}.", f"Columns: {has}.")
        item: dict[str, Any] = {}
        metadata: dict[str, Any] = {}
        for column, value in row.items():
            own = {"text": "content"}.get(column, column) if column in KNOWN else None
            field = columns.get(column, own if own not in columns.values() else None)
            if value is None or value == "":
                continue
            if field is None:
                metadata[column] = plain(value)
            elif field == "metadata":
                metadata |= _mapping(value, column)
            else:
                item[field] = _value(field, value)
        text = item.pop("content", None)
        row_text = msgspec.json.encode(plain(row)).decode()
        seen[row_text] += 1
        # A row without an id is known again by what it says; equal rows are counted.
        identifier = str(item.pop("id", f"{path.name}:{seen[row_text]}:{row_text}"))
        if not isinstance(text, str) or not text.strip():
            drafts.problem(place, "has no text.", "Name its column: --map text=COLUMN.")
            continue
        before = len(drafts.parsed.entries)
        drafts.add(identifier, text, place, metadata=metadata, **item)
        if identifier.startswith(f"{path.name}:"):
            for entry in drafts.parsed.entries[before:]:
                entry.fields["metadata"].pop("id", None)
    return drafts


def _value(field: str, value: Any) -> Any:
    if field in _LISTS and isinstance(value, str):
        return [each.strip() for each in value.strip("[]").replace(";", ",").split(",") if each.strip()]
    if field in _NUMBERS and isinstance(value, str):
        try:
            return _NUMBERS[field](value)
        except ValueError:
            return value
    return value


def _mapping(value: Any, column: str) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return {column: value}
    return plain(value) if isinstance(value, Mapping) else {column: plain(value)}
