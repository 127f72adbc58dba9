"""What a prompt already holds: the question itself, its messages, and memories that were put in earlier.

A memory that the prompt holds is not put in again. Comparing is by id and by the normalised text, because the
messages of a prompt are often known to the caller only as texts.

What was put into the prompts of a session is kept in the store: the keys of memories under a hash of the
session's name, no text and no id. Keys are never used again, so the key of an erased memory names nothing. At
most `SESSIONS` sessions of `MOST` memories are kept; the one used longest ago gives way.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from combray.errors import InvalidInputError, StoreBusyError, StoreError
from combray.language.indexing import normalised
from combray.records import dataclass
from combray.runtime import Reader, Store, Writer
from combray.runtime.calls import briefly, step
from combray.types import Memory

QUESTION = "repeats the question"
MESSAGE = "the prompt holds it already"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Held:
    """The ids and texts that a prompt holds. Texts are words with one space around each.

    `texts` are messages, which may contain a memory; `lines` are memories that were shown.
    """

    question: str
    ids: frozenset[str]
    texts: tuple[str, ...]
    lines: frozenset[str]

    def why(self, memory: Memory) -> str:
        """Return why a memory would be repeated; "" for a new one."""
        if memory.id in self.ids:
            return MESSAGE
        said = _words(memory.content)
        if said == self.question:
            return QUESTION
        if said in self.lines and said.strip():
            return MESSAGE
        # A text without a word, such as an emoji, is only compared as a whole.
        if said.strip() and any(said in text for text in self.texts):
            return MESSAGE
        return ""


def held(query: str, exclude: Any, messages: Any, earlier: Sequence[Shown] = ()) -> Held:
    """Read the arguments `exclude` (ids) and `messages` of a context. Raises InvalidInputError.

    `earlier`: what was shown before. A message is a text, a memory, or a mapping with `content` or `text`,
    as chat APIs write it.
    """
    ids = [
        *(each for shown in earlier for each in shown.ids),
        *(_id(each) for each in _listed("exclude", exclude)),
    ]
    texts = []
    for each in _listed("messages", messages):
        if isinstance(each, Memory):
            ids.append(each.id)
        texts.append(_words(_said(each)))
    lines = frozenset(_words(each) for shown in earlier for each in shown.texts)
    return Held(_words(query), frozenset(ids), tuple(filter(str.strip, texts)), lines)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(normalised(text)))} "


def _listed(field: str, given: Any) -> Sequence[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidInputError(field, f"must be a list, got {type(given).__name__}.", "Pass a list.")
    return list(given)


def _id(given: Any) -> str:
    found = getattr(given, "id", given)
    if not isinstance(found, str):
        raise InvalidInputError("exclude", f"must contain ids, got {type(given).__name__}.", "Pass ids.")
    return found


def _said(message: Any) -> str:
    if isinstance(message, Memory):
        return message.content
    content = message.get("content", message.get("text")) if isinstance(message, Mapping) else message
    if isinstance(content, str):
        return content
    if isinstance(content, Iterable) and not isinstance(content, bytes):
        # The parts of a message: {"type": "text", "text": …}; pictures and tool calls have no text.
        parts = [each.get("text") for each in content if isinstance(each, Mapping)]
        return "\n".join(each for each in parts if isinstance(each, str))
    if content is None and isinstance(message, Mapping):
        return ""
    problem = f"must contain texts, memories or mappings with content, got {type(message).__name__}."
    raise InvalidInputError("messages", problem, "Pass the messages of the prompt.")


LOG = logging.getLogger(__name__)

SHOWN = "note what is shown"
"""The step within the transaction that notes it: a follower that raises there has nothing noted."""
SESSIONS = 32
MOST = 2_000
"""Memories remembered of a session; after that the first ones may be shown again."""
_INDEX = "shown"
_Places = dict[str, tuple[int, int]]
"""By session, the one used last at the end: the slot of its keys, and the highest number that a line had."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the prompts of a session held: ids and texts, oldest first, and the highest number of a line."""

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    number: int = 0


def shown_before(reader: Reader, session: str) -> Shown:
    """Return what was shown in the session and still exists."""
    place, number = _places(reader).get(_name(session), (-1, 0))
    if place < 0:
        return Shown()
    keys = np.array(_keys(reader, place), dtype=np.int64)
    return Shown(tuple(filter(None, reader.ids(keys))), tuple(filter(None, reader.contents(keys))), number)


def add_shown(store: Store, namespace: str, session: str, ids: Sequence[str], number: int) -> None:
    """Add what is shown now, up to line `number`. If that cannot be written, a later prompt may repeat it."""

    def extended(tx: Writer, place: int) -> str:
        step(SHOWN)
        new = tx.keys_of(ids).values()
        return ",".join(map(str, list(dict.fromkeys([*_keys(tx, place), *new]))[-MOST:]))

    if ids:
        _change(store, namespace, session, extended, number)


def forget_shown(store: Store, namespace: str, session: str) -> bool:
    """Forget what was shown: the prompt was compacted, and what it held may be lost. Numbers go on.

    Return False if another process writes, so that it must be done later.
    """
    known = _name(session) in _places(store.reader(namespace))
    return not known or _change(store, namespace, session, lambda _tx, _place: "", 0)


def _change(store: Store, namespace: str, session: str, value: Callable[[Writer, int], str], number: int) -> bool:
    """Change what is kept of a session. Return False if another process writes: a read does not wait for it."""
    if not store.writable:
        return True
    try:
        with briefly(), store.transaction(namespace) as tx:
            places = _places(tx)
            place, highest = places.pop(_name(session), (-1, 0))
            if place < 0:
                free = set(range(SESSIONS)) - {slot for slot, _ in places.values()}
                place = min(free) if free else places.pop(next(iter(places)))[0]
                tx.keep(_slot(place), "")
            places[_name(session)] = place, max(number, highest)
            tx.keep(_slot(place), value(tx, place))
            tx.keep(_INDEX, json.dumps(places))
    except StoreBusyError:
        LOG.debug("what was shown in a session was not stored: another process writes")
        return False
    except StoreError:
        LOG.warning("what was shown in a session could not be stored", exc_info=True)
    return True


def _places(reader: Reader) -> _Places:
    text = reader.kept(_INDEX)
    return {name: (slot, number) for name, (slot, number) in json.loads(text).items()} if text else {}


def _keys(reader: Reader, place: int) -> list[int]:
    return [int(each) for each in reader.kept(_slot(place)).split(",") if each]


def _name(session: str) -> str:
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _slot(place: int) -> str:
    return f"{_INDEX}:{place}"
