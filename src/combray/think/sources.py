"""The numbered memories that an answer may cite: the hits, and memories that they superseded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from combray.language.tokens import term_set
from combray.prompt.context import without_repeats
from combray.recall.marks import note
from combray.runtime import Filter, Reader
from combray.think.sentences import sentences
from combray.types import Hit, Memory

MOST_EARLIER = 3
"""Maximum number of superseded memories."""
_EXCERPT = 1500
"""Characters of a memory in the prompt, around the sentence that shares most terms with the question."""
_UNSEEN = ("Cc", "Cf", "Cs")
_MARK = re.compile(r"[\[【]\s*(\d[\d\s,;–-]*)[\]】]")


@dataclass(frozen=True, slots=True)
class Source:
    """A memory and its number from 1.

    `replaced_by`: number of the source that superseded it, or 0. `mark`: what a reader must know about its time.
    """

    number: int
    hit: Hit
    replaced_by: int = 0
    mark: str = ""

    @property
    def memory(self) -> Memory:
        """The memory."""
        return self.hit.memory

    def told(self) -> str:
        """Return author, date and trust mark, separated by commas."""
        memory = self.memory
        parts = [one_line(memory.author or ""), f"{memory.moment:%Y-%m-%d}"]
        parts += ["untrusted"] if memory.trust == "untrusted" else []
        parts += [self.mark] if self.mark else []
        return ", ".join(part for part in parts if part)

    def line(self, terms: frozenset[str]) -> str:
        """Return its line in the prompt."""
        replaced = f", replaced by [{self.replaced_by}]" if self.replaced_by else ""
        context = f" (with it: {one_line(self.memory.context[:_EXCERPT])})" if self.memory.context else ""
        text = one_line(excerpt(self.memory.content, terms))
        return f"[{self.number}] ({self.told()}{replaced}) {text}{context}"


def numbered(hits: Iterable[Hit], reader: Reader, *, now: float, earlier: Filter | None) -> list[Source]:
    """Number the hits, without quarantined ones and duplicates; then superseded memories that pass `earlier`."""
    allowed = [hit for hit in hits if hit.memory.trust != "quarantined"]
    kept = {memory.id for memory in without_repeats([hit.memory for hit in allowed])[0]}
    told = [hit for hit in allowed if hit.memory.id in kept]
    numbers = {hit.memory.id: number for number, hit in enumerate(told, 1)}
    sources = [Source(numbers[hit.memory.id], hit, mark=note(hit, numbers, now)) for hit in told]
    if earlier is None:
        return sources
    newer = {source.memory.supersedes: source.number for source in sources if source.memory.supersedes}
    keys = np.array(sorted(reader.keys_of([old for old in newer if old]).values()), dtype=np.int64)
    replaced = reader.memories(keys[reader.eligible(keys, earlier)].tolist())
    return sources + [
        Source(len(sources) + place, Hit(memory, 0.0, {}, "superseded"), newer[memory.id])
        for place, memory in enumerate(replaced[:MOST_EARLIER], 1)
    ]


def excerpt(text: str, terms: frozenset[str]) -> str:
    """Truncate a long text to the part around the first sentence that shares most terms."""
    if len(text) <= _EXCERPT:
        return text
    best = max(sentences(text), key=lambda part: len(terms & term_set(part)))
    start = max(0, text.index(best) - (_EXCERPT - len(best)) // 2)
    end = start + _EXCERPT
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"


def one_line(text: str) -> str:
    """Return the text on one line, without invisible characters and without marks that look like citations."""
    line = " ".join(text.split())
    seen = "".join(each for each in line if each in "\u200c\u200d" or unicodedata.category(each) not in _UNSEEN)
    return _MARK.sub(r"(\1)", seen)
