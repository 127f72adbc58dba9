"""What the reader of a format makes: items for `remember_many`, edges between them, and what has no place."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from combray.errors import InvalidInputError
from combray.remember.validate import Validate
from combray.transfer.parser import Parsed, PlacedObject, Problem, shown
from combray.types import Memory

_IDS = uuid.UUID("6f1d4a52-5b9e-5a3c-9a41-0c0b6f3f2a10")
LONGEST = Validate.max_characters
_BREAK = re.compile(r"\n{2,}|\n|(?<=[.!?。！？]) | ")


class Drafts:
    """The items of one file in the order of adding.

    Ids are made of the format and the other tool's id, so a second import of the file, also after an
    interruption or with more in it, stores what is new.
    """

    def __init__(self, form: str) -> None:
        self.parsed = Parsed(form)
        self.form = form
        self._places: dict[str, PlacedObject] = {}
        self._aliases: dict[str, str] = {}

    def id_of(self, foreign: str, part: int = 0) -> str:
        """Return the id of a memory by its id in the other tool. A UUID is kept."""
        foreign = self._aliases.get(foreign, foreign)
        name = f"{foreign}#{part}" if part else foreign
        try:
            return str(uuid.UUID(name))
        except ValueError:
            return str(uuid.uuid5(_IDS, f"{self.form}:{name}"))

    def alias(self, name: str, foreign: str) -> None:
        """Let links name an item otherwise than by its id."""
        self._aliases[name] = foreign

    def add(self, foreign: str, content: Any, place: str = "", **fields: Any) -> None:
        """Add an item. Fields that are None are omitted; `metadata.id` is the other tool's id, unless a UUID.

        A text longer than a memory may be becomes several, in order, linked one to the next.
        """
        if not isinstance(content, str) or not content.strip():
            self.left("texts that are empty" if content in (None, "") or isinstance(content, str) else "no texts")
            return
        episode = fields.get("kind") == "episode"
        parts = [content] if episode else list(split(content))
        for number, text in enumerate(parts):
            metadata = dict(fields.get("metadata") or {})
            identifier = self.id_of(foreign, number)
            if identifier != foreign:
                metadata.setdefault("id", foreign)
            if len(parts) > 1:
                metadata["part"] = number + 1
            item = {name: value for name, value in fields.items() if value not in (None, [], ())}
            item |= {"content": text, "id": identifier, "metadata": metadata}
            if number:
                item["edges"] = [
                    {"target": self.id_of(foreign, number - 1), "type": "semantic", "reason": "part"}
                ]
            entry = PlacedObject(item, 0, place or f"{self.form} {foreign}")
            self.parsed.entries.append(entry)
            self._places[identifier] = entry

    def link(
        self, source: str, target: str, reason: str = "", weight: float = 0.5, kind: str = "semantic"
    ) -> None:
        """Link two items by their ids in the other tool. A link to what is not in the file is counted."""
        start, end = self.id_of(source), self.id_of(target)
        if start not in self._places or end not in self._places:
            self.left("links to what the file does not have")
        elif start != end:
            edge = {"target": end, "type": kind, "weight": weight, "reason": reason}
            edges = self._places[start].fields.setdefault("edges", [])
            same = next((each for each in edges if (each["target"], each["type"]) == (end, kind)), None)
            if same is None:
                edges.append(edge)
            elif reason and not same["reason"]:
                same |= edge

    def left(self, what: str, count: int = 1) -> None:
        """Count what has no place."""
        if count:
            self.parsed.left[what] += count

    def problem(self, place: str, problem: str, remedy: str = "") -> None:
        """Report an entry that cannot be read."""
        self.parsed.problems.append(Problem(0, problem, remedy, place))


def split(text: str) -> Iterator[str]:
    """Yield a text in parts that a memory can hold, broken between paragraphs, lines, sentences or words.

    The parts joined are the text.
    """
    while len(text) > LONGEST:
        ends = [found.end() for found in _BREAK.finditer(text, LONGEST // 2, LONGEST)]
        blank = [end for end in ends if text[:end].endswith("\n")]
        end = (blank or ends or [LONGEST])[-1]
        if not text[end:].strip():
            break
        yield text[:end]
        text = text[end:]
    yield text


def loaded_json(path: Path) -> Any:
    """Return the value of a JSON file. Raises InvalidInputError, OSError."""
    try:
        return msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError(path.name, f"is not JSON in UTF-8: {error}.", "Export it anew.") from None


def loaded_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file. Raises InvalidInputError, OSError."""
    value = loaded_json(path)
    if not isinstance(value, dict):
        raise InvalidInputError(path.name, f"must be a JSON object, got {shown(value)}.", "Export it anew.")
    return value


def objects(drafts: Drafts, listed: Any, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects of a list with their places. Other entries become problems."""
    if listed is None:
        return
    if not isinstance(listed, list):
        drafts.problem(name, f"must be a list, got {shown(listed)}.")
        return
    for number, each in enumerate(listed, 1):
        if isinstance(each, Mapping):
            yield f"{name} {number}", each
        else:
            drafts.problem(f"{name} {number}", f"{shown(each)} is not an object.", "Fix or remove it.")


def text_in(value: Any) -> str:
    """Return what a value says: a text, its text or content field, or the value as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for name in ("text", "content", "memory", "data", "value"):
            if isinstance(value.get(name), str) and value[name].strip():
                return str(value[name])
    return "" if value in (None, {}, []) else msgspec.json.encode(value).decode()


def declared(memory: Memory) -> dict[str, list[str]]:
    """Return the entities that were given for a memory, in their order, with their other names.

    Those that were read from its text are read again.
    """
    return {name: list(memory.aliases[name]) for name in memory.entities if name in memory.aliases}


def plain(value: Any) -> Any:
    """Return a value as JSON has it. Times keep their offset."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def labels(values: Iterable[Any], most: int = 20) -> list[str]:
    """Return texts as tags: distinct, not empty, as many as a memory may have."""
    texts = (str(each).strip().lstrip("#")[:100] for each in values if each is not None)
    return list(dict.fromkeys(each for each in texts if each))[:most]
