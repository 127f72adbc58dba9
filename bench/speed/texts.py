"""As many distinct texts as wanted, with the vocabulary of real sentences.

Sentences come from question sets (a folder of conversations, or our own English ones) and from the standard
library's docstrings. They are cut into clauses; a text joins two to four clauses drawn with Zipf's weights
1/(rank + 10), so that few words are frequent and most are rare, as in real text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.quality import choosing, loaders
from bench.quality.docstrings import docstrings
from bench.quality.sets import QuestionSet
from combray.language.tokens import content_terms, words

_CLAUSE = re.compile(r"(?<=[.!?;,:])\s+")
_AUTHORS = ("Mara", "Ilian", "Sorrel", "Tadeo", "Wren", "Okan", "Petra", "Juno", "Basil", "Noor")
_FEWEST_WORDS = 3
_MOST_WORDS = 16
LONG_CHARACTERS = 2500


@dataclass(frozen=True, slots=True)
class Text:
    """One text to remember and who said it."""

    text: str
    author: str


def sources(folder: Path | None) -> list[QuestionSet]:
    """The sets of a folder (its .json and .jsonl files), else our own English ones and the docstrings."""
    if folder is not None:
        files = sorted([*folder.rglob("*.json"), *folder.rglob("*.jsonl")])
        return [loaders.load(path.stem, path) for path in files]
    own = [loaders.load(path.stem, path) for path in sorted(choosing.OWN.glob("assistant-chats.jsonl"))]
    return [*own, docstrings()]


def clauses(sets: Sequence[QuestionSet]) -> list[str]:
    """Distinct clauses of 3 to 16 words with at least two words that carry meaning, in their order."""
    found: dict[str, None] = {}
    for each in sets:
        for collection in each.collections:
            for item in collection.items:
                for clause in _CLAUSE.split(item.text):
                    size = len(clause.split())
                    if _FEWEST_WORDS <= size <= _MOST_WORDS and len(set(content_terms(clause))) > 1:
                        found[clause.strip()] = None
    return list(found)


def texts(pool: Sequence[str], count: int, seed: int = 0) -> Iterator[Text]:
    """`count` distinct texts. Raises ValueError if the pool is too small to make that many."""
    if len(pool) < 100 or len(pool) ** 2 < count:
        raise ValueError(f"{len(pool)} clauses cannot make {count} distinct texts; give a larger folder")
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(pool))
    weights = 1.0 / (np.arange(len(pool)) + 10.0)
    weights /= weights.sum()
    seen: set[str] = set()
    while len(seen) < count:
        draws = order[generator.choice(len(pool), size=(4096, 4), p=weights)]
        sizes = generator.integers(2, 5, size=4096)
        authors = generator.integers(0, len(_AUTHORS), size=4096)
        for row, size, author in zip(draws, sizes, authors, strict=True):
            text = " ".join(pool[place] for place in row[:size])
            if text not in seen:
                seen.add(text)
                yield Text(text, _AUTHORS[author])
                if len(seen) == count:
                    return


def long_texts(made: Iterator[Text], count: int) -> Iterator[Text]:
    """`count` messages of about 2,500 characters, each of as many texts as that takes, by one author."""
    for _ in range(count):
        first = next(made)
        parts = [first.text]
        while sum(len(part) + 1 for part in parts) < LONG_CHARACTERS:
            parts.append(next(made).text)
        yield Text(" ".join(parts), first.author)


def questions(stored: Sequence[Text], count: int, seed: int = 1) -> list[str]:
    """Questions with three to five words of a stored text, as a person would ask for it."""
    generator = np.random.default_rng(seed)
    asked = []
    for place in generator.integers(0, len(stored), size=count):
        found = list(dict.fromkeys(word for word in words(stored[place].text) if len(word) > 3))
        wanted = generator.permutation(len(found))[: int(generator.integers(3, 6))]
        topic = " ".join(found[at] for at in sorted(wanted.tolist()))
        asked.append(f"What did {stored[place].author} say about {topic}?")
    return asked
