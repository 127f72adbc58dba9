"""The memories an answer may rest on, numbered from 1: the hits, and what some of them replaced."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from combray.language.tokens import term_set
from combray.prompt.context import without_repeats
from combray.runtime import Filter, Reader
from combray.think.sentences import sentences
from combray.types import Hit, Memory

MOST_EARLIER = 3
"""Replaced memories that are told of."""
_EXCERPT = 1500
"""Characters of one memory that a model is shown: around the sentence that shares most with the question."""
_UNSEEN = ("Cc", "Cf", "Cs")
_MARK = re.compile(r"[\[【]\s*(\d[\d\s,;–-]*)[\]】]")


@dataclass(frozen=True, slots=True)
class Source:
    """A memory with its number. `replaced_by` is the number of the source that took its place, or 0."""

    number: int
    hit: Hit
    replaced_by: int = 0

    @property
    def memory(self) -> Memory:
        """The memory."""
        return self.hit.memory

    def told(self) -> str:
        """Author, date and what limits its trust, with commas."""
        memory = self.memory
        parts = [one_line(memory.author or ""), f"{memory.moment:%Y-%m-%d}"]
        parts += ["untrusted"] if memory.trust == "untrusted" else []
        return ", ".join(part for part in parts if part)

    def line(self, terms: frozenset[str]) -> str:
        """Its line in a prompt."""
        replaced = f", replaced by [{self.replaced_by}]" if self.replaced_by else ""
        context = f" (with it: {one_line(self.memory.context[:_EXCERPT])})" if self.memory.context else ""
        text = one_line(excerpt(self.memory.content, terms))
        return f"[{self.number}] ({self.told()}{replaced}) {text}{context}"


def numbered(hits: Iterable[Hit], reader: Reader, *, earlier: Filter | None) -> list[Source]:
    """The hits, no quarantined ones and no repeats; then what they replaced, if `earlier` lets it through."""
    allowed = [hit for hit in hits if hit.memory.trust != "quarantined"]
    kept = {memory.id for memory in without_repeats([hit.memory for hit in allowed])[0]}
    told = [hit for hit in allowed if hit.memory.id in kept]
    sources = [Source(number, hit) for number, hit in enumerate(told, 1)]
    return sources + ([] if earlier is None else _earlier(sources, reader, earlier))


def _earlier(sources: Sequence[Source], reader: Reader, where: Filter) -> list[Source]:
    """What hits replaced, unless it was hidden for another reason since."""
    newer = {source.memory.supersedes: source.number for source in sources if source.memory.supersedes}
    keys = np.array(sorted(reader.keys_of([old for old in newer if old]).values()), dtype=np.int64)
    replaced = reader.memories(keys[reader.eligible(keys, where)].tolist())
    return [
        Source(len(sources) + place, Hit(memory, 0.0, {}, "superseded"), newer[memory.id])
        for place, memory in enumerate(replaced[:MOST_EARLIER], 1)
    ]


def excerpt(text: str, terms: frozenset[str]) -> str:
    """The text, or of a long one the part around the first sentence that shares most terms."""
    if len(text) <= _EXCERPT:
        return text
    best = max(sentences(text), key=lambda part: len(terms & term_set(part)))
    start = max(0, text.index(best) - (_EXCERPT - len(best)) // 2)
    end = start + _EXCERPT
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"


def one_line(text: str) -> str:
    """Text as a quotation among ours: on one line, nothing invisible, no mark that could pass for a citation."""
    line = " ".join(text.split())
    seen = "".join(each for each in line if each in "\u200c\u200d" or unicodedata.category(each) not in _UNSEEN)
    return _MARK.sub(r"(\1)", seen)
