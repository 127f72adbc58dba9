"""What a prompt already holds: the question itself, its messages, and memories that were put in earlier.

A memory that the prompt holds is not put in again. Comparing is by id and by the normalised text, because the
messages of a prompt are often known to the caller only as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from combray.errors import InvalidInputError
from combray.language.indexing import normalised
from combray.prompt.shown import Shown
from combray.records import dataclass
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
