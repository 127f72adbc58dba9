"""The lines of a file to import, parsed as JSON; and the report of an import.

The format is detected. Invalid lines become problems, not errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from combray.errors import InvalidInputError
from combray.records import dataclass, field

Shape = str
""""combray": an export; "mnemon": Mnemon's import draft; "items": one object per item; "empty"; or the name of a
format of another tool (`transfer.formats`)."""
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that cannot be imported, and why.

    `line` counts from 1. In a file that is one JSON value, `line` is 0 and `item` counts its entries from 1.
    """

    line: int
    problem: str
    remedy: str = ""
    item: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else self.item or "the file"
        return f"{place}: {self.problem}" + (f" {self.remedy}" if self.remedy else "")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts of new `memories`, `versions` and `edges`, and of `skipped` entries, which are already stored.

    A dry run counts exact duplicates only; near duplicates are found during the import. `replaced`: memories
    superseded by imported ones. `quarantined`: a dry run knows this number for an export only. `left`: what the
    file has and Combray has no place for, with its number.
    """

    shape: Shape
    dry_run: bool
    memories: int = 0
    versions: int = 0
    edges: int = 0
    skipped: int = 0
    replaced: int = 0
    quarantined: int = 0
    problems: tuple[Problem, ...] = ()
    left: tuple[str, ...] = ()


def left_of(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return what has no place as lines, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(f"{what} ({count})" for what, count in ordered)


def shown(value: Any) -> str:
    """Return a value, truncated for a message."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def problem_of(error: InvalidInputError, line: int, item: str = "") -> Problem:
    """Convert an error to a problem."""
    return Problem(line, f"{error.field}: {error.problem}", error.remedy, item)


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """One JSON object and its place: a line from 1, or an entry of a file that is one JSON value.

    `broken` entries are empty and already reported; they keep the numbering of the following ones.
    """

    fields: dict[str, Any]
    line: int
    item: str = ""
    broken: bool = False


@dataclass(slots=True)
class Parsed:
    """The objects of a file. `head`: the header of an export, or a draft without its lists."""

    shape: Shape
    entries: list[PlacedObject] = field(default_factory=list)
    edges: list[PlacedObject] = field(default_factory=list)
    head: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    """What has no place in Combray -> how often the file has it."""

    def __iter__(self) -> Iterator[str]:
        """Yield the lines of a file with the same content, for a server. Raises InvalidInputError."""
        if self.problems:
            raise InvalidInputError("import", f"the file has a problem: {self.problems[0]}", "Fix the file.")
        return self.lines()

    def lines(self) -> Iterator[str]:
        """Yield the lines. An entry that could not be read is an empty object, so that places stay."""
        objects = [entry.fields for entry in self.entries]
        if self.shape == "mnemon":
            objects = [{**self.head, "insights": objects, "edges": [each.fields for each in self.edges]}]
        elif self.shape == "combray":
            objects.insert(0, self.head)
        return (msgspec.json.encode(each).decode() + "\n" for each in objects)


def parse(lines: Iterable[str | bytes]) -> Parsed:
    """Parse JSON lines, one JSON object with "insights", or one JSON array of items."""
    if isinstance(lines, Parsed):
        return lines
    problems: list[Problem] = []
    texts = [_text(line, number, problems) for number, line in enumerate(lines, 1)]
    if texts:
        texts[0] = texts[0].removeprefix(_BYTE_ORDER_MARK)
    first = next((text for text in texts if text.strip()), None)
    if first is None:
        return Parsed("empty", problems=problems)
    known, head = _json(first)
    if not known or (isinstance(head, list) and not problems):
        whole, value = _json("".join(text if text.endswith("\n") else text + "\n" for text in texts))
        if whole:
            return _one_value(value, problems)
        if first.strip() in ("{", "["):
            problems.append(Problem(0, f"is not valid JSON: {value}.", "Fix the file; nothing else was read."))
            return Parsed("items", problems=problems)
    if known and isinstance(head, dict) and isinstance(head.get("insights"), list):
        return _one_value(head, problems)
    if known and isinstance(head, dict) and head.get("format") == "combray":
        return _lines("combray", texts, problems)
    return _lines("items", texts, problems)


def _text(line: str | bytes, number: int, problems: list[Problem]) -> str:
    if isinstance(line, str):
        return line
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8: {shown(line)}."
        problems.append(Problem(number, problem, "Save the file as UTF-8."))
        return ""


def _json(text: str) -> tuple[bool, Any]:
    """Whether the text is JSON, and its value or the error."""
    try:
        return True, msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        return False, error


def _lines(shape: Shape, texts: list[str], problems: list[Problem]) -> Parsed:
    parsed = Parsed(shape, problems=problems)
    for number, text in enumerate(texts, 1):
        if not text.strip():
            continue
        known, value = _json(text)
        if known and isinstance(value, dict):
            parsed.entries.append(PlacedObject(value, number))
            continue
        parsed.entries.append(PlacedObject({}, number, broken=True))
        wrong = "is not a JSON object" if known else "is not valid JSON"
        remedy = 'Write one object per line, such as {"content": "..."}, or remove the line.'
        problems.append(Problem(number, f"{shown(text.strip())} {wrong}.", remedy))
    if shape == "combray" and parsed.entries:
        parsed.head = parsed.entries.pop(0).fields
    return parsed


def _one_value(value: Any, problems: list[Problem]) -> Parsed:
    """A draft with "insights" and "edges", a single item, or an array of items."""
    if isinstance(value, dict) and isinstance(value.get("insights"), list):
        parsed = Parsed("mnemon", problems=problems)
        parsed.head = {name: each for name, each in value.items() if name not in ("insights", "edges")}
        parsed.entries = _entries(value["insights"], "insights", problems)
        edges = value.get("edges") or []
        if isinstance(edges, list):
            parsed.edges = _entries(edges, "edges", problems)
        else:
            problems.append(Problem(0, f"edges must be a list, got {shown(edges)}.", "Write a list of edges."))
        return parsed
    parsed = Parsed("items", problems=problems)
    parsed.entries = _entries(value if isinstance(value, list) else [value], "item", problems)
    return parsed


def _entries(values: list[Any], name: str, problems: list[Problem]) -> list[PlacedObject]:
    found = []
    for number, value in enumerate(values, 1):
        place = f"{name} {number}"
        if isinstance(value, dict):
            found.append(PlacedObject(value, 0, place))
        else:
            problem = f"{shown(value)} is not a JSON object."
            problems.append(Problem(0, problem, 'Write {"content": "..."}.', place))
            found.append(PlacedObject({}, 0, place, broken=True))
    return found
